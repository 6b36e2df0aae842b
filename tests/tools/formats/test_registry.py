"""The registry of formats: a format from outside is known to every command, and the docs list all."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import catalogue
import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector.tools.annotate.formats import Settings, make_writer, output_formats
from spacy_span_selector.tools.annotate.records import Record
from spacy_span_selector.tools.formats.commands import convert_command, export_command
from spacy_span_selector.tools.formats.registry import (
    Format,
    all_formats,
    formats,
    recognise_format,
    recognised_formats,
)
from spacy_span_selector.tools.formats.reports import DOCUMENTS, Report

from ...commands import flat, refusal, run, success

TABLE = (Path(__file__).parents[3] / "docs/formats.md").read_text(encoding="utf-8")


def clean_doc(path: Path, vocab: Vocab) -> list[Doc]:
    """A document for each line, of words between bars; a line that starts with a bar can't be read."""
    report = Report()
    docs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("|"):
            report.leave_out(DOCUMENTS, f"{path}:{number}: found no first word.")
        else:
            docs.append(Doc(vocab, words=line.split("|")))
    report.warn()
    return docs


def write_words(docs: Sequence[Doc]) -> str:
    return "".join("|".join(token.text for token in doc) + "\n" for doc in docs)


@pytest.fixture
def words(tmp_path: Path) -> Iterator[Path]:
    """A file in a format that the package does not have, which is registered."""
    format_ = Format(name="words", title="words between bars", suffixes=(".words",), read=clean_doc, write=write_words)
    formats.register("words", func=format_)
    path = tmp_path / "a.words"
    path.write_text("Ann|left\n|x\nBob|slept\n", encoding="utf-8")
    yield path
    del catalogue.REGISTRY[(*formats.namespace, "words")]


@pytest.mark.filterwarnings("ignore:Left out")
def test_a_format_from_outside_is_converted_and_exported(words: Path, tmp_path: Path):
    assert "Convert files in words between bars." in run("convert", "--help").output
    result = run("convert", "words", words, tmp_path / "a.spacy")
    assert "a.spacy: 2 documents, 4 tokens\n" in result.output
    assert run("export", "words", tmp_path / "a.spacy", tmp_path / "b.words").exit_code == 0
    assert (tmp_path / "b.words").read_text(encoding="utf-8") == "Ann|left\nBob|slept\n"


@pytest.mark.filterwarnings("ignore:Left out")
def test_a_format_from_outside_is_checked_and_rendered(words: Path, tmp_path: Path):
    said = refusal("check", words.parent)
    assert "Documents that can't be read: 1" in said
    assert "2: found no first word." in said
    assert run("render", words, tmp_path / "a.html").exit_code == 0
    assert "slept" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_a_format_from_outside_is_an_output_of_annotate(words: Path, tmp_path: Path):
    spacy.blank("en").to_disk(tmp_path / "model")
    (tmp_path / "a.txt").write_text("Ann left.", encoding="utf-8")
    success("annotate", tmp_path / "model", tmp_path / "a.txt", tmp_path / "out", "--format", "words")
    assert (tmp_path / "out/part-00000.words").read_text(encoding="utf-8") == "Ann|left|.\n"


def test_a_format_that_there_is_none_of_is_named_with_others():
    result = run("annotate", "model", "a.txt", "out", "--format", "words")
    assert "The format 'words' can't be written. Take one of bio, bracketed" in flat(result)
    assert "Did you mean 'corefud'?" in run("convert", "corfud", "a", "b.spacy").output


def test_annotate_writes_what_export_writes_of_its_documents():
    nlp = spacy.blank("en")
    docs = [nlp("Ann left."), nlp("Bob slept.")]
    doc_bin = DocBin(docs=docs, store_user_data=True)
    for format_ in all_formats():
        if format_.write is not None:
            writer = make_writer(format_, Settings({}))
            for doc in docs:
                writer.add(Record("a", "a", 0), doc)
            assert writer.finish().decode() == format_.write(list(doc_bin.get_docs(Vocab())))


NAMES = {
    **{"a.spacy": "spacy", "a.txt": "bracketed", "x.v4_gold_conll": "conll2012", "a.conllu.gz": "corefud"},
    **dict.fromkeys(["lexicon.json", "a.html", "a.jsonl", "a", "a.spacy.gz"]),
}


@pytest.mark.parametrize("name", NAMES)
def test_some_names_of_files_tell_their_format(name: str):
    found = recognise_format(Path(name))
    assert (found and found.name) == NAMES[name]


def test_the_docs_list_all_formats_and_their_commands():
    rows = {
        name: (suffixes, tuple(commands))
        for name, suffixes, *commands in re.findall(
            r"^\| `([\w-]+)` \| ([^|]*) \| (yes|) ?\| (yes|) ?\| (yes|) ?\| (yes|) ?\|", TABLE, re.MULTILINE
        )
    }
    outputs, recognised = output_formats(), recognised_formats()

    def commands(format_: Format) -> tuple[str, ...]:
        can = convert_command(format_), export_command(format_), format_.name in outputs, format_ in recognised
        return tuple("yes" if each else "" for each in can)

    assert rows == {
        format_.name: (", ".join(f"`*{suffix}`" for suffix in format_.suffixes), commands(format_))
        for format_ in all_formats()
    }
