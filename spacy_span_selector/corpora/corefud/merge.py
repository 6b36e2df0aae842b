"""The clusters of documents in a copy of a CoNLL-U file, which keeps everything else that the file says.

Scorers compare files whose sentences have the same ids, and systems are to write the words, parses and empty nodes that
they were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from spacy.tokens import Doc

from ...annotation import get_title
from ...documents.speaker_markers import remove_speaker_markers
from ...documents.words import remove_white_space
from ...files.writing import write_file
from ..conllu import EMPTY_NODE, NOTHING, RANGE, UNNAMED_DOCUMENT, Row, Sentence, parse_conllu
from ..files import read_text
from ..left_out import Report, shorten
from ..numerals import NUMBER, read_number
from ..repeated import REPEATED
from .columns import EntityColumns
from .entities import DECLARATION, ENTITY
from .writer import DECLARED

REPLACED = frozenset({ENTITY, "SplitAnte", "Split", "Bridge"})
HEAD = 6


def merge_corefud(docs: Iterable[Doc], source: str | Path, path: str | Path) -> None:
    """Write a CoNLL-U file with the clusters of documents instead of those that it has.

    docs (Iterable[Doc]): The documents of the file, in any order, with its titles and words.
    source (str | Path): The file. Its mentions, split antecedents and bridging relations are left out; comments,
        parses, empty nodes and words that are written as one are kept.
    path (str | Path): The file to write, which appears whole or not at all. The head of a mention is its first word
        whose head in `source` is outside of it.
    RAISES (OSError): If a file can't be read or written, naming it.
    RAISES (ValueError): If the file is not CoNLL-U, or its documents or their words are not those of `docs`.
    WARNS: Once, counting the mentions that are left out, as `write_corefud` does.
    """
    source = Path(source)
    text = read_text(source)
    documents = _parse(text, source)
    by_title = {get_title(doc): remove_white_space(remove_speaker_markers(doc)) for doc in docs}
    for title in [*documents, *by_title]:
        if title not in documents or title not in by_title:
            there = f"in {source}" if title in documents else "in the documents"
            raise ValueError(f"{source}: document {title!r} is only {there}. Expected the same documents in both.")
    report = Report()
    columns = EntityColumns(report)
    rows = (row for title, sentences in documents.items() for row in _merge(by_title[title], sentences, columns))
    write_file(Path(path), "\n".join(_merge_lines(text, rows)))
    report.warn()


def _parse(text: str, source: Path) -> dict[str, list[Sentence]]:
    report = Report()
    documents, unreadable = parse_conllu(text, str(source), report)
    for message in (*unreadable.values(), report.first(REPEATED)):
        if message:
            raise ValueError(message)
    documents.pop("", None)
    return documents


def _merge(doc: Doc, sentences: Sequence[Sentence], columns: EntityColumns) -> Iterator[str]:
    """The rows of a document, with the clusters of another document of the same words."""
    lengths = [len(sentence.words) for sentence in sentences]
    starts = [0, *accumulate(lengths)]
    for sentence, start in zip(sentences, starts, strict=False):
        expected = [word.form for word in sentence.words]
        found = [token.text for token in doc[start : start + len(expected)]]
        if found != expected:
            message = f"the document has the words {shorten(' '.join(found))}, expected {shorten(' '.join(expected))}."
            raise ValueError(f"{sentence.rows[0].place}: {message}")
    if len(doc) != starts[-1]:
        title = get_title(doc)
        raise ValueError(f"{title!r}: the document has {len(doc)} words, expected {starts[-1]}, as in the file.")
    heads = [head for sentence, start in zip(sentences, starts, strict=False) for head in _find_heads(sentence, start)]

    def find_head(start: int, end: int) -> int:
        return next((i for i in range(start, end) if not start <= heads[i] < end), start)

    entities = columns.write(doc, find_head)
    word = 0
    for sentence in sentences:
        for row in sentence.rows:
            is_word = not EMPTY_NODE.fullmatch(row.columns[0]) and not RANGE.fullmatch(row.columns[0])
            yield _write_row(row, entities[word] if is_word else "")
            word += is_word


def _find_heads(sentence: Sentence, start: int) -> Iterator[int]:
    """The number of the head of each word in the document, -1 if it has none."""
    for _, columns in sentence.rows:
        if NUMBER.fullmatch(columns[0]):
            head = read_number(columns[HEAD])
            yield start + head - 1 if head else -1


def _write_row(row: Row, entities: str) -> str:
    *columns, misc = row.columns
    kept = [part for part in misc.split("|") if part != NOTHING and part.partition("=")[0] not in REPLACED]
    parts = [f"{ENTITY}={entities}", *kept] if entities else kept
    return "\t".join([*columns, "|".join(parts) or NOTHING])


def _merge_lines(text: str, rows: Iterator[str]) -> Iterator[str]:
    for line in text.split("\n"):
        if line.startswith("#"):
            if not line.removeprefix("#").strip().startswith(f"{DECLARATION} ="):
                yield line
            if line.startswith(UNNAMED_DOCUMENT) and line[len(UNNAMED_DOCUMENT) :][:1] in ("", " "):
                yield DECLARED
        else:
            yield next(rows) if line else line
