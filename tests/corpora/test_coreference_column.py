import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_span_selector.corpora.conll2012.nesting import find_nested
from spacy_span_selector.corpora.coreference_column import read_coreference_column, write_coreference_column

from .spans import N_TOKENS, drawn_offsets


def read(*cells: str) -> dict[str, list[tuple[int, int]]]:
    return read_coreference_column(cells, lambda i: f"a.conll:{i + 10}")


def test_mentions_open_and_close():
    assert read("(3", "-", "3)", "(4)", "_", "") == {"3": [(0, 3)], "4": [(3, 4)]}


def test_parts_are_joined_by_bars():
    assert read("(90|(14", "(17", "90)|14)|17)") == {"90": [(0, 3)], "14": [(0, 3)], "17": [(1, 3)]}


def test_parts_need_no_bar():
    assert read("(3(4)", "3)(15)") == {"4": [(0, 1)], "3": [(0, 2)], "15": [(1, 2)]}


def test_nested_mentions_of_one_cluster_close_the_last_opened_first():
    assert read("(1", "(1", "1)", "1)") == {"1": [(1, 3), (0, 4)]}


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["", "(3", "(4)"], "a.conll:11: a mention of cluster 3 opens here and is never closed. Expected `3)`"),
        (["(3", "4)"], "a.conll:11: '4)' closes a mention of cluster 4, but none is open. Expected `(4`"),
        (["3"], "a.conll:10: found '3' in the coreference column, expected parts such as `(3`"),
        (["(3)|"], "a.conll:10: found '(3)|' in the coreference column"),
        (["((3)"], "a.conll:10: found '((3)' in the coreference column"),
    ],
)
def test_malformed_cells_are_named(cells: list[str], message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        read(*cells)


@given(st.lists(st.lists(drawn_offsets, min_size=1, max_size=5), max_size=4))
@settings(deadline=None)
def test_clusters_are_read_as_they_were_written(clusters: list[list[tuple[int, int]]]):
    nested = {
        str(i): [span[:2] for span in find_nested([(*mention, "") for mention in cluster])]
        for i, cluster in enumerate(clusters)
    }
    back = read(*write_coreference_column(nested, N_TOKENS))
    assert {name: sorted(mentions) for name, mentions in back.items()} == {
        name: sorted(mentions) for name, mentions in nested.items()
    }


def test_brackets_that_close_first_open_first():
    assert write_coreference_column({"0": [(0, 3)], "1": [(0, 2)], "2": [(0, 1)]}, 3) == ["(1|(0|(2)", "1)", "0)"]


def test_the_bracket_opened_last_closes_first():
    assert write_coreference_column({"0": [(0, 3)], "1": [(1, 3)], "2": [(2, 3)]}, 3) == ["(0", "(1", "(2)|1)|0)"]


def test_tokens_without_brackets_are_empty():
    assert write_coreference_column({}, 2) == ["-", "-"]
