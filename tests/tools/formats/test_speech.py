from spacy_span_selector.tools.formats.speech import find_turns, spread_turns


def test_turns_are_the_longest_runs_of_a_known_speaker():
    assert find_turns([None, "Ann", "Ann", "Leo", None, "Leo"]) == [(1, 3, "Ann"), (3, 4, "Leo"), (5, 6, "Leo")]


def test_without_words_there_are_no_turns():
    assert find_turns([]) == []


def test_turns_are_spread_over_their_words() -> None:
    assert spread_turns([(1, 3, "Ann"), (3, 4, "Bob")], 5) == [None, "Ann", "Ann", "Bob", None]


def test_of_turns_that_overlap_the_last_has_the_word() -> None:
    assert spread_turns([(0, 2, "Ann"), (1, 3, "Bob")], 3) == ["Ann", "Bob", "Bob"]
