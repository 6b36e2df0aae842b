"""LitBank: coreference with singletons, nested entities and quotations in 100 works of English fiction, and its folds.

Documents come from https://github.com/dbamman/litbank, folds from https://github.com/dbamman/lrec2020-coref (Bamman,
Lewke and Mansoor 2020).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...annotation import (
    Mention,
    Quotation,
    get_clusters,
    get_title,
    set_clusters,
    set_labelled_spans,
    set_paragraphs,
    set_quotations,
    set_title,
)
from .columns import check_row_numbers, read_coreference_column
from .commands import SPLITS, OutDir, list_once, save_docs, split_docs
from .files import FILES, read_text
from .registry import Format
from .reports import DOCUMENTS, Report, check_parts, shorten
from .speech import nearest_mention
from .tags import TaggedText, parse_tags, read_tagged_spans

CONLL_FOLDER = Path("coref/conll")
FOLDS_FOLDER = Path("lrec2020-coref/data/litbank_tenfold_splits")
FOLDS = range(10)
COLUMNS = 13
NUMBER_COLUMN, WORD_COLUMN = 2, 3
BEGIN = re.compile(r"#begin document \((?P<name>.*)\); part 0+")
END = "#end document"
NAME = re.compile(r"[^/\\\0]*")
CURE = "Expected a copy of https://github.com/dbamman/litbank."
QUOTATIONS_FOLDER, MENTIONS_FOLDER, ENTITIES_FOLDER = Path("quotations/tsv"), Path("coref/tsv"), Path("entities/tsv")
UNREADABLE_QUOTATIONS, UNKNOWN_SPEAKERS = "quotations that can't be read", "speakers of quotations"
QUOTE, SPEAKER, MENTION, ENTITY = "QUOTE", "ATTRIB", "MENTION", "COREF"

Line = tuple[str, list[str]]
"""File and number of a line, and its columns."""
NOVELS_FOLDER, NOVEL_SUFFIX = Path("original"), "_brat"
FURTHEST = 40
"""A word stands so many characters behind the one before at most; the first may stand anywhere."""

LEAST_FOUND = 0.98
"""The share of the words that must be found in the novel: else it is another text."""


class Row(NamedTuple):
    """The columns of a token, and the number of their line in the file."""

    line: int
    columns: list[str]


def read_litbank(source: str | Path, vocab: Vocab | None = None, *, names: Sequence[str] | None = None) -> list[Doc]:
    """Read documents of LitBank.

    source (str | Path): A copy of the repository: the folder that holds `coref/conll`, and for entities
        `entities/tsv`, for quotations `quotations/tsv` and `coref/tsv`, for paragraphs `original`.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    names (Sequence[str]): Documents to read, in this order; by default all, sorted by name.
    RETURNS (list[Doc]): Documents with gold words (spacing is unknown), sentence starts and named clusters, singletons
        included, nested entities as labelled spans, quotations with their speakers, and paragraphs; the title is the
        document's name.
    RAISES (FileNotFoundError): If a file is missing, naming it.
    RAISES (ValueError): If no document can be read, saying why.
    WARNS: Once, counting what is left out: documents that can't be read, brackets of mentions, the entities of
        documents whose words differ from those of the entities' file, quotations and their speakers.
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
        add_entities(doc, Path(source), report)
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


def add_entities(doc: Doc, source: Path, report: Report) -> None:
    """Add the labelled spans of a document, if the corpus has a file of them.

    doc (Doc): A document, as `read_litbank_file` reads it.
    source (Path): The folder that holds `entities/tsv`.
    report (Report): Gets a file that can't be read, or has other words than the document, which is left out.
    """
    path = source / ENTITIES_FOLDER / f"{get_title(doc)}.tsv"
    if not path.is_file():
        return
    try:
        text = TaggedText(sentences=[sentence for part in parse_tags(read_text(path)) for sentence in part.sentences])
        _check_words(doc, text, path)
    except (OSError, ValueError) as error:
        report.leave_out(FILES, str(error))
        return
    set_labelled_spans(doc, read_tagged_spans(text, path, report))


def _check_words(doc: Doc, text: TaggedText, path: Path) -> None:
    """Check that a file has the words of a document.

    RAISES (ValueError): If it does not, naming the first that differs.
    """
    for token, row in zip(doc, text.rows, strict=False):
        if token.text != row.word:
            raise ValueError(f"{path}:{row.line}: found {shorten(row.word)}, expected {token.text!r}. {CURE}")
    if len(text.rows) != len(doc):
        raise ValueError(f"{path}: found {len(text.rows):,} words, expected {len(doc):,}. {CURE}")


def add_quotations(doc: Doc, source: Path, report: Report) -> None:
    """Add the quotations of a document, if the corpus has a file of them.

    A speaker is the mention of its cluster that is nearest to the quotation, outside of all quotations where there is
    one; of two that are as near, the one before.

    doc (Doc): A document, as `read_litbank_file` reads it.
    source (Path): The folder that holds `quotations/tsv` and `coref/tsv`.
    report (Report): Gets what is left out: files, quotations and speakers.
    """
    name = f"{get_title(doc)}.ann"
    path, mentions_path = source / QUOTATIONS_FOLDER / name, source / MENTIONS_FOLDER / name
    if not path.is_file():
        return
    try:
        lines = _read_lines(path)
        mention_lines = _read_lines(mentions_path) if mentions_path.is_file() else []
    except (OSError, ValueError) as error:
        report.leave_out(FILES, str(error))
        return
    places = dict(_places(doc, lines, QUOTE, report))
    speakers = {
        columns[1]: (line, columns[2]) for line, columns in lines if columns[0] == SPEAKER and len(columns) == 3
    }
    clusters = _clusters_of_entities(doc, mention_lines)
    quoted = {i for start, end in places.values() for i in range(start, end)}
    quotations = []
    for id_, place in places.items():
        line, entity = speakers.get(id_, (str(path), ""))
        if entity in clusters:
            speaker = nearest_mention(place, clusters[entity], quoted)
        else:
            speaker = None
            found = f"quotation {shorten(id_)} is of {shorten(entity)}, which has no mention in {mentions_path}."
            report.leave_out(UNKNOWN_SPEAKERS, f"{line}: {found}")
        quotations.append(Quotation(*place, speaker=speaker))
    set_quotations(doc, quotations)


def _read_lines(path: Path) -> list[Line]:
    lines = enumerate(read_text(path).split("\n"), start=1)
    return [(f"{path}:{number}", line.split("\t")) for number, line in lines if line]


def _places(doc: Doc, lines: Sequence[Line], kind: str, report: Report | None) -> Iterator[tuple[str, Mention]]:
    """The name and the tokens of each span of a kind. Those whose words differ from the document's are left
    out."""
    sentences = [(sentence.start, sentence.end) for sentence in doc.sents]
    for line, columns in lines:
        if columns[0] != kind:
            continue
        try:
            first, i, last, j = map(int, columns[2:6])
            start, end = sentences[first][0] + i, sentences[last][0] + j + 1
            complete = [token.text for token in doc[start:end]] == columns[6].split(" ")
        except (ValueError, IndexError):
            complete = False
        if complete:
            yield columns[1], (start, end)
        elif report is not None:
            expected = "the sentence and the word of its begin and end, and words of the document between them"
            report.leave_out(UNREADABLE_QUOTATIONS, f"{line}: found {shorten(' '.join(columns))}, expected {expected}.")


def _clusters_of_entities(doc: Doc, lines: Sequence[Line]) -> Mapping[str, list[Mention]]:
    """The mentions of the cluster of each entity, by its name."""
    cluster_of = {mention: cluster for cluster in get_clusters(doc) for mention in cluster}
    mentions = dict(_places(doc, lines, MENTION, None))
    return {
        columns[2]: cluster_of[mentions[columns[1]]]
        for _, columns in lines
        if columns[0] == ENTITY and len(columns) == 3 and mentions.get(columns[1]) in cluster_of
    }


def add_paragraphs(doc: Doc, source: Path, report: Report) -> None:
    """Add the paragraphs of a document, if the corpus has the novel.

    doc (Doc): A document, as `read_litbank_file` reads it.
    source (Path): The folder that holds `original`.
    report (Report): Gets a novel that can't be read, or is another text.
    """
    path = source / NOVELS_FOLDER / f"{get_title(doc).removesuffix(NOVEL_SUFFIX)}.txt"
    if not path.is_file():
        return
    try:
        starts = _paragraph_starts([token.text for token in doc], read_text(path))
    except (OSError, ValueError) as error:
        report.leave_out(FILES, f"{path}: {error}")
        return
    ends = [*starts[1:], len(doc)]
    set_paragraphs(doc, list(zip(starts, ends, strict=True)))


def _paragraph_starts(words: list[str], text: str) -> list[int]:
    """Mark the words behind a blank line.

    RAISES (ValueError): If most of the words are not found.
    """
    paragraphs = ["".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text)]
    characters = "".join(paragraphs)
    begins = set(accumulate(map(len, paragraphs)))
    starts = [0]
    position, found = 0, 0
    for number, word in enumerate(words):
        place = characters.find(word, position, position + FURTHEST + len(word) if found else len(characters))
        if place < 0:
            continue
        if found and place == position and place in begins:
            starts.append(number)
        position, found = place + len(word), found + 1
    if found < LEAST_FOUND * len(words):
        raise ValueError(f"found {found:,} of the {len(words):,} words of the document; expected its novel.")
    return starts


def convert_litbank(
    source: Annotated[
        Path, typer.Argument(help="Copy of dbamman/litbank, with dbamman/lrec2020-coref in it or beside it")
    ],
    out_dir: OutDir,
    fold: Annotated[int, typer.Option(help="Fold of the ten-fold cross-validation, 0 to 9")] = 0,
) -> None:
    """Convert one fold of LitBank."""
    splits = read_litbank_fold(source, fold)
    docs = {get_title(doc): doc for doc in read_litbank(source, names=list_once(splits))}
    save_docs(split_docs(docs, splits, out_dir))


FORMAT = Format(name="litbank", title="LitBank", convert=convert_litbank)
