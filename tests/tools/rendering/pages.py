from collections.abc import Iterable
from typing import Any

from spacy.tokens import Doc, Span

from spacy_span_selector.tools.rendering import Page


def render_page(docs: Iterable[Doc | Span], **settings: Any) -> str:
    """The complete page of some documents."""
    page = Page(**settings)
    for doc in docs:
        page.add(doc)
    return page.finish()
