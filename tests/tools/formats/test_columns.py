import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_span_selector.tools.formats.columns import (
    ColumnSpan,
    check_row_numbers,
    commonest_labels,
    escape_brackets,
    find_nested,
    read_arguments_column,
    read_coreference_column,
    read_phrases,
    read_starred_column,
    split_blocks,
    unescape_brackets,
    write_coreference_column,
    write_starred_column,
)
from spacy_span_selector.tools.formats.reports import Report

from .spans import N_TOKENS, drawn_offsets


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


def test_the_label_of_a_cluster_is_that_of_most_of_its_mentions_and_of_several_the_first():
    labels = {(0, 1): "place", (2, 3): "person", (4, 5): "person", (6, 7): "event"}
    clusters = [[(0, 1), (2, 3), (4, 5)], [(6, 7), (8, 9), (0, 1)], [(8, 9)], []]
    assert commonest_labels(clusters, labels) == ["person", "event", "", ""]


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


def test_many_brackets_of_mentions_are_read_fast():
    n = 20_000
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


def place(i: int) -> str:
    return f"file:{i + 1}"


def test_spans_of_one_and_of_several_tokens():
    assert read_starred_column(["(ARG0*", "*)", "(V*)", "*"], place) == [(0, 2, "ARG0"), (2, 3, "V")]


def test_nested_spans_come_outer_first():
    cells = ["(TOP(S(NP*)", "(VP*", "(NP*))", "*))"]
    assert read_starred_column(cells, place) == [(0, 4, "TOP"), (0, 4, "S"), (0, 1, "NP"), (1, 3, "VP"), (2, 3, "NP")]


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
def test_what_cannot_be_read_costs_its_argument_alone(cells: list[str], spans: list[ColumnSpan], messages: list[str]):
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


def test_many_labelled_brackets_are_read_fast():
    n = 50_000
    assert len(read_starred_column(["(NP" * n + "*", "*" + ")" * n], place)) == n
    report = Report()
    assert read_arguments_column(["(A0" * n + "*", "A0" * n, "*" + ")" * (n - 1)], place, report) != []
    assert [*map(len, report.findings.values())] == [2, n - 2]


@given(st.lists(st.tuples(drawn_offsets, st.sampled_from("ABC")).map(lambda span: (*span[0], span[1])), max_size=8))
@settings(deadline=None)
def test_nested_spans_are_read_as_they_were_written(spans: list[ColumnSpan]):
    nested = find_nested(spans)
    assert read_starred_column(write_starred_column(nested, range(N_TOKENS)), place) == nested


def test_a_sentence_may_start_anywhere():
    assert write_starred_column([(3, 5, "A"), (4, 5, "V")], range(3, 6)) == ["(A*", "(V*))", "*"]


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


def check(*sentences: str) -> None:
    check_row_numbers([sentence.split() for sentence in sentences], lambda i: f"a.conll:{i + 10}")


@pytest.mark.parametrize(
    "sentences",
    [("0 1 2", "0 1"), ("1 2", "1"), ("0 1 2", "3 4"), ("1 2", "3"), ("- _", "-"), (), ("0",)],
    ids=["from 0", "from 1", "over the document from 0", "over the document from 1", "none", "no rows", "one row"],
)
def test_numbers_of_every_convention_are_accepted(sentences: tuple[str, ...]):
    check(*sentences)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (("0 1 2", "0 2"), "a.conll:14: found row number '2', expected '1'. Rows are missing, doubled or not in order"),
        (("1 2", "0 1 2"), "a.conll:10: found row number '1', expected '0'"),
        (("0 1 1 2", "0 1"), "a.conll:12: found row number '1', expected '2'"),
        (("0 2 1 3", "0 1"), "a.conll:11: found row number '2', expected '1'"),
        (("0 1 2 0 1",), "a.conll:13: found row number '0', expected '3'"),
        (("1 2", "1 3", "1 2"), "a.conll:13: found row number '3', expected '2'"),
        (("0 1 2 3", "5 6"), "a.conll:14: found row number '5', expected '0'"),
        (("0 1", "0 -"), "a.conll:13: found row number '-', expected '1'"),
        (("0 1", "0 01"), "a.conll:13: found row number '01', expected '1'"),
        (("0 1", "0 " + "9" * 5000), "a.conll:13: found row number '9999"),
    ],
)
def test_rows_that_are_missing_doubled_or_not_in_order_are_named(sentences: tuple[str, ...], message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        check(*sentences)


def test_blocks_are_separated_by_empty_lines():
    blocks = [[("a:2", "(A (B b)"), ("a:3", ")")], [("a:6", "(C (D d))")]]
    assert list(split_blocks("\n(A (B b)\n)\n\n \n(C (D d))\n# the end", "a")) == blocks


def test_phrases_are_read_outer_first():
    tree = "(ROOT\n  (S (NP-SBJ-1 (-LRB- -LRB-))\n     (VP (VBD *saw) (NP=2 (NN -LRB-x-RRB-)))))\n"
    assert read_phrases(tree, "a.ptb:1") == [(0, 3, "ROOT"), (0, 3, "S"), (0, 1, "NP"), (1, 3, "VP"), (2, 3, "NP")]
    with pytest.raises(ValueError, match=re.escape("a.ptb:1, word 1: a span `(S` opens here and is never closed")):
        read_phrases("(S (NP (NN x))", "a.ptb:1")


@pytest.mark.parametrize(("escaped", "word"), [("-LSB-1-RSB-", "[1]"), (":-RRB-", ":)"), ("-", "-")])
def test_brackets_are_escaped_and_unescaped(escaped: str, word: str):
    assert unescape_brackets(escaped) == word
    assert escape_brackets(word) == escaped
