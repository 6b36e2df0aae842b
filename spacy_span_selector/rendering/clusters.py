"""The clusters of a document in its text, drawn by displaCy.

displaCy draws one span group at a time, so the clusters of a sentence are merged into one view,
with a colour and a number for each cluster, explained above the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from spacy import displacy
from spacy.tokens import Doc, Span

from ..annotation import cluster_groups
from ..extensions import representative_mention
from .html_page import color_class

NO_LABEL = ""
SINGLETON_COLOR = "#d5d5d5"
GOLDEN_ANGLE = 137.508  # degrees; successive multiples stay far from each other on the colour circle
LIGHTNESS = (74, 82, 68)  # per cent; black text is readable on each

# The templates of displaCy without white space, so that "Ann" and "'s" stay together, and with classes for styles.
TEMPLATES = {
    "span": '<span class="token tall-{total_height}">{text}{span_slices}{span_starts}</span>',
    "slice": '<span class="slice {bg} top-{top_offset}"></span>',
    "start": '<span class="slice {bg} top-{top_offset}"><span class="number {bg}">{label}{kb_link}</span></span>',
}
FRAME = re.compile(r'<div class="spans" style="[^"]*direction: (\w+)[^"]*">')
"""What displaCy puts around a sentence."""


class ShownCluster(NamedTuple):
    """A cluster with the number in its key and its colour."""

    number: int
    color: str
    mentions: list[Span]


def shown_clusters(doc: Doc, singletons: bool) -> list[ShownCluster]:
    """The clusters that are shown; mentions without tokens are left out."""
    shown: list[ShownCluster] = []
    linked = 0
    for number, group in enumerate(cluster_groups(doc), start=1):
        mentions = [mention for mention in group if len(mention)]
        if len(mentions) > 1:
            shown.append(ShownCluster(number, cluster_color(linked), mentions))
            linked += 1
        elif mentions and singletons:
            shown.append(ShownCluster(number, SINGLETON_COLOR, mentions))
    return shown


def render_legend(clusters: Sequence[ShownCluster]) -> str:
    """The legend of the numbers and colours of the clusters; empty if no cluster has two mentions."""
    entries = [
        f'<span class="cluster {color_class(cluster.color)}">'
        f"<b>{cluster.number}</b> {escape(representative_mention(cluster.mentions).text)} "
        f"({len(cluster.mentions)})</span>"
        for cluster in clusters
        if len(cluster.mentions) > 1
    ]
    return "\n".join(["<p>", *entries, "</p>"]) if entries else ""


def render_sentences(sentences: Sequence[Span], clusters: Sequence[ShownCluster]) -> list[str]:
    """The text of each sentence, with the mentions that start in it underlined and numbered."""
    starting: dict[int, list[tuple[Span, ShownCluster]]] = {}
    for cluster in clusters:
        for mention in cluster.mentions:
            starting.setdefault(mention.start, []).append((mention, cluster))
    colors = {NO_LABEL: "", **{str(cluster.number): color_class(cluster.color) for cluster in clusters}}
    options = {"colors": colors, "template": TEMPLATES}
    markup: list[str] = []
    for sentence in sentences:
        view = {**_sentence_view(sentence, starting), "settings": displacy.get_doc_settings(sentence.doc)}
        drawn = displacy.render(view, style="span", manual=True, page=False, jupyter=False, options=options)
        markup.append(FRAME.sub(r'<div class="spans" dir="\1">', drawn))
    return markup


def cluster_color(index: int) -> str:
    """A CSS colour for the cluster with this index; neighbouring indices differ clearly."""
    return f"hsl({index * GOLDEN_ANGLE % 360:.0f}, 75%, {LIGHTNESS[index % len(LIGHTNESS)]}%)"


def _sentence_view(
    sentence: Span, starting: Mapping[int, Sequence[tuple[Span, ShownCluster]]]
) -> dict[str, Sequence[object]]:
    """A sentence in displaCy's input format, split at white space and at the edges of mentions.

    displaCy puts a space after text outside spans and, with these templates, none after text in
    spans. So an empty token adds a space after a mention, and a span without a label prevents the
    space between an opening quote and a mention.
    """
    mentions = [
        (mention.start, min(mention.end, sentence.end), str(cluster.number))
        for token in sentence
        for mention, cluster in starting.get(token.i, ())
    ]
    edges = {edge for start, end, _ in mentions for edge in (start, end)}
    covered = {i for start, end, _ in mentions for i in range(start, end)}
    tokens: list[str] = []
    position: dict[int, int] = {}  # token of the document -> token of the view
    glue: list[tuple[int, int, str]] = []
    space_before = True
    for token in sentence:
        if not space_before and token.i not in edges:
            tokens[-1] += token.text
        else:
            if not space_before and token.i - 1 not in covered:
                glue.append((token.i - 1, token.i, NO_LABEL))
            tokens.append(token.text)
        position[token.i] = len(tokens) - 1
        space_before = bool(token.whitespace_) or token.is_space
        if space_before and token.i in covered:
            tokens.append("")
    spans = [
        {"start_token": position[start], "end_token": position[end - 1] + 1, "label": label}
        for start, end, label in [*mentions, *glue]
    ]
    return {"tokens": tokens, "spans": spans}
