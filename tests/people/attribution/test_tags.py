"""Tags, and quotations that are speech although nobody is known."""

from dataclasses import replace

import pytest

from spacy_span_selector.language import SOURCES, packaged_table
from spacy_span_selector.people.attribution.tags import TagReader

from .scenes import read


def reader(text: str) -> TagReader:
    return TagReader(read(text, paragraphs=False), packaged_table("en", SOURCES))


@pytest.mark.parametrize(
    ("text", "speaker", "addressee"),
    [
        ('" Go , " said Tom=0 to Ann=1 .', 0, 1),
        ('" Go ! " Tom=0 grumbled .', 0, None),
        ('" Go , " she=0 softly told Ann=1 .', 0, 1),
        ('" Go , " Tom=0 , a_baker=2 from Rome , told reporters=1 .', 0, 1),
        ('" Go , " according to Tom=0 .', 0, None),
        ('According to Tom=0 , " go " .', 0, None),
        ('Tom=0 wrote in a_letter=1 : " Go . "', 0, None),
        ('Tom=0 told Ann=1 , " Go . "', 0, 1),
    ],
)
def test_a_tag_tells_who_speaks_to_whom(text: str, speaker: int, addressee: int | None) -> None:
    tags = reader(text)
    tag = tags.read(0)
    assert tag is not None
    assert tags.scene.clusters[tag.speaker] == speaker
    assert (None if tag.addressee is None else tags.scene.clusters[tag.addressee]) == addressee


@pytest.mark.parametrize(
    ("text", "verb", "speaker"),
    [
        ('Tom=0 hugged Ann=1 and whispered : " Go . "', 4, 0),
        ('Tom=0 met Ann=1 , and then said to her=1 , " Go . "', 6, 0),
        ('Tom=0 met Ann=1 and Leo=2 said : " Go . "', 5, 2),
        ('Tom=0 wanted to say : " Go . "', 3, None),
    ],
)
def test_a_verb_behind_another_has_the_subject_that_its_frame_has(text: str, verb: int, speaker: int | None) -> None:
    tags = TagReader(replace(read(text), subjects={verb: 0}), {})
    tag = tags.read(0)
    assert (tag and tags.scene.clusters[tag.speaker]) == speaker
    assert speaker != 0 or reader(text).read(0) is None


@pytest.mark.parametrize(
    "text",
    ['" Go ! " He=0 said that she was ill .', '" Go . " Tom=0 smiled .', '" Go ! " Tom=0 said : " Now . "', '" Go "'],
)
def test_a_sentence_behind_a_quotation_is_no_tag(text: str) -> None:
    assert reader(text).read(0) is None


def test_each_of_several_quotations_in_one_paragraph_has_its_own_tag() -> None:
    tags = reader('" I=? ran , " said Tom=0 . " I=? fell , " said Ann=1 .')
    assert [tags.scene.clusters[tag.speaker] for tag in map(tags.read, (0, 1)) if tag] == [0, 1]


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ('" I=? saw it . " It rained .', True),
        ('" The road is closed , " said nobody .', True),
        ('It is " New York , " they say .', False),
        ('He read " War and Peace " .', False),
    ],
)
def test_speech_is_told_where_nobody_is_known(text: str, is_said: bool) -> None:
    assert reader(text).is_said(0) == is_said
