"""Folders with odd entries, for all that reads folders: nothing hangs, and what is not read is named."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable
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
from .odd_places import PLACES
from .sources import SOURCES

pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")

import pyarrow as pa

from .odd_tables import content

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other links and pipes")
NLP = spacy.blank("xx")
SECONDS = 20


def docs_file(text: str) -> bytes:
    doc = NLP(text)
    doc[0].is_sent_start = True
    return DocBin(docs=[doc], store_user_data=True).to_bytes()


def conll2012(text: str) -> bytes:
    first = SOURCES["conll2012"].files["ferry.v4_gold_conll"].decode().split("#end document")[0] + "#end document\n"
    return first.replace("(bc/a)", f"(bc/{len(text)})").replace("bc/a", f"bc/{len(text)}").replace("Ann", text).encode()


CONTENTS: dict[str, Callable[[str], bytes]] = {
    ".txt": lambda text: f"{text} saw Bob.\n".encode(),
    ".jsonl": lambda text: (json.dumps({"text": f"{text} saw Bob."}) + "\n").encode(),
    ".parquet": lambda text: content(pa.table({"text": [f"{text} saw Bob."]})),
    ".spacy": lambda text: docs_file(f"{text} saw Bob."),
    ".gold_conll": conll2012,
}
"""The content of a file with one document, by what its name ends in."""

Found = tuple[int, str]
"""How many documents were found, and what was said."""


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


def by_training(folder: Path) -> Found:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = len(list(create_corpus(folder)(NLP)))
        except (ValueError, OSError) as error:
            return 0, str(error)
    return found, "".join(str(warning.message) for warning in caught)


def by_finetune(folder: Path) -> Found:
    report = Report()
    docs = read_annotated(folder, NLP, report)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report.warn()
    return len(docs), "".join(str(warning.message) for warning in caught)


class Reader(NamedTuple):
    """A reader of folders.

    read (Callable): Reads one.
    suffixes (tuple[str, ...]): What it reads of it.
    goes_on (bool): Whether it reads the rest where something can't be read.
    """

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
CORPORA = {f"convert {source.command[0]}" for source in SOURCES.values() if source.command[1] == ""}
"""These have files of certain names in their folders: test_corpora.py puts odd entries there."""
NONE = {"compact", "evaluate", "render", "serve"}
"""These read no folder of documents."""


def test_every_command_is_known() -> None:
    """A new one that reads folders gets odd ones here; one that does not is listed."""
    files = {" ".join(path) for path in COMMANDS if path[0] in ("convert", "export")} - {*READERS} - CORPORA
    assert {" ".join(path) for path in COMMANDS} == {*READERS} | CORPORA | NONE | files
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
            loses = PLACES[place](folder / f"odd{number}{suffix}", CONTENTS[suffix](f"Tom{'as' * number}"))
            names = set(os.listdir(folder)) - before
            before |= names
            lost |= names if loses else set()
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
