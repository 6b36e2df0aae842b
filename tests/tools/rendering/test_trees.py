from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from spacy_span_selector.tools.rendering.trees import SentenceTree, render_tree, render_tree_page

WORDS = ["her", "old", "boat", "sank"]
SVG = "{http://www.w3.org/2000/svg}"


def make_tree(words: list[str] = WORDS, selected: dict[tuple[int, int], float | None] | None = None) -> SentenceTree:
    selected = {(0, 3): 0.91, (0, 1): 0.995} if selected is None else selected
    return SentenceTree("structured_coref", words, selected, np.zeros((len(words), len(words))))


def draw(tree: SentenceTree) -> ElementTree.Element:
    return ElementTree.fromstring(render_tree(tree))


def texts(svg: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in svg.iter(f"{SVG}text")]


def test_words_and_probabilities_are_shown():
    assert texts(draw(make_tree())) == ["0.91", "0.99", *WORDS]


def test_selected_nodes_name_their_span():
    assert [title.text for title in draw(make_tree()).iter(f"{SVG}title")] == ["her old boat", "her"]


def test_other_nodes_of_several_words_are_dots():
    # Root and "old boat"; single words that are not selected are no more than the end of a line.
    assert len(list(draw(make_tree()).iter(f"{SVG}circle"))) == 2


def test_a_selector_without_probabilities_shows_none():
    assert texts(draw(make_tree(selected={(0, 3): None}))) == ["", *WORDS]


def test_nested_spans_are_drawn_nested():
    bands = [band for band in draw(make_tree()).iter(f"{SVG}rect") if band.get("class") == "span"]
    (left, right, top), (inner_left, inner_right, inner_top) = [
        (float(band.get("x", 0)), float(band.get("x", 0)) + float(band.get("width", 0)), float(band.get("y", 0)))
        for band in bands
    ]
    assert left == inner_left < inner_right < right and top < inner_top


def test_lines_do_not_cross():
    rng = np.random.default_rng(0)
    tree = SentenceTree("", ["word"] * 14, {}, rng.random((14, 14)))
    paths = [path.get("d", "") for path in draw(tree).iter(f"{SVG}path")]
    rows = [tuple(map(float, re.findall(r"[\d.]+", path))) for path in paths]
    horizontal = [(min(x, to_x), max(x, to_x), y) for x, y, to_x, _ in rows]
    vertical = [(to_x, y, to_y) for _, y, to_x, to_y in rows]
    assert not any(
        left < x < right and top < y < bottom for left, right, y in horizontal for x, top, bottom in vertical
    )


def test_one_word_is_a_tree():
    assert texts(draw(make_tree(["Yes"], {}))) == ["Yes"]
    assert texts(draw(make_tree(["He"], {(0, 1): 1.0}))) == ["1.00", "He"]


def test_wide_characters_get_more_space():
    def width(word: str) -> float:
        return float(draw(make_tree([word, "."], {})).get("width", 0))

    assert width("日本語日本語") > width("abcdef")


def test_text_is_escaped():
    page = render_tree_page([[make_tree(["<b>", "&"], {(0, 2): 0.5})._replace(component="<i>")]])
    assert "<b>" not in page and "<i>" not in page
    assert "&lt;b&gt; &amp;</title>" in page


def test_page_has_every_sentence_and_component():
    page = render_tree_page([[make_tree(), make_tree()], [make_tree()]], "de")
    assert page.count("<svg") == 3
    assert page.count("<h2>") == 2
    assert '<main lang="de">' in page


def test_crossing_spans_are_refused():
    with pytest.raises(ValueError, match="cross"):
        render_tree(make_tree(selected={(0, 2): 0.5, (1, 3): 0.5}))
