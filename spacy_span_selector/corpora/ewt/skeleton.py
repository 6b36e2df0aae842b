"""PropBank's `gold_skel` files: trees and semantic roles of a treebank whose words are masked as `[WORD]`.

The columns are those of CoNLL-2012 up to the part of speech and the tree, then the frame file, the roleset and one
column of arguments per predicate (`docs/conll-conversion-notes.md` of propbank-release).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...annotation import PREDICATE_LABEL, Argument, Frame
from ..left_out import Report
from ..starred_column import FRAMES, PARSES, read_arguments_column, read_starred_column

SENTENCE_COLUMN, TOKEN_COLUMN, POS_COLUMN, TREE_COLUMN, ROLESET_COLUMN = 1, 2, 4, 5, 7
FRAME_COLUMNS = 8  # the first column of arguments
NOTHING = "-"


class Skeleton(NamedTuple):
    """A sentence without its words.

    tags (list[str]): Part of speech of each token.
    rolesets (list[str | None]): Roleset of each token that is a predicate.
    constituents (list[tuple[int, int, str]]): Start, end (exclusive) and label of each phrase, outer ones first.
    frames (list[Frame]): Predicates with their arguments, in offsets of tokens.
    """

    tags: list[str]
    rolesets: list[str | None]
    constituents: list[tuple[int, int, str]]
    frames: list[Frame]


def parse_skeletons(text: str, source: str, report: Report) -> list[Skeleton]:
    """Read the sentences of a `gold_skel` file.

    text (str): The content of the file: one row per token, columns separated by blanks, an empty line after each
        sentence.
    source (str): What error messages call the file.
    report (Report): Gets the arguments, frames and parses that are left out because they can't be read.
    RETURNS (list[Skeleton]): The sentences, in order. A frame that is listed for two tokens of its predicate, with
        the same arguments, is kept once.
    RAISES (ValueError): If the text is malformed, naming file and line, what was found, and what was expected.
    """
    return [
        _parse_sentence(rows, index, source, first_line, report)
        for index, (first_line, rows) in enumerate(_split_sentences(text))
    ]


def _split_sentences(text: str) -> Iterator[tuple[int, list[list[str]]]]:
    """The number of the first line of each sentence, and its rows."""
    rows: list[list[str]] = []
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        columns = line.split()
        if columns:
            rows.append(columns)
        elif rows:
            yield number - len(rows), rows
            rows = []


def _parse_sentence(rows: list[list[str]], index: int, source: str, first_line: int, report: Report) -> Skeleton:
    def place(token: int) -> str:
        return f"{source}:{first_line + token}"

    width = max(len(rows[0]), FRAME_COLUMNS)
    for i, row in enumerate(rows):
        if len(row) != width:
            raise ValueError(f"{place(i)}: found {len(row)} columns, expected {width}.")
        if row[SENTENCE_COLUMN] != str(index) or row[TOKEN_COLUMN] != str(i):
            found = f"sentence {row[SENTENCE_COLUMN]}, token {row[TOKEN_COLUMN]}"
            raise ValueError(f"{place(i)}: found {found}, expected sentence {index}, token {i}. Is the file complete?")
    columns = list(zip(*rows, strict=True))
    rolesets = [None if cell == NOTHING else cell for cell in columns[ROLESET_COLUMN]]
    senses = [(i, roleset) for i, roleset in enumerate(rolesets) if roleset is not None]
    if len(senses) != width - FRAME_COLUMNS:
        found = f"{len(senses)} rolesets and {width - FRAME_COLUMNS} columns of arguments"
        raise ValueError(f"{place(0)}: the sentence that starts here has {found}, expected the same number of both.")
    frames: list[Frame] = []
    for (i, roleset), cells in zip(senses, columns[FRAME_COLUMNS:], strict=True):
        spans = read_arguments_column(cells, place, report)
        predicates = [(start, end) for start, end, label in spans if label == PREDICATE_LABEL]
        if len(predicates) != 1:
            found = f"{len(predicates)} spans `({PREDICATE_LABEL}*)` in the column of {roleset}"
            report.leave_out(FRAMES, f"{place(i)}: found {found}, expected one.")
            continue
        frame = Frame(*predicates[0], [Argument(*span) for span in spans if span[2] != PREDICATE_LABEL], roleset)
        if frame not in frames:
            frames.append(frame)
    try:
        constituents = read_starred_column(columns[TREE_COLUMN], place)
    except ValueError as error:
        report.leave_out(PARSES, str(error))
        constituents = []
    return Skeleton(list(columns[POS_COLUMN]), rolesets, constituents, frames)
