"""An HTML page that shows the clusters of documents, drawn by displaCy.

displaCy draws one span group at a time, so the clusters of a sentence are merged into one view:
a colour and a number for each cluster, explained above the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from spacy import displacy
from spacy.tokens import Doc, Span

from .annotation import SPEAKERS_KEY, TITLE_KEY, cluster_groups
from .extensions import main_mention

NO_LABEL = ""
SINGLETON_COLOR = "#d5d5d5"
GOLDEN_ANGLE = 137.508  # degrees; successive multiples stay far from each other on the colour circle
LIGHTNESS = (74, 82, 68)  # per cent; black text is readable on each

PAGE = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<title>Clusters</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
article {{ margin-bottom: 4rem }}
.cluster {{ display: inline-block; border-radius: 4px; padding: 0 6px; margin: 0 6px 6px 0; color: #000 }}
.sentence {{ display: flex; gap: 0.6em }}
.speaker {{ font-weight: bold; line-height: 2.5; white-space: nowrap }}
</style>
</head>
<body dir="{direction}">
{content}
</body>
</html>
"""

# As displaCy's own, but without white space, so that "Ann" and "'s" stay together.
TEMPLATES = {
    "span": '<span style="display: inline-block; position: relative; height: {total_height}px">'
    "{text}{span_slices}{span_starts}</span>",
    "slice": '<span style="background: {bg}; top: {top_offset}px; height: 4px; left: -1px; '
    'width: calc(100% + 2px); position: absolute"></span>',
    "start": '<span style="background: {bg}; top: {top_offset}px; height: 4px; left: -1px; '
    'width: calc(100% + 2px); position: absolute"><span style="background: {bg}; z-index: 10; color: #000; '
    "top: -0.5em; padding: 2px 3px; position: absolute; font-size: 0.65em; font-weight: bold; line-height: 1; "
    'border-radius: 3px">{label}{kb_link}</span></span>',
}


class ShownCluster(NamedTuple):
    """A cluster with the number in its key and the colour that it is drawn in."""

    number: int
    color: str
    mentions: list[Span]


def render_clusters(docs: Iterable[Doc], *, singletons: bool = False) -> str:
    """Make an HTML page that shows documents with their clusters, one sentence a line.

    docs (Iterable[Doc]): Documents with clusters; title and speakers are shown where known.
    singletons (bool): Whether to show clusters of one mention, in grey.
    RETURNS (str): A complete page; text, titles and names are escaped.
    """
    docs = list(docs)
    content = "\n".join(_render_doc(doc, number, singletons) for number, doc in enumerate(docs, start=1))
    settings = displacy.get_doc_settings(docs[0]) if docs else {"lang": "en", "direction": "ltr"}
    return PAGE.format(content=content, lang=escape(settings["lang"] or "und"), direction=escape(settings["direction"]))


def cluster_color(index: int) -> str:
    """A CSS colour for the cluster with this index; neighbouring indices differ clearly."""
    return f"hsl({index * GOLDEN_ANGLE % 360:.0f}, 75%, {LIGHTNESS[index % len(LIGHTNESS)]}%)"


def _render_doc(doc: Doc, number: int, singletons: bool) -> str:
    title = doc.user_data.get(TITLE_KEY) or f"Document {number}"
    clusters = _shown_clusters(doc, singletons)
    legend = "\n".join(
        f'<span class="cluster" style="background: {cluster.color}">'
        f"<b>{cluster.number}</b> {escape(main_mention(cluster.mentions).text)} ({len(cluster.mentions)})</span>"
        for cluster in clusters
        if len(cluster.mentions) > 1
    )
    sentences = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]
    starting: dict[int, list[tuple[Span, ShownCluster]]] = {}
    for cluster in clusters:
        for mention in cluster.mentions:
            starting.setdefault(mention.start, []).append((mention, cluster))
    speakers = {turn.start: turn.label_ for turn in doc.spans.get(SPEAKERS_KEY, ())}
    colors = {NO_LABEL: "transparent", **{str(cluster.number): cluster.color for cluster in clusters}}
    options = {"colors": colors, "template": TEMPLATES}
    settings = displacy.get_doc_settings(doc)
    rows: list[str] = []
    for sentence in sentences:
        view = {**_sentence_view(sentence, starting), "settings": settings}
        markup = displacy.render(view, style="span", manual=True, page=False, jupyter=False, options=options)
        speaker = next((speakers[token.i] for token in sentence if token.i in speakers), None)
        heading = f'<div class="speaker">{escape(speaker)}:</div>' if speaker else ""
        rows.append(f'<div class="sentence">{heading}{markup}</div>')
    return "\n".join(["<article>", f"<h2>{escape(str(title))}</h2>", f"<p>{legend}</p>", *rows, "</article>"])


def _shown_clusters(doc: Doc, singletons: bool) -> list[ShownCluster]:
    shown: list[ShownCluster] = []
    linked = 0
    for number, group in enumerate(cluster_groups(doc), start=1):
        mentions = list(group)
        if len(mentions) > 1:
            shown.append(ShownCluster(number, cluster_color(linked), mentions))
            linked += 1
        elif mentions and singletons:
            shown.append(ShownCluster(number, SINGLETON_COLOR, mentions))
    return shown


def _sentence_view(
    sentence: Span, starting: Mapping[int, Sequence[tuple[Span, ShownCluster]]]
) -> dict[str, Sequence[object]]:
    """A sentence as displaCy takes it, split at white space and at the edges of mentions.

    displaCy puts a space behind text without spans and, with these templates, none behind text with
    them. So an empty token is a space behind a mention, and a span without a label keeps the space
    away between an opening quote and a mention.
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
