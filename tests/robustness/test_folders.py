"""Folders with odd entries, for all that reads folders: nothing hangs, and what is not read is named."""

from __future__ import annotations

import json
import os
import socket
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_span_selector.examples.corpus import create_corpus, read_docs
from spacy_span_selector.tools.finetuning.texts import read_annotated
from spacy_span_selector.tools.formats.reports import Report

from .annotating import annotate, invoke
from .fuzzing import no_hang
from .inventory import COMMANDS, INPUTS
from .sources import PINNED, SOURCES

pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")

import pyarrow as pa

from .odd_tables import content

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other links and pipes")
NLP = spacy.blank("xx")
SECONDS = 20


def _write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def _outside(path: Path, data: bytes) -> Path:
    """A file outside of the folder, as caches of data sets have their files."""
    return _write(path.parent.with_name(f"{path.parent.name}-{path.stem}") / f"inside{path.suffix}", data)


def _socket(path: Path, data: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


def _named(name: bytes, path: Path, data: bytes) -> None:
    with open(os.path.join(os.fsencode(path.parent), name + os.fsencode(path.suffix)), "wb") as stream:
        stream.write(data)


LOOP = "link to the folder it is in"  # of which nothing is lost
PLACES: dict[str, Callable[[Path, bytes], object]] = {
    "dangling link": lambda path, data: path.symlink_to("nowhere"),
    "link to itself": lambda path, data: path.symlink_to(path.name),
    "link to nothing": lambda path, data: path.symlink_to("/dev/null"),
    "link to a file": lambda path, data: path.symlink_to(_outside(path, data)),
    "link to a folder": lambda path, data: path.with_suffix("").symlink_to(_outside(path, data).parent),
    LOOP: lambda path, data: path.with_suffix("").symlink_to(path.parent),
    "folder that is called as a file": lambda path, data: _write(path / f"inside{path.suffix}", data),
    "pipe": lambda path, data: os.mkfifo(path),
    "socket": _socket,
    "name without UTF-8": partial(_named, b"n\xff\xfe"),
    "name of two lines": partial(_named, b"a\nb"),
    "name with a quote": partial(_named, b"a'\"[*]?{x}"),
    "name with marks": partial(_named, "\u202e\u2028".encode()),
    "long name": partial(_named, b"n" * 200),
    "name of an option": partial(_named, b"--format"),
}
"""Each makes something at a path, with content that could be read."""
if getattr(os, "getuid", int)():  # root may read everything
    PLACES |= {
        "unreadable file": lambda path, data: _write(path, data).chmod(0),
        "unreadable folder": lambda path, data: _write(path.with_suffix("") / path.name, data).parent.chmod(0),
    }


def docs_file(text: str) -> bytes:
    doc = NLP(text)
    doc[0].is_sent_start = True
    return DocBin(docs=[doc], store_user_data=True).to_bytes()


def conll2012(text: str) -> bytes:
    first = SOURCES["conll2012"].data.decode().split("#end document")[0] + "#end document\n"
    return first.replace("bc/a", f"bc/{len(text)}").replace("Ann", text).encode()


CONTENTS: dict[str, Callable[[str], bytes]] = {
    ".txt": lambda text: f"{text} saw Bob.\n".encode(),
    ".jsonl": lambda text: (json.dumps({"text": f"{text} saw Bob."}) + "\n").encode(),
    ".parquet": lambda text: content(pa.table({"text": [f"{text} saw Bob."]})),
    ".spacy": lambda text: docs_file(f"{text} saw Bob."),
    ".gold_conll": conll2012,
}
"""The content of a file with one document, by what its name ends in."""
Found = tuple[int, str]  # how many documents were found, and what was said


def by_annotate(folder: Path) -> Found:
    found = annotate("jsonl", [folder])
    return len(found.docs), found.said + json.dumps(found.errors, ensure_ascii=False)


def by_check(folder: Path) -> Found:
    output = folder.with_name("counts.json")
    status, said = invoke("check", folder, "--output", output, "--all")
    assert status in (0, 1), said
    files = json.loads(output.read_text(encoding="utf-8"))["files"] if output.is_file() else []
    return sum(file["documents"] for file in files), said


def by_convert(folder: Path) -> Found:
    out = folder.with_name("out.spacy")
    status, said = invoke("convert", "conll2012", folder, out)
    assert status in (0, 1), said
    return (len(list(read_docs(out, Vocab()))) if out.is_file() else 0), said


def warned(read: Callable[[], int]) -> Found:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = read()
        except (ValueError, OSError) as error:
            return 0, str(error)
    return found, "".join(str(warning.message) for warning in caught)


def by_training(folder: Path) -> Found:
    return warned(lambda: len(list(create_corpus(folder)(NLP))))


def by_finetune(folder: Path) -> Found:
    def read() -> int:
        report = Report()
        docs = read_annotated(folder, NLP, report)
        report.warn()
        return len(docs)

    return warned(read)


class Reader(NamedTuple):
    """A reader of folders, what it reads of one, and whether it reads the rest where something can't be read."""

    read: Callable[[Path], Found]
    suffixes: tuple[str, ...]
    goes_on: bool = False


READERS = {
    "annotate": Reader(by_annotate, tuple(f".{kind}" for kind in sorted(INPUTS)), goes_on=True),
    "check": Reader(by_check, (".spacy", ".txt"), goes_on=True),
    "convert conll2012": Reader(by_convert, (".gold_conll",)),
    "finetune": Reader(by_finetune, (".spacy",)),
    "train": Reader(by_training, (".spacy",)),
}
NONE = {"compact", "evaluate", "render", "serve", *(f"convert {name}" for name in PINNED)}
"""These read no folder of documents, or one whose files are known."""


def test_every_command_is_known() -> None:
    """A new one that reads folders gets odd ones here; one that does not is listed."""
    files = {name for name in COMMANDS if name.startswith(("convert ", "export "))} - {*READERS} - NONE
    assert {*COMMANDS} == {*READERS} | NONE | files
    assert {suffix for reader in READERS.values() for suffix in reader.suffixes} == {*CONTENTS}


def squeezed(text: str) -> str:
    """Text as no line was wrapped, and no name escaped."""
    return "".join(text.replace("\\\\", "\\").split())


def of_readers(*, goes_on: bool) -> list[tuple[str, str]]:
    return [
        (name, suffix) for name, reader in READERS.items() for suffix in reader.suffixes if reader.goes_on == goes_on
    ]


def check_folder(name: str, suffix: str, places: Iterable[str]) -> None:
    """Read a folder with a good file and odd entries."""
    reader = READERS[name]
    with TemporaryDirectory(prefix="folders") as temporary:
        folder = Path(temporary) / "in"
        folder.mkdir()
        (folder / f"good{suffix}").write_bytes(CONTENTS[suffix]("Ann"))
        before, lost = set(os.listdir(folder)), set()
        for number, place in enumerate(places):
            PLACES[place](folder / f"odd{number}{suffix}", CONTENTS[suffix](f"Tom{'as' * number}"))
            names = set(os.listdir(folder)) - before
            before |= names
            lost |= set() if place == LOOP else names
        with no_hang(SECONDS):
            count, said = reader.read(folder)
    said = squeezed(said)
    named = {entry for entry in before if squeezed(os.fsencode(entry).decode("utf-8", "backslashreplace")) in said}
    assert count <= 1 + len(lost), f"{count} documents: something was read twice"
    if not count:  # the first that can't be read ends it
        assert named and not reader.goes_on, said
    elif count < 1 + len(lost):
        left = len(lost - named) - (count - 1)
        assert left <= 0, f"{count} documents, so {left} of {sorted(lost - named)} are neither read nor named: {said}"


@pytest.mark.parametrize(("name", "suffix"), of_readers(goes_on=True))
def test_odd_entries_beside_each_other(name: str, suffix: str) -> None:
    check_folder(name, suffix, PLACES)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("name", "suffix"), of_readers(goes_on=False))
def test_an_odd_entry(name: str, suffix: str, place: str) -> None:
    check_folder(name, suffix, [place])
