"""Damaged corpora: they are read, or an error names the file; what is lost is said."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import strategies as st
from spacy.tokens import Doc
from typer.testing import CliRunner, Result

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.annotation import (
    Argument,
    Frame,
    Quotation,
    set_clusters,
    set_frames,
    set_labelled_spans,
    set_mentions,
    set_quotations,
    set_speakers,
)
from spacy_span_selector.tools.cli import app

from .damage import Damage, damage, damaged, places
from .fuzzing import fuzz
from .inventory import CONVERTED
from .odd_json import any_values, keys, put, values
from .sources import NLP, PINNED, SOURCES, Source

damaged_sources = st.sampled_from(list(SOURCES)).flatmap(
    lambda name: st.tuples(st.just(name), damaged(list(SOURCES[name].files)))
)
"""The name of a source, and the damage to its files."""
JSON_SUFFIXES = (".json", ".jsonl")
row_damage = st.tuples(st.sampled_from(["delete", "double", "swap", "move"]), places, places)


@contextmanager
def written(source: Source, harm: Sequence[tuple[str, Damage]] = ()) -> Iterator[Path]:
    """A folder with the files of a source, some of them damaged."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        source.write(folder)
        for file, (kind, place, detail) in harm:
            path = folder / file
            if kind in ("remove", "folder"):
                if path.is_file():
                    path.unlink()
                if kind == "folder":
                    path.mkdir(exist_ok=True)
            elif path.is_file():
                path.write_bytes(damage(path.read_bytes(), kind, place, detail))
        yield folder


def read(source: Source, folder: Path) -> tuple[list[Doc], list[str]]:
    """The documents, and what was said about them: warnings, and the error instead of documents."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            docs = source.read(folder)
        except (ValueError, OSError) as error:
            assert any(name in str(error) for name in source.names()), f"nameless: {error!r}"
            return [], [str(error)]
    return docs, [str(warning.message) for warning in said]


def test_every_corpus_is_known() -> None:
    """A new one that `convert` reads needs a source here."""
    assert {source.command[0] for source in SOURCES.values()} == CONVERTED - PINNED


@pytest.mark.parametrize("source", SOURCES)
def test_sources_are_sound(source: str) -> None:
    with written(SOURCES[source]) as folder:
        docs, said = read(SOURCES[source], folder)
    assert len(docs) > 1
    assert said == []


@fuzz(300, harmed=damaged_sources)
def test_what_is_damaged_is_read_or_named(harmed: tuple[str, list[tuple[str, Damage]]]) -> None:
    source, harm = harmed
    with written(SOURCES[source], harm) as folder:
        docs, _ = read(SOURCES[source], folder)
    for doc in docs:
        assert len(Doc(doc.vocab).from_bytes(doc.to_bytes())) == len(doc)


def plain_data() -> dict[str, Any]:
    """A document with all that plain data has."""
    doc = NLP("Ann : \u201cI left,\u201d she told Bob.")
    for token in doc:
        token.is_sent_start = token.i == 0
    set_speakers(doc, [(2, len(doc), "Ann")])
    scores: dict[str, Any] = {"scores": [[0.5, 0.5]], "link_scores": [[0.5, 0.5]], "antecedents": [[None, (0, 1)]]}
    set_clusters(doc, [[(0, 1), (3, 4)]], names=["ann"], entity_types=["PERSON"], **scores)
    set_mentions(doc, [(0, 1), (3, 4), (8, 9)], [0.5, 0.5, 0.5])
    set_frames(doc, [Frame(4, 5, [Argument(3, 4, "ARG0")], "leave.01", [0.5, 0.5], "depart", {"ARG0": "who"})])
    set_quotations(doc, [Quotation(2, 6, (7, 8), (9, 10), (8, 9), 0.5)])
    set_labelled_spans(doc, [(0, 1, "PERSON"), (0, 9, "SPEECH")], [0.5, 0.5])
    return to_dict(doc, tokens=True)


PLAIN = plain_data()
JSON = [(name, file) for name, source in SOURCES.items() for file in source.files if Path(file).suffix in JSON_SUFFIXES]


@pytest.mark.parametrize(("source", "file"), JSON)
@fuzz(15, place=st.integers(0, 999), value=any_values, key=st.none() | st.none() | keys)
def test_odd_json_is_read_or_named(source: str, file: str, place: int, value: str, key: str | None) -> None:
    """An odd value, or an odd key with one, anywhere."""
    content = SOURCES[source].files[file].decode()
    records = [json.loads(content)] if file.endswith(".json") else list(map(json.loads, content.splitlines()))
    chosen = place % len(records)
    lines = [json.dumps(record) if i != chosen else put(record, place, value, key) for i, record in enumerate(records)]
    with written(SOURCES[source]) as folder:
        (folder / file).write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
        docs, _ = read(SOURCES[source], folder)
    for doc in docs:
        assert len(Doc(doc.vocab).from_bytes(doc.to_bytes())) == len(doc)
        from_dict(to_dict(doc, tokens=True), doc.vocab)


@fuzz(60, place=st.integers(0, 999), value=values, key=st.none() | st.none() | keys)
def test_odd_plain_data_is_read_or_refused(place: int, value: str, key: str | None) -> None:
    """Plain data that are read are written as they were read."""
    try:
        data = json.loads(put(PLAIN, place, value, key))
    except (ValueError, RecursionError):
        return  # Python can't read it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            doc = from_dict(data, NLP)
        except ValueError as error:
            assert str(error)
            return
    read = to_dict(doc, tokens=True)
    assert to_dict(from_dict(json.loads(json.dumps(read)), NLP), tokens=True) == read
    assert Doc(doc.vocab).from_bytes(doc.to_bytes()).text == doc.text


@pytest.mark.parametrize(("source", "file"), [(name, file) for name in SOURCES for file in SOURCES[name].numbered])
@fuzz(6, harm=row_damage)
def test_rows_out_of_order_are_noticed(source: str, file: str, harm: tuple[str, int, int]) -> None:
    """Wherever rows have the numbers of tokens, none but the last of a sentence is deleted unseen."""
    kind, place, other = harm
    lines = SOURCES[source].files[file].decode().split("\n")
    first, end = drawn_sentence(lines, place)
    at = first + other % (end - first - 1)  # not the last
    row = lines[at]
    match kind:
        case "delete":
            del lines[at]
        case "double":
            lines.insert(at, row)
        case "swap":
            lines[at], lines[at + 1] = lines[at + 1], row
        case "move":
            del lines[at]
            lines.insert(end - 1, row)
    with written(SOURCES[source]) as folder:
        (folder / file).write_text("\n".join(lines), encoding="utf-8")
        _, said = read(SOURCES[source], folder)
    assert said


def drawn_sentence(lines: Sequence[str], place: int) -> tuple[int, int]:
    """The rows of a sentence: the first, and the one after the last."""
    is_row = [bool(line) and not line.startswith("#") for line in lines]
    firsts = [i for i in range(len(lines)) if is_row[i] and not is_row[i - 1]]
    first = firsts[place % len(firsts)]
    return first, next(i for i in range(first, len(lines) + 1) if i == len(lines) or not is_row[i])


def run(*arguments: object) -> Result:
    """Run a command, which ends well, or with a message, but never with a traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in (0, 1), result.output
    return result


@fuzz(40, harmed=damaged_sources)
def test_convert_writes_everything_or_nothing(harmed: tuple[str, list[tuple[str, Damage]]]) -> None:
    source, harm = harmed
    command, *paths = SOURCES[source].command
    with written(SOURCES[source], harm) as folder:
        arguments = [path if path in ("--lang", "xx") else folder / path for path in paths]
        result = run("convert", command, *arguments)
        outputs = [path.relative_to(folder).as_posix() for path in folder.rglob("*.spacy")]
        if result.exit_code:
            message = "".join(result.output.split())  # lines are wrapped
            names = {*SOURCES[source].names(), *SOURCES[source].outputs}
            assert any(name in message for name in names), result.output
            assert outputs == []
        else:
            assert sorted(outputs) == sorted(SOURCES[source].outputs)
