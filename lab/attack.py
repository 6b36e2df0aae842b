"""An attack on correcting in a browser: random corrections, files that change under them, savers at once, and kills.

    python -m lab.attack --corrections 300 --races 12 --kills 15

What a server says is saved must be in a file, as it was sent, and every file must be whole. It prints what was tried.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import spacy
import typer

from spacy_span_selector.tools.files.runs import only_process_in
from spacy_span_selector.tools.formats.bracketed import read_bracketed
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


def main(corrections: int = 300, races: int = 12, kills: int = 15) -> None:
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
