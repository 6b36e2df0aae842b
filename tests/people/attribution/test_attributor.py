"""Speakers and addressees, with the packaged tables of English."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_span_selector.people.attribution import Attribution, Attributor, Scene

from .scenes import VOCAB, read

ENGLISH = Attributor(VOCAB)
SPEECHES = ['" Go . "', '" Come , Tom=0 ! "', '" " " I=? know you=? . "']
PARTS = [*SPEECHES, "said Tom=0 .", "She=1 smiled .", "\n", "poor_Ann=1"]


def attribute(text: str, paragraphs: bool = True) -> list[Attribution]:
    return ENGLISH.attribute(read(text, paragraphs))


def speakers(text: str, paragraphs: bool = True) -> list[int | None]:
    return [found.speaker for found in attribute(text, paragraphs)]


def addressees(text: str) -> list[int | None]:
    return [found.addressee for found in attribute(text)]


@pytest.mark.parametrize("paragraphs", [True, False])
@pytest.mark.parametrize(
    ("text", "speaker", "cue"),
    [
        ('" Go , " said Tom=0 .', 0, "said Tom"),
        ('Tom=0 said , " Go . "', 0, "Tom said"),
        ('Ann=1 saw Tom=0 . " Go , " he=0 said .', 0, "he said"),
        ('Tom=0 saw Ann=1 . " Go , " said she=1 .', 1, "said she"),
        ('" Go , " said the_old_man=0 softly .', 0, "said the old man"),
    ],
)
def test_the_words_beside_a_quotation_say_who_speaks(text: str, speaker: int, cue: str, paragraphs: bool) -> None:
    scene = read(text, paragraphs)
    (found,) = ENGLISH.attribute(scene)
    assert found.speaker == speaker
    assert found.mention == next(m for m in (0, 1, 2) if " ".join(scene.words[slice(*scene.mentions[m])]) in cue)
    assert found.cue is not None
    assert " ".join(scene.words[slice(*found.cue)]) == cue


@pytest.mark.parametrize("paragraphs", [True, False])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Ann=0 met Tom=1 . " I know . " " So do I , " said Ann=0 .', [1, 0]),
        ('Ann=0 met Tom=1 . " I know . " " So do I , " Tom=1 said .', [0, 1]),
        ('" I , " said Tom=1 to Ann=0 . " I know . " " Oh , " said Tom=1 .', [1, 0, 1]),
        ('Ann=0 met Tom=1 . Ann=0 said , " I know . " " Oh . "', [0, 1]),
        ('Ann=0 slept . " Oh ! " " No ! "', [0, None]),
    ],
)
def test_quotations_side_by_side_are_two_turns(text: str, expected: list[int | None], paragraphs: bool) -> None:
    found = attribute(text, paragraphs)
    assert [one.speaker for one in found] == expected
    assert all(one.is_speech for one in found if one.speaker is None)


def test_two_in_a_conversation_take_turns() -> None:
    text = '" Go , " said Tom=0 .\n" Why ? " said Ann=1 .\n" It is late . "\n" So it is . "\n" Then go . "'
    assert speakers(text) == [0, 1, 0, 1, 0]
    assert addressees(text) == [1, 0, 1, 0, 1]


def test_a_quotation_goes_on_behind_its_speaker_and_another_paragraph_is_of_somebody_else() -> None:
    text = '" Why ? " said Ann=1 .\n" Go , " said Tom=0 .{}" It is late . "'
    assert speakers(text.format(" ")) == [1, 0, 0]
    assert speakers(text.format("\n")) == [1, 0, 1]


def test_who_was_called_is_likelier_to_answer() -> None:
    def probability(called: str) -> float:
        text = f'Ann=1 met Leo=2 and Tom=0 .\n" Come , {called} ! " cried Tom=0 .\n" It is late . "'
        return attribute(text)[1].speakers[1]

    assert probability("Ann=1") > probability("Leo=2")


def test_who_is_called_is_spoken_to() -> None:
    assert addressees('" Come here , Ann=1 , " said Tom=0 .') == [1]


def test_who_is_called_does_not_speak_unless_a_tag_tells() -> None:
    assert 0 in attribute('Tom=1 saw Ann=0 . Ann=0 frowned . " It is nothing . "')[0].speakers
    assert 0 not in attribute('Tom=1 saw Ann=0 . Ann=0 frowned . " It is nothing , Ann=0 . "')[0].speakers
    assert speakers('" Pip=0 , sir , " said Pip=0 .') == [0]


def test_who_is_spoken_to_is_likelier_than_who_stands_there() -> None:
    def probability(word: str) -> float:
        return attribute(f'" Come here , " said Tom=0 {word} Ann=1 .')[0].addressees[1]

    assert probability("to") > probability("before")


def test_the_mention_of_an_addressee_who_is_not_named_beside_the_quotation_is_the_nearest() -> None:
    found = attribute('Ann=1 came .\n" Go , " said Ann=1 .\n" Why ? " said Tom=0 .')[1]
    assert (found.addressee, found.addressee_mention) == (1, 1)


@pytest.mark.parametrize("text", ['He=0 called it=1 " art " .', 'Tom=0 wrote " The Hat " in June .', '" Go . "', '" "'])
def test_words_in_marks_that_nobody_says_are_nobodys(text: str) -> None:
    (found,) = attribute(text)
    assert found == Attribution(speakers=found.speakers)
    assert found.speakers[None] > 0.5


def test_a_speaker_who_is_remembered_is_told_by_the_nearest_mention_and_has_no_cue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ENGLISH, "_weight", lambda name: 9.0 if name in ("is name vX", "remembered 1 apart") else 0.0)
    found = attribute(f'Tom=0 left . " Go , " said Tom=0 . {"and " * 60} " Go . "')[1]
    assert (found.speaker, found.mention, found.cue) == (0, 1, None)


def test_a_cue_lies_within_a_sentence_of_the_narration() -> None:
    assert attribute('" Go ! " Tom=0 . Said . He=1 left .')[0].cue is None
    assert attribute('" Go , Tom=0 , " and left .')[0].cue is None


@settings(deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=12), st.booleans())
def test_probabilities_sum_to_one_and_the_likeliest_speaks(parts: list[str], paragraphs: bool) -> None:
    scene = read(" ".join(parts).replace(" \n ", "\n"), paragraphs)
    found = ENGLISH.attribute(scene)
    assert found == ENGLISH.attribute(scene)
    assert len(found) == len(scene.quotations)
    for each in found:
        assert sum(each.speakers.values()) == pytest.approx(1)
        assert each.speakers[each.speaker] == max(each.speakers.values())
        assert (each.speaker is None) == (each.mention is None) == (not each.addressees)
        assert each.addressee is None or each.addressee != each.speaker
        assert (each.addressee is None) == (each.addressee_mention is None)
        assert each.speaker is None or sum(each.addressees.values()) == pytest.approx(1)
        for mention, cluster in ((each.mention, each.speaker), (each.addressee_mention, each.addressee)):
            assert mention is None or scene.clusters[mention] == cluster


def test_the_numbers_of_clusters_mean_nothing() -> None:
    text = 'Ann={} met Tom={} .\n" Go , " said Tom={} .\n" Why ? "'
    first, second = attribute(text.format(0, 1, 1)), attribute(text.format(7, 3, 3))
    renamed = {0: 7, 1: 3, None: None}
    assert [renamed[found.speaker] for found in first] == [found.speaker for found in second]
    assert [found.mention for found in first] == [found.mention for found in second]


def test_no_quotations_no_attributions() -> None:
    assert ENGLISH.attribute(Scene([], [], None, [], [], [], [])) == []
