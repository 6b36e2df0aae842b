import pytest

from spacy_span_selector.tools.formats.label_studio.reader import Value, find_tokens
from spacy_span_selector.tools.formats.reports import Report

from .helpers import NLP

TEXT = "A 😀 man\nof the Bells left."


def find(start: int, end: int, text: str | None = None) -> tuple[str | None, Report]:
    """The text of the tokens of a region, and what was reported."""
    report = Report()
    doc = NLP(TEXT)
    place = find_tokens(doc, Value(start=start, end=end, text=text, labels=["Mention"]), "task 1", report)
    return None if place is None else doc[place[0] : place[1]].text, report


@pytest.mark.parametrize(
    "start, end, text, found",
    [
        (15, 20, "Bells", "Bells"),
        (15, 20, None, "Bells"),
        (14, 21, " Bells ", "Bells"),
        (4, 10, "man\\nof", "man\nof"),
        (4, 10, "man of", "man\nof"),
        (16, 21, "Bells", "Bells"),  # counted as JavaScript counts
        (2, 4, "😀", "😀"),
    ],
)
def test_regions_are_found_by_their_characters(start: int, end: int, text: str | None, found: str):
    tokens, report = find(start, end, text)
    assert tokens == found
    assert not report.findings


def test_a_region_gets_whole_tokens():
    tokens, report = find(15, 17, "Be")
    assert tokens == "Bells"
    assert report.findings == {
        "Expanded regions that begin or end within a token to the whole token": ["task 1: 'Be' to 'Bells'."]
    }


@pytest.mark.parametrize(
    "start, end, text, message",
    [
        (15, 20, "Wells", "task 1: found 'Bells', expected 'Wells'."),
        (10**30, 10**31, "Bells", "task 1: found '', expected 'Bells'."),
        (8, 8, None, "task 1: found characters 8 to 8 of 26, expected some words."),
        (7, 8, "\n", "task 1: found characters 7 to 8 of 26, expected some words."),
        (20, 15, None, "task 1: found characters 20 to 15 of 26, expected some words."),
        (15, 99, None, "task 1: found characters 15 to 99 of 26, expected some words."),
    ],
)
def test_regions_without_words_are_left_out(start: int, end: int, text: str | None, message: str):
    tokens, report = find(start, end, text)
    assert tokens is None
    assert list(report.findings.values()) == [[message]]
