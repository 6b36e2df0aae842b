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
from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_speakers, set_title
from spacy_span_selector.annotation.glossary import ROLES
from spacy_span_selector.tools.rendering import Page, Style, render_page
from spacy_span_selector.tools.rendering import page as page_module

from ...spans import put_spans
from .policy import assert_nothing_is_blocked

NLP = spacy.blank("en")
NLP.add_pipe("sentencizer")
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


def test_a_document_has_a_title_a_legend_and_its_clusters(doc: Doc):
    page = render_page([doc])
    assert "<h2>At sea</h2>" in page
    assert "<bdi>Ann Lee</bdi> <small>2</small>" in page


def test_frames_are_below_their_sentence(doc: Doc):
    page = render_page([doc])
    assert re.findall(r'class="sentence"|<dt>.*?</dt>', articles(page)) == [
        'class="sentence"',
        "<dt>leave.01</dt>",
        'class="sentence"',
        "<dt>lose.02</dt>",
    ]


def test_without_sentence_boundaries_all_frames_are_below_the_document():
    doc = WITHOUT_SENTENCES("Ann ran. Lee slept.")
    set_frames(doc, [Frame(1, 2, [], "run.02"), Frame(4, 5, [], "sleep.01")])
    page = render_page([doc])
    assert page.count('class="sentence"') == 1
    assert re.findall("<dt>(.*?)</dt>", articles(page)) == ["run.02", "sleep.01"]


def test_a_frame_across_a_sentence_boundary_is_below_its_predicate():
    doc = NLP("Ann ran. She slept.")
    set_frames(doc, [Frame(1, 2, [Argument(3, 4, "ARG0")])])
    page = render_page([doc])
    assert page.index("<dt>ran</dt>") < page.rindex('class="sentence"')
    assert "<b>ARG0</b>&nbsp;She</mark>" in page


def test_only_what_a_document_has_is_shown(doc: Doc):
    set_clusters(doc, [])
    only_frames = render_page([doc])
    assert 'class="cluster ' not in only_frames and "mention" not in articles(only_frames)
    assert articles(only_frames).count("<dt>") == 2
    set_clusters(doc, [[(0, 2), (4, 5)]])
    set_frames(doc, [])
    only_clusters = render_page([doc])
    assert 'class="cluster ' in only_clusters
    assert "<dl" not in articles(only_clusters)


@pytest.mark.parametrize(("style", "mentions", "frames"), [("coref", 2, 0), ("srl", 0, 2), ("both", 2, 2)])
def test_styles(doc: Doc, style: Style, mentions: int, frames: int):
    page = articles(render_page([doc], style=style))
    assert (page.count('class="mention'), page.count('class="frame"')) == (mentions, frames)
    assert page.count('class="number') == (2 if style == "both" else 0)


def test_an_unknown_style_is_named():
    with pytest.raises(ValueError, match=r"no style 'ent'.*coref, srl, both"):
        Page(style="ent")  # type: ignore[arg-type]


def test_prefixes_are_followed(doc: Doc):
    set_clusters(doc, [[(0, 2), (4, 5)]], prefix="mine")
    set_frames(doc, [Frame(2, 3, [], "go.01")], prefix="roles")
    page = render_page([doc], cluster_prefix="mine", frame_prefix="roles")
    assert re.findall("<dt>(.*?)</dt>", articles(page)) == ["go.01"]
    assert page.count('class="mention') == 2
    assert "mention" not in articles(render_page([doc], cluster_prefix="other"))


def test_sentences_have_addresses_also_in_a_part_and_in_the_second_document(doc: Doc):
    page = articles(render_page([doc[5:6], doc]))
    assert re.findall('class="sentence" id="(.*?)"', page) == ["s2", "d2s1", "d2s2"]


def test_roles_that_occur_are_explained(doc: Doc):
    lose = Frame(6, 7, [Argument(4, 5, "R-ARG0"), Argument(5, 6, "ARGM-TMP"), Argument(7, 9, "Theme")], "lose.02")
    set_frames(doc, [Frame(2, 3, [Argument(0, 2, "ARG0")]), lose])
    roles = re.findall('<li><span class="rolename .*?">(.*?)</span> (.*?) ?<small>(.)</small>', render_page([doc]))
    assert roles == [("ARG0", ROLES["ARG0"], "2"), ("ARGM-TMP", ROLES["ARGM-TMP"], "1"), ("Theme", "", "1")]
    assert "rolename" not in articles(render_page([doc], style="coref"))


def test_auxiliaries_are_marked(doc: Doc):
    set_frames(doc, [Frame(2, 3, [], "leave.01"), Frame(5, 6, [], "have.01")])
    assert re.findall('class="frame( auxiliary)?"', articles(render_page([doc]))) == ["", " auxiliary"]


def test_of_a_part_whole_sentences_are_shown(doc: Doc):
    page = render_page([doc[5:6]])
    assert re.findall("<dt>(.*?)</dt>", articles(page)) == ["lose.02"]
    assert re.findall(r'data-n="1" data-m="(\d)">', page) == ["1", "1"]  # in the text and in the frame


def test_a_page_of_one_document_has_its_title(doc: Doc):
    assert "<title>At sea</title>" in render_page([doc])
    assert "<title>Clusters and frames</title>" in render_page([doc, doc])


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


def test_lines_of_a_part_are_those_of_its_document():
    doc = NLP("Age\tCity\n31\tLeeds\n\nShe left.")
    page = articles(render_page([doc[-2:]], style="srl"))
    assert re.search('<mark class="row">Age\tCity</mark>\\s+<br><mark class="row">31\tLeeds</mark>', page)


def test_headings_stand_apart():
    words = ["Tea", "Time", "\n\n", "She", "left", "."]
    doc = Doc(
        NLP.vocab,
        words=words,
        spaces=[True, False, False, True, False, False],
        sent_starts=[i in (0, 3) for i in range(6)],
    )
    page = articles(render_page([doc]))
    assert '<mark class="heading" role="heading" aria-level="3">Tea Time</mark>' in page
    assert re.findall('class="sentence( apart)?"', page) == ["", " apart"]


def test_text_from_documents_is_escaped():
    attack = "<script>alert(1)</script>"
    doc = Doc(NLP.vocab, words=[attack, attack, attack], sent_starts=[True, False, False])
    set_title(doc, attack)
    set_speakers(doc, [(0, 3, attack)])
    set_clusters(doc, [[(0, 1), (1, 2)]])
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, attack)], attack), Frame(2, 3, [Argument(1, 2, f'">{attack}')])])
    page = render_page([doc])
    assert "<script" not in articles(page)
    # The title, twice, legends, speaker, text, and the boxes, roles (shown and as data) and names of frames.
    assert page.count("&lt;script&gt;") == 19


def test_documents_without_annotation_or_text_are_shown():
    page = render_page([WITHOUT_SENTENCES("Ann left. She ran."), NLP("")])
    assert page.count("<article ") == 2
    assert "Ann left. She ran." in page
    assert "<h2>Document 2</h2>" in page


def test_a_page_without_documents_is_complete():
    assert render_page([]).startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("place", [0, 4, 9, 10])
def test_spans_without_tokens_are_not_shown(doc: Doc, place: int):
    expected = render_page([doc], singletons=True)
    clusters = [(0, 2), (4, 5)]
    put_spans(doc, "coref_clusters_1", (place, place), *clusters)
    put_spans(doc, "coref_clusters_2", (place, place))
    put_spans(
        doc, "srl_2", *[(span.start, span.end, span.label_) for span in doc.spans["srl_2"]], (place, place, "ARG2")
    )
    doc.spans["srl_2"].attrs["roleset"] = "lose.02"
    put_spans(doc, "srl_3", (place, place, "V"), (0, 1, "ARG0"))
    put_spans(doc, "speakers", (place, place, "Bob"))
    assert render_page([doc], singletons=True) == expected


@pytest.fixture
def saying() -> Doc:
    saying = NLP("Ann saw herself. “Größe!”")
    set_clusters(saying, [[(0, 1), (2, 3)]])
    set_frames(saying, [Frame(1, 2, [Argument(0, 1, "ARG0")], "see.01")])
    return saying


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


def test_a_page_is_that_of_the_command_line(saying: Doc):
    assert render(saying, page=True) == render([saying], page=True) == render_page([saying])


def test_markup_is_a_frame_with_the_page(saying: Doc):
    markup = render(saying)
    assert markup is not None and markup.isascii()
    assert content(markup) == render_page([saying])
    assert_nothing_is_blocked(content(markup))
    assert 'sandbox="allow-scripts allow-downloads"' in markup


def test_styles_and_prefixes(saying: Doc):
    page = render(saying, "srl", page=True)
    assert page is not None and 'class="mention' not in page and "<dt>see.01</dt>" in page
    set_clusters(saying, [[(0, 1), (2, 3)]], prefix="mine")
    assert 'class="frame"' not in str(render(saying, style="coref", page=True, cluster_prefix="mine"))
    with pytest.raises(ValueError, match="no style 'dep'"):
        render(saying, style="dep")  # type: ignore[arg-type]


def test_a_part_is_shown_alone(saying: Doc):
    page = str(render(next(iter(saying.sents)), page=True))
    assert "herself" in page and "Größe" not in page


def test_a_notebook_shows_it_in_the_cell(saying: Doc, shown: list[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(page_module, "is_in_jupyter", lambda: True)
    assert render(saying) is None
    assert [content(markup) for markup in shown] == [render_page([saying])]
    assert render(saying, jupyter=False) is not None
    assert len(shown) == 1


def test_elsewhere_it_is_shown_on_request(saying: Doc, shown: list[str]):
    assert render(saying, page=True, jupyter=True) is None
    assert len(shown) == 1


def test_a_frame_is_as_high_as_its_page_up_to_a_limit(saying: Doc):
    def height(markup: str | None) -> int:
        return int(re.findall(r'height="(\d+)"', str(markup))[0])

    set_title(saying, '<div class="sentence">' * 100)
    assert (
        height(render(saying, "coref"))
        < height(render(saying))
        < height(render([saying] * 2))
        < height(render([saying] * 99))
        == 640
    )


@pytest.mark.parametrize("docs", [["Ann left."], [None], [{"text": "Ann left."}], None, 5])
def test_other_things_than_documents_are_named(docs: Any):
    with pytest.raises(
        ValueError, match=r"docs\[0\], which is of type (str|NoneType|dict|int); expected a Doc or a Span"
    ):
        render(docs)
