"""CoNLL-2012, the format of OntoNotes: words, trees, semantic roles, speakers and coreference in one file.

A row is a token, its columns separated by blanks: document, part, number, word, part-of-speech tag, parse, lemma and
frameset of a predicate, word sense, speaker, named entity, one column of arguments per predicate of the sentence, and
coreference. An empty line ends a sentence. The format is described at https://conll.cemantix.org/2012/data.html
(Pradhan et al. 2012).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...annotation import (
    PREDICATE_LABEL,
    Argument,
    Frame,
    set_clusters,
    set_constituents,
    set_frames,
    set_speakers,
    set_title,
)
from ..coreference_column import EMPTY_CELLS, read_coreference_column
from ..files import read_text
from ..left_out import warn_left_out
from ..penn_trees import unescape_brackets
from ..starred_column import read_starred_column
from ..turns import find_turns
from .files import find_files

BEGIN = re.compile(r"#begin document \((?P<name>.*)\); part (?P<part>\d+)")
BEGIN_EXAMPLE = "#begin document (NAME); part 000"
END = "#end document"
BLANKS = re.compile(r"[ \t]+")  # not `str.split()`: words may contain other white space, such as U+00A0
WORD, TAG, PARSE, LEMMA, FRAMESET, SPEAKER = 3, 4, 5, 6, 7, 9
FIRST_PREDICATE = 11
LEAST_COLUMNS = FIRST_PREDICATE + 1

BACKSLASH = re.compile(r"\\([/*])")
TRANSCRIBED_STOPS = {"/.": ".", "/?": "?"}


class Row(NamedTuple):
    """The columns of a token, and the number of their line in the file."""

    line: int
    columns: list[str]


def read_conll2012(source: str | Path | Sequence[str | Path], vocab: Vocab | None = None) -> list[Doc]:
    """Read the documents of files and folders.

    Words are unescaped: `-LRB-` and the other escapes become brackets, also inside a word; `\\/` and `\\*` lose their
    backslash, and the stops `/.` and `/?` of transcripts their slash. The predicate of a column of arguments is the
    span labelled `V`, and its roleset is lemma and frameset of its row, such as `get.01`.

    source (str | Path | Sequence[str | Path]): Files, and folders, of which every file at any depth is read whose name
        ends in `gold_conll`, sorted by path. A file is read once.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    RETURNS (list[Doc]): One document per part, with gold words (spacing is unknown), tags, sentence starts,
        constituents, frames, speakers and named clusters. The title is name and part, such as
        `bc/cctv/00/cctv_0000_0`. Without any column of arguments a document is not annotated for frames; without any
        mention it is annotated for coreference all the same.
    RAISES (FileNotFoundError): If a file is missing, naming it.
    RAISES (ValueError): If a file is malformed, naming file and line, what was found, and what was expected.
    WARNS: Once, counting what is left out: columns of arguments that can't be read or do not have exactly one `V`, and
        parses that can't be read.
    """
    vocab = Vocab() if vocab is None else vocab
    broken: list[str] = []
    docs = [
        _make_doc(title, sentences, vocab, path, broken)
        for path in find_files([source] if isinstance(source, str | Path) else source)
        for title, sentences in _split_documents(path)
    ]
    warn_left_out("only those columns of a sentence, arguments or parse, that can't be read", broken)
    return docs


def _split_documents(path: Path) -> Iterator[tuple[str, list[list[Row]]]]:
    """The title and the sentences of each document in a file."""
    title: str | None = None
    sentences: list[list[Row]] = []
    new_sentence = True
    n_documents = 0
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        content = line.strip(" \t")
        if not content:
            new_sentence = True
        elif title is None:
            match = BEGIN.fullmatch(content)
            if match is None:
                raise ValueError(f"{path}:{number}: found {content!r}, expected `{BEGIN_EXAMPLE}`.")
            title = f"{match['name']}_{int(match['part'])}"
            sentences, new_sentence = [], True
            n_documents += 1
        elif content == END:
            yield title, sentences
            title = None
        else:
            row = Row(number, BLANKS.split(content))
            if new_sentence:
                sentences.append([])
                new_sentence = False
            _check_row(row, sentences[-1], path)
            sentences[-1].append(row)
    if title is not None:
        raise ValueError(f"{path}: the file ends without `{END}`. Is it complete?")
    if not n_documents:
        raise ValueError(f"{path}: found no document, expected `{BEGIN_EXAMPLE}`.")


def _check_row(row: Row, sentence: Sequence[Row], path: Path) -> None:
    place, found = f"{path}:{row.line}", len(row.columns)
    if row.columns[0].startswith("#"):
        raise ValueError(f"{place}: found {' '.join(row.columns)!r} in a document, expected a row or `{END}`.")
    if found < LEAST_COLUMNS:
        raise ValueError(f"{place}: found {found} columns separated by blanks, expected {LEAST_COLUMNS} or more.")
    if sentence and found != len(sentence[0].columns):
        raise ValueError(
            f"{place}: found {found} columns, but the rows before it have {len(sentence[0].columns)}. Expected the "
            "same number in each row of a sentence, and an empty line before the next sentence."
        )


def _make_doc(title: str, sentences: list[list[Row]], vocab: Vocab, path: Path, broken: list[str]) -> Doc:
    rows = [row for sentence in sentences for row in sentence]
    doc = Doc(
        vocab,
        words=[_unescape(row.columns[WORD]) for row in rows],
        tags=["" if row.columns[TAG] in EMPTY_CELLS else row.columns[TAG] for row in rows],
        sent_starts=[i == 0 for sentence in sentences for i in range(len(sentence))],
    )
    set_title(doc, title)
    constituents: list[tuple[int, int, str]] = []
    frames: list[Frame] = []
    offset = 0
    for sentence in sentences:
        constituents += _read_constituents(sentence, offset, path, broken)
        frames += _read_frames(sentence, offset, path, broken)
        offset += len(sentence)
    clusters = read_coreference_column([row.columns[-1] for row in rows], _place(path, rows))
    speakers = [row.columns[SPEAKER] for row in rows]
    turns = find_turns([None if speaker in EMPTY_CELLS else speaker for speaker in speakers])
    if constituents:
        set_constituents(doc, constituents)
    if frames:
        set_frames(doc, frames)
    if turns:
        set_speakers(doc, turns)
    set_clusters(doc, list(clusters.values()), names=list(clusters))
    return doc


def _unescape(word: str) -> str:
    word = unescape_brackets(word)
    return TRANSCRIBED_STOPS.get(word, BACKSLASH.sub(r"\1", word))


def _place(path: Path, rows: Sequence[Row]) -> Callable[[int], str]:
    return lambda i: f"{path}:{rows[i].line}"


def _read_constituents(
    sentence: Sequence[Row], offset: int, path: Path, broken: list[str]
) -> list[tuple[int, int, str]]:
    # The root of Arabic trees has no label.
    cells = ["*" if row.columns[PARSE] in EMPTY_CELLS else row.columns[PARSE] for row in sentence]
    cells[0] = re.sub(r"^\((?=\()", "(TOP", cells[0])
    try:
        spans = read_starred_column(cells, _place(path, sentence))
    except ValueError as error:
        broken.append(str(error))
        return []
    return [(offset + start, offset + end, label) for start, end, label in spans]


def _read_frames(sentence: Sequence[Row], offset: int, path: Path, broken: list[str]) -> list[Frame]:
    frames = []
    for column in range(FIRST_PREDICATE, len(sentence[0].columns) - 1):
        try:
            frames.append(_read_frame(sentence, column, offset, path))
        except ValueError as error:
            broken.append(str(error))
    return frames


def _read_frame(sentence: Sequence[Row], column: int, offset: int, path: Path) -> Frame:
    place = _place(path, sentence)
    spans = read_starred_column([row.columns[column] for row in sentence], place)
    predicates = [(start, end) for start, end, label in spans if label == PREDICATE_LABEL]
    if len(predicates) != 1:
        raise ValueError(
            f"{place(0)}: the sentence that starts here has {len(predicates)} predicates in column {column + 1}, "
            f"expected one, such as `({PREDICATE_LABEL}*)`."
        )
    start, end = predicates[0]
    rolesets = [
        f"{row.columns[LEMMA]}.{row.columns[FRAMESET]}"
        for row in sentence[start:end]
        if EMPTY_CELLS.isdisjoint(row.columns[LEMMA : FRAMESET + 1])
    ]
    arguments = [
        Argument(offset + start, offset + end, label) for start, end, label in spans if label != PREDICATE_LABEL
    ]
    return Frame(offset + start, offset + end, arguments, rolesets[0] if rolesets else None)
