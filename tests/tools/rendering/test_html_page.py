import re

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_speakers, set_title
from spacy_span_selector.tools.rendering import Page as DocPage
from spacy_span_selector.tools.rendering.html_page import html_page, static

from .pages import render_page
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


def test_a_page_without_content_needs_nothing_and_one_with_a_form_may_send_it() -> None:
    assert_nothing_is_blocked(render_page([]))
    page = DocPage()
    page.add(attacked_doc("plain"))
    assert_nothing_is_blocked(page.finish('<form action="/"></form>'), "'self'")


def test_head_and_body() -> None:
    page = html_page("<p>{x} $title", title="<T>$body", style=["page.css"], script="page.js")
    assert "<title>&lt;T&gt;$body</title>" in page
    assert "<body>\n<p>{x} $title\n<script>" in page
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page


@pytest.mark.parametrize("name", ["page.css", "edit.css", "page.js", "edit.js", "documents.js", "theme.js"])
def test_files_can_stand_in_a_page_and_make_no_markup(name: str) -> None:
    """Nothing in them ends their element, and no line ends as a browser would read it differently."""
    content = static(name)
    assert not [found for found in ("</", "<!--", "\r") if found in content]
    making = r"outerHTML|insertAdjacent|document\.write|\beval\b|Function\(|import\("
    assert not re.search(making if name == "documents.js" else rf"innerHTML|{making}", content)
    assert name != "page.js" or "fetch(" not in content


def test_a_language_from_right_to_left_keeps_its_direction() -> None:
    page = render_page([spacy.blank("he")("שלום"), spacy.blank("en")("Ann left.")])
    assert re.findall("<article.*?>", page) == ['<article lang="he" dir="rtl">', '<article lang="en" dir="ltr">']
