"""The page: a title for each document, the legend of its clusters, its sentences and their frames."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from spacy import displacy
from spacy.tokens import Doc

from ..annotation import frame_keys, get_sentences, get_speakers, get_title
from ..extensions import SrlFrame, doc_frames
from .clusters import render_legend, render_sentences, shown_clusters
from .frames import render_frames
from .html_page import html_page

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
article { margin-bottom: 4rem }
.cluster { display: inline-block; border-radius: 4px; padding: 0 6px; margin: 0 6px 6px 0; color: #000 }
.sentence { display: flex; gap: 0.6em }
.speaker { font-weight: bold; line-height: 2.5; white-space: nowrap }
.frames { display: grid; grid-template-columns: 7.5rem 1fr; gap: 2px 0.8rem; margin: 0 0 1.2rem; font-size: 0.85em }
.frames dt { text-align: end; font-weight: bold; line-height: 1.9; overflow-wrap: anywhere }
.frames dd { margin: 0; line-height: 1.9; color: #555 }
.frames mark { color: #000; border-radius: 4px; padding: 2px 5px; -webkit-box-decoration-break: clone;
  box-decoration-break: clone }
.frames mark mark { padding: 0 4px; box-shadow: 0 0 0 1px #fff }
.frames mark b { font-size: 0.75em; white-space: nowrap }
.switch { position: fixed; top: 0.8rem; inset-inline-end: 1rem }
body:has(.switch input:not(:checked)) .frames { display: none }
.spans { line-height: 2.5 }
.token { display: inline-block; position: relative }
.slice { height: 4px; left: -1px; width: calc(100% + 2px); position: absolute }
.number { z-index: 10; color: #000; top: -0.5em; padding: 2px 3px; position: absolute; font-size: 0.65em;
  font-weight: bold; line-height: 1; border-radius: 3px }
"""

SWITCH = '<label class="switch"><input type="checkbox" checked> Frames</label>'


def render_page(docs: Iterable[Doc], *, singletons: bool = False) -> str:
    """Make an HTML page that shows documents, one sentence per line, with their clusters and frames.

    docs (Iterable[Doc]): Annotated documents; title and speakers are shown if known. Without sentence
        boundaries a document is one sentence.
    singletons (bool): Whether to show clusters of one mention, in grey.
    RETURNS (str): A complete page; text, titles, names and labels are escaped.
    """
    page = Page(singletons=singletons)
    for doc in docs:
        page.add(doc)
    return page.finish()


class Page:
    """A page that documents are added to; it does not keep them."""

    def __init__(self, *, singletons: bool = False) -> None:
        """Initialize a page without documents.

        singletons (bool): Whether to show clusters of one mention, in grey.
        """
        self.singletons = singletons
        self._articles: list[str] = []
        self._has_frames = False
        self._settings: dict[str, str] = {}

    def add(self, doc: Doc) -> None:
        """Add a document, as `render_page` describes it."""
        self._articles.append(_render_doc(doc, len(self._articles) + 1, self.singletons))
        self._has_frames |= bool(frame_keys(doc))
        self._settings = self._settings or displacy.get_doc_settings(doc)

    def finish(self) -> str:
        """The complete page."""
        settings = self._settings or {"lang": "en", "direction": "ltr"}
        return html_page(
            "\n".join([SWITCH, *self._articles] if self._has_frames else self._articles),
            title="Clusters and frames",
            style=STYLE,
            lang=settings["lang"] or "und",
            direction=settings["direction"],
        )


def _render_doc(doc: Doc, number: int, singletons: bool) -> str:
    title = get_title(doc) or f"Document {number}"
    clusters = shown_clusters(doc, singletons)
    speakers = {start: speaker for start, end, speaker in get_speakers(doc) if start < end}
    frames: dict[int, list[SrlFrame]] = {}  # by the first token of the predicate
    for frame in doc_frames(doc):
        frames.setdefault(frame.predicate.start, []).append(frame)
    sentences = get_sentences(doc)
    rows: list[str] = []
    for sentence, markup in zip(sentences, render_sentences(sentences, clusters), strict=True):
        speaker = next((speakers[token.i] for token in sentence if token.i in speakers), None)
        heading = f'<div class="speaker">{escape(speaker)}:</div>' if speaker else ""
        rows.append(f'<div class="sentence">{heading}{markup}</div>')
        rows.append(render_frames(sentence, [frame for token in sentence for frame in frames.get(token.i, ())]))
    parts = ["<article>", f"<h2>{escape(title)}</h2>", render_legend(clusters), *rows, "</article>"]
    return "\n".join(part for part in parts if part)
