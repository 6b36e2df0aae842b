"""How often two names of a document corefer in gold data, by how they are related: the table `WORTH` of
`clustering/named_entities.py`.

    python -m lab.benchmarks.name_relations corpus/litbank0/train.spacy

Counts pairs of different names of which at least one is of a person, that is, whose cluster has evidence of a man or
woman; a name is of the cluster that most of its mentions are in.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import reduce
from itertools import combinations
from math import log
from pathlib import Path

import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import get_clusters
from spacy_span_selector.clustering import EntityTypes, NameReader, read_forms
from spacy_span_selector.clustering.entity_types import add
from spacy_span_selector.clustering.names import Name
from spacy_span_selector.examples.corpus import read_docs

PERSON = 0.0
"""Clusters agree with one of these more than this: a log ratio."""


def read_pairs(doc: Doc) -> Iterator[tuple[str, bool]]:
    """The relation of each pair of names of a document, "none" if they share nothing, and whether they corefer."""
    types, reader = EntityTypes(doc.vocab), NameReader(doc.vocab)
    persons: set[int] = set()
    clusters_of: defaultdict[Name, Counter[int]] = defaultdict(Counter)
    for number, cluster in enumerate(get_clusters(doc)):
        forms = read_forms(doc, cluster)
        evidence = reduce(add, (types.evidence(form.evidence) for form in forms))
        genders = ("3 singular male", "3 singular female")
        if max(types.agreement(evidence, types.evidence(gender)) for gender in genders) > PERSON:
            persons.add(number)
        for form in forms:
            if form.name is not None:
                clusters_of[form.name][number] += 1
    cluster_of = {name: counts.most_common(1)[0][0] for name, counts in clusters_of.items()}
    for first, second in combinations(cluster_of, 2):
        if persons & {cluster_of[first], cluster_of[second]}:
            yield reader.relate(first, second) or "none", cluster_of[first] == cluster_of[second]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path, help=".spacy files with gold clusters")
    args = parser.parse_args()
    vocab = spacy.blank("en").vocab
    counts = Counter(pair for path in args.corpora for doc in read_docs(path, vocab) for pair in read_pairs(doc))
    print(f"{'relation':<10} {'corefer':>8} {'do not':>8} {'log odds':>9}")
    for relation in ("same", "full", "given", "nickname", "family", "titles", "clash", "none"):
        yes, no = counts[relation, True], counts[relation, False]
        print(f"{relation:<10} {yes:>8} {no:>8} {log((yes + 0.5) / (no + 0.5)):>9.2f}")


if __name__ == "__main__":
    main()
