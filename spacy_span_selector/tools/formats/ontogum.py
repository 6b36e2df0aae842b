"""OntoGUM: coreference in the scheme of OntoNotes, without singletons, in texts of sixteen genres.

It comes from https://github.com/amir-zeldes/gum (Zhu, Pradhan and Zeldes 2021), with GUM itself, which marks every
mention of the same texts with its type, such as `person`. `project.yml` pins it: what is not as expected is an error.
Clusters have the types of their mentions; labelled spans are the mentions of GUM that are no pronoun, as in LitBank.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ... import annotation
from ...annotation import Mention
from .columns import commonest_labels, read_coreference_column, read_phrases, split_blocks
from .commands import SPLITS, Annotates, OutDir, save_docs, split_docs
from .conllu import Sentence, make_doc, parse_all
from .files import read_text, read_texts
from .registry import Format
from .reports import Report, check_counts

CURE = "Expected a copy of https://github.com/amir-zeldes/gum."
COUNTS = (237, 233_926)
CONLL_FOLDER, GUM_FOLDER, TREES_FOLDER = Path("coref/ontogum/conll"), Path("coref/gum/conll"), Path("const")
CONLLU_FOLDER, CONLLU_ARCHIVE = Path("coref/ontogum/conllu"), Path("coref/ontogum/conllu.tar.xz")
HEADING = re.compile(r"## (?P<split>\w+)")
ITEM = re.compile(r"\s*\* (?P<name>\w+)")
REDDIT = "GUM_reddit_"
PRONOUN = ["PRON"]  # the parts of speech of its words
MASKED = re.compile(r"^# text = [_ ]+$", re.MULTILINE)


def read_ontogum(
    source: str | Path,
    vocab: Vocab | None = None,
    *,
    names: Sequence[str] | None = None,
    singletons: Collection[str] = (),
) -> list[Doc]:
    """Read documents, without those from Reddit, whose words the repository withholds, unless they have been restored.

    singletons (Collection[str]): Documents in which each mention of GUM that OntoGUM lacks is a cluster of its own
        (Zhu et al. 2023, "Incorporating Singletons and Mention-based Features in Coreference Resolution").
    """
    source = Path(source)
    vocab = Vocab() if vocab is None else vocab
    chosen = [*chain(*read_ontogum_splits(source).values())] if names is None else names
    report = Report()
    texts = read_texts(source / CONLLU_FOLDER, source / CONLLU_ARCHIVE, ".conllu", CURE)
    paths = {PurePosixPath(path).stem: path for path in texts}
    docs: list[Doc] = []
    for name in chosen:
        path = paths.get(name)
        if name.startswith(REDDIT) and (path is None or MASKED.search(texts[path])):
            continue
        if path is None:
            raise FileNotFoundError(f"{source / CONLLU_FOLDER / name}.conllu: no such file. {CURE}")
        sentences = parse_all(texts[path], path, report)[name]
        doc = make_doc(name, sentences, vocab)
        _annotate(doc, source, sentences, report, name in singletons)
        docs.append(doc)
    report.warn()
    if names is None:
        check_counts(source, [doc for doc in docs if not annotation.get_title(doc).startswith(REDDIT)], COUNTS, CURE)
    return docs


def read_ontogum_splits(source: str | Path, *, genres: Collection[str] | None = None) -> dict[str, list[str]]:
    """The names of the documents of train, dev and test, those from Reddit included."""
    path = Path(source) / "splits.md"
    splits: dict[str, list[str]] = {split: [] for split in SPLITS}
    names: list[str] = []  # those of another split, such as `test2`, which is the corpus GENTLE, are left out
    for line in read_text(path, CURE).split("\n"):
        if heading := HEADING.match(line):
            names = splits.get(heading["split"], [])
        elif item := ITEM.match(line):
            names.append(item["name"])
    if genres is None:
        return splits
    found = {name.split("_")[1] for name in chain(*splits.values())}
    if unknown := sorted({*genres} - found):
        raise ValueError(f"{path}: no text has the genre {unknown[0]!r}; there are {', '.join(sorted(found))}.")
    return {split: [name for name in names if name.split("_")[1] in genres] for split, names in splits.items()}


def _annotate(doc: Doc, source: Path, sentences: list[Sentence], report: Report, singletons: bool) -> None:
    name = annotation.get_title(doc)
    clusters = keep_first(read_clusters(source / CONLL_FOLDER / f"{name}.conll", sentences, report))
    types: dict[Mention, str] = {}
    if singletons or (source / GUM_FOLDER).is_dir():
        entities = keep_first(read_clusters(source / GUM_FOLDER / f"{name}.conll", sentences, report))
        # The name of an entity is such as `place-2-Berlin`.
        types = {mention: entity.partition("-")[0] for entity, mentions in entities.items() for mention in mentions}
        pronouns = {span for span in types if [token.pos_ for token in doc[slice(*span)]] == PRONOUN}
        annotation.set_labelled_spans(doc, [(*span, kind) for span, kind in types.items() if span not in pronouns])
        if singletons:
            others = {*types} - {*chain(*clusters.values())}
            clusters |= {f"singleton-{number}": [mention] for number, mention in enumerate(sorted(others), start=1)}
    kinds = commonest_labels(clusters.values(), types)
    annotation.set_clusters(doc, list(clusters.values()), names=list(clusters), entity_types=kinds)
    path = source / TREES_FOLDER / f"{name}.ptb"
    constituents: list[tuple[int, int, str]] = []
    for block, sentence in zip(split_blocks(read_text(path, CURE), path), doc.sents, strict=True):
        phrases = read_phrases("\n".join(line for _, line in block), block[0][0])
        constituents += [(sentence.start + start, sentence.start + end, label) for start, end, label in phrases]
    annotation.set_constituents(doc, constituents)


def read_clusters(path: Path, sentences: Sequence[Sentence], report: Report) -> dict[str, list[Mention]]:
    """The mentions of each cluster, from a file of a document's words without their sentences."""
    rows = list(chain(*split_blocks(read_text(path, CURE), path)))
    n_words = sum(len(sentence.words) for sentence in sentences)
    if len(rows) != n_words:
        raise ValueError(f"{path}: found {len(rows):,} words, expected {n_words:,}, as in {CONLLU_FOLDER}. {CURE}")
    cells = (line.split("\t")[-1] for _, line in rows)
    by_sentence = [[next(cells) for _ in sentence.words] for sentence in sentences]
    return read_coreference_column(by_sentence, [place for place, _ in rows].__getitem__, report)


def keep_first(clusters: dict[str, list[Mention]]) -> dict[str, list[Mention]]:
    """Keep each span in one cluster only, the cluster whose first mention comes first: seven spans are in two."""
    kept: dict[str, list[Mention]] = {}
    seen: set[Mention] = set()
    for name in sorted(clusters, key=lambda name: min(clusters[name])):
        kept[name] = [mention for mention in clusters[name] if mention not in seen]
        seen.update(kept[name])
    return kept


def convert_ontogum(
    source: Annotated[Path, typer.Argument(help="Copy of amir-zeldes/gum")],
    out_dir: OutDir,
    singletons: Annotated[
        bool, typer.Option("--singletons", help="Mark the mentions of GUM that OntoGUM lacks, as singletons of train")
    ] = False,
    genre: Annotated[list[str] | None, typer.Option(help="Take only this genre, such as news; may be repeated")] = None,
    annotates: Annotates = None,
) -> None:
    """Convert OntoGUM. Documents from Reddit are left out unless their words have been restored.

    With --singletons train with `annotation = "complete"` and `keep_singletons = false`, as dev and test have none.
    """
    splits = read_ontogum_splits(source, genres=genre)
    names, marked = [*chain(*splits.values())] if genre else None, splits["train"] if singletons else ()
    docs = {annotation.get_title(doc): doc for doc in read_ontogum(source, names=names, singletons=marked)}
    save_docs(split_docs(docs, splits, out_dir), annotates)


FORMAT = Format(name="ontogum", title="OntoGUM", convert=convert_ontogum)
