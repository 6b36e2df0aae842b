"""Learn from gold clusters what mentions tell of the type of their entity: the table `coref_entity_types`.

python scripts/fit_entity_types.py corpus/litbank0/train.spacy corpus/ontogum/train.spacy --table TABLES.json

The model is a mixture of categorical distributions, fitted by expectation maximisation: each cluster of two or more
mentions has one of four types, which begin as its pronouns, titles and nouns say: male, female, neuter, plural. What is
learnt of men and of women is averaged, mirrored: that one corpus has more men, and narrators who are men, is no
evidence about the "I" of another. Writes the table into the file of tables of the language; its other tables are read
from there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import spacy
from numpy.typing import NDArray

from spacy_span_selector.annotation import get_clusters
from spacy_span_selector.clustering import read_forms
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.language import ENTITY_TYPES

TYPES = ("male", "female", "neuter", "plural")
MIRRORED = {"male": "female", "female": "male"}
ROUNDS = 20
SMOOTHING = 0.5

Array = NDArray[np.float64]


def read_evidence(paths: Sequence[Path], language: str) -> Iterator[list[str]]:
    """The evidence of the mentions of each cluster of some .spacy files."""
    nlp = spacy.blank(language)
    for path in paths:
        for doc in read_docs(path, nlp.vocab):
            for cluster in get_clusters(doc):
                yield [form.evidence for form in read_forms(doc, cluster)]


def fit(clusters: Sequence[Sequence[str]]) -> dict[str, list[float]]:
    """The log probabilities of evidence given each type, and, under "", of the types.

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
    table = {row: np.log(given[:, i]).round(3).tolist() for row, i in number.items()}
    return {"": np.log(prior).round(3).tolist(), **table}


def write_tables(path: Path, tables: dict[str, dict[str, object]]) -> None:
    """Write tables as JSON with a word on each line, in alphabetical order."""
    parts = []
    for name, table in tables.items():
        values = ((word, json.dumps(table[word], ensure_ascii=False)) for word in sorted(table))
        lines = [f"  {json.dumps(word, ensure_ascii=False)}: {value}" for word, value in values]
        parts.append(f' "{name}": {{\n' + ",\n".join(lines) + "\n }")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path, help=".spacy files with gold clusters")
    parser.add_argument("--table", type=Path, required=True, help="The tables of the language, a JSON file")
    parser.add_argument("--language", default="en", help="Its code")
    args = parser.parse_args()
    tables = json.loads(args.table.read_text(encoding="utf-8"))
    clusters = [cluster for cluster in read_evidence(args.corpora, args.language) if len(cluster) > 1]
    tables[ENTITY_TYPES] = fit(clusters)
    write_tables(args.table, tables)
    print(f"{len(clusters)} clusters, {len(tables[ENTITY_TYPES]) - 1} kinds of evidence: {args.table}")


if __name__ == "__main__":
    main()
