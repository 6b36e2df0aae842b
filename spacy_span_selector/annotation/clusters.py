"""Coreference: one span group per cluster.

Clusters are the span groups `coref_clusters_1`, `coref_clusters_2`, ... in the order of their first mention;
`coref_mentions` holds every selected span. Both have `attrs["scores"]`, one selection probability per span; clusters
also have `attrs["link_scores"]`, one link probability per mention, and `attrs["antecedents"]`, the number in the group
of the mention that each was linked to. `attrs["name"]` and `attrs["entity_type"]` are what a corpus says of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count
from typing import Any, TypeVar

from spacy.tokens import Doc, Span, SpanGroup

from . import checks
from .checks import check_list, check_offsets, check_once, check_score, check_scores, check_spans, check_text, fail
from .groups import (
    ANTECEDENTS,
    CLUSTER_NOTE,
    LINK_SCORES,
    REASONS,
    SCORES,
    has_default_group,
    keys_of_prefix,
    noted_prefixes,
    numbered_keys,
    read_groups,
    read_spans,
    write_group,
    write_numbered_groups,
)

CLUSTER_PREFIX = "coref_clusters"
MENTIONS_KEY = "coref_mentions"
NAME = "name"
ENTITY_TYPE = "entity_type"
GIVEN_MENTIONS_KEY = "coref_given"
"""Where a user puts the mentions of a document that the component only has to link."""

Mention = tuple[int, int]
"""Token offsets of a mention: start inclusive, end exclusive."""

Value = TypeVar("Value")
OfMentions = Mapping[Mention, Value] | Sequence[Sequence[Value] | None]
"""A value for each mention of some clusters: by mention, or in a list for each cluster, None if they are unknown."""


def cluster_keys(doc: Doc, prefix: str = CLUSTER_PREFIX) -> list[str]:
    """The keys `{prefix}_1`, `{prefix}_2`, ... that a document has, in numeric order."""
    return numbered_keys(doc, prefix)


def has_clusters_annotated(doc: Doc, prefix: str = CLUSTER_PREFIX, mentions_key: str = MENTIONS_KEY) -> bool:
    """Check whether a document is annotated for coreference: with clusters or, if it has none, with the group of
    mentions, which is then empty."""
    return mentions_key in doc.spans or bool(cluster_keys(doc, prefix))


def cluster_groups(doc: Doc, prefix: str = CLUSTER_PREFIX) -> list[SpanGroup]:
    """The span groups `{prefix}_1`, `{prefix}_2`, ... of a document, in numeric order."""
    return read_groups(doc, cluster_keys(doc, prefix))


def get_clusters(doc: Doc, prefix: str = CLUSTER_PREFIX) -> list[list[Mention]]:
    """The clusters of a document as token offsets."""
    return [[(span.start, span.end) for span in spans] for _, spans in read_spans(doc, cluster_keys(doc, prefix))]


def set_clusters(
    doc: Doc,
    clusters: Sequence[Sequence[Mention]],
    *,
    prefix: str = CLUSTER_PREFIX,
    mentions_key: str = MENTIONS_KEY,
    scores: OfMentions[float] | None = None,
    link_scores: OfMentions[float] | None = None,
    antecedents: OfMentions[Mention | None] | None = None,
    reasons: OfMentions[str] | None = None,
    names: Sequence[str] | None = None,
    entity_types: Sequence[str] | None = None,
) -> None:
    """Replace every cluster of a document.

    What is known of each mention is given by mention, `{(start, end): value}`, or as one list for each cluster, in the
    order of its mentions, with None instead of the list of a cluster of which nothing is known.

    clusters (Sequence[Sequence[Mention]]): Token offsets in any order: mentions and clusters are sorted here. Empty
        clusters are left out, and no mention may be in its cluster twice.
    mentions_key (str): Key of the selected spans. A document that gets no cluster gets an empty group under this key,
        unless it has the group already: it is annotated, but without clusters.
    link_scores (OfMentions[float]): Probability of the antecedent that each mention was linked to; for the first
        mention of a cluster, that it has none.
    antecedents (OfMentions[Mention | None]): An earlier mention of the same cluster, or None.
    reasons (OfMentions[str]): Why each mention was joined or kept apart against what the network alone would do, in
        words, kept in `attrs["reasons"]`; "" if there is nothing to say.
    names, entity_types (Sequence[str]): One for each cluster, such as "Elizabeth" and "person"; "" if it has none.
    """
    clusters = check_list(doc, clusters, "clusters", "lists of token offsets, (start, end)")
    if not ({*map(type, clusters)} <= {list} and checks.are_offsets(doc, [*chain(*clusters)])):
        clusters = [check_spans(doc, cluster, f"clusters[{i}]") for i, cluster in enumerate(clusters)]
    if sum(map(len, map(set, clusters))) < sum(map(len, clusters)):
        for i, cluster in enumerate(clusters):
            check_once(doc, cluster, f"clusters[{i}]", "cluster")
    known: dict[str, list[list[Any] | None]] = {}
    for name, numbers in {SCORES: scores, LINK_SCORES: link_scores}.items():
        if numbers is not None:
            known[name] = _check_values(doc, clusters, numbers, name, "a number", checks.are_scores, check_score)
    if reasons is not None:
        known[REASONS] = _check_values(doc, clusters, reasons, REASONS, "a string", checks.are_texts, check_text)
    said = {NAME: _check_names(doc, names, "names", len(clusters))}
    said[ENTITY_TYPE] = _check_names(doc, entity_types, "entity_types", len(clusters))
    orders = [sorted(range(len(cluster)), key=cluster.__getitem__) for cluster in clusters]
    ordered = [[*map(cluster.__getitem__, order)] for cluster, order in zip(clusters, orders, strict=True)]
    if antecedents is not None:
        known[ANTECEDENTS] = _check_antecedents_of(doc, clusters, ordered, antecedents)
    groups = []
    for i in sorted([i for i in range(len(clusters)) if clusters[i]], key=ordered.__getitem__):
        attrs: dict[str, object] = {
            name: [*map(values.__getitem__, orders[i])]
            for name, rows in known.items()
            if (values := rows[i]) is not None
        }
        attrs |= {name: texts[i] for name, texts in said.items() if texts[i]}
        if prefix != CLUSTER_PREFIX:
            attrs[CLUSTER_NOTE] = prefix
        groups.append((ordered[i], attrs))
    write_numbered_groups(doc, prefix, groups)
    if not groups and mentions_key not in doc.spans:
        set_mentions(doc, [], [], mentions_key)
    if mentions_key in doc.spans and (prefix, mentions_key) != (CLUSTER_PREFIX, MENTIONS_KEY):
        doc.spans[mentions_key].attrs[CLUSTER_NOTE] = prefix


def set_mentions(
    doc: Doc, mentions: Sequence[Mention], scores: Sequence[float] | None, key: str = MENTIONS_KEY
) -> None:
    """Replace the selected spans of a document; scores are their selection probabilities, None if unknown."""
    mentions = check_spans(doc, mentions, "mentions")
    attrs = {} if scores is None else {SCORES: [*check_scores(doc, scores, "scores", len(mentions), "mentions")]}
    write_group(doc, key, mentions, attrs)


def cluster_prefixes(doc: Doc) -> list[str]:
    """List the prefixes under which a document has clusters, or was found to have none: the default one first, the
    others in the order in which components have annotated."""
    is_default = bool(cluster_keys(doc)) or has_default_group(doc, CLUSTER_NOTE, MENTIONS_KEY)
    return [*dict.fromkeys([*([CLUSTER_PREFIX] if is_default else ()), *noted_prefixes(doc, CLUSTER_NOTE)])]


def find_cluster_prefix(doc: Doc) -> str:
    """Find the prefix of the clusters that attributes show: the first of `cluster_prefixes`, or the default."""
    return CLUSTER_PREFIX if cluster_keys(doc) else next(iter(cluster_prefixes(doc)), CLUSTER_PREFIX)


def find_mentions_key(doc: Doc, prefix: str) -> str:
    """Find the key of the selected spans that belong to the clusters of a prefix; the default if none is noted."""
    return next(keys_of_prefix(doc, CLUSTER_NOTE, prefix), MENTIONS_KEY)


def _check_names(doc: Doc, names: Sequence[str] | None, place: str, n_clusters: int) -> list[str]:
    if names is None:
        return [""] * n_clusters
    names = check_list(doc, names, place, "strings")
    if len(names) != n_clusters:
        fail(doc, f"the length of {place}", len(names), f"{n_clusters}, one for each of clusters")
    if checks.are_texts(names):
        return names
    return [check_text(doc, name, f"{place}[{i}]") for i, name in enumerate(names)]


def _check_values(
    doc: Doc,
    clusters: Sequence[Sequence[Mention]],
    values: OfMentions[Any],
    place: str,
    value: str,
    are_right: Callable[[list[Any]], bool],
    check: Callable[[Doc, Any, str], Any],
) -> list[list[Any] | None]:
    """A value for each mention of each cluster; None for a cluster without."""
    rows, place_of = _check_rows(doc, clusters, values, place, value)
    if are_right([*chain(*filter(None, rows))]):
        return rows
    return [
        None if row is None else [check(doc, one, place_of(i, j)) for j, one in enumerate(row)]
        for i, row in enumerate(rows)
    ]


def _check_antecedents_of(
    doc: Doc,
    clusters: Sequence[Sequence[Mention]],
    ordered: Sequence[Sequence[Mention]],
    antecedents: OfMentions[Mention | None],
) -> list[list[int | None] | None]:
    """The number of the antecedent of each mention among the sorted mentions of its cluster, None for a mention without
    one; None for a cluster without antecedents."""
    rows, place_of = _check_rows(doc, clusters, antecedents, "antecedents", "(start, end) or None")
    numbers = [dict(zip(cluster, count(), strict=False)) for cluster in ordered]

    def number(i: int, j: int, antecedent: Any) -> int:
        offsets = check_offsets(doc, antecedent, place := place_of(i, j))
        if offsets not in numbers[i] or offsets >= clusters[i][j]:
            fail(doc, place, offsets, f"None, or a mention of the same cluster before {clusters[i][j]}")
        return numbers[i][offsets]

    return [
        row and [None if one is None else number(i, j, one) for j, one in enumerate(row)] for i, row in enumerate(rows)
    ]


def _check_rows(
    doc: Doc, clusters: Sequence[Sequence[Mention]], values: OfMentions[Any], place: str, value: str
) -> tuple[list[Any], Callable[[int, int], str]]:
    """The values of the mentions of each cluster, as many as it has mentions, and what the place of each is called."""
    if isinstance(values, Mapping):
        try:
            found = [[*map(values.__getitem__, cluster)] for cluster in clusters]
        except KeyError as error:
            fail(doc, f"{place}[{error}]", None, f"{value} for each mention of clusters")
        return found, lambda i, j: f"{place}[{clusters[i][j]}]"
    form = f"a dictionary, {{(start, end): {value}}}, or a list of one list for each cluster"
    if isinstance(values, str | bytes | Span) or not isinstance(values, Sequence):
        fail(doc, place, values, form)
    if len(values) != len(clusters):
        fail(doc, f"the length of {place}", len(values), f"{len(clusters)}, one for each of clusters")
    rows = [
        None if row is None else check_list(doc, row, f"{place}[{i}]", f"{value} for each mention")
        for i, row in enumerate(values)
    ]
    for i, row in enumerate(rows):
        if row is not None and len(row) != len(clusters[i]):
            fail(doc, f"the length of {place}[{i}]", len(row), f"{len(clusters[i])}, one for each of clusters[{i}]")
    return rows, lambda i, j: f"{place}[{i}][{j}]"
