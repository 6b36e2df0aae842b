import pytest

from spacy_span_selector.people.attribution import Scene
from spacy_span_selector.people.attribution.features import (
    NEAR,
    REACH,
    Candidate,
    CandidateFinder,
    is_called,
)

from .scenes import read


def candidates(scene: Scene, quotation: int = 0, speakers: list[int | None] | None = None) -> list[Candidate]:
    return CandidateFinder(scene).speakers(quotation, speakers or [])


def features(text: str, quotation: int = 0, speakers: list[int | None] | None = None) -> list[list[str]]:
    """The features of all candidates but the first, nobody."""
    return [candidate.features for candidate in candidates(read(text), quotation, speakers)[1:]]


def test_nobody_and_who_is_mentioned_around_and_who_has_spoken_are_candidates() -> None:
    text = 'Ann=0 came . " Hi , Leo=3 . " " I=? know her=0 . " He=1 left .'
    found = candidates(read(text), 1, [2])
    assert [(candidate.cluster, candidate.mention) for candidate in found] == [(None, None), (0, 0), (1, 4), (2, None)]


def test_a_mention_that_waits_for_its_cluster_is_no_candidate() -> None:
    assert len(candidates(read('" Go , " said I=? .'))) == 1


@pytest.mark.parametrize(("words", "count"), [(REACH, 2), (REACH + 1, 1)])
def test_candidates_are_within_reach(words: int, count: int) -> None:
    between = " and" * words
    assert len(candidates(read(f'Tom=0{between} " Go . "'))) == count
    assert len(candidates(read(f'" Go . "{between} Tom=0'))) == count


def test_words_of_other_quotations_are_no_distance() -> None:
    words = "and " * (REACH + 1)
    assert len(candidates(read(f'Tom=0 left . " {words} " " Go . "'), 1)) == 2


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ('" Go , " said Tom=0 .', "vX"),
        ('" Go , " Tom=0 said .', "Xv"),
        ('" Go , " Tom=0 softly said .', "X.v"),
        ('" Go , " said softly Tom=0 .', "v.X"),
        ('" Go , " and Tom=0 left .', "-"),
        ('" Go , " Tom=0 " said . "', "-"),
    ],
)
def test_a_verb_of_speech_stands_beside_a_mention(text: str, verb: str) -> None:
    (found,) = features(text)
    assert f"is name {verb}" in found


def test_who_is_called_in_the_quotation_before_may_answer_and_who_is_spoken_of_is_told() -> None:
    found = features('Tom=0 met Ann=1 . " Come , Ann=1 ! " " No . "', 1, [0])
    assert [any(name.startswith("called") for name in names) for names in found] == [True, False]
    ann, tom = features('Tom=0 met Ann=1 . " Ann=1 left . "')
    assert ("spoken of" in ann, "spoken of" in tom) == (True, False)


def test_a_mention_within_another_one_is_told() -> None:
    words = ["the", "friend", "of", "Ann", "said", "go"]
    scene = Scene(words, [0] * 6, None, [(5, 6)], [(0, 4), (3, 4)], ["noun person", "name"], [0, 1])
    _, ann, friend = candidates(scene)
    assert ("nested n" in ann.features, "nested n" in friend.features) == (True, False)


def test_the_turns_of_those_who_have_spoken_are_counted_back() -> None:
    found = candidates(read('" Go , " said Tom=0 . " No , " said Ann=1 . " Go ! "'), 2, [0, 1])
    turns = {(c.cluster, name.split()[1]) for c in found for name in c.features if name.startswith(("turn", "rem"))}
    assert turns == {(1, "1"), (0, "2")}


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ('" Go . " " Now . "', "00"),
        ('" Go . "\n" Now . "', "01"),
        ('" Go . " and then , " Now . "', "10,"),
        (f'" Go . " {"and " * 41} " Now . "', "apart"),
    ],
)
def test_the_gap_to_the_quotation_before_is_told(text: str, gap: str) -> None:
    (remembered,) = features(text, 1, [0])
    assert f"remembered 1 {gap}" in remembered


def test_without_paragraphs_none_are_told() -> None:
    found = candidates(read('Tom=0 left . " Go . "', paragraphs=False))
    assert "nobody a. ?" not in found[0].features
    assert "nobody A. ?" in found[0].features
    assert "at <?0 2" in found[1].features


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('" Come , Tom=0 ! "', True),
        ('" Tom=0 ! "', True),
        ('" Come , my_son=0 . "', True),
        ('" Come , you=0 ! "', False),
        ('" Tom=0 came . "', False),
        ("Tom=0", True),
        ("\" I saw ' Hamlet=0 ' . \"", False),
        ("\" ' Hamlet=0 ' . \"", False),
    ],
)
def test_a_name_or_noun_between_marks_calls_somebody(text: str, expected: bool) -> None:
    assert is_called(read(text), 0) is expected


def addressees(text: str, speakers: list[int | None], quotation: int = 0) -> dict[int | None, Candidate]:
    return {c.cluster: c for c in CandidateFinder(read(text)).addressees(quotation, speakers)}


FAR = "and " * (NEAR + 1)


@pytest.mark.parametrize(
    ("text", "speakers", "quotation", "expected"),
    [
        ('" Go . "', [None], 0, {None}),
        ('" I=? saw you=1 , " said Tom=0 .', [0], 0, {None, 0}),  # "you" speaks for nobody in particular
        ('" One . " " Two . " " Three . "', [1, None, 0], 2, {None, 0, 1}),  # quotations of nobody are no turns
        (f'Ann=1 {FAR} " Go . " {FAR} Leo=2', [0], 0, {None, 0}),
    ],
)
def test_who_may_be_addressed(text: str, speakers: list[int | None], quotation: int, expected: set[int | None]) -> None:
    assert set(addressees(text, speakers, quotation)) == expected


@pytest.mark.parametrize(
    ("text", "feature", "mention"),
    [
        ('" Come here , Ann=1 , " said Tom=0 .', "to called", 0),
        ('" Come here , " said Tom=0 to Ann=1 .', "to to> name", 1),
        ('" I=? saw Ann=1 there , " said Tom=0 .', "to spoken-of", 1),
    ],
)
def test_who_is_called_or_spoken_to_or_spoken_of_may_be_addressed(text: str, feature: str, mention: int) -> None:
    ann = addressees(text, [0])[1]
    assert feature in ann.features
    assert ann.mention == mention


def test_those_who_speak_before_and_next_may_be_addressed() -> None:
    text = '" One . " " Two . " " Three . " " Four . " " Five . "'
    found = addressees(text, [3, 1, 0, 1, 2], 2)
    told = {cluster: c.features[:-1] for cluster, c in found.items() if cluster}
    assert told == {1: ["to before1 0=", "to next1 0="], 3: ["to before2 0="], 2: ["to next2 0="]}


def test_a_cluster_is_one_candidate_and_a_role_counts_once() -> None:
    finder = CandidateFinder(read('" Go , " said Tom=0 to Ann=1 and Ann=1 and Ann=1 .'))
    found = finder.addressees(0, [0])
    assert [c.cluster for c in found] == [None, 0, 1]
    assert found[2].features == ["to to> name", "to near> name", "to near> + to>"]
