from spacy_span_selector.corpora.turns import find_turns


def test_turns_are_the_longest_runs_of_a_known_speaker():
    assert find_turns([None, "Ann", "Ann", "Leo", None, "Leo"]) == [(1, 3, "Ann"), (3, 4, "Leo"), (5, 6, "Leo")]


def test_without_words_there_are_no_turns():
    assert find_turns([]) == []
