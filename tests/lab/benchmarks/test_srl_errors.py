from __future__ import annotations

from pathlib import Path

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from lab.benchmarks.srl_errors import Error, Pair, argument_errors, main, predicate_errors, score, score_by
from spacy_span_selector.annotation import Argument, Frame, set_frames

from .conftest import MakeModel, run

WORDS = ["Ann", "gave", "Leo", "a", "key", ".", "He", "left", "."]
GIVE = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG2"), Argument(3, 5, "ARG1")], "give.01")
LEAVE = Frame(7, 8, [Argument(6, 7, "ARG0")], "leave.01")


def doc(*frames: Frame) -> Doc:
    made = Doc(Vocab(), words=WORDS, lemmas=["leave" if word == "left" else word for word in WORDS])
    made[1].pos_, made[7].pos_, made[4].pos_ = "VERB", "VERB", "NOUN"
    set_frames(made, frames)
    return made


@pytest.mark.parametrize(
    ("predicted", "kind"),
    [
        ((2, 5, "ARG2"), "other role"),
        ((2, 4, "ARG1"), "other boundaries"),
        ((2, 4, "ARG2"), "other boundaries and role"),
        ((7, 8, "ARG1"), "no argument"),
    ],
)
def test_wrong_arguments_are_sorted_by_kind(predicted: tuple[int, int, str], kind: str) -> None:
    gold = (2, 5, "ARG1")
    first, *others = argument_errors([gold, (0, 1, "ARG0")], [predicted, (0, 1, "ARG0")], set())
    if kind == "no argument":
        assert [first, *others] == [Error(kind, None, predicted), Error("not selected", gold, None)]
    else:
        assert [first, *others] == [Error(kind, gold, predicted)]


def test_a_missed_argument_was_selected_or_not() -> None:
    missed = argument_errors([(0, 1, "ARG0"), (2, 3, "ARG1")], [], {(0, 1)})
    assert [error.kind for error in missed] == ["missed", "not selected"]


def test_the_role_explains_before_the_boundaries() -> None:
    gold = [(2, 5, "ARG1"), (2, 3, "ARG2")]
    errors = argument_errors(gold, [(2, 3, "ARG1")], set())
    assert errors == [Error("other role", gold[1], (2, 3, "ARG1")), Error("not selected", gold[0], None)]


def test_scores_of_a_kind_are_those_of_its_predicates() -> None:
    wrong = LEAVE._replace(arguments=[])
    pairs = [Pair(doc(GIVE, LEAVE), doc(GIVE, wrong))]
    by_word = dict(score_by(pairs, lambda _, frame: str(frame.start)))
    assert {kind: scores.labelled.recall for kind, scores in by_word.items()} == {"1": 1.0, "7": 0.0}
    assert score(pairs).labelled.recall == 0.75


def test_predicates_are_missed_or_false() -> None:
    false = Frame(4, 5, [])
    missed, found = predicate_errors([Pair(doc(GIVE, LEAVE), doc(GIVE, false))])
    assert (missed, found) == ({"leave VERB": 1}, {"key NOUN": 1})


def test_every_table_is_printed(data: Path, make_model: MakeModel) -> None:
    output = run(main, make_model("structured_srl"), data, data, "--show", "2").output
    for title in ("predicates", "given predicates", "word in train", "wrong arguments"):
        assert title in output
    assert output.count("\n- ") == 2
