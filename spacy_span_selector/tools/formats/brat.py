r"""brat standoff: a text, and beside it a file that labels its characters.

    T1\tPER 14 17\tAnn

The text is in `NAME.txt`, its labelled spans in `NAME.ann`. A span of several pieces, `0 3;8 12`, is one only if there
is nothing but white space between them: so brat writes spans that go over the end of a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

from ...annotation import LabelledSpan, describe_doc, get_labelled_spans, get_title, set_labelled_spans, set_title
from ...documents.tokenized import make_doc
from .commands import Data, read_all, save_texts
from .files import check_writable, one_line, read_exactly, read_text
from .registry import Format
from .reports import Report, shorten
from .tags import REPEATED_SPANS, WRITABLE_LABEL

SUFFIX, TEXT_SUFFIX = ".ann", ".txt"
SPAN = re.compile(
    r"T[^\t ]*\t(?P<label>[^\t ]+) (?P<places>[0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)(?:\t(?P<text>.*))?"
)
OTHER_KIND = re.compile(r"[REAMN][0-9]|[#*]")
BYTE_ORDER_MARK = "\ufeff"
PIECE = re.compile(r"[^\r\n]+")
NOT_IN_A_NAME = re.compile(r"[^\w.-]+")
LONGEST_NAME = 60  # of which a character has four bytes at most, and a name 255

UNREADABLE = "lines that can't be read"
OTHERS = "relations, events, attributes and notes, as documents have no place for them"
IN_PIECES = "labelled spans of several pieces"
OTHER_TEXT = "labelled spans whose text is not that at their offsets"
WITHIN_TOKENS = "labelled spans that begin or end within a token"
UNWRITABLE_SPANS = "labelled spans without characters, or whose label is not one word"


def read_brat(path: str | Path, nlp: Language) -> list[Doc]:
    """Read a text and its labelled spans.

    path (str | Path): The file `NAME.ann`, with `NAME.txt` beside it.
    nlp (Language): Its tokenizer splits the text.
    RETURNS (list[Doc]): One document, whose title is the name of the file without its end.
    RAISES (FileNotFoundError): If one of the files is missing, naming it.
    RAISES (ValueError): If one is not UTF-8 text, naming it, or the text is longer than the pipeline allows.
    WARNS: Once, counting what is left out: spans of several pieces, spans that begin or end within a token, whose text
        is not that at their offsets, or that are there twice; relations, events, attributes and notes; lines that can't
        be read.
    """
    path = Path(path)
    lines = read_text(path).split("\n")
    text_path = path.with_suffix(TEXT_SUFFIX)
    text = read_exactly(text_path, f"Expected the text of {path.name} beside it.")
    if text.startswith(BYTE_ORDER_MARK):  # which counts as a character
        text = f" {text[1:]}"
    doc = make_doc(nlp, text)
    set_title(doc, path.stem)
    report = Report()
    starts, ends = {token.idx: token.i for token in doc}, {token.idx + len(token): token.i + 1 for token in doc}
    spans: dict[LabelledSpan, None] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            span = _read_line(line, f"{path}:{number}", text, starts, ends, report)
            if span is not None and span in spans:
                report.leave_out(REPEATED_SPANS, f"{path}:{number}: {shorten(line)}.")
            elif span is not None:
                spans[span] = None
    set_labelled_spans(doc, [*spans])
    report.warn()
    return [doc]


def _read_line(
    line: str, place: str, text: str, starts: Mapping[int, int], ends: Mapping[int, int], report: Report
) -> LabelledSpan | None:
    """The labelled span of a line, None if it has none that a document can have."""
    match = SPAN.fullmatch(line)
    found = f"{place}: found {shorten(line)}"
    if match is None and OTHER_KIND.match(line):
        report.leave_out(OTHERS, f"{found}.")
    elif match is None:
        report.leave_out(UNREADABLE, f"{found}, expected one such as 'T1\\tPER 0 3\\tAnn'.")
    if match is None:
        return None
    pieces = [tuple(map(int, piece.split())) for piece in match["places"].split(";")]
    start, end = pieces[0][0], pieces[-1][1]
    if any(text[before[1] : after[0]].strip() or before[1] > after[0] for before, after in pairwise(pieces)):
        report.leave_out(IN_PIECES, f"{found}, expected one piece.")
    elif not start < end <= len(text) or (match["text"] and one_line(match["text"]) != one_line(text[start:end])):
        there = shorten(text[start:end])
        report.leave_out(OTHER_TEXT, f"{found}, but {there} is there. Is it the annotation of another text?")
    elif start not in starts or end not in ends:
        cure = "Move it to the ends of tokens, or convert with a tokenizer that splits there (--lang)"
        report.leave_out(WITHIN_TOKENS, f"{found}, in {shorten(text[max(0, start - 10) : end + 10])}. {cure}.")
    else:
        return LabelledSpan(starts[start], ends[end], match["label"])
    return None


def write_brat(docs: Iterable[Doc]) -> dict[str, str]:
    """Write texts and their labelled spans.

    docs (Iterable[Doc]): The documents.
    RETURNS (dict[str, str]): The content of each file by its name, which is the title of the document or, without one,
        `document`; characters that names of files should not have are `_`, and names that come again have a number.
    RAISES (ValueError): If a document has a character that no text file can hold, naming it.
    WARNS: Once, counting the labelled spans that are left out because they have no characters, or a label that is not
        one word.
    """
    report = Report()
    files: dict[str, str] = {}
    taken: set[str] = set()
    for doc in docs:
        name = _choose_name(get_title(doc), taken)
        files[f"{name}{TEXT_SUFFIX}"] = check_writable(doc, doc.text)
        files[f"{name}{SUFFIX}"] = check_writable(doc, _write_spans(doc, report))
    report.warn()
    return files


def _choose_name(title: str, taken: set[str]) -> str:
    """A name that is none of those taken, also where capitals make no difference; it is taken then."""
    base = NOT_IN_A_NAME.sub("_", title)[:LONGEST_NAME].strip("._") or "document"
    name, number = base, 1
    while name.casefold() in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add(name.casefold())
    return name


def _write_spans(doc: Doc, report: Report) -> str:
    lines: list[str] = []
    text = doc.text
    for start, end, label in dict.fromkeys(get_labelled_spans(doc)):
        first = doc[start].idx if start < len(doc) else 0
        last = doc[end - 1].idx + len(doc[end - 1]) if start < end else first
        pieces = [match.span() for match in PIECE.finditer(text, first, last)]
        if not pieces or not WRITABLE_LABEL.fullmatch(label):
            report.leave_out(UNWRITABLE_SPANS, f"{describe_doc(doc)}, token {start}: {shorten(label)}.")
            continue
        places = ";".join(f"{piece[0]} {piece[1]}" for piece in pieces)
        words = " ".join(text[slice(*piece)] for piece in pieces)
        lines.append(f"T{len(lines) + 1}\t{label} {places}\t{words}\n")
    return "".join(lines)


def export_brat(
    data: Data, out_dir: Annotated[Path, typer.Argument(metavar="OUT_DIR", help="Folder for the files to write")]
) -> None:
    """Write labelled spans in brat's standoff format, two files per document: its text, and its annotation."""
    save_texts({out_dir / name: text for name, text in write_brat(read_all(data)).items()})


FORMAT = Format(
    name="brat",
    title="brat's standoff format",
    suffixes=(SUFFIX,),
    read=read_brat,
    tokenizes=True,
    export=export_brat,
)
