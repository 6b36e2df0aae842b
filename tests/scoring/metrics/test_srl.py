"""Propositions are written as columns of the CoNLL-2005 format: `(A0*) (V*) (A1* *)`."""

import pytest

from spacy_span_selector.annotation import get_frames
from spacy_span_selector.scoring.metrics.counts import Counts
from spacy_span_selector.scoring.metrics.srl import (
    Proposition,
    SrlScores,
    argument_spans,
    count_matches,
    join_continuations,
)
from spacy_span_selector.tools.formats.columns import read_starred_column
from spacy_span_selector.tools.formats.ewt import read_ewt

from ...corpora import EWT, needs

INTERLEAVED = "(A0*) (A1*) (V*) (C-A0*) (C-A1*)"
FIRST, SECOND = "(A0*) (V*) (A1*) *", "(A0*) * (V*) (A2*)"


def read_proposition(column: str, roleset: str | None = None) -> Proposition:
    spans = [((start, end), role) for start, end, role in read_starred_column(column.split(), str)]
    predicate = next(span for span, role in spans if role == "V")
    return Proposition(predicate, [(span, role) for span, role in spans if role != "V"], roleset)


def score(gold: list[str], predicted: list[str]) -> SrlScores:
    scores = SrlScores()
    scores.add_document([*map(read_proposition, gold)], [*map(read_proposition, predicted)])
    return scores


def correct_excess_missed(counts: Counts) -> tuple[float, float, float]:
    correct = counts.recall_numerator
    return correct, counts.precision_denominator - correct, counts.recall_denominator - correct


# What srl-eval.pl of srlconll-1.1 prints as corr., excess and missed of all arguments.
@pytest.mark.parametrize(
    "gold, predicted, expected",
    [
        pytest.param("(A0*) (V*) (A1* *)", "(A0*) (V*) (A1* *)", (2, 0, 0), id="the same"),
        pytest.param("(A0*) (V*) (A1* *)", "(A0*) (V*) (A2* *)", (1, 1, 1), id="another role"),
        pytest.param("(A0*) (V*) (A1* *)", "(A0*) (V*) (A1*) *", (1, 1, 1), id="another end"),
        pytest.param("* (V*) *", "* (V*) *", (0, 0, 0), id="no argument"),
        pytest.param("(A1*) (V*) * (C-A1*)", "(A1*) (V*) * (C-A1*)", (1, 0, 0), id="all pieces"),
        pytest.param("(A1*) (V*) * (C-A1*)", "(A1*) (V*) * *", (0, 1, 1), id="a piece missed"),
        pytest.param("(A1*) (V*) * *", "(A1*) (V*) * (C-A1*)", (0, 1, 1), id="a piece too many"),
        pytest.param("(A1*) (V*) * (C-A1*)", "(A1*) (V*) * (C-A2*)", (0, 2, 1), id="a piece of another role"),
        pytest.param("(A1*) (V*) (C-A1*) (C-A1*)", "(A1*) (V*) (C-A1* *)", (0, 1, 1), id="pieces cut elsewhere"),
        pytest.param("(A1*) (V*) * *", "(C-A1*) (V*) * *", (1, 0, 0), id="a continuation of nothing"),
        pytest.param("(A1*) (V*) (C-A1*) *", "(C-A1*) (V*) (C-A1*) *", (1, 0, 0), id="continuations only"),
        pytest.param("(A1*) (V*) (C-A1*) *", "(C-A1*) (V*) (A1*) *", (0, 2, 1), id="a continuation too early"),
        pytest.param("(A1*) (V*) (A1*) (C-A1*)", "(A1*) (V*) (A1*) *", (1, 1, 1), id="the nearest head is continued"),
        pytest.param(INTERLEAVED, INTERLEAVED, (2, 0, 0), id="pieces interleaved"),
        pytest.param("(A1*) (V*) (C-A1*) (C-C-A1*)", "(A1*) (V*) (C-A1*) *", (1, 0, 1), id="a continued continuation"),
        pytest.param("(R-A0*) (V*) (C-R-A0*)", "(R-A0*) (V*) (C-R-A0*)", (1, 0, 0), id="a reference in pieces"),
        pytest.param("(A0*) (R-A0*) (V*)", "(A0*) (A0*) (V*)", (1, 1, 1), id="a reference is a role of its own"),
        pytest.param("(A0*) (V*) (A1*) (C-V*)", "(A0*) (V*) (A1*) *", (2, 0, 0), id="a particle of the verb"),
        pytest.param("(C-V*) (V*) (A1*) *", "* (V*) (A1*) (C-V*)", (1, 0, 0), id="a particle before the verb"),
    ],
)
def test_arguments_are_counted_as_by_the_official_scorer(
    gold: str, predicted: str, expected: tuple[float, float, float]
) -> None:
    assert correct_excess_missed(score([gold], [predicted]).labelled) == expected


# srl-eval.pl gives these figures, too, except in the last case: it skips predicates that gold does not have, (2, 0, 0).
@pytest.mark.parametrize(
    "gold, predicted, expected",
    [
        pytest.param([FIRST, SECOND], [FIRST, "* (A0*) (V*) (A2*)"], (3, 1, 1), id="two predicates"),
        pytest.param([FIRST, SECOND], [FIRST], (2, 0, 2), id="missed predicate"),
        pytest.param([FIRST], [FIRST, SECOND], (2, 2, 0), id="invented predicate"),
    ],
)
def test_arguments_belong_to_their_predicate(
    gold: list[str], predicted: list[str], expected: tuple[float, float, float]
) -> None:
    assert correct_excess_missed(score(gold, predicted).labelled) == expected


# By role, srl-eval.pl again.
def test_roles_are_counted_without_continuation_marks() -> None:
    scores = score(["(A0*) (R-A0*) (V*) (C-A0*) (C-V*)"], ["(A0*) (A0*) (V*) (A2*) *"])
    by_role = {role: correct_excess_missed(counts) for role, counts in scores.per_role.items()}
    assert by_role == {"A0": (0, 2, 1), "A2": (0, 1, 0), "R-A0": (0, 0, 1)}


def test_labelled_counts_are_the_sum_over_roles() -> None:
    scores = score(["(A0*) (V*) (A1*)", "(V*) (A2*) *"], ["(A0*) (V*) (A2*)", "(V*) (A2*) *"])
    assert sum(scores.per_role.values(), Counts()) == scores.labelled == Counts(2, 3, 2, 3)


def test_predicate_of_another_width_is_a_different_predicate() -> None:
    scores = score(["(A0*) (V* *) (A1*)"], ["(A0*) (V*) * (A1*)"])
    assert scores.predicates == Counts(0, 1, 0, 1)
    assert scores.labelled == Counts(0, 2, 0, 2)


def test_propositions_of_one_predicate_are_compared_in_their_order() -> None:
    first, second = "(A0*) (V*) *", "(A0*) (V*) (A1*)"
    assert score([first, second], [first, second]).labelled == Counts(3, 3, 3, 3)
    assert score([first, second], [second]).labelled == Counts(1, 3, 1, 2)
    assert score([first, second], [second]).predicates == Counts(1, 2, 1, 1)


def test_unlabelled_spans_count_once_whatever_their_role_and_predicate() -> None:
    gold = ["(A0*) (V*) (A1*) (C-A0*)", "(A0*) (A1*) (V*) *"]
    predicted = ["(A1*) (V*) (A1*) *", "(A1*) * (V*) (C-V*)"]
    assert score(gold, predicted).unlabelled == Counts(3, 4, 3, 3)


def test_matches_are_the_elements_of_both_sets_and_the_predicate_is_no_argument() -> None:
    assert count_matches({1, 2, 3}, {3, 4}) == Counts(1, 3, 1, 2)
    assert argument_spans([Proposition((1, 2), [((0, 1), "A0"), ((1, 2), "V"), ((3, 4), "C-V")])]) == {(0, 1), (3, 4)}


def test_arguments_are_joined_in_text_order() -> None:
    arguments = [((6, 8), "C-A1"), ((0, 2), "A1"), ((2, 3), "V"), ((4, 5), "A0"), ((8, 9), "C-V")]
    assert join_continuations(arguments) == [("A1", ((0, 2), (6, 8))), ("A0", ((4, 5),))]


@pytest.mark.parametrize(
    "gold, predicted, expected",
    [
        pytest.param("give.01", "give.01", Counts(1, 1, 1, 1), id="right"),
        pytest.param("give.01", "give.02", Counts(0, 1, 0, 1), id="wrong"),
        pytest.param("give.01", None, Counts(0, 1, 0, 0), id="not predicted"),
        pytest.param(None, "give.01", Counts(), id="not annotated"),
    ],
)
def test_rolesets_count_where_gold_has_one(gold: str | None, predicted: str | None, expected: Counts) -> None:
    scores = SrlScores()
    missed, invented = Proposition((4, 5), [], "give.01"), Proposition((6, 7), [], "give.01")
    scores.add_document([Proposition((1, 2), [], gold), missed], [Proposition((1, 2), [], predicted), invented])
    assert scores.rolesets == expected


def test_documents_are_summed() -> None:
    scores = SrlScores()
    for column in ("(A0*) (V*)", "(A1*) (V*)"):
        scores.add_document([read_proposition(column)], [read_proposition("(A0*) (V*)")])
    assert scores.labelled == Counts(1, 2, 1, 2)
    assert scores.predicates == scores.unlabelled == Counts(2, 2, 2, 2)


@pytest.mark.slow
@needs(EWT)
def test_gold_arguments_of_ewt_are_those_that_the_official_scorer_counts() -> None:
    counted = {}
    for split, docs in read_ewt(EWT).items():
        frames = [frame for doc in docs for frame in get_frames(doc)]
        arguments = ([(argument[:2], argument.role) for argument in frame.arguments] for frame in frames)
        counted[split] = sum(len(join_continuations(spans)) for spans in arguments)
    assert counted == {"train": 80_705, "dev": 9_496, "test": 9_258}
