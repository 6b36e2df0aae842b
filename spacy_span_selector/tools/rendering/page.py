"""The page: a title for each document, its sentences, each with its frames, and the legend of its clusters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from typing import Literal, get_args

from spacy import displacy
from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter

from ...annotation import get_sentences, get_speakers, get_title
from ...extensions import SrlFrame, doc_clusters, doc_frames
from .boxes import TextMarkup
from .clusters import number_clusters, render_legend, render_sentence, shown_mentions, shown_quotations
from .frames import render_frames, render_roles
from .html_page import html_page, static

Style = Literal["coref", "srl", "both"]
TITLE = "Clusters and frames"
FRAME = (
    '<div><iframe sandbox="allow-scripts allow-downloads" title="{title}" width="100%" '
    'height="{height}" frameborder="0" style="border: 0; resize: vertical" srcdoc="{page}"></iframe></div>'
)
HIGHEST = 640  # pixels


@dataclass(kw_only=True)
class Page:
    """A page that documents are added to; it does not keep them. For its arguments see `render`."""

    style: Style = "both"
    singletons: bool = False
    cluster_prefix: str | None = None
    frame_prefix: str | None = None
    _articles: list[str] = field(default_factory=list, init=False)
    _titles: list[str] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        if self.style not in get_args(Style):
            raise ValueError(f"There is no style {self.style!r}. Expected one of: {', '.join(get_args(Style))}.")

    def add(self, doc: Doc | Span) -> None:
        """Add a document, or the sentences of a part of one."""
        number = len(self._articles) + 1
        part = doc[:] if isinstance(doc, Doc) else doc
        title = get_title(part.doc)
        self._titles.append(title)
        self._articles.append(self._render(part, title or f"Document {number}"))

    def finish(self, form: str = "") -> str:
        """The complete page, with markup that comes first; its forms may be sent to where the page comes from."""
        title = self._titles[0] if len(self._titles) == 1 else ""
        parts = [static("tools.html"), "<main>", form, *self._articles, "</main>"]
        body = "\n".join(filter(None, parts))
        return html_page(body, title=title or TITLE, style=["page.css"], script="page.js", submits=bool(form))

    def _render(self, part: Span, title: str) -> str:
        doc = part.doc
        settings = displacy.get_doc_settings(doc)
        every = get_sentences(doc)
        numbers = {own.start: number for number, own in enumerate(every, start=1)}
        prefix = f"d{len(self._titles)}s" if self._articles else "s"
        sentences = [own for own in every if own.start < part.end and part.start < own.end]
        whole = doc[sentences[0].start : sentences[-1].end] if sentences else part
        found = [] if self.style == "srl" else doc_clusters(doc, self.cluster_prefix)
        clusters = number_clusters(found, whole, self.singletons)
        mentions = shown_mentions(clusters)
        quotations = {} if self.style == "srl" else shown_quotations(sentences, mentions, found)
        speakers = {start: speaker for start, end, speaker in get_speakers(doc) if start < end}
        frames: dict[int, list[SrlFrame]] = {}  # by the first token of the predicate
        if self.style != "coref":
            for frame in doc_frames(doc, self.frame_prefix):
                frames.setdefault(frame.predicate.start, []).append(frame)
        text = TextMarkup(doc)
        rows: list[str] = []
        shown: list[SrlFrame] = []
        for sentence in sentences:
            tokens = range(sentence.start, sentence.end)
            speaker = next((speakers[i] for i in tokens if i in speakers), None)
            heading = f'<b class="speaker">{escape(speaker)}:</b> ' if speaker else ""
            own = [frame for i in tokens for frame in frames.get(i, ())]
            shown += own
            words = render_sentence(text, sentence, mentions, quotations.get(sentence.start, ()))
            below = render_frames(text, sentence, own, mentions)
            line = text.lines.get(text.first(sentence.start, sentence.end))
            apart = " apart" if line is not None and line.line.apart and rows else ""
            box = f'<div class="sentence{apart}" id="{prefix}{numbers[sentence.start]}">'
            rows.append(f'{box}<p class="text">{heading}{words}</p>{below}</div>')
        lang, direction = escape(settings["lang"] or "und"), escape(settings["direction"])
        parts = [
            f'<article lang="{lang}" dir="{direction}">',
            f"<h2>{escape(title)}</h2>",
            render_legend(clusters, render_roles(shown)),
            '<div class="sentences">',
            *rows,
            "</div>\n</article>",
        ]
        return "\n".join(filter(None, parts))


def render(
    docs: Doc | Span | Iterable[Doc | Span],
    style: Style = "both",
    *,
    page: bool = False,
    jupyter: bool | None = None,
    singletons: bool = False,
    cluster_prefix: str | None = None,
    frame_prefix: str | None = None,
) -> str | None:
    """Show documents with their clusters and frames: in a notebook, or as HTML.

    docs (Doc | Span | Iterable[Doc | Span]): Annotated documents, or parts of them, of which whole sentences are shown.
        Without sentence boundaries a document is one sentence.
    style (Style): What is shown: clusters and quotations ("coref"), frames ("srl"), or all.
    page (bool): Whether to return a complete page, as a file has it, rather than a frame to put into one.
    jupyter (bool | None): Whether to show it in the cell that runs; None finds out whether there is one.
    singletons (bool): Whether to show clusters of one mention, in grey.
    cluster_prefix, frame_prefix (str | None): Prefixes of the keys of clusters and frames in `doc.spans`; None for
        those that each document has.
    RETURNS (str | None): The HTML, in which all text is escaped; None if it is shown.
    """
    whole = Page(style=style, singletons=singletons, cluster_prefix=cluster_prefix, frame_prefix=frame_prefix)
    shown = docs if isinstance(docs, Iterable) and not isinstance(docs, Doc | Span) else [docs]
    for i, doc in enumerate(shown):
        if not isinstance(doc, Doc | Span):
            found = f"docs[{i}], which is of type {type(doc).__name__}"
            raise ValueError(f"Can't render {found}; expected a Doc or a Span.")
        whole.add(doc)
    html = whole.finish()
    if jupyter is None:
        jupyter = is_in_jupyter()
    if not jupyter:
        return html if page else _in_frame(html)
    from IPython.display import HTML, display

    display(HTML(_in_frame(html)))
    return None


def _in_frame(page: str) -> str:
    """Markup of a frame with a page in it, about as high as the page. It is ASCII, for a host of any encoding."""
    height = 190 + 65 * page.count('<p class="text">') + 32 * page.count('<div class="frame">')
    content = escape(page).encode("ascii", "xmlcharrefreplace").decode()
    return FRAME.format(title=TITLE, height=min(height, HIGHEST), page=content)
