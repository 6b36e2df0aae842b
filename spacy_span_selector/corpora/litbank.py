"""LitBank: coreference with singletons in 100 works of English fiction, and its ten folds.

Documents come from https://github.com/dbamman/litbank, folds from https://github.com/dbamman/lrec2020-coref (Bamman,
Lewke and Mansoor 2020).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotation import set_clusters, set_title
from .coreference_column import read_coreference_column
from .files import read_text

CONLL_FOLDER = Path("coref/conll")
FOLDS_FOLDER = Path("lrec2020-coref/data/litbank_tenfold_splits")
FOLDS = range(10)
SPLITS = ("train", "dev", "test")
COLUMNS = 13
WORD_COLUMN = 3
BEGIN = re.compile(r"#begin document \((?P<name>.*)\); part 0+")
END = "#end document"


def read_litbank(source: str | Path, vocab: Vocab | None = None, *, names: Sequence[str] | None = None) -> list[Doc]:
    """Read documents of LitBank.

    source (str | Path): A copy of the repository: the folder that holds `coref/conll`.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    names (Sequence[str]): Documents to read, in this order; by default all, sorted by name.
    RETURNS (list[Doc]): Documents with gold words (spacing is unknown), sentence starts and named clusters, singletons
        included; the title is the document's name.
    RAISES (FileNotFoundError): If a file is missing, naming it.
    RAISES (ValueError): If a file is malformed, naming file and line, what was found, and what was expected.
    """
    folder = Path(source) / CONLL_FOLDER
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no such folder. Expected a copy of https://github.com/dbamman/litbank.")
    vocab = Vocab() if vocab is None else vocab
    paths = sorted(folder.glob("*.conll")) if names is None else [folder / f"{name}.conll" for name in names]
    return [read_litbank_file(path, vocab) for path in paths]


def read_litbank_fold(source: str | Path, fold: int) -> dict[str, list[str]]:
    """The names of the documents of one fold of the ten-fold cross-validation.

    source (str | Path): A copy of litbank, with a copy of lrec2020-coref in it or beside it.
    fold (int): Which of the ten, from 0 to 9.
    RETURNS (dict[str, list[str]]): Names of documents by split: `train`, `dev` and `test`.
    RAISES (FileNotFoundError): If a file is missing, naming it.
    RAISES (ValueError): If the fold does not exist.
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
    return {
        split: [line.strip().removesuffix(".tsv") for line in lines if line.strip()]
        for split in SPLITS
        for lines in [read_text(folder / f"{split}.ids").splitlines()]
    }


def read_litbank_file(path: Path, vocab: Vocab) -> Doc:
    """Read one document.

    path (Path): Its file.
    vocab (Vocab): The vocabulary of the document.
    RETURNS (Doc): The document, as from `read_litbank`.
    RAISES (ValueError): If the file is malformed, naming file and line, what was found, and what was expected.
    """
    words: list[str] = []
    cells: list[str] = []
    numbers: list[int] = []  # line of each token
    sentence_starts: list[bool | int | None] = []
    name: str | None = None
    ended = False
    new_sentence = True
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        place = f"{path}:{number}"
        if name is None:
            match = BEGIN.fullmatch(line)
            if match is None:
                raise ValueError(f"{place}: found {line!r}, expected `#begin document (NAME); part 0`.")
            name = match["name"]
        elif line == END:
            ended = True
        elif not line:
            new_sentence = True
        elif ended:
            raise ValueError(f"{place}: found {line!r} after `{END}`, expected one document per file.")
        else:
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                raise ValueError(f"{place}: found {len(columns)} columns separated by tabs, expected {COLUMNS}.")
            if not columns[WORD_COLUMN]:
                raise ValueError(f"{place}: found no word in column {WORD_COLUMN + 1}, expected one.")
            words.append(columns[WORD_COLUMN])
            cells.append(columns[-1])
            numbers.append(number)
            sentence_starts.append(new_sentence)
            new_sentence = False
    if name is None or not ended:
        raise ValueError(f"{path}: the file ends without `{END}`. Is it complete?")
    clusters = read_coreference_column(cells, lambda i: f"{path}:{numbers[i]}")
    doc = Doc(vocab, words=words, sent_starts=sentence_starts)
    set_title(doc, name)
    set_clusters(doc, list(clusters.values()), names=list(clusters))
    return doc
