"""What pages do in a real browser."""

import csv
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector import annotation, render
from spacy_span_selector.annotation import Argument, Frame, Quotation
from spacy_span_selector.annotation.glossary import ROLES

from ...browser import OpenPage
from ...untrained import pipeline_of
from .pages import render_page
from .test_html_page import ATTACKS, attacked_doc

NLP = pipeline_of("en", "sentencizer")
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
Show = Callable[..., Any]


def make_doc(title: str = "At sea") -> Doc:
    """Ann: 0, 4, 9; the ship: 2-4, 7-9 with "her" in it; frames of "saw" and "sold"."""
    doc = NLP("Ann saw the ship. She sold her old ship to Bob.")
    annotation.set_title(doc, title)
    ann, ship = [(0, 1), (5, 6), (7, 8)], [(2, 4), (7, 10)]
    links, antecedents = [[1.0, 0.5, 0.25], [0.99, 0.125]], [[None, (0, 1), (5, 6)], [None, (2, 4)]]
    scores = [[0.95, 0.9, 0.8], [0.7, 0.6]]
    annotation.set_clusters(doc, [ann, ship], scores=scores, link_scores=links, antecedents=antecedents)
    saw = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 4, "ARG1")], "see.01", [1.0, 0.9, 0.8])
    sold = [Argument(5, 6, "ARG0"), Argument(7, 10, "ARG1"), Argument(10, 12, "ARG2")]
    annotation.set_frames(doc, [saw, Frame(6, 7, sold, "sell.01", [1.0, 0.9, 0.8, 0.7])])
    return doc


@pytest.fixture
def show(open_page: OpenPage) -> Show:
    """Opens the page of documents, by default that of `make_doc`."""
    return lambda *docs, **options: open_page(render_page(docs or [make_doc()]), **options)


def texts(page: Any, selector: str) -> list[str]:
    """The words of what is shown."""
    found = page.evaluate(
        "(all) => [...document.querySelectorAll(all)].filter((e) => e.checkVisibility()).map((e) => e.textContent)",
        selector,
    )
    return [" ".join(text.split()) for text in found]


def card(page: Any) -> str:
    """What is said of a mention or an argument."""
    return " ".join(page.locator("#card p").inner_text().split()) if page.locator("#card").is_visible() else ""


def test_a_mention_lights_up_its_cluster_and_its_antecedent(show: Show) -> None:
    page = show()
    page.hover(".mention >> text=She")
    assert texts(page, ".mention.lit") == ["Ann", "She", "her"]
    assert texts(page, ".mention.here") == ["She"]
    assert texts(page, ".mention.antecedent") == ["Ann"]
    assert texts(page, ".cluster.lit") == ["Ann 3 female"]
    assert card(page) == "1 Ann mention 2 of 3 She is a mention: 90% refers to Ann: 50%"
    assert page.locator("#link path").get_attribute("d")
    page.hover("h2")
    assert texts(page, ".lit, .here, .antecedent") == []
    assert card(page) == ""
    page.hover(".mention >> text=the ship")
    assert card(page) == "2 her old ship mention 1 of 2 the ship is a mention: 70% is the first: 99%"


def test_arguments_and_their_numbers_say_what_they_are(show: Show) -> None:
    doc = make_doc()
    doc.spans["srl_1"].attrs |= {"roleset_name": "view", "descriptions": {"ARG0": "<viewer>"}}  # of a lexicon
    page = show(doc)
    page.hover(".role[data-role=ARG0] >> nth=0", position={"x": 4, "y": 8})
    assert card(page) == "ARG0 <viewer> Ann of see.01: view 90%"
    page.hover(".frame:has-text('sell.01') .number >> nth=1")
    assert texts(page, ".mention.here") == ["her old ship"]
    page.hover(".role:has-text('to Bob')")
    assert card(page) == f"ARG2 {ROLES['ARG2']} to Bob of sell.01 70%"


def test_what_is_not_known_or_elsewhere_is_not_said(show: Show) -> None:
    doc = Doc(NLP.vocab, words=["Ann", "saw", "her", "."])
    annotation.set_clusters(doc, [[(0, 2), (3, 4)], [(1, 3), (3, 4)]])
    page = show(doc)
    page.hover(".mention.more")  # the second box of a mention that crosses another one
    assert texts(page, ".mention.here") == ["saw", "her"]
    assert card(page) == "2 saw her mention 1 of 2 saw her"
    doc = make_doc()
    annotation.set_frames(doc, [Frame(6, 7, [Argument(0, 1, "ARG0")])])
    page = show(doc[6:7])
    page.hover(".mention >> text=She")
    assert card(page) == "1 Ann mention 2 of 3 She is a mention: 90% refers to …: 50%"
    page.click(".number")
    assert card(page) == "1 Ann mention 1 of 3 … is a mention: 95% is the first: 100%"
    annotation.set_frames(doc, [])
    page = show(doc[6:7])
    page.hover(".mention >> text=She")
    assert card(page) == "1 Ann mention 1 of 2 She is a mention: 90% refers to a mention elsewhere: 50%"


def test_clicks_walk_through_the_mentions(show: Show) -> None:
    page = show()
    page.click(".mention >> text=Ann")
    for expected in ("She", "her", "Ann"):
        page.mouse.move(0, 0)
        page.click(".mention.here", position={"x": 3, "y": 8})
        assert texts(page, ".mention.here") == [expected]
    for button, expected in ((0, ["her"]), (1, ["Ann"]), (2, [])):
        page.click(f"#walk button >> nth={button}")
        assert texts(page, ".mention.here") == expected
    for place, words in ((1, "the ship"), (2, "her old ship"), (1, "the ship")):
        page.click(".cluster >> nth=1")
        assert texts(page, ".mention.here") == [words]
        assert f"mention {place} of 2" in card(page)
        page.hover("h2")
        page.hover(".cluster >> nth=1")
        assert texts(page, ".mention.here") == [words]


@pytest.mark.parametrize("options", [{}, PHONE], ids=["mouse", "finger"])
def test_the_people_lead_to_their_mentions(show: Show, options: dict[str, Any]) -> None:
    doc = NLP("The ship saw Bob. Ann said she lost it. She slept.")
    annotation.set_clusters(doc, [[(0, 2), (9, 10)], [(5, 6), (7, 8), (11, 12)]])
    page = show(doc, **options)
    assert texts(page, ".legend h3, .legend .cluster") == ["People", "Ann 3 female", "Other clusters", "The ship 2"]
    for expected in ("Ann", "she", "She"):
        (page.tap if options else page.click)("ol .cluster")
        assert texts(page, ".mention.here") == [expected]
        assert card(page).startswith("2 Ann mention ")
    assert page.locator("#cluster option").all_text_contents() == ["All clusters", "2 Ann (3)", "1 The ship (2)"]


def test_keys(show: Show) -> None:
    page = show()
    page.focus(".cluster >> nth=1")
    page.keyboard.press("Tab")
    assert texts(page, ".mention.here") == ["Ann"]
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.className") == "cluster k1 line0"
    page.keyboard.press("Escape")
    for key, expected in [
        ("n", "Ann"),
        ("ArrowRight", "the ship"),
        ("Enter", "her old ship"),
        ("ArrowRight", "her"),
        ("p", "She"),
        ("n", "her"),
        ("ArrowLeft", "her old ship"),
    ]:
        page.keyboard.press(key)
        assert texts(page, ".mention.here") == [expected]
        assert page.evaluate("document.activeElement.classList.contains('here')")
    page.keyboard.press("Escape")
    assert card(page) == ""
    page.keyboard.press("/")
    page.keyboard.type("np")
    assert page.input_value("#query") == "np"
    doc = Doc(spacy.blank("he").vocab, words=["א", "ב", "ג"])
    annotation.set_clusters(doc, [[(0, 1), (1, 2), (2, 3)]])
    page = show(doc)
    for key, expected in (("n", "א"), ("ArrowLeft", "ב"), ("ArrowRight", "א")):  # arrows follow the script
        page.keyboard.press(key)
        assert texts(page, ".mention.here") == [expected]


def test_search_finds_words_across_boxes(show: Show) -> None:
    page = show()
    page.fill("#query", "SOLD her  old")
    assert page.inner_text("#hits") == "1 of 1"
    assert page.evaluate("[...CSS.highlights.get('hits')].map(String)") == ["sold her old"]
    page.fill("#query", "ship")
    assert page.inner_text("#hits") == "1 of 2"
    for key, hits in (("Enter", "2 of 2"), ("Enter", "1 of 2"), ("Shift+Enter", "2 of 2")):
        page.press("#query", key)
        assert page.inner_text("#hits") == hits
    page.fill("#query", "a(b[*")
    assert page.inner_text("#hits") == "0 found"
    page.press("#query", "Escape")
    assert (page.input_value("#query"), page.inner_text("#hits")) == ("", "")


def test_search_takes_one_quotation_mark_for_another_and_typing_leads_to_the_first_hit(show: Show) -> None:
    page = show(NLP('“I don’t see” and "I don\'t see".'))
    for query in ("don't", "don’t see", '"I', "“I"):
        page.fill("#query", query)
        assert page.inner_text("#hits") == "1 of 2"
    page = show(NLP("Ann ran. " * 200 + "Bob slept."))
    page.locator("#query").press_sequentially("bob")
    assert page.inner_text("#hits") == "1 of 1"
    assert page.evaluate("[...CSS.highlights.get('hit')].map(String)") == ["Bob"]
    assert page.evaluate("[...CSS.highlights.get('hit')][0].getBoundingClientRect().top") < 860


def test_auxiliaries_are_shown_on_request_and_frames_can_be_hidden(show: Show) -> None:
    doc = make_doc()
    annotation.set_frames(doc, [Frame(1, 2, [], "see.01"), Frame(6, 7, [], "have.01")])
    page = show(doc)
    offered = "[...document.querySelectorAll('#predicate option')].map((o) => o.label)"
    assert texts(page, ".frame dt") == ["see.01"]
    assert page.evaluate(offered) == ["All predicates", "see.01 (1)"]
    page.check("#auxiliaries input")
    assert texts(page, ".frame dt") == ["see.01", "have.01"]
    assert page.evaluate(offered) == ["All predicates", "have.01 (1)", "see.01 (1)"]
    page.uncheck("#frames input")
    assert texts(page, ".frame") == []


def test_a_sentence_has_a_link(show: Show) -> None:
    page = show()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.hover(".text >> nth=1", position={"x": 2, "y": 8})
    page.click("#place")
    assert page.url.endswith("#s2") and card(page) == "Link copied #s2"
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert texts(page, ".sentence:target .text") == ["She sold her old ship to Bob."]
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.wait_for_url("**#s1")


def download(page: Any, button: str) -> Any:
    """What a page saves, an object that it has made itself."""
    with page.expect_download() as saved:
        page.click(button)
    page.problems.clear()
    return saved.value


def test_what_is_shown_is_a_table_to_download(show: Show) -> None:
    page = show(make_doc("At, sea"))
    page.select_option("#role", "ARG2")
    saved = download(page, "#table")
    assert saved.suggested_filename == "At-sea.csv"
    header, *rows = csv.reader(saved.path().read_text("utf-8-sig").splitlines())
    assert header == ["document", "sentence", "what", "name", "role", "text", "cluster"]
    assert {tuple(row[:2]) for row in rows} == {("At, sea", "s2")}
    assert [row[2:] for row in rows] == [
        ["text", "", "", "She sold her old ship to Bob.", ""],
        ["mention", "Ann", "", "She", "1"],
        ["mention", "her old ship", "", "her old ship", "2"],
        ["mention", "Ann", "", "her", "1"],
        ["argument", "sell.01", "ARG0", "She", "1"],
        ["argument", "sell.01", "V", "sold", ""],
        ["argument", "sell.01", "ARG1", "her old ship", "2"],
        ["argument", "sell.01", "ARG2", "to Bob", ""],
    ]


def test_a_table_has_no_formulas(show: Show) -> None:
    saved = download(show(make_doc("=1+1")), "#table")
    _, first, *_ = csv.reader(saved.path().read_text("utf-8-sig").splitlines())
    assert first[0] == "'=1+1"


def picture(page: Any) -> tuple[str, list[ElementTree.Element]]:
    """The picture that a page saves: the name of its file, and what it draws."""
    saved = download(page, "#picture")
    root = ElementTree.parse(saved.path()).getroot()
    return saved.suggested_filename, [element for element in root if element is not root]


def words_of(drawn: list[ElementTree.Element]) -> str:
    return " ".join(element.text or "" for element in drawn if element.tag.endswith("text"))


SECOND = "1 She sold 2 1 her old ship to Bob."
SECOND_FRAME = f"{SECOND} sell.01 ARG0 1 She V sold ARG1 2 her old ship ARG2 to Bob"


def test_what_is_in_view_is_a_picture_to_download(show: Show) -> None:
    doc = make_doc()
    doc.spans["srl_1"].attrs |= {"roleset_name": "view"}
    page = show(doc)
    name, drawn = picture(page)
    assert name == "At-sea.svg"
    assert words_of(drawn) == f"1 Ann saw 2 the ship . see.01 view ARG0 1 Ann V saw ARG1 2 the ship {SECOND_FRAME}"
    strokes = {element.get("stroke") for element in drawn if element.tag.endswith("line")}
    assert {"rgb(6, 61, 228)", "rgb(3, 166, 1)"} <= strokes  # of both clusters
    page.uncheck("#frames input")
    page.select_option("#predicate", "sell.01")
    assert words_of(picture(page)[1]) == SECOND
    page = show(*(make_doc(f"Number {i}") for i in range(30)))  # what is selected, wherever it is
    page.evaluate("scrollTo(0, 0); getSelection().selectAllChildren(document.querySelector('#d30s2 .text'))")
    assert words_of(picture(page)[1]) == SECOND_FRAME


def test_on_a_phone_filters_stay_and_nothing_covers_the_help(show: Show) -> None:
    doc = NLP("Ann saw the ship. She left. " * 40)
    annotation.set_clusters(doc, [[(0, 1), (5, 6)]])
    annotation.set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "see.01")])
    page = show(doc, **PHONE)
    page.locator("#keys summary").tap()
    box = page.locator("#keys dl").bounding_box()
    covered = """({ x, y, width, height }) => [...Array(20).keys()].some((i) =>
      !document.elementFromPoint(x + width / 2, y + (i + 0.5) * height / 20).closest("#keys"))"""
    assert not page.evaluate(covered, box)
    assert "tap" in page.inner_text("#keys dl") and "→" not in page.inner_text("#keys dl")
    page.evaluate("scrollTo(0, 1500)")
    top, bottom = extent(page, "#role")
    assert 0 <= top < bottom < 110


def extent(page: Any, selector: str) -> list[float]:
    """The top and the bottom of an element in the window."""
    box = "(all) => (({ top, bottom }) => [top, bottom])(document.querySelector(all).getBoundingClientRect())"
    found: list[float] = page.evaluate(box, selector)
    return found


def test_filters(show: Show) -> None:
    other = NLP("Bob ran.")
    annotation.set_title(other, "Ashore")
    page = show(make_doc(), other)
    saw, sold = "Ann saw the ship.", "She sold her old ship to Bob."
    for choice, value, sentences, frames in [
        ("cluster", "0 2", [saw, sold], ["see.01", "sell.01"]),
        ("predicate", "see.01", [saw], ["see.01"]),
        ("role", "ARG2", [sold], ["sell.01"]),
        ("document", "1", ["Bob ran."], []),
    ]:
        page.select_option(f"#{choice}", value)
        assert (texts(page, ".text"), texts(page, ".frame dt")) == (sentences, frames)
        assert page.inner_text("#count") == f"{len(sentences)} of 3 sentences"
        page.select_option(f"#{choice}", "")
        assert (len(texts(page, ".text")), page.inner_text("#count")) == (3, "")


def test_there_is_a_choice_only_where_there_are_several(show: Show) -> None:
    assert texts(show(NLP("Ann left.")), "#tools select, #frames") == []
    both = show(make_doc("one"), make_doc("two"))
    labels = "(all) => [...document.querySelectorAll(all)].map((o) => o.label)"
    assert both.evaluate(labels, "#document option") == ["All documents", "one", "two"]
    assert both.evaluate(labels, "#cluster optgroup") == ["one", "two"]
    both.click("#keys summary")
    assert texts(both, "#auxiliaries, #speaker, #quotations") == []
    both.keyboard.press("q")
    assert card(both) == ""


def test_walking_stays_in_what_is_shown(show: Show) -> None:
    page = show()
    page.select_option("#role", "ARG2")
    page.click(".mention >> text=She")
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert texts(page, ".mention.here") == ["She"]
    page.select_option("#role", "")
    page.keyboard.press("Escape")
    page.click(".cluster >> nth=0")
    page.select_option("#role", "ARG2")
    assert card(page) == ""


def test_themes(show: Show) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    colors = {"light": "rgb(253, 252, 250)", "dark": "rgb(23, 24, 28)"}
    for scheme, other in (("light", "dark"), ("dark", "light")):
        page = show(color_scheme=scheme)
        assert page.evaluate(paper) == colors[scheme]
        page.click("#theme")
        assert page.evaluate(paper) == colors[other]


def test_the_lines_of_a_text_are_seen(show: Show) -> None:
    lines = ["The Tyger", "Tyger Tyger, burning bright,", "  In the forests of the night;", "What hand", "A\tB", "C\tD"]
    page = show(NLP("{}\n\n{}\n{}\n{}\n\n{}\n{}".format(*lines)))
    seen = page.locator(".text").all_inner_texts()
    assert [line for line in "\n".join(seen).split("\n") if line.strip()] == lines
    wrapped = NLP("Ann went to the town where Tom Smith was waiting for her and Bob\nas he had told her.")
    assert "\n" not in show(wrapped).inner_text(".text")


def test_on_a_phone_nothing_is_wider_than_the_screen(show: Show) -> None:
    doc = Doc(NLP.vocab, words=["Ann", "a" * 300, "saw", "b" * 300, "."], sent_starts=[True, *[False] * 4])
    annotation.set_title(doc, "c" * 300)
    annotation.set_clusters(doc, [[(0, 2), (3, 4)], *([(0, 1), (i, i + 1)] for i in range(1, 4))])
    annotation.set_frames(doc, [Frame(2, 3, [Argument(0, 2, "d" * 100), Argument(3, 4, "ARG1")], "e" * 100)])
    page = show(doc, make_doc(), **PHONE)
    page.locator(".mention >> text=She").tap()
    assert card(page).startswith("1 Ann mention 2 of 3")
    page.locator(".mention.here").tap()
    assert texts(page, ".mention.here") == ["her"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    box = page.locator("#card").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_what_texts_contain_is_shown_and_not_run_also_in_a_picture(show: Show) -> None:
    page = show(*map(attacked_doc, ATTACKS))
    page.evaluate("getSelection().selectAllChildren(document.querySelector('main'))")
    _, drawn = picture(page)
    assert {element.tag.partition("}")[2] for element in drawn} == {"rect", "line", "text"}
    assert all(len(element) == 0 for element in drawn)
    page.keyboard.press("n")
    page.hover(".role >> nth=1")
    for number, attack in enumerate(ATTACKS):
        assert "".join(attack.split()) in words_of(drawn).replace(" ", "")
        page.fill("#query", attack)
        page.select_option("#role", attack)
        assert attack in page.inner_text(f"article >> nth={number}")
        assert page.locator("h2").nth(number).inner_text() == attack
    assert page.evaluate("document.querySelectorAll('script, img, iframe, meta[http-equiv=refresh]').length") == 1


def test_the_policy_stops_markup_that_is_not_escaped(open_page: OpenPage) -> None:
    markup = "<img src=x onerror='alert(1)'><b style='color: red' onclick='alert(2)'>b</b><script>alert(3)</script>"
    page = open_page(render_page([make_doc("{}")]).replace("<h2>{}", f"<h2>{markup}"))
    page.click("h2 b")
    blocked = [problem for problem in page.problems if "Content Security Policy" in problem]
    for directive in ("img-src", "style-src", "script-src"):
        assert any(directive in problem for problem in blocked)
    (image,) = {*page.problems} - {*blocked}  # it is wanted, and blocked
    assert image.startswith("request: file:")
    page.problems.clear()


def test_without_script_documents_are_shown(show: Show) -> None:
    page = show(java_script_enabled=False)
    assert page.locator("#tools").is_hidden() and page.locator("#card").is_hidden()
    assert page.locator(".text >> nth=0").is_visible() and page.locator(".frame >> nth=0").is_visible()


def test_many_clusters_and_sentences(show: Show) -> None:
    words = [f"w{i}" for i in range(6000)]
    doc = Doc(NLP.vocab, words=words, sent_starts=[i % 4 == 0 for i in range(6000)])
    annotation.set_clusters(doc, [[(start, start + 1) for start in range(i, 6000, 100)] for i in range(100)])
    page = show(doc)
    page.click(".cluster >> nth=99")
    for key, expected in (("p", "w5999"), ("n", "w99"), ("n", "w199"), ("p", "w99"), ("p", "w5999")):
        page.keyboard.press(key)
        page.wait_for_timeout(20)
        assert texts(page, ".mention.here") == [expected]
        top, bottom = extent(page, ".mention.here")
        assert top > 60 and bottom < 800
    looks = "new Set([...document.querySelectorAll('.cluster')].map((e) => e.classList[1] + e.classList[2])).size"
    assert page.evaluate(looks) == 32


def make_quotations() -> Doc:
    """Ann speaks in the second and the third sentence, Bob in the fifth; nobody knows who says the last words."""
    text = 'Ann met Bob . " Where is my map ? You had it ! " cried Ann . " Here " , he said . " Oh " .'
    doc = Doc(NLP.vocab, words=text.split(), sent_starts=[i in (0, 4, 10, 15, 18, 25) for i in range(29)])
    annotation.set_clusters(doc, [[(0, 1), (7, 8), (16, 17)], [(2, 3), (10, 11), (22, 23)]])
    ann, bob = (16, 17), (22, 23)
    where = Quotation(4, 15, speaker=ann, addressee=bob, score=0.9)
    annotation.set_quotations(doc, [where, Quotation(18, 21, speaker=bob), Quotation(25, 28)])
    return doc


def test_a_quotation_shows_who_speaks_to_whom(show: Show) -> None:
    page = show(make_quotations())
    page.hover(".quote >> text=Where is")
    assert card(page) == '1 Ann says " Where is my map ? You had it ! " to 2 Bob is the speaker: 90%'
    assert texts(page, ".quote.lit") == ['" Where is my map ?', 'You had it ! "']
    assert texts(page, ".mention.antecedent") == ["Ann"]
    page.hover(".quote >> text=Oh")
    assert card(page) == 'Somebody says " Oh "'
    page.hover("h2")
    assert (card(page), texts(page, ".lit, .antecedent")) == ("", [])
    page.hover(".cluster >> text=Bob")
    assert texts(page, ".quote.lit") == ['" Here "']


def test_what_a_person_says_can_be_chosen(show: Show) -> None:
    page = show(make_quotations())
    assert page.locator("#speaker option").all_inner_texts() == ["All speakers", "1 Ann (1)", "2 Bob (1)"]
    page.select_option("#speaker", "2 Bob (1)")
    assert texts(page, ".sentence") == ['" Here " , he said .']
    page.click(".says >> nth=0")
    assert page.input_value("#speaker") == "0 1 "
    assert len(texts(page, ".sentence")) == 2
    page.click(".says >> nth=0")
    assert len(texts(page, ".sentence")) == 6


def test_keys_walk_through_the_quotations_that_are_shown(show: Show) -> None:
    page = show(make_quotations())
    for key, expected in (("q", "1 Ann says"), ("q", "2 Bob says"), ("Q", "1 Ann says"), ("Q", "Somebody says")):
        page.keyboard.press(key)
        assert card(page).startswith(expected)
    page.keyboard.press("Escape")
    assert card(page) == ""
    page.select_option("#speaker", "2 Bob (1)")
    page.locator("#speaker").blur()
    for _ in range(2):
        page.keyboard.press("q")
        assert card(page).startswith("2 Bob says")


def test_a_finger_shows_who_speaks(show: Show) -> None:
    page = show(make_quotations(), **PHONE)
    page.locator(".quote[data-q='1']").tap()
    assert card(page) == '2 Bob says " Here "'
    page.locator("h2").tap()
    assert card(page) == ""
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_in_a_notebook_the_page_stands_in_a_frame(open_page: OpenPage) -> None:
    host = f"<!DOCTYPE html><title>Notebook</title><p>Cell</p>{render(make_doc('Größe'), jupyter=False)}"
    page = open_page(host)
    frame = page.frame_locator("iframe")
    frame.locator(".mention >> text=She").hover()
    assert "refers to" in frame.locator("#card p").inner_text()
    assert frame.locator("h2").inner_text() == "Größe"
    assert page.frames[1].evaluate("origin") == "null"
