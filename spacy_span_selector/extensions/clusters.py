"""Extension attributes for clusters and probabilities: `doc._.coref_clusters`, `token._.coref_clusters`,
`span._.coref_cluster`, `span._.coref_score`, `span._.coref_link_score` and `span._.coref_antecedent`.

The getters of a span and of a token search the clusters of the whole document each time. To look up many mentions or
tokens of a long document, use `clusters_by_mention` and `clusters_by_token`, which search once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from spacy.tokens import Doc, Span, SpanGroup, Token

from ..annotation.clusters import (
    ENTITY_TYPE,
    NAME,
    Mention,
    cluster_groups,
    cluster_keys,
    find_cluster_prefix,
    find_mentions_key,
)
from ..annotation.groups import (
    LINK_SCORES,
    SCORES,
    get_antecedents,
    get_reasons,
    get_scores,
    get_text,
    read_group,
    read_spans,
)
from ..annotation.labelled_spans import find_labelled_key
from ..annotation.quotations import get_quotations
from .mention_types import shown_text, without_clitic
from .representative import entity_id, entity_label, labels_by_span, representative_mention, span_label
from .tables import in_context, in_list, probability, table


class Cluster(list[Span]):
    """The mentions of a cluster in text order: a list of spans with further attributes.

    representative (Span): The mention that represents it: a name if there is one; see `representative_mention`.
    scores (list[float] | None): The selection probability of each mention, if known.
    link_scores (list[float] | None): The probability of each antecedent, and that the first mention has none, if known.
    antecedents (list[Span | None] | None): The mention that each was linked to, None for one without antecedent. None
        if unknown, as in gold annotation.
    reasons (list[str] | None): Why each was joined or kept apart against the network, in words, or ""; None if unknown.
    quotations (list[Span]): What it says: the words, marks included, of the quotations that it speaks.
    name (str | None): The name of the cluster in the corpus that it comes from, if it has one.
    entity_label (str): What kind of entity it is: as its corpus or `structured_coref` tells, or else by the labelled
        spans that are its mentions, or else in `doc.ents`; "" if unknown.
    label_ (str): The same, as a span has its label.
    shown_label (str): The same, but "" where only `doc.ents` tell it: with these alone, tables and pages have none.
    entity_id (str): Its identifier in a knowledge base or an EntityRuler, as in `doc.ents`; "" if unknown.
    """

    def __init__(
        self,
        mentions: Iterable[Span] = (),
        scores: list[float] | None = None,
        link_scores: list[float] | None = None,
        antecedents: list[Span | None] | None = None,
        name: str | None = None,
        entity_label: str | None = None,
        reasons: list[str] | None = None,
        quotations: Iterable[Span] = (),
        span_label: str = "",
    ) -> None:
        super().__init__(mentions)
        self.scores = scores
        self.link_scores = link_scores
        self.antecedents = antecedents
        self.reasons = reasons
        self.quotations = list(quotations)
        self.name = name
        self._entity_label = entity_label
        self._span_label = span_label

    @property
    def representative(self) -> Span:
        return representative_mention(self)

    @property
    def entity_label(self) -> str:
        return self.shown_label or entity_label(self)

    @property
    def shown_label(self) -> str:
        return self._entity_label or self._span_label

    @property
    def label_(self) -> str:
        return self.entity_label

    @property
    def entity_id(self) -> str:
        return entity_id(self)

    def _repr_html_(self) -> str:
        """A table of the mentions in their context, which notebooks show."""
        known = [values and len(values) == len(self) and values for values in (self.scores, self.link_scores)]
        has_antecedents = self.antecedents is not None and len(self.antecedents) == len(self)
        antecedents = (self.antecedents if has_antecedents else None) or [None] * len(self)
        rows = [
            (
                str(i + 1),
                in_context(mention),
                *(probability(values[i] if values else None) for values in known),
                "" if antecedent is None else escape(antecedent.text),
            )
            for i, (mention, antecedent) in enumerate(zip(self, antecedents, strict=True))
        ]
        return table(
            ["", "mention", "selected", "linked", "antecedent"], rows, self.representative.text if self else ""
        )


@dataclass(frozen=True)
class Entity:
    """A cluster, for all that refers to it: what it is called takes a look at all of its mentions.

    number (int): Its place in `doc._.coref_clusters`.
    """

    cluster: Cluster
    number: int

    @cached_property
    def name(self) -> str:
        return shown_text(without_clitic(self.cluster.representative))

    @cached_property
    def label(self) -> str:
        return self.cluster.entity_label

    @cached_property
    def id(self) -> str:
        return self.cluster.entity_id


class Clusters(list[Cluster]):
    """The clusters of a document: a list that notebooks show as a table."""

    def _repr_html_(self) -> str:
        has_labels = any(cluster.shown_label for cluster in self)
        rows = [
            (
                str(i),
                escape(cluster.representative.text),
                *([escape(cluster.shown_label)] if has_labels else []),
                str(len(cluster)),
                in_list(cluster),
            )
            for i, cluster in enumerate(self, start=1)
            if cluster
        ]
        return table(["", "cluster", *(["label"] if has_labels else []), "size", "mentions"], rows)


def doc_clusters(doc: Doc, prefix: str | None = None, labelled_key: str | None = None) -> Clusters:
    """The clusters of a document, in the order of their first mentions; empty groups and spans are left out.

    prefix, labelled_key (str | None): Where clusters are, and labelled spans, which tell their labels; None for where
        the document has them. Of several prefixes, that is the default or else that of the first component.
    """
    said: dict[Mention | None, list[Span]] = {}
    for quotation in get_quotations(doc):
        said.setdefault(quotation.speaker, []).append(doc[quotation.start : quotation.end])
    groups = read_spans(doc, cluster_keys(doc, find_cluster_prefix(doc) if prefix is None else prefix))
    labels = labels_by_span(doc, find_labelled_key(doc) if labelled_key is None else labelled_key)
    clusters = (_read_cluster(*group, said, labels) for group in groups)
    return Clusters(sorted(filter(None, clusters), key=lambda cluster: _offsets(cluster[0])))


def clusters_by_mention(doc: Doc, prefix: str | None = None) -> dict[Mention, Cluster]:
    """The cluster of each mention of a document, by token offsets; the first if a mention is in several clusters."""
    entities = entities_by_mention(doc_clusters(doc, prefix))
    return {mention: entity.cluster for mention, entity in entities.items()}


def entities_by_mention(clusters: Sequence[Cluster]) -> dict[Mention, Entity]:
    """The entity of each mention of some clusters, by token offsets; the first if a mention is in several clusters."""
    by_mention: dict[Mention, Entity] = {}
    for number, cluster in enumerate(clusters):
        entity = Entity(cluster, number)
        for mention in cluster:
            by_mention.setdefault(_offsets(mention), entity)
    return by_mention


def clusters_by_token(doc: Doc, prefix: str | None = None) -> list[list[Cluster]]:
    """The value of `token._.coref_clusters` for each token of a document, in time linear in the lengths of mentions."""
    covering: list[dict[int, int]] = [{} for _ in doc]  # cluster -> least width of a mention that contains the token
    clusters = doc_clusters(doc, prefix)
    for number, cluster in enumerate(clusters):
        for mention in cluster:
            width = len(mention)
            for widths in covering[mention.start : mention.end]:
                widths[number] = min(width, widths.get(number, width))
    return [[clusters[number] for number in sorted(widths, key=widths.__getitem__)] for widths in covering]


def token_clusters(token: Token) -> list[Cluster]:
    """The clusters with a mention that contains this token, the cluster of the innermost mention first."""
    return clusters_by_token(token.doc)[token.i]


def span_cluster(span: Span) -> Cluster | None:
    """The first cluster that has exactly this span as a mention, or None."""
    return clusters_by_mention(span.doc).get(_offsets(span))


def span_score(span: Span) -> float | None:
    """The selection probability of a span, linked or not; None for a span that was not selected by a component."""
    prefix = find_cluster_prefix(span.doc)
    selected = read_group(span.doc, find_mentions_key(span.doc, prefix))
    return _score(span, [*cluster_groups(span.doc, prefix), selected], SCORES)


def span_link_score(span: Span) -> float | None:
    """The probability of the link of a mention to its antecedent, for the first mention of a cluster that it has none;
    None if unknown."""
    return _score(span, cluster_groups(span.doc, find_cluster_prefix(span.doc)), LINK_SCORES)


def span_antecedent(span: Span) -> Span | None:
    """The mention that exactly this span was linked to; None if it was linked to none, is no mention, or if unknown."""
    cluster = span_cluster(span)
    if cluster is None or cluster.antecedents is None:
        return None
    return cluster.antecedents[[_offsets(mention) for mention in cluster].index(_offsets(span))]


def _read_cluster(
    group: SpanGroup,
    mentions: Sequence[Span],
    said: Mapping[Mention | None, list[Span]],
    labels: Mapping[Mention, Mapping[str, float]],
) -> Cluster:
    first: dict[Mention, int] = {}  # a mention that is there twice counts once, and one without tokens not at all
    for i, mention in enumerate(mentions):
        if len(mention):
            first.setdefault(_offsets(mention), i)
    order = [first[offsets] for offsets in sorted(first)]
    with_tokens: dict[int | None, Span] = {
        i: mentions[first[_offsets(mention)]] for i, mention in enumerate(mentions) if len(mention)
    }
    scores, link_scores, antecedents = get_scores(group), get_scores(group, LINK_SCORES), get_antecedents(group)
    reasons = get_reasons(group)
    quotations = (quotation for i in order for quotation in said.get(_offsets(mentions[i]), ()))
    return Cluster(
        (mentions[i] for i in order),
        None if scores is None else [scores[i] for i in order],
        None if link_scores is None else [link_scores[i] for i in order],
        None if antecedents is None else [with_tokens.get(antecedents[i]) for i in order],
        get_text(group, NAME),
        get_text(group, ENTITY_TYPE),
        None if reasons is None else [reasons[i] for i in order],
        sorted(quotations, key=_offsets),
        span_label((mentions[i] for i in order), labels),
    )


def _score(span: Span, groups: Iterable[SpanGroup], name: str) -> float | None:
    for group in groups:
        for mention, score in zip(group, get_scores(group, name) or (), strict=False):
            if _offsets(mention) == _offsets(span):
                return score
    return None


def _offsets(span: Span) -> Mention:
    return span.start, span.end
