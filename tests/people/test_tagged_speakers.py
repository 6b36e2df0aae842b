"""Two speakers whose tags follow each other."""

from __future__ import annotations

import pytest

from spacy_span_selector.documents.cleaned import clean_doc
from spacy_span_selector.people.clustering import read_forms
from spacy_span_selector.people.co_arguments import NOTHING
from spacy_span_selector.people.scenes import find_in_words, outer_quotations
from spacy_span_selector.people.tagged_speakers import TURN, with_tagged_speakers

from ..words import place, read_words


def find_apart(text: str, speakers: list[str]) -> dict[int, dict[int, str]]:
    """Which of the speakers, each a different phrase of the text, are two."""
    cleaned = clean_doc(read_words(text))
    mentions = [place(cleaned.doc, speaker) for speaker in speakers]
    forms = read_forms(cleaned.doc, mentions)
    return with_tagged_speakers(cleaned, outer_quotations(find_in_words(cleaned)), mentions, forms, NOTHING).apart


@pytest.mark.parametrize(
    ("text", "first", "second", "are_two"),
    [
        ('"I am here , " said the smith . "So am I , " the cook said .', "the smith", "the cook", True),
        ('"I am here , " said Ann Lee . "So am I , " the cook said .', "Ann Lee", "the cook", True),
        ('"I am here , " said the old cook . "So am I , " the cook said .', "the old cook", "the cook", False),
        ('"I am here , " said the smith . "So am I , " she said .', "the smith", "she", False),
        ('"I am here , " said the smith . "So am I . " The cook sat .', "the smith", "The cook", False),
    ],
)
def test_two_nouns_or_names_in_tags_in_a_row_are_two(text: str, first: str, second: str, are_two: bool) -> None:
    found = find_apart(text.replace('"', ' " '), [first, second])
    assert found == ({1: {0: TURN}} if are_two else {})
    assert NOTHING.apart == {}
