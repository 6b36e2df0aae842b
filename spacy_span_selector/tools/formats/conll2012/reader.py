"""CoNLL-2012, the format of OntoNotes and of the official coreference scorer (Pradhan et al. 2012).

A row is a token, its columns separated by blanks: document, part, number, word, part-of-speech tag, parse, lemma and
frameset of a predicate, word sense, speaker, named entity, one column of arguments per predicate of the sentence, and
coreference. An empty line ends a sentence. See https://conll.cemantix.org/2012/data.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab
from wasabi import msg

from .... import annotation
from ....annotation import PREDICATE_LABEL, Argument, Frame, LabelledSpan
from ....people.speech import find_turns
from ...files.folders import find_files as find_in_folder
from ...files.folders import what_is_wrong
from ..columns import (
    EMPTY_CELLS,
    FRAMES,
    PARSES,
    check_row_numbers,
    read_arguments_column,
    read_coreference_column,
    read_starred_column,
    unescape_brackets,
)
from ..commands import Sources, save_docs, split_paths
from ..conllu import Row
from ..files import FILES as UNREADABLE
from ..files import read_apart
from ..reports import DOCUMENTS, MOST_NAMES, Report, leave_out_repeated, shorten

BEGIN = re.compile(r"#begin document \((?P<name>.*)\); part (?P<part>[0-9]+)")
BEGIN_EXAMPLE = "#begin document (NAME); part 000"
END = "#end document"
BLANKS = re.compile(r"[ \t]+")  # not `str.split()`: words may contain other white space, such as U+00A0
NUMBER, WORD, TAG, PARSE, LEMMA, FRAMESET, SPEAKER = 2, 3, 4, 5, 6, 7, 9
FIRST_PREDICATE = 11
LEAST_COLUMNS = FIRST_PREDICATE + 1
BACKSLASH = re.compile(r"\\([/*])")
TRANSCRIBED_STOPS = {"/.": ".", "/?": "?"}
SUFFIX = "gold_conll"
ENGLISH_DOCUMENTS = {"train": 2_802, "dev": 343, "test": 348}  # parts of files: the 348 of test are in 222 files


class Block(NamedTuple):
    """The lines of a file from the beginning of a document, with their places; one without a title is no document."""

    place: str
    title: str
    lines: list[tuple[str, str]]


def read_conll2012(source: str | Path | Sequence[str | Path], vocab: Vocab | None = None) -> list[Doc]:
    """Read the documents of files, and of folders, of which every `*gold_conll`, also `.gz`, at any depth is read.

    Words are unescaped: `-LRB-` and the other escapes become brackets; `\\/` and `\\*` lose their backslash, and the
    stops `/.` and `/?` of transcripts their slash.

    RETURNS (list[Doc]): One document per part, titled with name and part, such as `bc/cctv/00/cctv_0000_0`. Without any
        column of arguments it is not annotated for frames; for coreference it always is.
    """
    vocab = Vocab() if vocab is None else vocab
    paths = find_files([source] if isinstance(source, str | Path) else source)
    report = Report()
    docs: list[tuple[str, Doc]] = []
    for path in paths:
        try:
            text, errors = read_apart(path, _may_begin)
            for message in errors:
                report.leave_out(DOCUMENTS, message)
            blocks = [] if errors and not text.strip() else _split_documents(text, path)
        except ValueError as error:
            report.leave_out(DOCUMENTS, str(error))
            continue
        for block in blocks:
            try:
                docs.append((block.place, _make_doc(block, vocab, report)))
            except ValueError as error:
                report.leave_out(DOCUMENTS, str(error))
    return report.finish(leave_out_repeated(docs, report), ", ".join(map(str, paths[:MOST_NAMES])))


def _may_begin(before: bytes, line: bytes) -> bool:
    return before.strip() == END.encode() or line.strip().startswith(b"#begin")


def _split_documents(text: str, path: Path) -> list[Block]:
    """The documents of a file, and between them the lines that are in none."""
    blocks: list[Block] = []
    goes_on = False
    for number, line in enumerate(text.split("\n"), start=1):
        place, content = f"{path}:{number}", line.strip(" \t")
        match = BEGIN.fullmatch(content)
        if match or (content and not goes_on):
            title = f"{match['name']}_{match['part'].lstrip('0') or '0'}" if match else ""
            blocks.append(Block(place, title, []))
            goes_on = True
        if goes_on and not match:
            blocks[-1].lines.append((place, content))
        goes_on = goes_on and content != END
    if not blocks:
        raise ValueError(f"{path}: found no document, expected `{BEGIN_EXAMPLE}`.")
    return blocks


def _read_rows(block: Block) -> list[list[Row]]:
    place, title, lines = block
    if not title:
        raise ValueError(f"{place}: found {shorten(lines[0][1])}, expected `{BEGIN_EXAMPLE}`.")
    if not lines or lines[-1][1] != END:
        found = f"the document {title!r}, which begins here, has no `{END}`"
        raise ValueError(f"{place}: {found}. Is the file complete?")
    sentences: list[list[Row]] = [[]]
    first: Row | None = None
    for place, content in lines[:-1]:
        if content:
            row = Row(place, BLANKS.split(content))
            first = first or row
            _check_row(row, sentences[-1], first)
            sentences[-1].append(row)
        elif sentences[-1]:
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def _check_row(row: Row, before: Sequence[Row], first: Row) -> None:
    """Check a row against those before it in its sentence, and the first one of the document."""
    place, columns = row
    found = len(columns)
    if columns[0].startswith("#"):
        raise ValueError(f"{place}: found {shorten(' '.join(columns))} in a document, expected a row or `{END}`.")
    if found < LEAST_COLUMNS:
        raise ValueError(f"{place}: found {found} columns separated by blanks, expected {LEAST_COLUMNS} or more.")
    if before and found != len(before[0].columns):
        expected = f"{len(before[0].columns)}, as in the rows before it, or an empty line before the next sentence"
        raise ValueError(f"{place}: found {found} columns, expected {expected}.")
    if columns[:NUMBER] != first.columns[:NUMBER]:
        name, expected = (shorten(" ".join(each.columns[:NUMBER])) for each in (row, first))
        raise ValueError(f"{place}: found a row of the document {name}, expected one of {expected}.")


def _make_doc(block: Block, vocab: Vocab, report: Report) -> Doc:
    sentences = _read_rows(block)
    rows = [row for sentence in sentences for row in sentence]
    check_row_numbers([[row.columns[NUMBER] for row in sentence] for sentence in sentences], lambda i: rows[i].place)
    doc = Doc(
        vocab,
        words=[_unescape(row.columns[WORD]) for row in rows],
        tags=["" if row.columns[TAG] in EMPTY_CELLS else row.columns[TAG] for row in rows],
        sent_starts=[row is sentence[0] for sentence in sentences for row in sentence],
    )
    annotation.set_title(doc, block.title)
    constituents: list[LabelledSpan] = []
    frames: list[Frame] = []
    offset = 0
    for sentence in sentences:
        constituents += _read_constituents(sentence, offset, report)
        for column in range(FIRST_PREDICATE, len(sentence[0].columns) - 1):
            frames += _read_frame(sentence, column, offset, report)
        offset += len(sentence)
    cells = [[row.columns[-1] for row in sentence] for sentence in sentences]
    clusters = read_coreference_column(cells, lambda i: rows[i].place, report)
    speakers = [row.columns[SPEAKER] for row in rows]
    turns = find_turns([None if speaker in EMPTY_CELLS else speaker for speaker in speakers])
    if constituents:
        annotation.set_constituents(doc, constituents)
    if frames:
        annotation.set_frames(doc, frames)
    if turns:
        annotation.set_speakers(doc, turns)
    annotation.set_clusters(doc, list(clusters.values()), names=list(clusters))
    return doc


def _unescape(word: str) -> str:
    word = unescape_brackets(word)
    return TRANSCRIBED_STOPS.get(word, BACKSLASH.sub(r"\1", word))


def _read_constituents(sentence: Sequence[Row], offset: int, report: Report) -> list[LabelledSpan]:
    cells = ["*" if row.columns[PARSE] in EMPTY_CELLS else row.columns[PARSE] for row in sentence]
    cells[0] = re.sub(r"^\((?=\()", "(TOP", cells[0])  # the root of Arabic trees has no label
    try:
        spans = read_starred_column(cells, lambda i: sentence[i].place)
    except ValueError as error:
        report.leave_out(PARSES, str(error))
        return []
    return [LabelledSpan(offset + start, offset + end, label) for start, end, label in spans]


def _read_frame(sentence: Sequence[Row], column: int, offset: int, report: Report) -> list[Frame]:
    """The frame of a column of arguments, none if it does not have one predicate."""
    spans = read_arguments_column([row.columns[column] for row in sentence], lambda i: sentence[i].place, report)
    predicates = [(start, end) for start, end, label in spans if label == PREDICATE_LABEL]
    if len(predicates) != 1:
        found = f"the sentence that starts here has {len(predicates)} predicates in column {column + 1}"
        report.leave_out(FRAMES, f"{sentence[0].place}: {found}, expected one, such as `({PREDICATE_LABEL}*)`.")
        return []
    ((start, end),) = predicates
    rolesets = [roleset for row in sentence[start:end] if (roleset := _read_roleset(row))]
    arguments = [Argument(offset + a, offset + b, label) for a, b, label in spans if label != PREDICATE_LABEL]
    return [Frame(offset + start, offset + end, arguments, rolesets[0] if rolesets else None)]


def _read_roleset(row: Row) -> str | None:
    """The roleset of a row, if it has one: lemma and frameset or, from DKPro Core, the frameset alone, `get.01`."""
    lemma, frameset = row.columns[LEMMA], row.columns[FRAMESET]
    if "." in frameset.strip("."):
        return frameset
    return f"{lemma}.{frameset}" if EMPTY_CELLS.isdisjoint((lemma, frameset)) else None


def find_files(sources: Iterable[str | Path]) -> list[Path]:
    """Find the files to read, each once: those given, and the `*gold_conll` files of folders, sorted by path."""
    found: dict[Path, None] = {}
    report = Report()
    for source in map(Path, sources):
        paths = [source]
        if source.is_dir():
            paths = []
            for path in find_in_folder(source, lambda name: name.endswith((SUFFIX, f"{SUFFIX}.gz"))):
                if problem := what_is_wrong(path):
                    report.leave_out(UNREADABLE, f"{path}: {problem}")
                else:
                    paths.append(path)
        if not paths:
            problem = f"{source}: no file in this folder has a name that ends in '{SUFFIX}'"
            raise FileNotFoundError(f"{problem}. Complete those of OntoNotes with 'skeleton2conll.sh' first.")
        found.update(dict.fromkeys(paths))
    report.warn()
    return list(found)


def convert_conll2012(paths: Sources) -> None:
    """Convert files in the format of CoNLL-2012, and folders, of which every *gold_conll(.gz) at any depth is read.

    It says if they are English splits of OntoNotes.
    """
    sources, out_path = split_paths(paths)
    files = find_files(sources)
    docs = read_conll2012(files)
    save_docs({out_path: docs})
    typer.echo(f"Read {len(files):,} files.")
    official = [split for split, count in ENGLISH_DOCUMENTS.items() if count == len(docs)]
    if official:
        typer.echo(f"The English {official[0]} split of CoNLL-2012 has the same number of documents.")
    elif any("english" in str(path).lower() for path in files):
        counts = ", ".join(f"{count:,} ({split})" for split, count in ENGLISH_DOCUMENTS.items())
        found = f"Found {len(docs):,} documents, but the official English splits of CoNLL-2012 have {counts}"
        msg.warn(f"{found}. Scores are comparable with published ones only on these.")
