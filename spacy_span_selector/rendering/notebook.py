"""`spacy_span_selector.render`: documents in a cell of a notebook, or as HTML, with the habits of displaCy."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter

from .page import TITLE, Page, Style

FRAME = (
    '<div><iframe sandbox="allow-scripts" title="{title}" width="100%" height="{height}" frameborder="0" '
    'style="border: 0; resize: vertical" srcdoc="{page}"></iframe></div>'
)
HIGHEST = 640  # pixels


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

    The page stands in a frame of its own, so that neither changes the other, and a text can do nothing in a notebook.

    docs (Doc | Span | Iterable[Doc | Span]): Annotated documents, or parts of them, of which whole sentences are shown.
    style (Style): What is shown: clusters and quotations ("coref"), frames ("srl"), or all.
    page (bool): Whether to return a complete page, as a file has it, rather than markup to put into one.
    jupyter (bool | None): Whether to show it in the cell that runs; None finds out whether there is one.
    singletons (bool): Whether to show clusters of one mention, in grey.
    cluster_prefix, frame_prefix (str | None): Prefixes of the keys of clusters and frames in `doc.spans`; None for
        those that each document has.
    RETURNS (str | None): The HTML; None if it is shown.
    RAISES (ValueError): If there is no such style, or something else than documents is given.
    """
    shown = list(docs) if isinstance(docs, Iterable) and not isinstance(docs, Doc | Span) else [docs]
    made = Page(style=style, singletons=singletons, cluster_prefix=cluster_prefix, frame_prefix=frame_prefix)
    for i, doc in enumerate(shown):
        if not isinstance(doc, Doc | Span):
            raise ValueError(
                f"Can't render docs[{i}], which is of type {type(doc).__name__}; expected a Doc or a Span."
            )
        made.add(doc)
    html = made.finish()
    if jupyter is None:
        jupyter = is_in_jupyter()
    if page and not jupyter:
        return html
    if not jupyter:
        return _in_frame(html)
    from IPython.display import HTML, display

    display(HTML(_in_frame(html)))
    return None


def _in_frame(page: str) -> str:
    """Markup of a frame with a page in it, about as high as the page. It is ASCII: whatever it is put into may have any
    encoding."""
    height = 190 + 65 * page.count('<div class="sentence">') + 32 * page.count('<div class="frame">')
    content = escape(page).encode("ascii", "xmlcharrefreplace").decode()
    return FRAME.format(title=TITLE, height=min(height, HIGHEST), page=content)
