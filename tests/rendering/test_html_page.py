from __future__ import annotations

import re

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_speakers, set_title
from spacy_span_selector.rendering import render_page
from spacy_span_selector.rendering.html_page import color_class, html_page
from spacy_span_selector.rendering.trees import SentenceTree, render_tree_page

from .policy import Page, assert_nothing_is_blocked

ATTACKS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onclick='alert(1)",
    '" style="background: url(//x)',
    "</style><script>",
    '" class="bg-123456 top-99999',
    "{style}{0}",
    '<meta http-equiv="refresh" content="0;url=//x">',
]


def attacked_doc(attack: str) -> Doc:
    doc = Doc(spacy.blank("en").vocab, words=[attack] * 6, sent_starts=[True, False, False, True, False, False])
    set_title(doc, attack)
    set_speakers(doc, [(0, 6, attack)])
    set_clusters(doc, [[(0, 1), (0, 3), (4, 5)], [(1, 3), (2, 3)], [(5, 6)]], names=[attack] * 3)
    roles = [attack, "ARG0", "ARGM-TMP", "A1", "V"]
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, role) for role in roles], attack)])
    return doc


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_page_of_documents_needs_nothing_that_its_policy_forbids(attack: str) -> None:
    page = render_page([attacked_doc(attack), attacked_doc("plain")], singletons=True)
    assert_nothing_is_blocked(page)
    assert {"mark", "dl", "article", "input"} <= set(Page(page).elements)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_page_of_trees_needs_nothing_that_its_policy_forbids(attack: str) -> None:
    tree = SentenceTree(attack, [attack, "b"], {(0, 2): 0.5, (0, 1): 1.0}, np.zeros((2, 2)))
    page = render_tree_page([[tree]], lang=attack)
    assert_nothing_is_blocked(page)
    assert "svg" in Page(page).elements


def test_pages_without_content_need_nothing() -> None:
    assert_nothing_is_blocked(render_page([]))
    assert_nothing_is_blocked(render_tree_page([]))


def test_many_clusters_have_their_colours() -> None:
    doc = Doc(spacy.blank("en").vocab, words=["w"] * 200)
    set_clusters(doc, [[(i, i + 1), (i, 200 - i)] for i in range(100)])
    page = render_page([doc])
    assert_nothing_is_blocked(page)
    assert len({name for name in Page(page).classes if name.startswith("bg-")}) == 100
    assert len({name for name in Page(page).classes if name.startswith("top-")}) > 50


@pytest.mark.parametrize(
    ("color", "name", "rule"),
    [
        ("#ffd54a", "bg-ffd54a", "background: #ffd54a"),
        ("hsl(205, 80%, 86%)", "bg-hsl-205-80-86", "background: hsl(205, 80%, 86%)"),
    ],
)
def test_a_colour_has_a_class(color: str, name: str, rule: str) -> None:
    assert color_class(color) == name
    page = html_page(f'<p class="a {name}"><p class="{name}">', title="t", style="", lang="en")
    assert re.findall(rf"\.{name} .*", page) == [f".{name} {{ {rule} }}"]


def test_only_the_classes_of_the_content_have_rules() -> None:
    page = html_page(
        '<p class="top-7 tall-60">top-8 class=&quot;top-9&quot;', title="t", style="p { top: 0 }", lang="en"
    )
    assert re.search("<style>(.*?)</style>", page, re.DOTALL)[1] == (  # type: ignore[index]
        "\np { top: 0 }\n.tall-60 { height: 60px }\n.top-7 { top: 7px }\n"
    )


def test_head_and_body() -> None:
    page = html_page("<p>{x}", title="<T>", style="", lang='"', direction="rtl")
    assert '<html lang="&quot;">' in page
    assert "<title>&lt;T&gt;</title>" in page
    assert '<body dir="rtl">\n<p>{x}\n</body>' in page


def test_a_language_from_right_to_left_keeps_its_direction() -> None:
    doc = spacy.blank("he")("שלום")
    page = render_page([doc])
    assert ("dir", "rtl") in Page(page).attributes
    assert '<div class="spans" dir="rtl">' in page
