from spacy_span_selector.people.speech import find_turns, spread_turns


def test_turns_are_the_longest_runs_of_a_known_speaker() -> None:
    speakers = [None, "Ann", "Ann", "Leo", None, "Leo"]
    turns = [(1, 3, "Ann"), (3, 4, "Leo"), (5, 6, "Leo")]
    assert (find_turns(speakers), spread_turns(turns, 6)) == (turns, speakers)
    assert find_turns([]) == []
    assert find_turns([None, 7, 7, 0]) == [(1, 3, 7), (3, 4, 0)]


def test_of_turns_that_overlap_the_last_has_the_word() -> None:
    assert spread_turns([(0, 2, "Ann"), (1, 3, "Bob")], 3) == ["Ann", "Bob", "Bob"]
