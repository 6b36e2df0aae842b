"""Folders with odd entries, for all that reads folders: nothing hangs, and what is not read is named."""

import json
import os
import warnings
from collections.abc import Callable, Sized
from pathlib import Path
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
from .inventory import COMMANDS
from .sources import PINNED, SOURCES

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other links and pipes")
NLP = spacy.blank("xx")
SECONDS = 20


def _outside(path: Path, data: bytes) -> Path:
    """A file in another folder, as caches of data sets have their files."""
    outside = path.parent.with_name("elsewhere") / f"inside{path.suffix}"
    outside.parent.mkdir(exist_ok=True)
    outside.write_bytes(data)
    return outside


READ: dict[str, Callable[[Path, bytes], object]] = {
    "link to a file": lambda path, data: path.symlink_to(_outside(path, data)),
    "link to a folder": lambda path, data: path.with_suffix("").symlink_to(_outside(path, data).parent),
    "name of two lines": lambda path, data: path.with_name(f"a\nb'[*]{path.suffix}").write_bytes(data),
}
"""Each makes a file at a path, with content that is read."""
NAMED: dict[str, Callable[[Path, bytes], object]] = {
    "dangling link": lambda path, data: path.symlink_to("nowhere"),
    "link to nothing": lambda path, data: path.symlink_to("/dev/null"),
    "pipe": lambda path, data: os.mkfifo(path),
}
"""Each makes what can't be read."""
LOOP = "link to the folder it is in"


def docs_file(text: str) -> bytes:
    doc = NLP(text)
    doc[0].is_sent_start = True
    return DocBin(docs=[doc], store_user_data=True).to_bytes()


def conll2012(text: str) -> bytes:
    first = SOURCES["conll2012"].data.decode().split("#end document")[0] + "#end document\n"
    return first.replace("bc/a", f"bc/{len(text)}").encode()


CONTENTS: dict[str, Callable[[str], bytes]] = {".txt": str.encode, ".spacy": docs_file, ".gold_conll": conll2012}
"""The content of a file with one document, by what its name ends in."""
Found = tuple[int, str]  # how many documents were found, and what was said


def by_annotate(folder: Path) -> Found:
    found = annotate("jsonl", [folder])
    return len(found.docs), found.said + json.dumps(found.errors)


def by_check(folder: Path) -> Found:
    output = folder.with_name("counts.json")
    _, said = invoke("check", folder, "--output", output, "--all")
    files = json.loads(output.read_text(encoding="utf-8"))["files"] if output.is_file() else []
    return sum(file["documents"] for file in files), said


def by_convert(folder: Path) -> Found:
    out = folder.with_name("out.spacy")
    _, said = invoke("convert", "conll2012", folder, out)
    return (len(list(read_docs(out, Vocab()))) if out.is_file() else 0), said


def by_training(folder: Path) -> Found:
    return warned(lambda report: list(create_corpus(folder)(NLP)))


def by_finetune(folder: Path) -> Found:
    return warned(lambda report: read_annotated(folder, NLP, report))


def warned(read: Callable[[Report], Sized]) -> Found:
    report = Report()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = len(read(report))
        except (ValueError, OSError) as error:
            return 0, str(error)
        report.warn()
    return found, "".join(str(warning.message) for warning in caught)


class Reader(NamedTuple):
    """A reader of folders, a kind of file that it reads, and whether it reads on behind what it can't read."""

    read: Callable[[Path], Found]
    suffix: str
    goes_on: bool = False


READERS = {
    "annotate": Reader(by_annotate, ".txt", goes_on=True),
    "check": Reader(by_check, ".spacy", goes_on=True),
    "convert conll2012": Reader(by_convert, ".gold_conll", goes_on=True),
    "finetune": Reader(by_finetune, ".spacy", goes_on=True),
    "train": Reader(by_training, ".spacy"),
}
NONE = {"compact", "evaluate", "render", "serve", *(f"convert {name}" for name in PINNED)}
"""These read no folder of documents, or one whose files are known."""


def test_every_command_is_known() -> None:
    """A new one that reads folders gets odd ones here; one that does not is listed."""
    files = {name for name in COMMANDS if name.startswith(("convert ", "export "))} - {*READERS} - NONE
    assert {*COMMANDS} == {*READERS} | NONE | files


def read(name: str, folder: Path, place: str) -> Found:
    """Read a folder with a good file and an odd entry."""
    reader = READERS[name]
    folder.mkdir()
    (folder / f"good{reader.suffix}").write_bytes(CONTENTS[reader.suffix]("Ann saw Bob."))
    if place == LOOP:
        (folder / "odd").symlink_to(folder)
    else:
        {**READ, **NAMED}[place](folder / f"odd{reader.suffix}", CONTENTS[reader.suffix]("Thomas saw Bob."))
    with no_hang(SECONDS):
        return reader.read(folder)


@pytest.mark.parametrize("place", [*READ, LOOP])
@pytest.mark.parametrize("name", READERS)
def test_what_can_be_read_is_read_once(name: str, place: str, tmp_path: Path) -> None:
    count, _ = read(name, tmp_path / "in", place)
    assert count == (1 if place == LOOP else 2)


@pytest.mark.parametrize("place", NAMED)
@pytest.mark.parametrize("name", READERS)
def test_what_cannot_be_read_is_named(name: str, place: str, tmp_path: Path) -> None:
    count, said = read(name, tmp_path / "in", place)
    assert f"odd{READERS[name].suffix}" in "".join(said.split())
    assert count == READERS[name].goes_on
