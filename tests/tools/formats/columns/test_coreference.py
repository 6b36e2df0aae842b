from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_span_selector.tools.formats.columns import find_nested, read_coreference_column, write_coreference_column
from spacy_span_selector.tools.formats.reports import Report

from ..spans import N_TOKENS, drawn_offsets


def read(*cells: str) -> dict[str, list[tuple[int, int]]]:
    """The clusters of one sentence without faults."""
    clusters, cases = read_damaged(cells)
    assert not cases
    return clusters


def read_damaged(*sentences: Sequence[str]) -> tuple[dict[str, list[tuple[int, int]]], list[str]]:
    """The clusters of sentences, and what was left out."""
    report = Report()
    clusters = read_coreference_column(sentences, lambda i: f"a.conll:{i + 10}", report)
    return clusters, [case for cases in report.findings.values() for case in cases]


def test_mentions_open_and_close():
    assert read("(3", "-", "3)", "(4)", "_", "") == {"3": [(0, 3)], "4": [(3, 4)]}


def test_parts_are_joined_by_bars():
    assert read("(90|(14", "(17", "90)|14)|17)") == {"90": [(0, 3)], "14": [(0, 3)], "17": [(1, 3)]}


def test_parts_need_no_bar():
    assert read("(3(4)", "3)(15)") == {"4": [(0, 1)], "3": [(0, 2)], "15": [(1, 2)]}


def test_nested_mentions_of_one_cluster_close_the_last_opened_first():
    assert read("(1", "(1", "1)", "1)") == {"1": [(1, 3), (0, 4)]}


@pytest.mark.parametrize(
    ("cells", "found", "messages"),
    [
        (
            ["", "(3", "(4)"],
            {"4": [(2, 3)]},
            ["a.conll:11: a mention of cluster 3 opens here and is never closed. Expected `3)`"],
        ),
        (
            ["(4)", "4)"],
            {"4": [(0, 1)]},
            ["a.conll:11: a mention of cluster 4 ends here, but none is open. Expected `(4`"],
        ),
        (
            ["(2", "(5", "3)", "5)"],
            {"5": [(1, 4)]},
            ["a.conll:10: a mention of cluster 2 opens here", "a.conll:12: a mention of cluster 3 ends here"],
        ),
        (["(2", "(2", "2)"], {"2": [(1, 3)]}, ["a.conll:10: a mention of cluster 2 opens here"]),
        (
            ["3", "(3)"],
            {"3": [(1, 2)]},
            ["a.conll:10: found '3' in the coreference column, expected parts such as `(3`"],
        ),
        (["(3)|"], {"3": [(0, 1)]}, ["a.conll:10: found '(3)|' in the coreference column"]),
        (["((3)"], {"3": [(0, 1)]}, ["a.conll:10: found '((3)' in the coreference column"]),
        (["(3)(3)"], {"3": [(0, 1)]}, ["a.conll:10: cluster '3', 1 word(s)"]),
    ],
)
def test_what_cannot_be_read_costs_its_mention_alone(
    cells: list[str], found: dict[str, list[tuple[int, int]]], messages: list[str]
):
    clusters, cases = read_damaged(cells)
    assert clusters == found
    assert all(case.startswith(message) for case, message in zip(cases, messages, strict=True))


def test_brackets_of_damaged_mentions_are_no_partners_in_another_sentence():
    clusters, cases = read_damaged(["(1", "2)"], ["(1)"], ["(2", "1)"])
    assert clusters == {"1": [(2, 3)]}
    assert [case.partition(":")[2][:2] for case in cases] == ["10", "11", "13", "14"]


def test_without_damage_a_mention_may_cross_sentences():
    assert read_damaged(["(1", "-"], ["1)"]) == ({"1": [(0, 3)]}, [])


def test_a_hundred_thousand_brackets_are_read():
    n = 100_000
    names = [str(i) for i in range(n)]
    opening, closing = "".join(f"({name}" for name in names), "".join(f"{name})" for name in reversed(names))
    assert len(read(opening, closing)) == n
    assert len(read_damaged([opening])[1]) == n
    assert read_damaged(["(1" * n, "1)" * n])[0] == {"1": [(0, 2)]}
    assert read_damaged(["1" * n])[0] == {}


@given(st.lists(st.lists(drawn_offsets, min_size=1, max_size=5, unique=True), max_size=4))
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
