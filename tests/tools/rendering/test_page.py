import re
import sys
from html import unescape
from types import ModuleType
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector import render
from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_speakers, set_title
from spacy_span_selector.annotation.glossary import ROLES
from spacy_span_selector.tools.rendering import Style
from spacy_span_selector.tools.rendering import page as page_module

from ...spans import offsets, put_spans
from ...untrained import pipeline_of
from .pages import render_page
from .policy import assert_nothing_is_blocked

NLP = pipeline_of("en", "sentencizer")
WITHOUT_SENTENCES = spacy.blank("en")


def articles(page: str) -> str:
    """The documents of a page, without its tools and its script."""
    return page.partition("<main>")[2].partition("</main>")[0]


@pytest.fixture
def doc() -> Doc:
    """Two sentences, a cluster over both, and a frame in each."""
    doc = NLP("Ann Lee left. She had lost the map.")
    set_title(doc, "At sea")
    set_clusters(doc, [[(0, 2), (4, 5)]])
    leave = Frame(2, 3, [Argument(0, 2, "ARG0")], "leave.01")
    lose = Frame(6, 7, [Argument(4, 5, "ARG0"), Argument(7, 9, "ARG1")], "lose.02")
    set_frames(doc, [leave, lose])
    return doc


def rows(page: str) -> list[str]:
    """The sentences of a page, and the names of the frames below them."""
    return ["".join(found) for found in re.findall(r'class="(sentence)[" ]|<dt>(.*?)</dt>', articles(page))]


def test_a_document_has_a_title_a_legend_and_its_frames_below_their_sentences(doc: Doc):
    page = render_page([doc])
    assert "<title>At sea</title>" in page and "<h2>At sea</h2>" in page
    assert "<bdi>Ann Lee</bdi> <small>2</small>" in page
    assert rows(page) == ["sentence", "leave.01", "sentence", "lose.02"]
    assert "<title>Clusters and frames</title>" in render_page([doc, doc])


def test_without_sentence_boundaries_all_frames_are_below_the_document():
    doc = WITHOUT_SENTENCES("Ann ran. Lee slept.")
    set_frames(doc, [Frame(1, 2, [], "run.02"), Frame(4, 5, [], "sleep.01")])
    assert rows(render_page([doc])) == ["sentence", "run.02", "sleep.01"]


def test_a_frame_across_a_sentence_boundary_is_below_its_predicate():
    doc = NLP("Ann ran. She slept.")
    set_frames(doc, [Frame(1, 2, [Argument(3, 4, "ARG0")])])
    page = render_page([doc])
    assert rows(page) == ["sentence", "ran", "sentence"]
    assert "<b>ARG0</b>&nbsp;She</mark>" in page


def test_only_what_a_document_has_is_shown(doc: Doc):
    set_clusters(doc, [])
    page = render_page([doc])
    assert 'class="cluster ' not in page and "mention" not in articles(page)
    assert articles(page).count("<dt>") == 2
    set_clusters(doc, [[(0, 2), (4, 5)]])
    set_frames(doc, [])
    page = render_page([doc])
    assert 'class="cluster ' in page and "<dl" not in articles(page)


@pytest.mark.parametrize(("style", "mentions", "frames"), [("coref", 2, 0), ("srl", 0, 2), ("both", 2, 2)])
def test_styles(doc: Doc, style: Style, mentions: int, frames: int):
    page = articles(str(render(doc, style, page=True)))
    assert (page.count('class="mention'), page.count('class="frame"')) == (mentions, frames)
    assert page.count('class="number') == (2 if style == "both" else 0)
    assert ("rolename" in page) == (style != "coref")


def test_an_unknown_style_is_named(doc: Doc):
    with pytest.raises(ValueError, match=r"no style 'ent'.*coref, srl, both"):
        render(doc, style="ent")  # type: ignore[arg-type]


def test_prefixes_are_followed(doc: Doc):
    set_clusters(doc, [[(0, 2), (4, 5)]], prefix="mine")
    set_frames(doc, [Frame(2, 3, [], "go.01")], prefix="roles")
    page = str(render(doc, page=True, cluster_prefix="mine", frame_prefix="roles"))
    assert rows(page) == ["sentence", "go.01", "sentence"]
    assert page.count('class="mention') == 2
    assert "mention" not in articles(render_page([doc], cluster_prefix="other"))


def test_roles_that_occur_are_explained(doc: Doc):
    lose = Frame(6, 7, [Argument(4, 5, "R-ARG0"), Argument(5, 6, "ARGM-TMP"), Argument(7, 9, "Theme")], "lose.02")
    set_frames(doc, [Frame(2, 3, [Argument(0, 2, "ARG0")]), lose])
    roles = re.findall('<li><span class="rolename .*?">(.*?)</span> (.*?) ?<small>(.)</small>', render_page([doc]))
    assert roles == [("ARG0", ROLES["ARG0"], "2"), ("ARGM-TMP", ROLES["ARGM-TMP"], "1"), ("Theme", "", "1")]


def test_auxiliaries_are_marked(doc: Doc):
    set_frames(doc, [Frame(2, 3, [], "leave.01"), Frame(5, 6, [], "have.01")])
    assert re.findall('class="frame( auxiliary)?"', articles(render_page([doc]))) == ["", " auxiliary"]


def test_of_a_part_whole_sentences_are_shown_with_their_addresses(doc: Doc):
    page = render_page([doc[5:6]])
    assert rows(page) == ["sentence", "lose.02"]
    assert re.findall(r'(mark|i) class="\w+ k0 line0[^>]* data-n="1" data-m="1">', page) == ["mark", "i"]  # of a frame
    page = render_page([doc[5:6], doc])
    assert re.findall('class="sentence" id="(.*?)"', page) == ["s2", "d2s1", "d2s2"]


def test_speakers_are_shown_before_their_turns(doc: Doc):
    set_speakers(doc, [(0, 4, "Bob"), (4, 10, "Kim")])
    assert re.findall(r'class="speaker">(.*?)<', render_page([doc])) == ["Bob:", "Kim:"]


def test_a_sentence_over_lines_keeps_them_and_the_marks_over_them():
    doc = NLP("Ann <b>\n\nLee, burning bright\n  in the night")
    set_clusters(doc, [[(0, 6), (7, 8)]])
    page = articles(render_page([doc]))
    assert 'Ann &lt;b&gt;\n\n<span class="gap"></span>Lee</mark>' in page
    assert "bright</mark>" not in page
    assert re.search(r'bright\s+<br><span class="indent">  </span>in the night', page)


def test_lines_of_a_part_are_those_of_its_document_and_headings_stand_apart():
    page = articles(render_page([NLP("Age\tCity\n31\tLeeds\n\nShe left.")[-2:]], style="srl"))
    assert re.search('<mark class="row">Age\tCity</mark>\\s+<br><mark class="row">31\tLeeds</mark>', page)
    words, spaces = ["Tea", "Time", "\n\n", "She", "left", "."], [True, False, False, True, False, False]
    page = articles(
        render_page([Doc(NLP.vocab, words=words, spaces=spaces, sent_starts=[i in (0, 3) for i in range(6)])])
    )
    assert '<mark class="heading" role="heading" aria-level="3">Tea Time</mark>' in page
    assert re.findall('class="sentence( apart)?"', page) == ["", " apart"]


def test_documents_without_annotation_or_text_are_shown():
    page = render_page([WITHOUT_SENTENCES("Ann left. She ran."), NLP("")])
    assert page.count("<article ") == 2
    assert "Ann left. She ran." in page
    assert "<h2>Document 2</h2>" in page
    assert render_page([]).startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("place", [0, 4, 9, 10])
def test_spans_without_tokens_are_not_shown(doc: Doc, place: int):
    expected = render_page([doc], singletons=True)
    clusters = [(0, 2), (4, 5)]
    put_spans(doc, "coref_clusters_1", (place, place), *clusters)
    put_spans(doc, "coref_clusters_2", (place, place))
    put_spans(doc, "srl_2", *offsets(doc, "srl_2"), (place, place, "ARG2"))
    doc.spans["srl_2"].attrs["roleset"] = "lose.02"
    put_spans(doc, "srl_3", (place, place, "V"), (0, 1, "ARG0"))
    put_spans(doc, "speakers", (place, place, "Bob"))
    assert render_page([doc], singletons=True) == expected


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


def test_the_page_of_the_command_line_is_rendered_or_put_into_a_frame(doc: Doc):
    set_title(doc, "Größe")
    assert render(doc, page=True) == render([doc], page=True) == render_page([doc])
    markup = render(doc)
    assert markup is not None and markup.isascii()
    assert content(markup) == render_page([doc])
    assert_nothing_is_blocked(content(markup))
    assert 'sandbox="allow-scripts allow-downloads"' in markup
    page = str(render(next(iter(doc.sents)), page=True))
    assert "left" in page and "the map" not in page


def test_a_notebook_shows_it_in_the_cell(doc: Doc, shown: list[str], monkeypatch: pytest.MonkeyPatch):
    assert render(doc, page=True, jupyter=True) is None  # on request
    monkeypatch.setattr(page_module, "is_in_jupyter", lambda: True)
    assert render(doc) is None
    assert [content(markup) for markup in shown] == [render_page([doc])] * 2
    assert render(doc, jupyter=False) is not None
    assert len(shown) == 2


def test_a_frame_is_as_high_as_its_page_up_to_a_limit(doc: Doc):
    set_title(doc, '<div class="sentence">' * 100)
    markups = [render(doc, "coref"), render(doc), render([doc] * 2), render([doc] * 99)]
    heights = [int(re.findall(r'height="(\d+)"', str(markup))[0]) for markup in markups]
    assert heights == sorted({*heights}) and heights[-1] == 640


@pytest.mark.parametrize("docs", [["Ann left."], [None], [{"text": "Ann left."}], None, 5])
def test_other_things_than_documents_are_named(docs: Any):
    with pytest.raises(ValueError, match=r"docs\[0\], .* of type (str|NoneType|dict|int); expected a Doc or a Span"):
        render(docs)
