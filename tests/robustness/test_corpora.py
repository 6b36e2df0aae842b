"""Damaged corpora: they are read, or an error names the file; what is lost is said."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import spacy
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner, Result

from spacy_span_selector.cli import app
from spacy_span_selector.readers import create_corpus

from .damage import Damage, damage, damaged, damages, places
from .fuzzing import fuzz
from .sources import SOURCES, Source
from .strategies import odd_values

damaged_sources = st.sampled_from(list(SOURCES)).flatmap(
    lambda name: st.tuples(st.just(name), damaged(list(SOURCES[name].files)))
)
"""The name of a source, and the damage to its files."""
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


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Every list or object inside a JSON value, with each index or key of it."""
    entries = list(enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ())
    return [(value, key) for key, _ in entries] + [place for _, inside in entries for place in places_in(inside)]


@fuzz(100, line=st.integers(0, 2), place=places, value=odd_values)
def test_odd_values_in_json_are_read_or_named(line: int, place: int, value: Any) -> None:
    source = SOURCES["jsonlines"]
    lines = source.files["texts.jsonl"].decode().splitlines()
    record = json.loads(lines[line])
    inside = places_in(record)
    holder, key = inside[place % len(inside)]
    holder[key] = value
    lines[line] = json.dumps(record)
    with written(source) as folder:
        (folder / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
        docs, _ = read(source, folder)
    for doc in docs:
        assert len(Doc(doc.vocab).from_bytes(doc.to_bytes())) == len(doc)


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


def spacy_file(path: Path) -> bytes:
    with written(SOURCES["conll2012"]) as folder:
        DocBin(docs=read(SOURCES["conll2012"], folder)[0], store_user_data=True).to_disk(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def docs_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents as `convert` writes them."""
    path = tmp_path_factory.mktemp("docs") / "docs.spacy"
    spacy_file(path)
    return path


in_docs_file = st.lists(damages, min_size=1, max_size=2)


@contextmanager
def damaged_copy(path: Path, harm: Sequence[Damage]) -> Iterator[Path]:
    with TemporaryDirectory() as name:
        copy = shutil.copy(path, Path(name) / "damaged.spacy")
        data = path.read_bytes()
        for kind, place, detail in harm:
            data = damage(data, kind, place, detail)
        copy.write_bytes(data)
        yield copy


@fuzz(40, harm=in_docs_file, command=st.sampled_from([("export", "jsonlines"), ("export", "conll2012"), ("render",)]))
def test_damaged_spacy_files_are_named_by_commands(docs_file: Path, harm: list[Damage], command: list[str]) -> None:
    with damaged_copy(docs_file, harm) as path:
        result = run(*command, path, path.parent / "out")
        assert not result.exit_code or path.name in "".join(result.output.split())


@fuzz(40, harm=in_docs_file)
def test_damaged_spacy_files_are_named_in_training(docs_file: Path, harm: list[Damage]) -> None:
    with damaged_copy(docs_file, harm) as path:
        try:
            list(create_corpus(path)(spacy.blank("xx")))
        except (ValueError, OSError) as error:
            assert path.name in str(error), f"nameless: {error!r}"
