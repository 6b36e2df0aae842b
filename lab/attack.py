"""An attack on correcting, on readers and on tables.

Random corrections, files that change under them, savers at once, kills; archives that hold far more than their size;
cells like formulas; texts with thousands of names.

    python -m lab.attack --corrections 300 --races 12 --kills 15

What a server says is saved must be in a file, as it was sent, and every file must be whole; an archive is refused
within memory, and no cell is a formula. It prints what was tried.
"""

from __future__ import annotations

import csv
import gzip
import json
import multiprocessing
import random
import re
import resource
import tempfile
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import spacy
import typer

from spacy_span_selector.tools.annotate.formats import FORMULA, TABLES, write_tables
from spacy_span_selector.tools.annotate.inputs import READERS, find_inputs
from spacy_span_selector.tools.annotate.records import Reading
from spacy_span_selector.tools.files.runs import only_process_in
from spacy_span_selector.tools.formats.bracketed import Lenient, parse_bracketed, read_bracketed, write_bracketed
from spacy_span_selector.tools.serving import Drafting, TextFolder, create_editor, open_socket, run_app
from spacy_span_selector.tools.serving.pages import Form

WORDS = ["Ann", "saw", "her", "[", "\\", "“He", "ran”", "@Bob:", "===", "é́", "😀", "|", "]", "> x", "word"]
CHANGES = [(".txt", b"Another text."), (".txt", b"\xff"), (".txt", None), (".brackets.txt", b"[Ann")]
NLP, FORM, SAVERS = spacy.blank("en"), Form("none", 50_000), ThreadPoolExecutor(8)
tried: Counter[str] = Counter()


class Worker:
    form = FORM

    async def annotate(self, text: Any, request: Any = None) -> Any:
        return Drafting(NLP, FORM)(text)


def _serve(folder: Path, output: Any) -> None:
    worker: Any = Worker()
    try:
        with open_socket("127.0.0.1", 0) as listening, only_process_in(folder, "serve", "wait", "the first"):
            output.send(listening.getsockname()[1])
            run_app(create_editor(worker, TextFolder(folder)), listening)
    except ValueError as error:
        output.send(str(error))


def start(folder: Path) -> tuple[Any, Any]:
    """A server, and its port or why it has none."""
    output, inner = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_serve, args=(folder, inner))
    process.start()
    return process, output.recv()


def ask(port: int, name: str, method: str = "GET", sent: Any = None, version: str = "") -> tuple[int, Any, str]:
    headers = {"X-Span-Selector": "edit", "Content-Type": "application/json", "If-Match": version}
    body = json.dumps(sent).encode() if sent else None
    try:
        request = Request(f"http://127.0.0.1:{port}/documents/{quote(name)}", body, headers, method=method)
        with urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer), answer.headers["ETag"]
    except HTTPError as error:
        return error.code, json.load(error), ""


def open_text(folder: Path, port: int, words: list[str]) -> tuple[Path, Any, Any, str]:
    """A new text, its document, a random correction of it as pages send it, and its version."""
    file = folder / f"text {sum(tried.values())}.txt"
    file.write_text(" ".join(words), "utf-8")
    _, found, version = ask(port, file.stem)
    places = [[i, i + 1] for i, (word, _) in enumerate(found["tokens"]) if word.isalpha()]
    random.shuffle(places)
    clusters = [{"name": f"c{i}", "mentions": sorted(places[i::3])} for i in range(3) if places[i::3]]
    sent = {"text": found["text"], "original": found["original"], "clusters": clusters, "frames": []}
    return file, found, sent, version


def correct(folder: Path, port: int) -> None:
    """Correct a text; one of two changes before it is saved, and then the correction is kept beside it."""
    file, found, sent, version = open_text(folder, port, random.choices(WORDS, k=30))
    if changes := random.random() < 0.5:
        ending, content = random.choice(CHANGES)
        file.with_suffix(ending).write_bytes(content) if content else file.unlink()
    status, answer, _ = ask(port, file.stem, "PUT", sent, version)
    assert status == (409 if changes else 200), answer
    if changes:
        status, answer, _ = ask(port, file.stem, "POST", sent)
    _, again, _ = ask(port, answer["name"])
    assert again["tokens"] == found["tokens"]
    assert sorted(each["mentions"] for each in again["clusters"]) == sorted(
        each["mentions"] for each in sent["clusters"]
    )
    tried[f"corrections{' of texts that had changed' if changes else ''}"] += 1


def race(folder: Path, port: int) -> None:
    """Let eight save one version at once, and keep theirs beside it; and let a second server begin."""
    file, _, sent, version = open_text(folder, port, WORDS)
    statuses = [*SAVERS.map(lambda _: ask(port, file.stem, "PUT", sent, version)[0], range(8))]
    names = {*SAVERS.map(lambda _: ask(port, file.stem, "POST", sent)[1]["name"], range(8))}
    assert sorted(statuses) == [200] + [409] * 7 and len(names) == 8, (statuses, names)
    assert "another 'serve' (the first, process" in str(start(folder)[1])
    tried.update({"races of eight": 1, "second servers": 1})


def kill(folder: Path) -> None:
    """Kill a server while eight save."""
    process, port = start(folder)
    file, found, sent, _ = open_text(folder, port, ["Ann", "ran."] * 500)
    said: list[str] = []

    def save(_: int) -> None:
        while True:
            try:
                said.append(ask(port, file.stem, "POST", sent)[1]["name"])
            except (OSError, ValueError):  # the server has ended
                return

    running = SAVERS.map(save, range(8))
    process.join(random.uniform(0.3, 1))
    process.kill()
    assert [*running] and all((folder / f"{name}.brackets.txt").exists() for name in said)
    for path in folder.glob(f"{file.stem}-*"):
        assert len(read_bracketed(path, NLP)[0]) == len(found["tokens"])
    tried.update({"kills": 1, "saved before them": len(said)})


def inflate(folder: Path) -> None:
    """Annotate archives of 2 GB in 2 MB: each is refused, and takes no more memory than a text may."""
    zeros, packer = bytes(2 * 10**6), zlib.compressobj()
    stream = b"".join(packer.compress(zeros) for _ in range(1000)) + packer.flush()
    (folder / "a.spacy").write_bytes(stream)
    for name in ("b.txt.gz", "c.jsonl.gz"):
        with gzip.open(folder / name, "wb") as file:
            for _ in range(1000):
                file.write(zeros)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    records = [record for file in find_inputs([str(folder)]) for record in READERS[file.kind](file, Reading())]
    assert len(records) == 3 and all(record.problem for record in records)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_000_000  # kilobytes
    tried["archives of 2 GB"] += len(records)


def compute(count: int) -> None:
    """Write cells that begin as formulas do, and read them again."""
    texts = ["".join(random.choices("=+-@\t\r'aB1 ", k=4)) for _ in range(count)]
    rows = {name: [{"document": text} for text in texts] for name in TABLES}
    for content in write_tables(rows, "csv").values():
        cells = [row["document"] for row in csv.DictReader(StringIO(content.decode(), newline=""))]
        assert not any(FORMULA.match(cell) and cell[0] != "'" for cell in cells)
        assert [re.sub(r"^'(?='*[=+\-@\t\r])", "", cell) for cell in cells] == texts
        tried["cells"] += count


def name_many(count: int) -> None:
    """Read and write a text with so many names that stand once."""
    text = "\n".join(f"[Ann{i}|ann{i}] left." for i in range(count))
    (doc,) = parse_bracketed(text, NLP, problems=Lenient())
    assert len(parse_bracketed(write_bracketed([doc]), NLP)[0]._.coref_clusters) == count
    tried["names that stand once"] += count


def main(corrections: int = 300, races: int = 12, kills: int = 15) -> None:
    with tempfile.TemporaryDirectory() as name:
        inflate(Path(name))
    compute(1000)
    name_many(9000)
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "first.txt").write_text("Ann ran.")
        process, port = start(Path(name))
        for attack, times in ((correct, corrections), (race, races)):
            for _ in range(times):
                attack(Path(name), port)
        process.kill()
        process.join()
        for _ in range(kills):
            kill(Path(name))
    print(", ".join(f"{what}: {count:,}" for what, count in tried.items()))


if __name__ == "__main__":
    typer.run(main)
