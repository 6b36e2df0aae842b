import re
from html.parser import HTMLParser
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import Quotation, set_clusters, set_quotations
from spacy_span_selector.tools.rendering import Style

from .pages import render_page
from .test_page import articles

VOCAB = spacy.blank("en").vocab
TEXT = '" Where is he ? I lost him ! " cried the old elder .'
ELDER = (11, 14)


def make_doc(*quotations: Quotation) -> Doc:
    """Three sentences: two of a quotation, and who says it."""
    words = TEXT.split()
    doc = Doc(VOCAB, words=words, sent_starts=[i in (0, 5, 10) for i in range(len(words))])
    set_clusters(doc, [[(5, 6), ELDER], [(3, 4), (7, 8)]])
    set_quotations(doc, quotations)
    return doc


@pytest.fixture
def doc() -> Doc:
    return make_doc(Quotation(0, 10, speaker=ELDER, addressee=(3, 4), score=0.9))


class Boxes(HTMLParser):
    """The boxes of quotations in a page, each with its classes, its data and its words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[list[Any]] = []
        self.open: list[list[Any]] = []
        self.feed(articles(page))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "mark":
            known = {name: value or "" for name, value in attrs}
            kind, look = known.pop("class").split(maxsplit=1)
            self.open.append([look, known, ""])
            self.found += [self.open[-1]] * (kind == "quote")

    def handle_endtag(self, tag: str) -> None:
        if tag == "mark":
            self.open.pop()

    def handle_data(self, data: str) -> None:
        for box in self.open:
            box[2] += data


def test_each_sentence_has_its_part_in_the_colour_of_the_speaker(doc: Doc) -> None:
    first, second = Boxes(render_page([doc])).found
    data = {"data-q": "0", "data-by": "2", "data-m": "1", "data-speaker": "the old elder", "data-to": "1"}
    data |= {"data-addressee": "he", "data-score": "0.900"}
    assert first == ["k1 line0", data, '" Where is he ?']
    assert second == ["k1 line0 more", data, 'I lost him ! "']


def test_of_a_part_of_a_document_the_first_words_that_are_shown_begin_it(doc: Doc) -> None:
    ((look, _, words),) = Boxes(render_page([doc[6:7]])).found
    assert (look, words) == ("k1 line0", 'I lost him ! "')


def test_a_speaker_that_is_not_shown_has_a_name_alone() -> None:
    doc = make_doc(Quotation(0, 10, speaker=(13, 14)), Quotation(5, 6))
    boxes = Boxes(render_page([doc])).found
    assert [look for look, _, _ in boxes] == ["single", "single more", "single"]
    assert [data for _, data, _ in boxes[1:]] == [{"data-q": "0", "data-speaker": "elder"}, {"data-q": "1"}]


def test_one_within_another_is_the_inner_box() -> None:
    doc = make_doc(Quotation(0, 5, speaker=ELDER), Quotation(1, 4, speaker=(3, 4)))
    outer, inner = Boxes(render_page([doc])).found
    assert (outer[2], inner[2]) == ('" Where is he ?', "Where is he")


def test_the_legend_says_how_many_each_speaks() -> None:
    doc = make_doc(Quotation(0, 5, speaker=ELDER), Quotation(5, 10, speaker=(5, 6)), Quotation(1, 2, speaker=(3, 4)))
    page = render_page([doc])
    assert re.findall(r'<span class="about"><span class="says">(.*?)</span>', page) == ["1 quotation", "2 quotations"]


@pytest.mark.parametrize("style", ["srl", "coref"])
def test_they_are_shown_with_clusters(doc: Doc, style: Style) -> None:
    assert len(Boxes(render_page([doc], style=style)).found) == (2 if style == "coref" else 0)


def test_names_are_escaped() -> None:
    doc = Doc(VOCAB, words=['"', "Go", '"', "said", '"><script>'])
    set_quotations(doc, [Quotation(0, 3, speaker=(4, 5), addressee=(4, 5))])
    page = render_page([doc])
    assert "<script" not in articles(page)
    assert page.count("&quot;&gt;&lt;script&gt;") == 3


def test_a_document_that_is_not_annotated_looks_as_one_without_quotations() -> None:
    annotated, other = make_doc(), make_doc()
    del other.spans["quotations"]
    assert render_page([annotated]) == render_page([other])
    assert "quot" not in re.sub("&quot;", "", articles(render_page([other])))
