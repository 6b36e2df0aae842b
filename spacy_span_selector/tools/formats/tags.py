"""Columns of tags behind words, one for each level of nested spans: BIO, and its relatives IOBES and BILOU."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ...annotation import LabelledSpan
from .reports import Report, shorten

OUTSIDE = "O"
WRITABLE_LABEL = re.compile(r"\S+")
TAG = re.compile(r"(?P<position>[BIESLU])-(?P<label>.+)")
GOES_ON, ENDS = "IEL", "ESLU"
BOUNDARY = "-DOCSTART-"
TITLE = re.compile(rf"{BOUNDARY}\s+\((?P<title>.+)\)")
COMMENT = "# "
NO_TAGS = "Read as `O` what is no tag"
REPEATED_SPANS = "labelled spans that are there twice with the same label"


class Row(NamedTuple):
    """A word with its tags, and the number of their line in the file."""

    line: int
    word: str
    tags: list[str]


@dataclass
class TaggedText:
    """A document of a file.

    title (str): Its title, "" if it has none.
    sentences (list[list[Row]]): The rows of each sentence.
    """

    title: str = ""
    sentences: list[list[Row]] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        """The rows of all sentences."""
        return [*chain(*self.sentences)]


def parse_tags(text: str) -> list[TaggedText]:
    """Split the text of a file into documents, sentences and rows."""
    texts: list[TaggedText] = []
    begins = True  # whether the next row begins a sentence
    for number, line in enumerate(text.split("\n"), start=1):
        word, *tags = line.rstrip("\t ").split("\t") if "\t" in line else line.split(" ")
        tags = tags if "\t" in line else [tag for tag in tags if tag]
        if word == BOUNDARY:
            title = TITLE.fullmatch(line.rstrip())
            texts.append(TaggedText(title["title"] if title else ""))
            begins = True
        elif not line.strip():
            begins = True
        elif not _is_comment(line, tags):
            texts = texts or [TaggedText()]
            texts[-1].sentences += [[]] if begins else []
            texts[-1].sentences[-1].append(Row(number, word, tags))
            begins = False
    return texts


def _is_comment(line: str, tags: Sequence[str]) -> bool:
    """Tell a comment from the row of the word `#`."""
    return line.startswith(COMMENT) and "\t" not in line and not all(map(_is_tag, tags))


def _is_tag(cell: str) -> bool:
    return cell == OUTSIDE or TAG.fullmatch(cell) is not None


def read_tagged_spans(text: TaggedText, path: Path, report: Report) -> list[LabelledSpan]:
    """Read the labelled spans of a document.

    text (TaggedText): The document.
    path (Path): Its file, for messages.
    report (Report): Gets the cells that are no tags, and the spans that are repeated.
    RETURNS (list[LabelledSpan]): Token offsets and labels, column by column.
    """
    depth = max((len(row.tags) for row in text.rows), default=0)
    spans: dict[LabelledSpan, None] = {}
    offset = 0
    for rows in text.sentences:
        for column in range(depth):
            for start, end, label in _read_column(rows, column, path, report):
                span = LabelledSpan(offset + start, offset + end, label)
                if span in spans:
                    report.leave_out(REPEATED_SPANS, f"{path}:{rows[start].line}: {shorten(label)}.")
                spans[span] = None
        offset += len(rows)
    return [*spans]


def _read_column(rows: Sequence[Row], column: int, path: Path, report: Report) -> list[LabelledSpan]:
    """The spans of a sentence in one column."""
    spans: list[LabelledSpan] = []
    open_: tuple[int, str] | None = None  # start and label
    for i, row in enumerate(rows):
        cell = row.tags[column] if column < len(row.tags) else ""
        match = TAG.fullmatch(cell)
        if match is None and cell != OUTSIDE:
            report.add(NO_TAGS, f"{path}:{row.line}: found {shorten(cell)}, expected `O` or a tag such as `B-PER`.")
        position, label = match.groups() if match else (OUTSIDE, "")
        if open_ is not None and (position not in GOES_ON or label != open_[1]):
            spans.append(LabelledSpan(open_[0], i, open_[1]))
            open_ = None
        if position != OUTSIDE:
            open_ = open_ or (i, label)
        if open_ is not None and position in ENDS:
            spans.append(LabelledSpan(open_[0], i + 1, label))
            open_ = None
    return spans if open_ is None else [*spans, LabelledSpan(open_[0], len(rows), open_[1])]


def write_tags(spans: Sequence[LabelledSpan], n_tokens: int, at_least: int) -> list[list[str]]:
    """Write labelled spans as columns of tags.

    spans (Sequence[LabelledSpan]): The spans. Each is in the first column behind those of the spans that it overlaps
        and that start before it or are longer: outer spans come first.
    n_tokens (int): The number of tokens of the document.
    at_least (int): How many columns there are if the spans need no more.
    RETURNS (list[list[str]]): A tag for each token in each column, which `read_tagged_spans` reads back.
    """
    columns = [[OUTSIDE] * n_tokens for _ in range(at_least)]
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        taken = [number for number, tags in enumerate(columns) if {*tags[start:end]} != {OUTSIDE}]
        number = taken[-1] + 1 if taken else 0
        if number == len(columns):
            columns.append([OUTSIDE] * n_tokens)
        columns[number][start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return columns
