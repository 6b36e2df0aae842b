"""CoNLL-2012, the format of OntoNotes: words, trees, semantic roles, speakers and coreference in one file.

A row is a token, its columns separated by blanks: document, part, number, word, part-of-speech tag, parse, lemma and
frameset of a predicate, word sense, speaker, named entity, one column of arguments per predicate of the sentence, and
coreference. An empty line ends a sentence. The format is described at https://conll.cemantix.org/2012/data.html
(Pradhan et al. 2012).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab
from wasabi import msg

from ....annotation import (
    PREDICATE_LABEL,
    Argument,
    Frame,
    set_clusters,
    set_constituents,
    set_frames,
    set_speakers,
    set_title,
)
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
from ..commands import SpeakerMarkers, save_docs, split_paths
from ..files import FILES as UNREADABLE
from ..files import read_text
from ..reports import DOCUMENTS, MOST_NAMES, Report, leave_out_repeated, shorten
from ..speech import find_turns

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
ENGLISH_DOCUMENTS = {"train": 2_802, "dev": 343, "test": 348}
"""The number of documents of each English split. A document is one part of a file, from `#begin` to `#end`: the 348 of
test are in 222 files."""


class Row(NamedTuple):
    """The columns of a token, and the number of their line in the file."""

    line: int
    columns: list[str]


class Block(NamedTuple):
    """The lines of a document.

    place (str): File and line of its beginning.
    title (str): Its title.
    lines (list[tuple[int, str]]): The number and the content of each line between its beginning and its end.
    """

    place: str
    title: str
    lines: list[tuple[int, str]]


def read_conll2012(source: str | Path | Sequence[str | Path], vocab: Vocab | None = None) -> list[Doc]:
    """Read the documents of files and folders.

    Words are unescaped: `-LRB-` and the other escapes become brackets, also inside a word; `\\/` and `\\*` lose their
    backslash, and the stops `/.` and `/?` of transcripts their slash. The predicate of a column of arguments is the
    span labelled `V`, and its roleset is lemma and frameset of its row, such as `get.01`, or a frameset of this form. A
    document whose row numbers show that rows are missing, doubled or not in order can't be read.

    source (str | Path | Sequence[str | Path]): Files, and folders, of which every file at any depth is read whose name
        ends in `gold_conll`, sorted by path. A file is read once.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    RETURNS (list[Doc]): One document per part, with gold words (spacing is unknown), tags, sentence starts,
        constituents, frames, speakers and named clusters. The title is name and part, such as
        `bc/cctv/00/cctv_0000_0`. Without any column of arguments a document is not annotated for frames; without any
        mention it is annotated for coreference all the same.
    RAISES (FileNotFoundError): If a file is missing, naming it.
    RAISES (ValueError): If no document can be read, saying why.
    WARNS: Once, counting what is left out: documents that can't be read, or have the name, the part and the words of an
        earlier one; brackets of mentions and arguments without a partner; columns of arguments that do not have exactly
        one `V`; parses that can't be read. Different documents of the same name and part are kept, and counted too.
    """
    vocab = Vocab() if vocab is None else vocab
    paths = find_files([source] if isinstance(source, str | Path) else source)
    report = Report()
    docs: list[Doc] = []
    places: list[str] = []
    for path in paths:
        try:
            blocks = _split_documents(read_text(path), path, report)
        except ValueError as error:
            report.leave_out(DOCUMENTS, str(error))
            continue
        for block in blocks:
            try:
                docs.append(_make_doc(block, vocab, path, report))
                places.append(block.place)
            except ValueError as error:
                report.leave_out(DOCUMENTS, str(error))
    report.require(docs, ", ".join(map(str, paths[:MOST_NAMES])))
    docs = leave_out_repeated(docs, places, report)
    report.warn()
    return docs


def _split_documents(text: str, path: Path, report: Report) -> list[Block]:
    """The documents of a file. Reported are those that do not end, and lines that are in no document."""
    blocks: list[Block] = []
    block: Block | None = None
    outside = False  # whether lines without a document were reported, and their end has not come yet
    for number, line in enumerate(text.split("\n"), start=1):
        content = line.strip(" \t")
        if match := BEGIN.fullmatch(content):
            _report_unfinished(block, report)
            part = match["part"].lstrip("0") or "0"
            block, outside = Block(f"{path}:{number}", f"{match['name']}_{part}", []), False
        elif block is not None and content == END:
            blocks.append(block)
            block = None
        elif block is not None:
            block.lines.append((number, content))
        elif content and not outside:
            report.leave_out(DOCUMENTS, f"{path}:{number}: found {shorten(content)}, expected `{BEGIN_EXAMPLE}`.")
            outside = True
        if content == END:
            outside = False
    _report_unfinished(block, report)
    if not text.strip():
        report.leave_out(DOCUMENTS, f"{path}: found no document, expected `{BEGIN_EXAMPLE}`.")
    return blocks


def _report_unfinished(block: Block | None, report: Report) -> None:
    if block is not None:
        message = f"the document {block.title!r}, which begins here, has no `{END}`. Is the file complete?"
        report.leave_out(DOCUMENTS, f"{block.place}: {message}")


def _read_rows(block: Block, path: Path) -> list[list[Row]]:
    """The rows of each sentence of a document."""
    sentences: list[list[Row]] = []
    new_sentence = True
    for number, content in block.lines:
        if not content:
            new_sentence = True
            continue
        row = Row(number, BLANKS.split(content))
        if new_sentence:
            sentences.append([])
            new_sentence = False
        _check_row(row, sentences, path)
        sentences[-1].append(row)
    return sentences


def _check_row(row: Row, sentences: Sequence[Sequence[Row]], path: Path) -> None:
    """Check a row against those before it: the last sentence may be without rows."""
    place, found, sentence = f"{path}:{row.line}", len(row.columns), sentences[-1]
    if row.columns[0].startswith("#"):
        raise ValueError(f"{place}: found {shorten(' '.join(row.columns))} in a document, expected a row or `{END}`.")
    if found < LEAST_COLUMNS:
        raise ValueError(f"{place}: found {found} columns separated by blanks, expected {LEAST_COLUMNS} or more.")
    if sentence and found != len(sentence[0].columns):
        raise ValueError(
            f"{place}: found {found} columns, but the rows before it have {len(sentence[0].columns)}. Expected the "
            "same number in each row of a sentence, and an empty line before the next sentence."
        )
    first = sentences[0][0] if sentences[0] else row
    if row.columns[:NUMBER] != first.columns[:NUMBER]:
        name, expected = (shorten(" ".join(each.columns[:NUMBER])) for each in (row, first))
        raise ValueError(f"{place}: found a row of the document {name}, expected one of {expected}.")


def _make_doc(block: Block, vocab: Vocab, path: Path, report: Report) -> Doc:
    sentences = _read_rows(block, path)
    rows = [row for sentence in sentences for row in sentence]
    place = _place(path, rows)
    check_row_numbers([[row.columns[NUMBER] for row in sentence] for sentence in sentences], place)
    doc = Doc(
        vocab,
        words=[_unescape(row.columns[WORD]) for row in rows],
        tags=["" if row.columns[TAG] in EMPTY_CELLS else row.columns[TAG] for row in rows],
        sent_starts=[i == 0 for sentence in sentences for i in range(len(sentence))],
    )
    set_title(doc, block.title)
    constituents: list[tuple[int, int, str]] = []
    frames: list[Frame] = []
    offset = 0
    for sentence in sentences:
        constituents += _read_constituents(sentence, offset, path, report)
        frames += _read_frames(sentence, offset, path, report)
        offset += len(sentence)
    cells = [[row.columns[-1] for row in sentence] for sentence in sentences]
    clusters = read_coreference_column(cells, place, report)
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


def _read_constituents(sentence: Sequence[Row], offset: int, path: Path, report: Report) -> list[tuple[int, int, str]]:
    # The root of Arabic trees has no label.
    cells = ["*" if row.columns[PARSE] in EMPTY_CELLS else row.columns[PARSE] for row in sentence]
    cells[0] = re.sub(r"^\((?=\()", "(TOP", cells[0])
    try:
        spans = read_starred_column(cells, _place(path, sentence))
    except ValueError as error:
        report.leave_out(PARSES, str(error))
        return []
    return [(offset + start, offset + end, label) for start, end, label in spans]


def _read_frames(sentence: Sequence[Row], offset: int, path: Path, report: Report) -> list[Frame]:
    frames = [
        _read_frame(sentence, column, offset, path, report)
        for column in range(FIRST_PREDICATE, len(sentence[0].columns) - 1)
    ]
    return [frame for frame in frames if frame is not None]


def _read_frame(sentence: Sequence[Row], column: int, offset: int, path: Path, report: Report) -> Frame | None:
    place = _place(path, sentence)
    spans = read_arguments_column([row.columns[column] for row in sentence], place, report)
    predicates = [(start, end) for start, end, label in spans if label == PREDICATE_LABEL]
    if len(predicates) != 1:
        report.leave_out(
            FRAMES,
            f"{place(0)}: the sentence that starts here has {len(predicates)} predicates in column {column + 1}, "
            f"expected one, such as `({PREDICATE_LABEL}*)`.",
        )
        return None
    start, end = predicates[0]
    rolesets = [roleset for row in sentence[start:end] if (roleset := _read_roleset(row))]
    arguments = [
        Argument(offset + start, offset + end, label) for start, end, label in spans if label != PREDICATE_LABEL
    ]
    return Frame(offset + start, offset + end, arguments, rolesets[0] if rolesets else None)


def _read_roleset(row: Row) -> str | None:
    """The roleset of a row, if it has one: lemma and frameset or, from DKPro Core, the frameset alone, `get.01`."""
    lemma, frameset = row.columns[LEMMA], row.columns[FRAMESET]
    if "." in frameset.strip("."):
        return frameset
    return f"{lemma}.{frameset}" if EMPTY_CELLS.isdisjoint((lemma, frameset)) else None


def find_files(sources: Iterable[str | Path]) -> list[Path]:
    """Find the files to read.

    sources (Iterable[str | Path]): Files of any name, and folders, of which every file at any depth is taken whose name
        ends in `gold_conll`, sorted by path.
    RETURNS (list[Path]): The files, each once, in the order of the sources.
    RAISES (FileNotFoundError): If a folder has no such file, naming it.
    WARNS: Once, counting what of folders can't be read.
    """
    found: dict[Path, None] = {}
    report = Report()
    for source in map(Path, sources):
        paths = [source]
        if source.is_dir():
            inside = sorted(map(Path, find_in_folder(str(source), lambda name: name.endswith(SUFFIX))))
            problems = {path: what_is_wrong(str(path)) for path in inside}
            paths = [path for path in inside if not problems[path]]
            for path in inside:
                if problems[path]:
                    report.leave_out(UNREADABLE, f"{path}: {problems[path]}")
        if not paths:
            raise FileNotFoundError(
                f"{source}: no file in this folder has a name that ends in 'gold_conll'. OntoNotes comes with "
                "'gold_skel' files: complete them with 'skeleton2conll.sh' first."
            )
        found.update(dict.fromkeys(paths))
    report.warn()
    return list(found)


def digest_files(paths: Sequence[Path]) -> str:
    """The MD5 sum of the contents of files one after the other.

    A folder has the same sum as the single file, such as `train.english.v4_gold_conll`, into which `e2e-coref` and its
    successors concatenate its files.

    paths (Sequence[Path]): The files.
    RETURNS (str): The sum in hexadecimal.
    """
    digest = hashlib.md5(usedforsecurity=False)
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def convert_conll2012(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE... OUT.spacy",
            help="Files, or folders whose *gold_conll files are read, at any depth, and the file to write",
        ),
    ],
    speaker_markers: SpeakerMarkers = False,
) -> None:
    """Convert files in the format of CoNLL-2012, such as OntoNotes, and check if they are its English splits."""
    sources, out_path = split_paths(paths)
    files = find_files(sources)
    docs = read_conll2012(files)
    save_docs({out_path: docs}, speaker_markers=speaker_markers)
    typer.echo(f"Read {len(files):,} files. MD5 of their contents, one after the other: {digest_files(files)}")
    official = [split for split, count in ENGLISH_DOCUMENTS.items() if count == len(docs)]
    if official:
        typer.echo(f"The English {official[0]} split of CoNLL-2012 has the same number of documents.")
    elif any("english" in str(path).lower() for path in files):
        counts = ", ".join(f"{count:,} ({split})" for split, count in ENGLISH_DOCUMENTS.items())
        msg.warn(
            f"Found {len(docs):,} documents, but the official English splits of CoNLL-2012 have {counts}. "
            "Scores are comparable with published ones only on these."
        )
