"""Columns of tags, the format of nested named entities: a word per line, and a tag for each level of nesting.

    -DOCSTART- (ferry)

    The     B-FAC   O
    house   I-FAC   O
    of      I-FAC   O
    Ann     I-FAC   B-PER

`B-` begins a span, `I-` goes on with it, `O` is outside of all. IOBES and BILOU, where a span ends with `E-` or `L-`
and has `S-` or `U-` if it is one word, are read as well, and so is an `I-` that begins a span.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotation import (
    LabelledSpan,
    describe_doc,
    get_labelled_spans,
    get_sentences,
    get_title,
    has_labelled_spans_annotated,
    set_labelled_spans,
    set_title,
)
from ..documents.dialogue import remove_speaker_markers
from .files import check_writable, one_line, read_text
from .formats import Format
from .reports import Report, shorten

OUTSIDE = "O"
TAG = re.compile(r"(?P<position>[BIESLU])-(?P<label>.+)")
GOES_ON, ENDS = "IEL", "ESLU"
BOUNDARY = "-DOCSTART-"
TITLE = re.compile(rf"{BOUNDARY}\s+\((?P<title>.+)\)")
COMMENT = "# "
PLACEHOLDER = "_"
WRITABLE_LABEL = re.compile(r"\S+")
NO_TAGS = "Read as `O` what is no tag"
REPEATED_SPANS = "labelled spans that are in two columns with the same label"
UNWRITABLE_SPANS = "labelled spans without tokens, across a sentence boundary, or whose label is not one word"


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


def read_bio(path: str | Path, vocab: Vocab | None = None) -> list[Doc]:
    """Read the documents of a file.

    path (str | Path): The file: a word and its tags per line, separated by tabs or, in lines without any, by spaces;
        blank lines between sentences, and `-DOCSTART-` before a document if there are several, with its title in
        brackets. Lines that begin with `# ` are comments.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    RETURNS (list[Doc]): Documents with gold words (spacing is unknown), sentence starts, title and labelled spans. A
        document whose words have no tags is not annotated.
    RAISES (FileNotFoundError): If the file is missing, naming it.
    RAISES (ValueError): If it is no text, or has no words, naming it.
    WARNS: Once, counting the cells that are no tags, which count as `O`, and the spans that two columns have with the
        same label.
    """
    path = Path(path)
    vocab = Vocab() if vocab is None else vocab
    report = Report()
    docs: list[Doc] = []
    for text in parse_bio(read_text(path)):
        doc = Doc(
            vocab,
            words=[row.word for row in text.rows],
            sent_starts=[i == 0 for sentence in text.sentences for i in range(len(sentence))],
        )
        if text.title:
            set_title(doc, text.title)
        if any(row.tags for row in text.rows):
            set_labelled_spans(doc, read_tagged_spans(text, path, report))
        docs.append(doc)
    report.require(docs, path, "Expected one word per line, with a tag such as `B-PER` behind it.")
    report.warn()
    return docs


def parse_bio(text: str) -> list[TaggedText]:
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


def write_bio(docs: Iterable[Doc]) -> str:
    """Write the labelled spans of documents.

    A span is in the first column behind those of the spans that it overlaps and that start before it or are longer:
    outer spans come first. `read_bio` restores words, sentences, titles and labelled spans. A document without sentence
    boundaries becomes one sentence, and one that is not annotated has no tags. Speaker markers are left out.

    docs (Iterable[Doc]): The documents.
    RETURNS (str): The content of a file. White space in a word becomes `_`, as does a word of white space.
    RAISES (ValueError): If a document has a character that no text file can hold, naming it.
    WARNS: Once, counting these words, and the labelled spans that are left out because they have no tokens, cross a
        sentence boundary, or have a label that is not one word.
    """
    report = Report()
    texts = [check_writable(doc, _write_doc(doc, report)) for doc in map(remove_speaker_markers, docs)]
    report.warn()
    return "".join(texts)


def _write_doc(doc: Doc, report: Report) -> str:
    title = one_line(get_title(doc))
    sentences = get_sentences(doc) if len(doc) else []
    sentence_ends = {token.i: sentence.end for sentence in sentences for token in sentence}
    spans = []
    for span in dict.fromkeys(get_labelled_spans(doc)):
        if span.start < span.end <= sentence_ends.get(span.start, 0) and WRITABLE_LABEL.fullmatch(span.label):
            spans.append(span)
        else:
            report.leave_out(UNWRITABLE_SPANS, f"{describe_doc(doc)}, token {span.start}: {shorten(span.label)}.")
    columns = _write_columns(spans, len(doc), at_least=int(has_labelled_spans_annotated(doc)))
    words = [_write_word(token.text) for token in doc]
    if changed := [token.text for token, word in zip(doc, words, strict=True) if token.text != word]:
        report.add("Wrote `_` for words or white space in them", f"{describe_doc(doc)}: {shorten(changed[0])}")
    rows = ["\t".join(cells) for cells in zip(words, *columns, strict=True)]
    parts = ["\n".join(rows[sentence.start : sentence.end]) for sentence in sentences]
    return "".join(f"{part}\n\n" for part in [f"{BOUNDARY} ({title})" if title else BOUNDARY, *parts])


def _write_columns(spans: Sequence[LabelledSpan], n_tokens: int, at_least: int) -> list[list[str]]:
    """The tags of each column; there are as many columns as the spans need, and some more if told so."""
    columns = [[OUTSIDE] * n_tokens for _ in range(at_least)]
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        taken = [number for number, tags in enumerate(columns) if {*tags[start:end]} != {OUTSIDE}]
        number = taken[-1] + 1 if taken else 0
        if number == len(columns):
            columns.append([OUTSIDE] * n_tokens)
        columns[number][start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return columns


def _write_word(word: str) -> str:
    return PLACEHOLDER if word == BOUNDARY else PLACEHOLDER.join(word.split()) or PLACEHOLDER


FORMAT = Format(
    name="bio",
    title="columns of BIO tags, one for each level of nesting",
    suffixes=(".bio", ".iob"),
    read=read_bio,
    write=write_bio,
    holds="labelled spans",
)
