from __future__ import annotations

import re
import sys
from html import unescape
from types import ModuleType
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector import render
from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_title
from spacy_span_selector.rendering import notebook, render_page

from .policy import assert_nothing_is_blocked

NLP = spacy.blank("en")
NLP.add_pipe("sentencizer")


@pytest.fixture
def doc() -> Doc:
    doc = NLP("Ann saw herself. “Größe!”")
    set_clusters(doc, [[(0, 1), (2, 3)]])
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "see.01")])
    return doc


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a notebook shows."""
    found: list[str] = []
    module: Any = ModuleType("IPython.display")
    module.HTML = str
    module.display = found.append
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return found


def content(markup: str) -> str:
    """The page in a frame."""
    (page,) = re.findall(r'srcdoc="([^"]*)"', markup)
    return unescape(page)


def test_a_page_is_that_of_the_command_line(doc: Doc):
    assert render(doc, page=True) == render([doc], page=True) == render_page([doc])


def test_markup_is_a_frame_with_the_page(doc: Doc):
    markup = render(doc)
    assert markup is not None and markup.isascii()
    assert content(markup) == render_page([doc])
    assert_nothing_is_blocked(content(markup))
    assert 'sandbox="allow-scripts"' in markup


def test_styles_and_prefixes(doc: Doc):
    page = render(doc, "srl", page=True)
    assert page is not None and 'class="mention' not in page and "<dt>see.01</dt>" in page
    set_clusters(doc, [[(0, 1), (2, 3)]], prefix="mine")
    assert 'class="frame"' not in str(render(doc, style="coref", page=True, cluster_prefix="mine"))
    with pytest.raises(ValueError, match="no style 'dep'"):
        render(doc, style="dep")  # type: ignore[arg-type]


def test_a_part_is_shown_alone(doc: Doc):
    page = str(render(next(iter(doc.sents)), page=True))
    assert "herself" in page and "Größe" not in page


def test_a_notebook_shows_it_in_the_cell(doc: Doc, shown: list[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(notebook, "is_in_jupyter", lambda: True)
    assert render(doc) is None
    assert [content(markup) for markup in shown] == [render_page([doc])]
    assert render(doc, jupyter=False) is not None
    assert len(shown) == 1


def test_elsewhere_it_is_shown_on_request(doc: Doc, shown: list[str]):
    assert render(doc, page=True, jupyter=True) is None
    assert len(shown) == 1


def test_a_frame_is_as_high_as_its_page_up_to_a_limit(doc: Doc):
    def height(markup: str | None) -> int:
        return int(re.findall(r'height="(\d+)"', str(markup))[0])

    set_title(doc, '<div class="sentence">' * 100)
    assert (
        height(render(doc, "coref"))
        < height(render(doc))
        < height(render([doc] * 2))
        < height(render([doc] * 99))
        == 640
    )


@pytest.mark.parametrize("docs", [["Ann left."], [None], [{"text": "Ann left."}], None, 5])
def test_other_things_than_documents_are_named(docs: Any):
    with pytest.raises(
        ValueError, match=r"docs\[0\], which is of type (str|NoneType|dict|int); expected a Doc or a Span"
    ):
        render(docs)
