"""LitBank: coreference with singletons, nested entities and quotations in 100 works of English fiction, and its folds.

Documents come from https://github.com/dbamman/litbank, folds from https://github.com/dbamman/lrec2020-coref (Bamman,
Lewke and Mansoor 2020). `project.yml` pins both, so a file that is not as expected is an error, not a warning.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ... import annotation
from ...annotation import Mention, Quotation
from ...people.speech import nearest_mention
from .bio import parse_tags, read_tagged_spans
from .columns import commonest_labels, read_coreference_column, split_blocks
from .commands import SPLITS, Annotates, OutDir, save_docs, split_docs
from .files import read_text
from .registry import Format
from .reports import Report, check_counts, shorten

CURE = "Expected a copy of https://github.com/dbamman/litbank."
FOLDS_CURE = "Expected a copy of https://github.com/dbamman/lrec2020-coref in that of LitBank or beside it."
COUNTS = (100, 210_532)
TYPES = ("PER", "FAC", "LOC", "GPE", "ORG", "VEH")
CONLL_FOLDER, ENTITIES_FOLDER = Path("coref/conll"), Path("entities/tsv")
QUOTATIONS_FOLDER, MENTIONS_FOLDER = Path("quotations/tsv"), Path("coref/tsv")
NOVELS_FOLDER, NOVEL_SUFFIX = Path("original"), "_brat"
FOLDS_FOLDER = Path("lrec2020-coref/data/litbank_tenfold_splits")
COLUMNS, WORD_COLUMN = 13, 3
TYPE = 5  # the value of a mention, after its place and its words
FURTHEST = 40  # characters behind the word before; the first word may stand anywhere


def read_litbank(source: str | Path, vocab: Vocab | None = None, *, names: Sequence[str] | None = None) -> list[Doc]:
    """Read documents: words without spacing, sentences, named clusters and, where the copy has them, other annotation.

    source (str | Path): A copy of the repository, with `coref/conll`; for entities `entities/tsv`, for the types of
        clusters `coref/tsv`, for quotations `quotations/tsv` with it, for paragraphs `original`.
    """
    folder = Path(source) / CONLL_FOLDER
    vocab = Vocab() if vocab is None else vocab
    everything = sorted(path.stem for path in folder.glob("*.conll"))
    report = Report()
    docs = [_read_doc(Path(source), name, vocab, report) for name in (everything if names is None else names)]
    report.warn()
    if names is None:
        check_counts(folder, docs, COUNTS, CURE)
    return docs


def read_litbank_fold(source: str | Path, fold: int) -> dict[str, list[str]]:
    """The names of the documents of one fold of the ten-fold cross-validation, 0 to 9, by split."""
    inside, beside = (parent / FOLDS_FOLDER / str(fold) for parent in (Path(source), Path(source).resolve().parent))
    folder = beside if beside.is_dir() and not inside.is_dir() else inside
    lists = {split: read_text(folder / f"{split}.ids", FOLDS_CURE).split() for split in SPLITS}
    return {split: [name.removesuffix(".tsv") for name in names] for split, names in lists.items()}


def _read_doc(source: Path, name: str, vocab: Vocab, report: Report) -> Doc:
    path = source / CONLL_FOLDER / f"{name}.conll"
    blocks = list(split_blocks(read_text(path, CURE), path))
    sentences = [[line.split("\t") for _, line in block] for block in blocks]
    for place, line in chain(*blocks):
        if line.count("\t") + 1 != COLUMNS:
            raise ValueError(f"{place}: found {shorten(line)}, expected {COLUMNS} columns separated by tabs. {CURE}")
    doc = Doc(
        vocab,
        words=[columns[WORD_COLUMN] for rows in sentences for columns in rows],
        sent_starts=[i == 0 for rows in sentences for i in range(len(rows))],
    )
    annotation.set_title(doc, name)
    cells, places = [[columns[-1] for columns in rows] for rows in sentences], [place for place, _ in chain(*blocks)]
    clusters = read_coreference_column(cells, places.__getitem__, report)
    lines: dict[str, dict[str, list[str]]] = defaultdict(dict)
    if (standoff := source / MENTIONS_FOLDER / f"{name}.ann").is_file():
        lines = read_standoff(standoff)
        annotation.set_annotates(doc, TYPES)
    mentions = read_places(doc, lines["MENTION"])
    types = {mentions[key]: values[TYPE] for key, values in lines["MENTION"].items()}
    kinds = commonest_labels(clusters.values(), types)
    annotation.set_clusters(doc, list(clusters.values()), names=list(clusters), entity_types=kinds)
    if (entities := source / ENTITIES_FOLDER / f"{name}.tsv").is_file():
        (text,) = parse_tags(read_text(entities))
        annotation.set_labelled_spans(doc, read_tagged_spans(text, entities, report))
    if (quotations := source / QUOTATIONS_FOLDER / f"{name}.ann").is_file():
        annotation.set_quotations(doc, _make_quotations(doc, lines | read_standoff(quotations), mentions))
    if (novel := source / NOVELS_FOLDER / f"{name.removesuffix(NOVEL_SUFFIX)}.txt").is_file():
        starts = paragraph_starts([token.text for token in doc], read_text(novel))
        annotation.set_paragraphs(doc, list(zip(starts, [*starts[1:], len(doc)], strict=True)))
    return doc


def read_standoff(path: Path) -> dict[str, dict[str, list[str]]]:
    """Read a file of lines KIND NAME VALUE...: values by kind and name."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for line in filter(None, read_text(path, CURE).split("\n")):
        kind, name, *values = line.split("\t")
        found[kind][name] = values
    return found


def read_places(doc: Doc, lines: dict[str, list[str]]) -> dict[str, Mention]:
    """The span of each line by name, from the numbers of sentences and of words in them; the last word is inside."""
    starts = [sentence.start for sentence in doc.sents]
    numbers = {name: map(int, values[:4]) for name, values in lines.items()}
    return {name: (starts[first] + i, starts[last] + j + 1) for name, (first, i, last, j) in numbers.items()}


def _make_quotations(doc: Doc, lines: dict[str, dict[str, list[str]]], mentions: dict[str, Mention]) -> list[Quotation]:
    """Quotations, each with the nearest mention of its speaker, outside of all quotations where there is one."""
    places = read_places(doc, lines["QUOTE"])
    # Entities have other names in `coref/conll`: they are the clusters of their mentions.
    cluster_of = {mention: cluster for cluster in annotation.get_clusters(doc) for mention in cluster}
    clusters = {entity: cluster_of[mentions[name]] for name, (entity,) in lines["COREF"].items()}
    speakers = {name: clusters[entity] for name, (entity,) in lines["ATTRIB"].items()}
    quoted = {i for start, end in places.values() for i in range(start, end)}
    return [Quotation(*at, speaker=nearest_mention(at, speakers[name], quoted)) for name, at in places.items()]


def paragraph_starts(words: Sequence[str], text: str) -> list[int]:
    """The words of a document that stand behind a blank line of its novel, which has a few other words."""
    paragraphs = ["".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text)]
    characters = "".join(paragraphs)
    begins = set(accumulate(map(len, paragraphs)))
    starts = [0]
    position = 0
    for number, word in enumerate(words):
        place = characters.find(word, position, position + FURTHEST + len(word) if position else len(characters))
        if place >= 0:
            if position and place == position and place in begins:
                starts.append(number)
            position = place + len(word)
    return starts


def convert_litbank(
    source: Annotated[Path, typer.Argument(help="Copy of dbamman/litbank, with lrec2020-coref in it or beside it")],
    out_dir: OutDir,
    fold: Annotated[int, typer.Option(min=0, max=9, help="Fold of the ten-fold cross-validation")] = 0,
    annotates: Annotates = None,
) -> None:
    """Convert one fold of LitBank."""
    splits = read_litbank_fold(source, fold)
    docs = {annotation.get_title(doc): doc for doc in read_litbank(source)}
    save_docs(split_docs(docs, splits, out_dir), annotates)


FORMAT = Format(name="litbank", title="LitBank", convert=convert_litbank)
