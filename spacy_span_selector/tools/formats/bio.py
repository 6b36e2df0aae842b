"""Columns of tags, the format of nested named entities: a word per line, and a tag for each level of nesting.

`docs/formats.md` shows some lines. IOBES and BILOU, where a span ends with `E-` or `L-` and has `S-` or `U-` if it is
one word, are read as well, and so is an `I-` that begins a span.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ... import annotation
from ...annotation import LabelledSpan, describe_doc
from .columns import by_sentence
from .files import check_writable, one_line, read_text
from .registry import Format
from .reports import Report, shorten

OUTSIDE = "O"
WRITABLE_LABEL = re.compile(r"\S+")
TAG = re.compile(r"(?P<position>[BIESLU])-(?P<label>.+)")
GOES_ON, ENDS = "IEL", "OESLU"
BOUNDARY = "-DOCSTART-"
TITLE = re.compile(rf"{BOUNDARY}\s+\((?P<title>.+)\)")
COMMENT = "# "
PLACEHOLDER = "_"
LEVELS = "Read as levels of nesting all columns of tags beside one of none: remove what are no labelled spans"
NO_TAGS = "Read as `O` what is no tag"
REPEATED_SPANS = "labelled spans that are there twice with the same label"
UNWRITABLE_SPANS = "labelled spans without tokens, across a sentence boundary, or whose label is not one word"


def read_bio(path: str | Path, vocab: Vocab | None = None) -> list[Doc]:
    """Read the words, sentences, titles and labelled spans of a file; words without tags are not annotated.

    Cells are separated by tabs or, in lines without any, by spaces, sentences by blank lines; `-DOCSTART- (TITLE)` is
    before a document. Lines that begin with `# ` are comments.
    """
    path = Path(path)
    vocab = Vocab() if vocab is None else vocab
    report = Report()
    docs: list[Doc] = []
    texts = parse_tags(read_text(path))
    columns = [*map(set, zip_longest(*(word.tags for text in texts for word in text.words), fillvalue=""))]
    are_tags = [any(map(_is_tag, column)) for column in columns if any(column)]
    for text in texts if not columns or any(are_tags) else ():
        for line, _, tags in (word for word in text.words if not word.word):
            found = f"{path}:{line}: found {shorten(' '.join(tags))}, expected a word before it."
            report.leave_out("rows without a word", found)
        text.sentences = [[word for word in sentence if word.word] for sentence in text.sentences]
        doc = Doc(
            vocab,
            words=[word.word for word in text.words],
            sent_starts=[i == 0 for sentence in text.sentences for i in range(len(sentence))],
        )
        if text.title:
            annotation.set_title(doc, text.title)
        if any(word.tags for word in text.words):
            annotation.set_labelled_spans(doc, read_tagged_spans(text, path, report))
        docs.append(doc)
    if sum(are_tags) > 1 and not all(are_tags):
        labels = [sorted({tag["label"] for tag in map(TAG.fullmatch, column) if tag}) for column in columns]
        levels = [f"column {i} with {', '.join(names[:5])}" for i, names in enumerate(labels, start=2) if names]
        report.add(LEVELS, f"{path}: found {'; '.join(levels)}.")
    return report.finish(docs, path, "Expected one word per line, with a tag such as `B-PER` behind it.")


class TaggedWord(NamedTuple):
    """A word with its tags, one for each column, and the number of its line in the file."""

    line: int
    word: str
    tags: list[str]


@dataclass
class TaggedText:
    """A document of a file; its title is "" if it has none."""

    title: str = ""
    sentences: list[list[TaggedWord]] = field(default_factory=list)

    @property
    def words(self) -> list[TaggedWord]:
        return [*chain(*self.sentences)]


def parse_tags(text: str) -> list[TaggedText]:
    texts: list[TaggedText] = []
    n_tags = -1  # how many the row before has
    begins = True  # whether the next word begins a sentence
    for number, line in enumerate(text.split("\n"), start=1):
        word, *tags = line.rstrip("\t ").split("\t") if "\t" in line else line.split(" ")
        tags = tags if "\t" in line else [tag for tag in tags if tag]
        known = tags[-1:] if len(tags) == n_tags else tags  # of so many cells others may be parts of speech
        if word == BOUNDARY:
            title = TITLE.fullmatch(line.rstrip())
            texts.append(TaggedText(title["title"] if title else ""))
            begins = True
        elif not line.strip():
            begins = True
        # A comment begins with `# `, but so does the row of the word `#`, which has tags.
        elif not line.startswith(COMMENT) or "\t" in line or all(map(_is_tag, known)):
            texts = texts or [TaggedText()]
            texts[-1].sentences += [[]] if begins else []
            texts[-1].sentences[-1].append(TaggedWord(number, word, tags))
            begins, n_tags = False, len(tags)
    return texts


def _is_tag(cell: str) -> bool:
    return cell == OUTSIDE or TAG.fullmatch(cell) is not None


def read_tagged_spans(text: TaggedText, path: Path, report: Report) -> list[LabelledSpan]:
    """Read the labelled spans of a document, column by column; the path of its file is for messages."""
    depth = max((len(word.tags) for word in text.words), default=0)
    spans: dict[LabelledSpan, None] = {}
    offset = 0
    for words in text.sentences:
        for column in range(depth):
            for start, end, label in _read_column(words, column, path, report):
                span = LabelledSpan(offset + start, offset + end, label)
                if span in spans:
                    report.leave_out(REPEATED_SPANS, f"{path}:{words[start].line}: {shorten(label)}.")
                spans[span] = None
        offset += len(words)
    return [*spans]


def _read_column(words: Sequence[TaggedWord], column: int, path: Path, report: Report) -> list[LabelledSpan]:
    spans: list[LabelledSpan] = []
    goes_on = False  # whether the last span may have more words
    for i, word in enumerate(words):
        cell = word.tags[column] if column < len(word.tags) else ""
        match = TAG.fullmatch(cell)
        if match is None and cell != OUTSIDE:
            report.add(NO_TAGS, f"{path}:{word.line}: found {shorten(cell)}, expected `O` or a tag such as `B-PER`.")
        position, label = match.groups() if match else (OUTSIDE, "")
        if goes_on and position in GOES_ON and label == spans[-1].label:
            spans[-1] = spans[-1]._replace(end=i + 1)
        elif position != OUTSIDE:
            spans.append(LabelledSpan(i, i + 1, label))
        goes_on = position not in ENDS
    return spans


def write_bio(docs: Iterable[Doc]) -> str:
    """Write what `read_bio` reads back: a document without sentence boundaries as one sentence, white space as `_`."""
    report = Report()
    texts = [check_writable(doc, _write_doc(doc, report)) for doc in docs]
    report.warn()
    return "".join(texts)


def _write_doc(doc: Doc, report: Report) -> str:
    report.leave_out_scope(doc)
    title = one_line(annotation.get_title(doc))
    sentences = list(annotation.get_sentences(doc)) if len(doc) else []
    spans = list(dict.fromkeys(annotation.get_labelled_spans(doc)))
    inside = {span for span in chain(*by_sentence(spans, sentences)) if WRITABLE_LABEL.fullmatch(span.label)}
    for span in spans:
        if span not in inside:
            report.leave_out(UNWRITABLE_SPANS, f"{describe_doc(doc)}, token {span.start}: {shorten(span.label)}.")
    columns = write_tags([*inside], len(doc), at_least=int(annotation.has_labelled_spans_annotated(doc)))
    words = [_write_word(token.text) for token in doc]
    for token, word in zip(doc, words, strict=True):
        if token.text != word:
            report.add("Wrote `_` for words or white space in them", f"{describe_doc(doc)}: {shorten(token.text)}")
    rows = ["\t".join(cells) for cells in zip(words, *columns, strict=True)]
    parts = ["\n".join(rows[sentence.start : sentence.end]) for sentence in sentences]
    return "".join(f"{part}\n\n" for part in [f"{BOUNDARY} ({title})" if title else BOUNDARY, *parts])


def _write_word(word: str) -> str:
    return PLACEHOLDER if word == BOUNDARY else PLACEHOLDER.join(word.lstrip("\ufeff").split()) or PLACEHOLDER


def write_tags(spans: Sequence[LabelledSpan], n_tokens: int, at_least: int) -> list[list[str]]:
    """Write labelled spans as at least so many columns of tags, outer spans before those that they overlap."""
    columns = [[OUTSIDE] * n_tokens for _ in range(at_least)]
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        taken = [number for number, tags in enumerate(columns) if {*tags[start:end]} != {OUTSIDE}]
        number = taken[-1] + 1 if taken else 0
        if number == len(columns):
            columns.append([OUTSIDE] * n_tokens)
        columns[number][start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return columns


FORMAT = Format(
    name="bio",
    title="columns of BIO tags, one for each level of nesting",
    suffixes=(".bio", ".iob"),
    read=read_bio,
    write=write_bio,
)
