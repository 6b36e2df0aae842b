import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_span_selector.corpora.conll2012.columns import (
    find_nested,
    write_coreference_column,
    write_starred_column,
)
from spacy_span_selector.corpora.coreference_column import read_coreference_column
from spacy_span_selector.corpora.starred_column import read_starred_column

N_TOKENS = 8
offsets = st.tuples(st.integers(0, N_TOKENS - 1), st.integers(0, N_TOKENS - 1)).map(
    lambda ends: (min(ends), max(ends) + 1)
)


def place(i: int) -> str:
    return f"token {i}"


@given(st.lists(st.tuples(offsets, st.sampled_from("ABC")).map(lambda span: (*span[0], span[1])), max_size=8))
@settings(deadline=None)
def test_nested_spans_are_read_as_they_were_written(spans: list[tuple[int, int, str]]):
    nested = find_nested(spans)
    assert read_starred_column(write_starred_column(nested, N_TOKENS), place) == nested


@given(st.lists(st.lists(offsets, min_size=1, max_size=5), max_size=4))
@settings(deadline=None)
def test_clusters_are_read_as_they_were_written(clusters: list[list[tuple[int, int]]]):
    nested = {
        str(i): [span[:2] for span in find_nested([(*mention, "") for mention in cluster])]
        for i, cluster in enumerate(clusters)
    }
    read = read_coreference_column(write_coreference_column(nested, N_TOKENS), place)
    assert {name: sorted(mentions) for name, mentions in read.items()} == {
        name: sorted(mentions) for name, mentions in nested.items()
    }


@pytest.mark.parametrize(
    "spans, nested",
    [
        ([(0, 3, "A"), (2, 5, "B")], [(0, 3, "A")]),
        ([(2, 5, "B"), (0, 3, "A"), (3, 5, "C")], [(0, 3, "A"), (3, 5, "C")]),
        ([(0, 2, "A"), (0, 3, "B")], [(0, 3, "B"), (0, 2, "A")]),
        ([(0, 2, "A"), (0, 2, "B")], [(0, 2, "A"), (0, 2, "B")]),
        ([(0, 2, "A"), (2, 4, "B")], [(0, 2, "A"), (2, 4, "B")]),
    ],
)
def test_of_spans_that_cross_the_first_is_kept(spans: list[tuple[int, int, str]], nested: list[tuple[int, int, str]]):
    assert find_nested(spans) == nested


def test_brackets_that_close_first_open_first():
    assert write_coreference_column({"0": [(0, 3)], "1": [(0, 2)], "2": [(0, 1)]}, 3) == ["(1|(0|(2)", "1)", "0)"]


def test_the_bracket_opened_last_closes_first():
    assert write_coreference_column({"0": [(0, 3)], "1": [(1, 3)], "2": [(2, 3)]}, 3) == ["(0", "(1", "(2)|1)|0)"]


def test_tokens_without_brackets():
    assert write_coreference_column({}, 2) == ["-", "-"]
    assert write_starred_column([], 2) == ["*", "*"]
