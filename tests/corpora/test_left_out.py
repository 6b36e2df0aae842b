import warnings

import pytest

from spacy_span_selector.corpora.left_out import list_names, warn_left_out


def test_a_warning_has_the_number_and_the_first_case():
    with pytest.warns(UserWarning, match=r"^Left out trees: 1,200\. The first: a\.txt:3$"):
        warn_left_out("trees", ["a.txt:3"] * 1200)


def test_nothing_left_out_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_left_out("trees", [])


@pytest.mark.parametrize(
    ("names", "listed"),
    [("a", "a"), ("abcde", "a, b, c, d, e"), ("abcdef", "a, b, c, d, e and 1 more"), ("aab", "a, b")],
)
def test_the_first_names_are_listed_and_the_others_counted(names: str, listed: str):
    assert list_names(names) == listed
