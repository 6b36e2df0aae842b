"""Coordinations that a plural asks for."""

import numpy as np
import pytest

from spacy_span_selector.annotation import Argument, Frame, set_frames
from spacy_span_selector.annotation.scored_mentions import ScoredMentions
from spacy_span_selector.extensions.frames import doc_frames
from spacy_span_selector.people.coordinations import find_coordinations

from ..words import read_words


def find(text: str, mentions: list[tuple[int, int]], subject: int, linked: dict[int, int] | None = None) -> list[str]:
    """The coordinations that are found where the words up to a verb are its subject."""
    doc = read_words(text)
    set_frames(doc, [Frame(subject, subject + 1, [Argument(0, subject, "ARG0")])])
    count = len(mentions)
    antecedents = np.tile(np.arange(count), (count, 1))
    links = np.full((count, count), -5.0, dtype=np.float32)
    for mention, antecedent in (linked or {}).items():
        links[mention, antecedent] = 3.0
    scored = ScoredMentions(mentions, [0.9] * count, antecedents, links, 0.0, set(), "m")
    return [doc[slice(*own)].text for own, _ in find_coordinations(doc, scored, doc_frames(doc)).values()]


ANN_AND_TOM = "Ann and Tom left . They ran ."
MENTIONS = [(0, 1), (2, 3), (5, 6)]


def test_a_plural_asks_for_the_coordination_of_the_sentence_before() -> None:
    assert find(ANN_AND_TOM, MENTIONS, 3) == ["Ann and Tom"]


@pytest.mark.parametrize("text", ["Ann and Tom left . She ran .", "Ann and Tom left . It rained . They ran ."])
def test_none_is_found_for_a_singular_or_from_afar(text: str) -> None:
    end = len(text.split())
    assert find(text, [(0, 1), (2, 3), (end - 3, end - 2)], 3) == []


def test_a_plural_with_an_antecedent_of_its_own_asks_for_none() -> None:
    mentions = [(0, 1), (2, 3), (4, 6), (7, 8)]
    assert find("Ann and Tom saw the girls . They ran .", mentions, 3, {3: 2}) == []


def test_a_plural_that_is_linked_to_a_member_asks_for_all_of_it() -> None:
    mentions = [(0, 2), (3, 4), (3, 5), (7, 8)]
    assert find("The teacher and her pupils left . They ran .", mentions, 5, {3: 2}) == ["The teacher and her pupils"]


def test_coordinations_of_things_stay_as_they_are() -> None:
    assert find("bread and cheese fell . They broke .", MENTIONS, 3) == []


def test_a_coordination_that_is_a_mention_is_not_added() -> None:
    assert find(ANN_AND_TOM, [(0, 1), (0, 3), (2, 3), (5, 6)], 3) == []
