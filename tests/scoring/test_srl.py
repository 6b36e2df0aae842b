from collections.abc import Sequence

import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import FRAME_PREFIX, SELECTED_KEY, Argument, Frame
from spacy_span_selector.scoring.srl import score_srl

from ..spans import put_spans

VOCAB = Vocab()
WORDS = ["Ann", "gave", "Bob", "tea", "and", "left", "early"]
ANN, BOB, TEA, EARLY = (0, 1), (2, 3), (3, 4), (6, 7)
GAVE = Frame(1, 2, [Argument(*ANN, "ARG0"), Argument(*TEA, "ARG1"), Argument(*BOB, "ARG2")], "give.01")
LEFT = Frame(5, 6, [Argument(*ANN, "ARG0"), Argument(*EARLY, "ARGM-TMP")], "leave.01")


def make_doc(frames: Sequence[Frame], words: Sequence[str] = WORDS, prefix: str = FRAME_PREFIX) -> Doc:
    doc = Doc(VOCAB, words=list(words))
    annotation.set_frames(doc, frames, prefix=prefix)
    return doc


def make_example(gold: Sequence[Frame], predicted: Sequence[Frame]) -> Example:
    return Example(make_doc(predicted), make_doc(gold))


def test_perfect_prediction_scores_one() -> None:
    example = make_example([GAVE, LEFT], [GAVE, LEFT])
    annotation.set_mentions(example.predicted, [ANN, BOB, TEA, EARLY], [0.9] * 4, key=SELECTED_KEY)
    scores = score_srl([example])
    assert scores.pop("srl_per_role") == {
        role: {"p": 1.0, "r": 1.0, "f": 1.0} for role in ("ARG0", "ARG1", "ARG2", "ARGM-TMP")
    }
    assert scores.pop("srl_density") == pytest.approx(4 / 7)
    assert set(scores.values()) == {1.0}


def test_scores_of_a_partly_right_prediction() -> None:
    found = Frame(1, 2, [Argument(*ANN, "ARG0"), Argument(*TEA, "ARG2"), Argument(4, 5, "ARGM-DIS")], "give.02")
    scores = score_srl([make_example([GAVE, LEFT], [found])])
    assert (scores["srl_p"], scores["srl_r"]) == pytest.approx((1 / 3, 1 / 5))
    assert scores["srl_f"] == pytest.approx(2 / 8)
    assert (scores["srl_span_p"], scores["srl_span_r"]) == pytest.approx((2 / 3, 2 / 4))
    assert (scores["srl_pred_p"], scores["srl_pred_r"]) == (1.0, 0.5)
    assert scores["srl_sense_acc"] == 0.0
    assert scores["srl_per_role"]["ARG0"] == {"p": 1.0, "r": 0.5, "f": pytest.approx(2 / 3)}


def test_spans_match_by_character_across_tokenisations() -> None:
    loves = Frame(2, 3, [Argument(0, 2, "ARG0"), Argument(3, 4, "C-ARG0")], "love.01")
    gold = make_doc([loves], ["New", "York", "loves", "it"])
    loves = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "C-ARG0")], "love.01")
    predicted = make_doc([loves], ["New York", "loves", "it"])
    annotation.set_mentions(predicted, [(0, 1), (2, 3)], [0.9, 0.9], key=SELECTED_KEY)
    scores = score_srl([Example(predicted, gold)])
    names = ("srl_f", "srl_span_f", "srl_pred_f", "srl_kept_f", "srl_sense_acc")
    assert [scores[name] for name in names] == [1.0] * len(names)


def test_reference_annotated_as_free_of_predicates_costs_precision() -> None:
    scores = score_srl([make_example([GAVE], [GAVE]), make_example([], [LEFT])])
    assert (scores["srl_p"], scores["srl_r"], scores["srl_pred_p"]) == pytest.approx((3 / 5, 1.0, 1 / 2))


def test_empty_document_annotated_as_such_scores_zero() -> None:
    scores = score_srl([Example(Doc(VOCAB), make_doc([], []))])
    assert (scores["srl_f"], scores["srl_density"], scores["srl_per_role"]) == (0.0, 0.0, {})


@pytest.mark.parametrize(
    "gold, predicted, expected",
    [
        pytest.param("give.01", "give.01", 1.0, id="right"),
        pytest.param("give.01", "give.02", 0.0, id="wrong"),
        pytest.param("give.01", None, None, id="none predicted"),
        pytest.param(None, "give.01", None, id="none annotated"),
    ],
)
def test_sense_accuracy_needs_rolesets_on_both_sides(
    gold: str | None, predicted: str | None, expected: float | None
) -> None:
    example = make_example([GAVE._replace(roleset=gold)], [GAVE._replace(roleset=predicted)])
    assert score_srl([example])["srl_sense_acc"] == expected


def test_predicate_without_roleset_is_wrong_if_others_have_one() -> None:
    example = make_example([GAVE, LEFT], [GAVE, LEFT._replace(roleset=None)])
    assert score_srl([example])["srl_sense_acc"] == 0.5


def test_kept_spans_are_compared_with_the_distinct_gold_arguments() -> None:
    kept, others = make_example([GAVE, LEFT], []), make_example([GAVE], [GAVE])
    annotation.set_mentions(kept.predicted, [ANN, TEA, (4, 5)], [0.9] * 3, key=SELECTED_KEY)
    for examples in ([kept], [kept, others]):
        scores = score_srl(examples)
        assert (scores["srl_kept_p"], scores["srl_kept_r"]) == pytest.approx((2 / 3, 2 / 4))
    assert score_srl([others])["srl_kept_f"] is None


def test_density_counts_kept_spans_where_the_prediction_lists_them() -> None:
    example = make_example([GAVE, LEFT], [GAVE, LEFT])
    assert score_srl([example])["srl_density"] == pytest.approx(4 / 7)
    annotation.set_mentions(example.predicted, [ANN], [0.9], key=SELECTED_KEY)
    assert score_srl([example])["srl_density"] == pytest.approx(1 / 7)


def test_the_keys_are_those_it_is_given() -> None:
    example = Example(make_doc([GAVE], prefix="roles"), make_doc([GAVE], prefix="roles"))
    annotation.set_frames(example.predicted, [LEFT])
    annotation.set_mentions(example.predicted, [ANN], [0.9], key="spans")
    free = make_example([], [])
    annotation.set_predicates(free.reference, [], key="verbs")
    scores = score_srl([example, free], prefix="roles", predicates_key="verbs", spans_key="spans")
    assert (scores["srl_f"], scores["srl_density"]) == (1.0, pytest.approx(1 / 14))


@pytest.mark.parametrize("place", [0, 4, 7])
def test_spans_without_tokens_do_not_count(place: int) -> None:
    example = make_example([GAVE, LEFT], [GAVE])
    annotation.set_mentions(example.predicted, [ANN, BOB], [0.9, 0.9], key=SELECTED_KEY)
    expected = score_srl([example])
    gave = [(span.start, span.end, span.label_) for span in example.predicted.spans["srl_1"]]
    put_spans(example.predicted, "srl_1", *gave, (place, place, "ARG3"), roleset="give.01")
    put_spans(example.predicted, SELECTED_KEY, ANN, (place, place), BOB)
    put_spans(example.reference, "srl_3", (place, place, "V"), (0, 1, "ARG0"))
    assert score_srl([example]) == expected
