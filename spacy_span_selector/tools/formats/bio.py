"""Columns of tags, the format of nested named entities: a word per line, and a tag for each level of nesting.

    house   B-FAC   O
    of      I-FAC   O
    Ann     I-FAC   B-PER

`B-` begins a span, `I-` goes on with it, `O` is outside of all. IOBES and BILOU, where a span ends with `E-` or `L-`
and has `S-` or `U-` if it is one word, are read as well, and so is an `I-` that begins a span.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...annotation import (
    describe_doc,
    get_labelled_spans,
    get_sentences,
    get_title,
    has_labelled_spans_annotated,
    set_labelled_spans,
    set_title,
)
from .columns import by_sentence
from .files import check_writable, one_line, read_text
from .registry import Format
from .reports import Report, shorten
from .tags import BOUNDARY, WRITABLE_LABEL, parse_tags, read_tagged_spans, write_tags

PLACEHOLDER = "_"
UNWRITABLE_SPANS = "labelled spans without tokens, across a sentence boundary, or whose label is not one word"


def read_bio(path: str | Path, vocab: Vocab | None = None) -> list[Doc]:
    """Read the words, sentences, titles and labelled spans of a file; words without tags are not annotated.

    path (str | Path): The file: cells separated by tabs or, in lines without any, by spaces; blank lines between
        sentences, and `-DOCSTART- (TITLE)` before a document. Lines that begin with `# ` are comments.
    """
    path = Path(path)
    vocab = Vocab() if vocab is None else vocab
    report = Report()
    docs: list[Doc] = []
    for text in parse_tags(read_text(path)):
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


def write_bio(docs: Iterable[Doc]) -> str:
    """Write what `read_bio` reads back: a document without sentence boundaries as one sentence, white space as `_`."""
    report = Report()
    texts = [check_writable(doc, _write_doc(doc, report)) for doc in docs]
    report.warn()
    return "".join(texts)


def _write_doc(doc: Doc, report: Report) -> str:
    title = one_line(get_title(doc))
    sentences = list(get_sentences(doc)) if len(doc) else []
    spans = list(dict.fromkeys(get_labelled_spans(doc)))
    inside = {span for span in chain(*by_sentence(spans, sentences)) if WRITABLE_LABEL.fullmatch(span.label)}
    for span in spans:
        if span not in inside:
            report.leave_out(UNWRITABLE_SPANS, f"{describe_doc(doc)}, token {span.start}: {shorten(span.label)}.")
    columns = write_tags([*inside], len(doc), at_least=int(has_labelled_spans_annotated(doc)))
    words = [_write_word(token.text) for token in doc]
    for token, word in zip(doc, words, strict=True):
        if token.text != word:
            report.add("Wrote `_` for words or white space in them", f"{describe_doc(doc)}: {shorten(token.text)}")
    rows = ["\t".join(cells) for cells in zip(words, *columns, strict=True)]
    parts = ["\n".join(rows[sentence.start : sentence.end]) for sentence in sentences]
    return "".join(f"{part}\n\n" for part in [f"{BOUNDARY} ({title})" if title else BOUNDARY, *parts])


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
