from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_predicates
from spacy_span_selector.scoring.coref import make_coref_scorer, score_coref
from spacy_span_selector.scoring.srl import make_srl_scorer, score_srl
from spacy_span_selector.scoring.task import check_same_text

VOCAB = Vocab()


class Task(NamedTuple):
    """A scorer, what makes the one of its component, what annotates, and the names of scores."""

    score: Callable[..., dict[str, Any]]
    make_scorer: Callable[[], Callable[..., dict[str, Any]]]
    annotate: Callable[[Doc], None]
    parts: list[str]
    others: set[str]


TASKS = {
    "coref": Task(
        score_coref,
        make_coref_scorer,
        lambda doc: set_clusters(doc, [[(0, 1), (1, 2)]]),
        ["", "muc_", "b3_", "ceaf_", "lea_", "ment_"],
        {"density"},
    ),
    "srl": Task(
        score_srl,
        make_srl_scorer,
        lambda doc: set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "sing.01")]),
        ["", "span_", "pred_", "kept_"],
        {"sense_acc", "density", "per_role"},
    ),
}
of_tasks = pytest.mark.parametrize("name", TASKS)


def make_doc(text: str) -> Doc:
    return Doc(VOCAB, words=text.split(), spaces=[True] * (len(text.split()) - 1) + [False])


def make_example(name: str, *, predicted: str = "Ann sang", annotated: bool = True) -> Example:
    """A prediction of another text, or a reference that is not annotated."""
    example = Example(make_doc(predicted), make_doc("Ann sang"))
    TASKS[name].annotate(example.predicted)
    if annotated:
        TASKS[name].annotate(example.reference)
    return example


def test_the_same_text_in_other_tokens_passes() -> None:
    check_same_text(make_doc("New York"), Doc(VOCAB, words=["New York"], spaces=[False]))


@pytest.mark.parametrize(
    "predicted, place", [("Ann ran", "character 4"), ("Ann", "character 3"), ("Ann sang well", "character 8")]
)
def test_message_names_the_document_and_the_first_difference(predicted: str, place: str) -> None:
    with pytest.raises(ValueError, match=f"document starting 'Ann sang': at {place}"):
        check_same_text(make_doc("Ann sang"), make_doc(predicted))


@of_tasks
def test_texts_that_differ_are_an_error(name: str) -> None:
    with pytest.raises(ValueError, match=r"document starting 'Ann sang'.*character 4 .*'ran'.*'sang'"):
        TASKS[name].score([make_example(name, predicted="Ann ran")])


@of_tasks
def test_score_names_fit_the_training_log(name: str) -> None:
    task = TASKS[name]
    names = task.score([make_example(name)]).keys()
    ends = {f"{part}{end}" for part in task.parts for end in "prf"} | task.others
    assert names == {f"{name}_{end}" for end in ends}
    assert max(map(len, names)) <= 13


@of_tasks
def test_references_without_annotation_are_left_out_and_have_no_scores(name: str) -> None:
    score, annotated, not_annotated = TASKS[name].score, make_example(name), make_example(name, annotated=False)
    set_predicates(not_annotated.reference, [(1, 2)])  # predicates alone are no frames
    assert score([annotated, not_annotated]) == score([annotated])
    for examples in ([], [not_annotated]):
        assert score(examples) == dict.fromkeys(score([annotated]))


@of_tasks
def test_scorer_ignores_further_settings_of_the_component(name: str) -> None:
    examples = [make_example(name)]
    assert TASKS[name].make_scorer()(examples, threshold=0.5) == TASKS[name].score(examples)
