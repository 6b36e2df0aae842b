import warnings

import pytest

from spacy_span_selector.corpora.reports import DOCUMENTS, Report, list_names, shorten


@pytest.mark.parametrize(
    ("names", "listed"),
    [("a", "a"), ("abcde", "a, b, c, d, e"), ("abcdef", "a, b, c, d, e and 1 more"), ("aab", "a, b")],
)
def test_the_first_names_are_listed_and_the_others_counted(names: str, listed: str):
    assert list_names(names) == listed


def test_a_report_is_one_warning_with_the_first_cases_of_each_kind():
    report = Report()
    for i in range(7):
        report.leave_out("trees", f"a.txt:{i}")
    report.add("Kept leaves", "b.txt:1")
    with pytest.warns(UserWarning) as caught:
        report.warn()
    (warning,) = caught
    first = "\n    ".join(f"a.txt:{i}" for i in range(5))
    assert str(warning.message) == f"Left out trees: 7. The first: {first}\nKept leaves: 1. The first: b.txt:1"


def test_a_report_without_findings_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Report().warn()


def test_nothing_that_can_be_read_is_an_error_with_the_first_reason():
    report = Report()
    report.require(["document"], "a.txt")
    with pytest.raises(ValueError, match=r"^a\.txt: found no document that can be read\. Fetch it again\.$"):
        report.require([], "a.txt", "Fetch it again.")
    report.leave_out(DOCUMENTS, "a.txt:1: damaged.")
    report.leave_out(DOCUMENTS, "a.txt:2: damaged.")
    with pytest.raises(ValueError, match=r"can be read\. a\.txt:1: damaged\.$"):
        report.require([], "a.txt", "Fetch it again.")


def test_nothing_that_can_be_read_is_an_error_with_another_reason_if_there_is_no_document():
    report = Report()
    report.leave_out("files that can't be read", "a.txt: not in UTF-8.")
    with pytest.raises(ValueError, match=r"corpus: found no document that can be read\. a\.txt: not in UTF-8\."):
        report.require([], "corpus", "Fetch it.")


def test_long_texts_are_quoted_in_part():
    assert shorten("it's") == '"it\'s"'
    assert len(shorten("x" * 100_000)) < 100
