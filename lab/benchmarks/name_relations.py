"""How often two names corefer in gold data, by their relation: `WORTH` in `people/clustering/named_entities.py`.

    python -m lab name-relations corpus/litbank0/train.spacy

Counts pairs of different names of which at least one is of a person, that is, whose cluster has evidence of a man or
woman; a name is of the cluster that most of its mentions are in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import reduce
from itertools import combinations
from math import log
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import Doc

from spacy_span_selector.annotation import get_clusters
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.people.clustering import EntityTypes, NameReader, read_forms
from spacy_span_selector.people.clustering.entity_types import add
from spacy_span_selector.people.clustering.names import Name

from ..measuring import print_header, print_row

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


def main(
    corpora: Annotated[list[Path], typer.Argument(metavar="DATA.spacy...", help="Files with gold clusters")],
) -> None:
    """Print a table."""
    vocab = spacy.blank("en").vocab
    counts = Counter(pair for path in corpora for doc in read_docs(path, vocab) for pair in read_pairs(doc))
    print_header("relation", "corefer", "do not", "log odds", texts=1)
    for relation in ("same", "full", "given", "nickname", "family", "titles", "clash", "none"):
        yes, no = counts[relation, True], counts[relation, False]
        print_row(relation, str(yes), str(no), f"{log((yes + 0.5) / (no + 0.5)):.2f}")
