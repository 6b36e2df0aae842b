"""LitBank: coreference with singletons, and quotations, in 100 works of English fiction, and its ten folds.

Documents come from https://github.com/dbamman/litbank, folds from https://github.com/dbamman/lrec2020-coref (Bamman,
Lewke and Mansoor 2020).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotation import set_clusters, set_title
from .coreference_column import read_coreference_column
from .files import read_text
from .left_out import DOCUMENTS, Report, shorten
from .litbank_paragraphs import add_paragraphs
from .litbank_quotations import add_quotations
from .repeated import check_parts
from .row_numbers import check_row_numbers

CONLL_FOLDER = Path("coref/conll")
FOLDS_FOLDER = Path("lrec2020-coref/data/litbank_tenfold_splits")
FOLDS = range(10)
SPLITS = ("train", "dev", "test")
COLUMNS = 13
NUMBER_COLUMN, WORD_COLUMN = 2, 3
BEGIN = re.compile(r"#begin document \((?P<name>.*)\); part 0+")
END = "#end document"
NAME = re.compile(r"[^/\\\0]*")
CURE = "Expected a copy of https://github.com/dbamman/litbank."


class Row(NamedTuple):
    """The columns of a token, and the number of their line in the file."""

    line: int
    columns: list[str]


def read_litbank(source: str | Path, vocab: Vocab | None = None, *, names: Sequence[str] | None = None) -> list[Doc]:
    """Read documents of LitBank.

    source (str | Path): A copy of the repository: the folder that holds `coref/conll`, and for quotations
        `quotations/tsv` and `coref/tsv`, for paragraphs `original`.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    names (Sequence[str]): Documents to read, in this order; by default all, sorted by name.
    RETURNS (list[Doc]): Documents with gold words (spacing is unknown), sentence starts and named clusters, singletons
        included, quotations with their speakers, and paragraphs; the title is the document's name.
    RAISES (FileNotFoundError): If a file is missing, naming it.
    RAISES (ValueError): If no document can be read, saying why.
    WARNS: Once, counting what is left out: documents that can't be read, brackets of mentions, quotations
        and their speakers.
    """
    folder = Path(source) / CONLL_FOLDER
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no such folder. {CURE}")
    vocab = Vocab() if vocab is None else vocab
    paths = sorted(folder.glob("*.conll")) if names is None else [folder / f"{name}.conll" for name in names]
    report = Report()
    docs: list[Doc] = []
    for path in paths:
        try:
            doc = read_litbank_file(path, vocab, report)
        except ValueError as error:
            report.leave_out(DOCUMENTS, str(error))
            continue
        add_quotations(doc, Path(source), report)
        add_paragraphs(doc, Path(source), report)
        docs.append(doc)
    if names is None or names:
        report.require(docs, folder, CURE)
    report.warn()
    return docs


def read_litbank_fold(source: str | Path, fold: int) -> dict[str, list[str]]:
    """The names of the documents of one fold of the ten-fold cross-validation.

    source (str | Path): A copy of litbank, with a copy of lrec2020-coref in it or beside it.
    fold (int): Which of the ten, from 0 to 9.
    RETURNS (dict[str, list[str]]): Names of documents by split, each once: `train`, `dev` and `test`.
    RAISES (FileNotFoundError): If a file is missing, naming it.
    RAISES (ValueError): If the fold does not exist, or a file lists no document.
    WARNS: Once, counting the documents that are listed twice.
    """
    if fold not in FOLDS:
        raise ValueError(f"LitBank has no fold {fold}: expected a number from {FOLDS[0]} to {FOLDS[-1]}.")
    inside, beside = (parent / FOLDS_FOLDER / str(fold) for parent in (Path(source), Path(source).resolve().parent))
    folder = inside if inside.is_dir() or not beside.is_dir() else beside
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{folder}: no such folder. Expected a copy of https://github.com/dbamman/lrec2020-coref "
            f"in {source} or beside it."
        )
    report = Report()
    splits = check_parts({split: _read_names(folder / f"{split}.ids") for split in SPLITS}, folder, report)
    report.warn()
    return splits


def _read_names(path: Path) -> list[str]:
    lines = read_text(path).split("\n")
    for number, line in enumerate(lines, start=1):
        if not NAME.fullmatch(line.strip()):
            raise ValueError(f"{path}:{number}: found {shorten(line)}, expected the name of a file, such as `a.tsv`.")
    names = [line.strip().removesuffix(".tsv") for line in lines if line.strip()]
    if not names:
        raise ValueError(f"{path}: found no document, expected one name per line, such as `a.tsv`. Fetch it again.")
    return names


def read_litbank_file(path: Path, vocab: Vocab, report: Report) -> Doc:
    """Read one document.

    path (Path): Its file.
    vocab (Vocab): The vocabulary of the document.
    report (Report): Gets the brackets of mentions that are left out.
    RETURNS (Doc): The document, as from `read_litbank`.
    RAISES (ValueError): If the file is malformed, naming file and line, what was found, and what was expected.
    """
    name, sentences = _read_rows(path)
    rows = [row for sentence in sentences for row in sentence]

    def place(i: int) -> str:
        return f"{path}:{rows[i].line}"

    check_row_numbers([[row.columns[NUMBER_COLUMN] for row in sentence] for sentence in sentences], place)
    cells = [[row.columns[-1] for row in sentence] for sentence in sentences]
    clusters = read_coreference_column(cells, place, report)
    doc = Doc(
        vocab,
        words=[row.columns[WORD_COLUMN] for row in rows],
        sent_starts=[i == 0 for sentence in sentences for i in range(len(sentence))],
    )
    set_title(doc, name)
    set_clusters(doc, list(clusters.values()), names=list(clusters))
    return doc


def _read_rows(path: Path) -> tuple[str, list[list[Row]]]:
    """The name of a document, and the rows of its sentences."""
    sentences: list[list[Row]] = []
    name: str | None = None
    ended = False
    empty = 0  # number of empty lines before this one
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        place = f"{path}:{number}"
        if name is None:
            match = BEGIN.fullmatch(line)
            if match is None or match["name"] != path.stem:
                raise ValueError(f"{place}: found {shorten(line)}, expected `#begin document ({path.stem}); part 0`.")
            name = match["name"]
        elif not line:
            empty += 1
        elif ended:
            raise ValueError(f"{place}: found {shorten(line)} after `{END}`, expected one document per file.")
        elif empty > (most := 1 if sentences else 0):
            raise ValueError(f"{place}: found {empty} empty lines above, expected {most}. Is a row missing?")
        elif line == END:
            ended = True
        else:
            row = Row(number, line.split("\t"))
            _check_row(row, name, place)
            if empty or not sentences:
                sentences.append([])
                empty = 0
            sentences[-1].append(row)
    if name is None or not ended:
        raise ValueError(f"{path}: the file ends without `{END}`. Is it complete?")
    if not sentences:
        raise ValueError(f"{path}: found no words. Is it complete?")
    return name, sentences


def _check_row(row: Row, name: str, place: str) -> None:
    if len(row.columns) != COLUMNS:
        raise ValueError(f"{place}: found {len(row.columns)} columns separated by tabs, expected {COLUMNS}.")
    if row.columns[0] != name:
        raise ValueError(f"{place}: found a row of {shorten(row.columns[0])}, expected one of {name!r}.")
    if not row.columns[WORD_COLUMN].strip():
        raise ValueError(f"{place}: found no word in column {WORD_COLUMN + 1}, expected one.")
