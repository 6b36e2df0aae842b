"""Learn tables of a language from corpora, and write them into its file of tables, whose other tables stay.

python scripts/fit_tables.py entity_types corpus/litbank0/train.spacy corpus/ontogum/train.spacy --table TABLES.json
python scripts/fit_tables.py quotations corpus/litbank0/train.spacy --table TABLES.json

entity_types: what mentions tell of the type of their entity, from gold clusters.
quotations: who speaks, from gold clusters and quotations with speakers (docs/annotation.md). Each document is read
twice, with its paragraphs and without, so that the weights also serve where paragraphs are not known.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.tokens import Doc

from spacy_span_selector.annotation import get_clusters
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.language import ENTITY_TYPES, QUOTATION_WEIGHTS, SPEECH_VERBS
from spacy_span_selector.people.attribution.fitting import fit_weights
from spacy_span_selector.people.clustering import read_forms
from spacy_span_selector.people.scenes import gold_attributions

TYPES = ("male", "female", "neuter", "plural")
MIRRORED = {"male": "female", "female": "male"}
LABELS = {"label person": [0.0, 0.0, -20.0, 0.0, -20.0], "label thing": [-20.0, -20.0, 0.0, -20.0, 0.0]}
"""Evidence of a label that is certain: no other evidence outweighs it."""
ROUNDS = 20
SMOOTHING = 0.5

Array = NDArray[np.float64]


def read_evidence(docs: Sequence[Doc]) -> list[list[str]]:
    """Read the evidence of the mentions of each cluster of two or more."""
    clusters = ((doc, cluster) for doc in docs for cluster in get_clusters(doc) if len(cluster) > 1)
    return [[form.evidence for form in read_forms(doc, cluster)] for doc, cluster in clusters]


def fit_entity_types(clusters: Sequence[Sequence[str]]) -> dict[str, list[float]]:
    """Fit the log probabilities of evidence given each type, and, under "", of the types. The last of these, several,
    is split into several people and several things, which only labels tell apart.

    The model is a mixture of categorical distributions, fitted by expectation maximisation. Each cluster has one of
    four types, which begin as its pronouns, titles and nouns say: male, female, neuter, plural. What is learnt of men
    and of women is averaged, mirrored: that one corpus has more men, and narrators who are men, is no evidence about
    the "I" of another.

    clusters (Sequence[Sequence[str]]): The evidence of the mentions of each cluster.
    """
    rows = sorted({evidence for cluster in clusters for evidence in cluster})
    number = {evidence: i for i, evidence in enumerate(rows)}
    counts = np.zeros((len(clusters), len(rows)))
    for row, cluster in zip(counts, clusters, strict=True):
        for evidence in cluster:
            row[number[evidence]] += 1
    told = np.stack([counts[:, [row.split()[-1:] == [kind] for row in rows]].sum(axis=1) for kind in TYPES], axis=1)
    of_type: Array = told + np.where(told.any(axis=1, keepdims=True), 0.1, 1.0)
    of_type /= of_type.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        prior = (of_type.sum(axis=0) + 1) / (len(clusters) + len(TYPES))
        given = of_type.T @ counts + SMOOTHING
        given /= given.sum(axis=1, keepdims=True)
        log_p = np.log(prior) + counts @ np.log(given).T
        of_type = np.exp(log_p - log_p.max(axis=1, keepdims=True))
        of_type /= of_type.sum(axis=1, keepdims=True)
    other = [number.get(" ".join(MIRRORED.get(word, word) for word in row.split()), number[row]) for row in rows]
    given = (given + given[[1, 0, 2, 3]][:, other]) / 2
    prior = (prior + prior[[1, 0, 2, 3]]) / 2
    prior, given = np.append(prior[:3], [prior[3] / 2] * 2), given[[0, 1, 2, 3, 3]]
    table = {row: np.log(given[:, i]).round(3).tolist() for row, i in number.items()}
    return {"": np.log(prior).round(3).tolist(), **table, **LABELS}


def write_tables(path: Path, tables: Mapping[str, Mapping[str, object]]) -> None:
    """Write tables as JSON with a word on each line, in alphabetical order."""
    parts = []
    for name, table in tables.items():
        values = ((word, json.dumps(table[word], ensure_ascii=False)) for word in sorted(table))
        lines = [f"  {json.dumps(word, ensure_ascii=False)}: {value}" for word, value in values]
        parts.append(f' "{name}": {{\n' + ",\n".join(lines) + "\n }")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("entity_types", "quotations"))
    parser.add_argument("corpora", nargs="+", type=Path, help=".spacy files with gold annotation")
    parser.add_argument("--table", type=Path, required=True, help="The tables of the language, a JSON file")
    parser.add_argument("--language", default="en", help="Its code")
    args = parser.parse_args(arguments)
    tables = json.loads(args.table.read_text(encoding="utf-8"))
    nlp = spacy.blank(args.language)
    nlp.vocab.lookups.add_table(SPEECH_VERBS, tables.get(SPEECH_VERBS, {}))
    docs = [doc for path in args.corpora for doc in read_docs(path, nlp.vocab)]
    table: Mapping[str, object]
    if args.kind == "entity_types":
        name, table = ENTITY_TYPES, fit_entity_types(read_evidence(docs))
    else:
        name, table = QUOTATION_WEIGHTS, fit_weights(gold_attributions(docs))
    write_tables(args.table, {**tables, name: table})
    print(f"{len(docs)} documents, {len(table)} entries of {name}: {args.table}")


if __name__ == "__main__":
    main()
