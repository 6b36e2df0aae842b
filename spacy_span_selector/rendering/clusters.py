"""The clusters of a document in its text: each mention in a box with the number and the colour of its cluster.

A colour alone tells few clusters apart, and fewer to some eyes. So a cluster has one of `COLORS` colours, one of
`LINES` kinds of line under its mentions, and its number at each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from spacy.tokens import Doc, Span

from ..annotation import CLUSTER_PREFIX
from ..extensions import Cluster, doc_clusters
from .boxes import boxed

COLORS = 8  # page.css has the classes
LINES = 4
HEIGHTS = 6
SINGLETON = "single"


class ShownCluster(NamedTuple):
    """A cluster with its number on the page and the classes of its colour."""

    number: int
    look: str
    cluster: Cluster


class ShownMention(NamedTuple):
    """A mention: that with this index in its cluster."""

    shown: ShownCluster
    index: int


def shown_clusters(part: Doc | Span, singletons: bool, prefix: str = CLUSTER_PREFIX) -> list[ShownCluster]:
    """The clusters that are shown, numbered without gaps in the order of their first mentions.

    part (Doc | Span): The document, or the part of it that is shown.
    singletons (bool): Whether clusters of one mention are shown.
    prefix (str): Prefix of the keys of clusters.
    RETURNS (list[ShownCluster]): Clusters with a mention there.
    """
    within = part[:] if isinstance(part, Doc) else part
    shown: list[ShownCluster] = []
    linked = 0
    for cluster in doc_clusters(within.doc, prefix):
        if not any(mention.start < within.end and within.start < mention.end for mention in cluster):
            continue
        if len(cluster) > 1:
            shown.append(ShownCluster(len(shown) + 1, cluster_look(linked), cluster))
            linked += 1
        elif singletons:
            shown.append(ShownCluster(len(shown) + 1, SINGLETON, cluster))
    return shown


def shown_mentions(clusters: Iterable[ShownCluster]) -> dict[int, list[ShownMention]]:
    """The mentions of clusters, by their first tokens."""
    starting: dict[int, list[ShownMention]] = {}
    for shown in clusters:
        for index, mention in enumerate(shown.cluster):
            starting.setdefault(mention.start, []).append(ShownMention(shown, index))
    return starting


def render_legend(clusters: Sequence[ShownCluster]) -> str:
    """The legend of the numbers and colours of the clusters; empty if no cluster has two mentions."""
    entries = [
        f'<li><button type="button" class="cluster {look}" data-n="{number}">'
        f"<bdi>{escape(cluster.representative.text)}</bdi> <small>{len(cluster)}</small></button></li>"
        for number, look, cluster in clusters
        if len(cluster) > 1
    ]
    return "\n".join(['<ul class="legend" aria-label="Clusters">', *entries, "</ul>"]) if entries else ""


def render_sentence(sentence: Span, starting: Mapping[int, Sequence[ShownMention]]) -> str:
    """The text of a sentence, with a box around each mention that starts in it."""
    boxes = []
    for token in sentence:
        for mention in starting.get(token.i, ()):
            boxes.append((token.i, mention.shown.cluster[mention.index].end, mention))
    return boxed(sentence, boxes, _open_box)


def mention_data(mention: ShownMention) -> str:
    """What the script of the page must know of a mention, as attributes."""
    cluster, index = mention.shown.cluster, mention.index
    data = {"n": str(mention.shown.number), "m": str(index)}
    if cluster.scores is not None:
        data["score"] = f"{cluster.scores[index]:.3f}"
    if cluster.link_scores is not None:
        data["link"] = f"{cluster.link_scores[index]:.3f}"
    antecedent = cluster.antecedents and cluster.antecedents[index]
    if antecedent:
        data["antecedent"] = str([(span.start, span.end) for span in cluster].index((antecedent.start, antecedent.end)))
    return " ".join(f'data-{name}="{value}"' for name, value in data.items())


def cluster_look(index: int) -> str:
    """The classes of the colour and of the line of the cluster with this index; neighbouring indices differ clearly."""
    return f"k{index % COLORS} line{index // COLORS % LINES}"


def _open_box(mention: ShownMention, height: int, resumed: bool) -> str:
    more = " more" if resumed else ""
    return f'<mark class="mention {mention.shown.look} h{min(height, HEIGHTS)}{more}" {mention_data(mention)}>'
