import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_span_selector.tools.formats.columns import (
    LabelledSpan,
    find_nested,
    read_arguments_column,
    read_starred_column,
    write_starred_column,
)
from spacy_span_selector.tools.formats.reports import Report

from ..spans import N_TOKENS, drawn_offsets


def place(i: int) -> str:
    return f"file:{i + 1}"


def test_spans_of_one_and_of_several_tokens():
    assert read_starred_column(["(ARG0*", "*)", "(V*)", "*"], place) == [(0, 2, "ARG0"), (2, 3, "V")]


def test_nested_spans_come_outer_first():
    cells = ["(TOP(S(NP*)", "(VP*", "(NP*))", "*))"]
    assert read_starred_column(cells, place) == [
        (0, 4, "TOP"),
        (0, 4, "S"),
        (0, 1, "NP"),
        (1, 3, "VP"),
        (2, 3, "NP"),
    ]


def test_the_star_may_be_missing():
    assert read_starred_column(["(V)", "*"], place) == [(0, 1, "V")]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["*)"], "file:1: '\\*\\)' closes a span"),
        (["*", "(A1*"], "file:2: a span `\\(A1` opens here"),
        (["*", "ARG0"], "file:2: found 'ARG0'"),
        ([""], "file:1: found ''"),
    ],
)
def test_broken_columns_are_errors(cells, message):
    with pytest.raises(ValueError, match=message):
        read_starred_column(cells, place)


@pytest.mark.parametrize(
    ("cells", "spans", "messages"),
    [
        (["(A0*)", "(V*)", "*)"], [(0, 1, "A0"), (1, 2, "V")], ["file:3: '*)' closes a span"]),
        (["(A0*", "(V*)", "(A1*)"], [(1, 2, "V"), (2, 3, "A1")], ["file:1: a span `(A0` opens here"]),
        (["A0*)", "(V*)", ""], [(1, 2, "V")], ["file:1: found 'A0*)'", "file:3: found ''"]),
        (["(A0*)", "(V*)", "*"], [(0, 1, "A0"), (1, 2, "V")], []),
    ],
)
def test_what_cannot_be_read_costs_its_argument_alone(cells: list[str], spans: list[LabelledSpan], messages: list[str]):
    report = Report()
    assert read_arguments_column(cells, place, report) == spans
    cases = [case for cases in report.findings.values() for case in cases]
    assert all(case.startswith(message) for case, message in zip(cases, messages, strict=True))


def test_an_argument_that_is_there_twice_is_kept_once_and_counted():
    report = Report()
    assert read_arguments_column(["(V*)", "(ARG1(ARG1(ARG2*)))"], place, report) == [
        (0, 1, "V"),
        (1, 2, "ARG1"),
        (1, 2, "ARG2"),
    ]
    assert report.findings == {"Left out arguments that are a second time in their frame": ["file:2: 'ARG1'."]}


def test_a_hundred_thousand_brackets_are_read():
    n = 100_000
    assert len(read_starred_column(["(NP" * n + "*", "*" + ")" * n], place)) == n
    report = Report()
    assert read_arguments_column(["(A0" * n + "*", "A0" * n, "*" + ")" * (n - 1)], place, report) != []
    assert [*map(len, report.findings.values())] == [2, n - 2]


@given(st.lists(st.tuples(drawn_offsets, st.sampled_from("ABC")).map(lambda span: (*span[0], span[1])), max_size=8))
@settings(deadline=None)
def test_nested_spans_are_read_as_they_were_written(spans: list[LabelledSpan]):
    nested = find_nested(spans)
    assert read_starred_column(write_starred_column(nested, range(N_TOKENS)), place) == nested


def test_a_sentence_may_start_anywhere():
    assert write_starred_column([(3, 5, "A"), (4, 5, "V")], range(3, 6)) == ["(A*", "(V*))", "*"]


def test_tokens_without_brackets_are_stars():
    assert write_starred_column([], range(2)) == ["*", "*"]
