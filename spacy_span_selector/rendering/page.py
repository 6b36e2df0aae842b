"""The page: a title for each document, its sentences, each with its frames, and the legend of its clusters."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Literal, get_args

from spacy import displacy
from spacy.tokens import Doc, Span

from ..annotation import get_sentences, get_speakers, get_title
from ..extensions import SrlFrame, doc_frames
from .clusters import render_legend, render_sentence, shown_clusters, shown_mentions
from .frames import render_frames
from .html_page import html_page, static
from .quotations import shown_quotations

Style = Literal["coref", "srl", "both"]
TITLE = "Clusters and frames"


def render_page(
    docs: Iterable[Doc | Span],
    *,
    style: Style = "both",
    singletons: bool = False,
    cluster_prefix: str | None = None,
    frame_prefix: str | None = None,
) -> str:
    """Make an HTML page that shows documents, one sentence per line, with their clusters and frames.

    docs (Iterable[Doc | Span]): Annotated documents, or parts of them, of which whole sentences are shown; title and
        speakers are shown if known. Without sentence boundaries a document is one sentence.
    style (Style): What is shown: clusters and quotations ("coref"), frames ("srl"), or all.
    singletons (bool): Whether to show clusters of one mention, in grey.
    cluster_prefix, frame_prefix (str | None): Prefixes of the keys of clusters and frames in `doc.spans`; None for
        those that each document has.
    RETURNS (str): A complete page; text, titles, names and labels are escaped.
    RAISES (ValueError): If there is no such style.
    """
    page = Page(style=style, singletons=singletons, cluster_prefix=cluster_prefix, frame_prefix=frame_prefix)
    for doc in docs:
        page.add(doc)
    return page.finish()


class Page:
    """A page that documents are added to; it does not keep them."""

    def __init__(
        self,
        *,
        style: Style = "both",
        singletons: bool = False,
        cluster_prefix: str | None = None,
        frame_prefix: str | None = None,
    ) -> None:
        """Initialize a page without documents; for its arguments see `render_page`."""
        if style not in get_args(Style):
            raise ValueError(f"There is no style {style!r}. Expected one of: {', '.join(get_args(Style))}.")
        self.style = style
        self.singletons = singletons
        self.cluster_prefix = cluster_prefix
        self.frame_prefix = frame_prefix
        self._articles: list[str] = []
        self._titles: list[str] = []

    def add(self, doc: Doc | Span) -> None:
        """Add a document or a part of one, as `render_page` describes it."""
        number = len(self._articles) + 1
        part = doc[:] if isinstance(doc, Doc) else doc
        title = get_title(part.doc)
        self._titles.append(title)
        self._articles.append(self._render(part, title or f"Document {number}"))

    def finish(self, form: str = "") -> str:
        """The complete page.

        form (str): Markup that comes first. Its forms may be sent to where the page comes from.
        RETURNS (str): The page.
        """
        title = self._titles[0] if len(self._titles) == 1 else ""
        body = [static("tools.html"), "<main>", form, *self._articles, "</main>"]
        return html_page(
            "\n".join(filter(None, body)),
            title=title or TITLE,
            style="page.css",
            script="page.js",
            submits=bool(form),
        )

    def _render(self, part: Span, title: str) -> str:
        doc = part.doc
        settings = displacy.get_doc_settings(doc)
        sentences = [own for own in get_sentences(doc) if own.start < part.end and part.start < own.end]
        whole = doc[sentences[0].start : sentences[-1].end] if sentences else part
        clusters = [] if self.style == "srl" else shown_clusters(whole, self.singletons, self.cluster_prefix)
        mentions = shown_mentions(clusters)
        quotations = {} if self.style == "srl" else shown_quotations(sentences, mentions, self.cluster_prefix)
        speakers = {start: speaker for start, end, speaker in get_speakers(doc) if start < end}
        frames: dict[int, list[SrlFrame]] = {}  # by the first token of the predicate
        if self.style != "coref":
            for frame in doc_frames(doc, self.frame_prefix):
                frames.setdefault(frame.predicate.start, []).append(frame)
        rows: list[str] = []
        for sentence in sentences:
            speaker = next((speakers[token.i] for token in sentence if token.i in speakers), None)
            heading = f'<b class="speaker">{escape(speaker)}:</b> ' if speaker else ""
            own = [frame for token in sentence for frame in frames.get(token.i, ())]
            text = render_sentence(sentence, mentions, quotations.get(sentence.start, ()))
            lines = [f'<p class="text">{heading}{text}</p>']
            lines.append(render_frames(sentence, own, mentions))
            rows.append(f'<div class="sentence">{"".join(lines)}</div>')
        lang, direction = escape(settings["lang"] or "und"), escape(settings["direction"])
        parts = [
            f'<article lang="{lang}" dir="{direction}">',
            f"<h2>{escape(title)}</h2>",
            render_legend(clusters),
            '<div class="sentences">',
            *rows,
            "</div>\n</article>",
        ]
        return "\n".join(filter(None, parts))
