"""Coreference: one span group per cluster.

Clusters are the span groups `coref_clusters_1`, `coref_clusters_2`, ... in the order of their first mention;
`coref_mentions` holds every selected span. Both have `attrs["scores"]`, one selection probability per span; clusters
also have `attrs["link_scores"]`, one link probability per mention.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spacy.tokens import Doc, Span, SpanGroup

from .checks import are_scores, check_groups, check_list, check_score, check_scores, check_spans, check_text, fail
from .keys import numbered_keys

CLUSTER_PREFIX = "coref_clusters"
MENTIONS_KEY = "coref_mentions"
GIVEN_MENTIONS_KEY = "coref_given"
"""Where a user puts the mentions of a document that the component only has to link."""

Mention = tuple[int, int]
"""Token offsets of a mention: start inclusive, end exclusive."""


def cluster_keys(doc: Doc, prefix: str = CLUSTER_PREFIX) -> list[str]:
    """The keys `{prefix}_1`, `{prefix}_2`, ... that a document has, in numeric order."""
    return numbered_keys(doc, prefix)


def has_clusters_annotated(doc: Doc, prefix: str = CLUSTER_PREFIX, mentions_key: str = MENTIONS_KEY) -> bool:
    """Whether a document is annotated for coreference.

    A document with clusters is annotated. A document without clusters is annotated if it has the group of mentions,
    which is then empty.

    doc (Doc): The document.
    prefix (str): Prefix of the keys of clusters.
    mentions_key (str): Key of the selected spans.
    RETURNS (bool): Whether it is annotated.
    """
    return mentions_key in doc.spans or bool(cluster_keys(doc, prefix))


def cluster_groups(doc: Doc, prefix: str = CLUSTER_PREFIX) -> list[SpanGroup]:
    """The span groups `{prefix}_1`, `{prefix}_2`, ... of a document, in numeric order."""
    return [doc.spans[key] for key in cluster_keys(doc, prefix)]


def get_clusters(doc: Doc, prefix: str = CLUSTER_PREFIX) -> list[list[Mention]]:
    """The clusters of a document as token offsets."""
    return [[(span.start, span.end) for span in group] for group in cluster_groups(doc, prefix)]


def set_clusters(
    doc: Doc,
    clusters: Sequence[Sequence[Mention]],
    *,
    prefix: str = CLUSTER_PREFIX,
    mentions_key: str = MENTIONS_KEY,
    scores: Mapping[Mention, float] | None = None,
    link_scores: Mapping[Mention, float] | None = None,
    names: Sequence[str] | None = None,
) -> None:
    """Replace every cluster of a document.

    doc (Doc): The document to annotate.
    clusters (Sequence[Sequence[Mention]]): Token offsets in any order: mentions and clusters are sorted here, so that
        clusters are numbered in the order of their first mention. Empty clusters are left out.
    prefix (str): Prefix of the keys that are replaced.
    mentions_key (str): Key of the selected spans. A document that gets no cluster gets an empty group under this key,
        unless it has the group already: it is annotated, but without clusters.
    scores (Mapping[Mention, float]): Selection probability of each mention, kept in `attrs["scores"]`.
    link_scores (Mapping[Mention, float]): Probability of the antecedent that each mention was linked to; for the first
        mention of a cluster, the probability that it has no antecedent. Kept in `attrs["link_scores"]`.
    names (Sequence[str]): Name of each cluster in the corpus, kept in `attrs["name"]`.
    RAISES (ValueError): If offsets are not those of some tokens, or a mention has no finite score, or there are not as
        many names as clusters. The document is as it was.
    """
    clusters = check_groups(doc, clusters, "clusters")
    mentions = [mention for cluster in clusters for mention in cluster]
    if scores is not None:
        scores = _check_scores_of(doc, mentions, scores, "scores")
    if link_scores is not None:
        link_scores = _check_scores_of(doc, mentions, link_scores, "link_scores")
    names = [""] * len(clusters) if names is None else _check_names(doc, names, len(clusters))
    labelled = [(sorted(cluster), name) for cluster, name in zip(clusters, names, strict=True) if cluster]
    groups: dict[str, SpanGroup] = {}
    for number, (cluster, name) in enumerate(sorted(labelled, key=lambda item: item[0]), start=1):
        attrs: dict[str, object] = {}
        if scores is not None:
            attrs["scores"] = [scores[mention] for mention in cluster]
        if link_scores is not None:
            attrs["link_scores"] = [link_scores[mention] for mention in cluster]
        if name:
            attrs["name"] = name
        key = f"{prefix}_{number}"
        groups[key] = SpanGroup(doc, name=key, spans=[Span(doc, start, end) for start, end in cluster], attrs=attrs)
    clear_clusters(doc, prefix)
    doc.spans.update(groups)
    if not groups and mentions_key not in doc.spans:
        set_mentions(doc, [], [], mentions_key)


def clear_clusters(doc: Doc, prefix: str = CLUSTER_PREFIX) -> None:
    """Remove every cluster of a document."""
    for key in cluster_keys(doc, prefix):
        del doc.spans[key]


def set_mentions(doc: Doc, mentions: Sequence[Mention], scores: Sequence[float], key: str = MENTIONS_KEY) -> None:
    """Replace the selected spans of a document.

    doc (Doc): The document to annotate.
    mentions (Sequence[Mention]): Token offsets of the spans.
    scores (Sequence[float]): Selection probability of each span, kept in `attrs["scores"]`.
    key (str): Key of the group that is replaced.
    RAISES (ValueError): If offsets are not those of some tokens, or there is not one finite score for each span. The
        document is as it was.
    """
    mentions = check_spans(doc, mentions, "mentions")
    scores = check_scores(doc, scores, "scores", len(mentions), "mentions")
    spans = [Span(doc, start, end) for start, end in mentions]
    doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs={"scores": [*scores]})


def _check_names(doc: Doc, names: Sequence[str], n_clusters: int) -> list[str]:
    names = check_list(doc, names, "names", "strings")
    if len(names) != n_clusters:
        fail(doc, "the length of names", len(names), f"{n_clusters}, one for each of clusters")
    return [check_text(doc, name, f"names[{i}]") for i, name in enumerate(names)]


def _check_scores_of(
    doc: Doc, mentions: Sequence[Mention], scores: Mapping[Mention, float], place: str
) -> Mapping[Mention, float]:
    """Scores, with a finite one for each of some mentions."""
    if not isinstance(scores, Mapping):
        fail(doc, place, scores, "a dictionary with the number of each mention, {(start, end): number}")
    try:
        found = [scores[mention] for mention in mentions]
    except KeyError as error:
        fail(doc, f"{place}[{error}]", None, "a number for each mention of clusters")
    if are_scores(found):
        return scores
    return {
        mention: check_score(doc, score, f"{place}[{mention}]") for mention, score in zip(mentions, found, strict=True)
    }
