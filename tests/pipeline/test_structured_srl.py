"""Behaviour of `structured_srl` alone; what all components share is in test_selector_pipe.py."""

import itertools
import warnings
from pathlib import Path
from typing import Any

import pytest
import srsly
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed

from spacy_span_selector.annotation import (
    PREDICATES_KEY,
    SELECTED_KEY,
    Argument,
    Frame,
    frame_groups,
    get_frames,
    get_predicates,
    set_frames,
    set_predicates,
)
from spacy_span_selector.examples.alignment import MISALIGNED
from spacy_span_selector.examples.gold_frames import OTHER_SENTENCE, UNKNOWN_ROLE, UNKNOWN_ROLESET, UNSEEN_ROLESET

from ..spans import put_spans
from .components import (
    SRL,
    Case,
    component,
    from_disk,
    gold_docs,
    head_weights,
    initialized,
    make_examples,
    make_nlp,
    of_other_tokens,
    opinionated,
    read_frames,
    selected,
    sentenced,
    train,
    update_and_warn_once,
    without_scores,
)

each_selector = pytest.mark.parametrize("selector", SRL.selectors)


@pytest.fixture
def case() -> Case:
    return SRL


# Labels


def test_labels_are_the_roles_most_frequent_first(trained: Language) -> None:
    labels = component(trained).labels
    assert set(labels) == {"ARG0", "ARG1", "ARG2", "R-ARG1", "ARGM-TMP", "ARGM-LOC"}
    assert labels[:3] == ("ARG0", "ARG1", "ARGM-LOC")
    left = {"depart.01": 1, "leave.02": 2}
    rolesets = {"gave": {"give.01": 1}, "left": left, "picked up": {"pick_up.04": 1}}
    assert component(trained).label_data == {"roles": list(labels), "rolesets": rolesets}


@pytest.mark.parametrize("selector", ["structured", "laminar"])
def test_initialization_with_labels_equals_that_from_data(selector: str, tmp_path: Path) -> None:
    nlp, examples = initialized(SRL, selector)
    srsly.write_json(tmp_path / "labels.json", component(nlp).label_data)
    fix_random_seed(0)
    other = make_nlp(SRL)
    labels = {"@readers": "spacy.read_labels.v1", "path": str(tmp_path / "labels.json"), "require": True}
    other.config["initialize"]["components"] = {"structured_srl": {"labels": labels}}
    other.initialize(lambda: examples)
    assert component(other)._saved() == component(nlp)._saved()
    expected = head_weights(nlp)
    assert all(torch.equal(weight, expected[name]) for name, weight in head_weights(other).items())


@pytest.mark.filterwarnings("ignore:.*among the rolesets")
def test_labels_may_be_more_than_those_of_the_data() -> None:
    nlp, examples = initialized(SRL)
    labels = {"roles": ["ARG5", *component(nlp).labels], "rolesets": {"left": {"leave.02": 1}}}
    component(nlp).initialize(lambda: examples, labels=labels)
    assert component(nlp).labels[0] == "ARG5"
    assert train(nlp, examples, steps=1)[0] > 0


def test_labels_that_cannot_be_learnt_are_counted_and_reported_once() -> None:
    nlp, examples = initialized(SRL)
    rolesets = {"gave": {"give.09": 1}, "picked up": {"give.01": 1}}  # all others are not among them
    labels = {"roles": ["ARG0", "ARG1"], "rolesets": rolesets}
    with pytest.warns(UserWarning) as all_:
        component(nlp).initialize(lambda: examples, labels=labels)
        losses = train(nlp, examples, steps=3)
    messages = [str(warning.message) for warning in all_ if warning.category is UserWarning]
    what = "'structured_srl' leaves out a gold predicate, argument or roleset that"
    assert {message.split(" in document")[0] for message in messages} == {
        f"{what} {UNKNOWN_ROLE}: ARG2 'her brother'",
        f"{what} {UNSEEN_ROLESET}: 'give.01' of 'gave'",
        f"{what} {UNKNOWN_ROLESET}: 'depart.01' of 'left'",
    }
    assert len(messages) == 3
    assert component(nlp).lost.counts == {UNKNOWN_ROLE: 3 * 5, UNSEEN_ROLESET: 3, UNKNOWN_ROLESET: 3 * 4}
    assert losses[-1] < losses[0]


def test_an_unknown_role_in_evaluation_is_missed(trained: Language, gold: list[Doc]) -> None:
    (frame,) = get_frames(gold[2])
    set_frames(gold[2], [frame._replace(arguments=[*frame.arguments[:-1], frame.arguments[-1]._replace(role="ARG9")])])
    scores = trained.evaluate(make_examples(trained, gold[2:]))
    assert scores["srl_r"] == scores["srl_p"] == pytest.approx(2 / 3)
    assert scores["srl_span_f"] == 1.0
    assert scores["srl_per_role"]["ARG9"]["r"] == 0.0


def test_no_argument_in_any_example_is_an_error() -> None:
    nlp = make_nlp(SRL, prefix="roles")
    docs = gold_docs(SRL, nlp)
    with pytest.raises(ValueError, match=r"'structured_srl' found no argument .*'roles_1'.*span-selector convert"):
        nlp.initialize(lambda: make_examples(nlp, docs))


@pytest.mark.parametrize("labels", [["ARG0", "ARG1"], {"roles": ["ARG0"]}])
def test_labels_of_another_form_are_an_error_that_shows_the_right_one(labels: Any) -> None:
    nlp, examples = initialized(SRL)
    with pytest.raises(
        ValueError, match=r"labels of 'structured_srl' are .*ARG0.*'python -m spacy init labels'.*roles"
    ):
        component(nlp).initialize(lambda: examples, labels=labels)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"labels": "ARG0"}, "labels of 'structured_srl' are .*'roles': 'ARG0'"),
        ({"labels": ["ARG0", 1]}, "labels of 'structured_srl' are .*'roles': .*1"),
        ({"labels": ["ARG0", "ARG0"]}, "labels of 'structured_srl' are .*each role once"),
        ({"labels": ["V"]}, "arguments with the role 'V'"),
        ({"labels": ["ARG0"]}, "its weights are for 6 roles, its settings .* name 1"),
        ({"rolesets": []}, r"labels of 'structured_srl' are .*'rolesets': \[\]"),
        ({"rolesets": {"gave": "give.01"}}, "labels of 'structured_srl' are .*'gave': 'give.01'"),
        ({"rolesets": {"gave": {"give.01": 0}}}, "labels of 'structured_srl' are .*counts of at least 1"),
        ({"rolesets": {"gave": {"give.01": 1}}}, "its weights are for 4 rolesets, its settings .* name 1"),
    ],
)
def test_wrong_saved_labels_are_errors(
    trained: Language, changes: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    pipe = component(trained)
    pipe.to_disk(tmp_path)
    srsly.write_json(tmp_path / "cfg", {**pipe._saved(), **changes})
    with pytest.raises(ValueError, match=f"Can't load 'structured_srl'.*{problem}"):
        component(make_nlp(SRL)).from_disk(tmp_path)


@pytest.mark.parametrize("role", ["V", ""])
def test_a_role_that_no_argument_can_have_is_an_error(role: str) -> None:
    nlp = make_nlp(SRL)
    doc = nlp.make_doc("Ann left.")
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, role)])])
    place = "in document starting 'Ann left.': 'Ann', tokens 0:1"
    with pytest.raises(ValueError, match=f"'structured_srl' found arguments with the role '{role}' {place}"):
        nlp.initialize(lambda: make_examples(nlp, [doc]))


# Predicates


def test_given_predicates_are_honoured_and_no_others_looked_for(trained: Language, gold: list[Doc]) -> None:
    doc = sentenced(trained, gold[1].text)
    set_predicates(doc, [(7, 8)], key="verbs")
    set_predicates(doc, [], key=PREDICATES_KEY)
    component(trained).configure(predicates_key="verbs")
    (frame,) = get_frames(trained(doc))
    assert without_scores([frame]) == [get_frames(gold[1])[1]]
    assert frame.scores is not None and frame.scores[0] == 1.0
    assert get_predicates(doc, "verbs") == [(7, 8)]


def test_any_span_may_be_given_as_a_predicate(trained: Language, gold: list[Doc]) -> None:
    doc = sentenced(trained, gold[0].text)
    spans = [(7, 8), (0, 3), (4, 6), (5, 9)]  # not sorted; the last leaves its sentence
    set_predicates(doc, spans)
    assert [(frame.start, frame.end) for frame in get_frames(trained(doc))] == sorted(spans)


@each_selector
def test_an_empty_list_says_that_there_are_no_predicates(selector: str) -> None:
    nlp = opinionated(SRL, selector)
    with_list, without = (sentenced(nlp, "Ann left Bob. Leo saw her.") for _ in range(2))
    set_predicates(with_list, [])
    for doc in nlp.pipe([with_list, without]):
        assert (get_frames(doc) == []) is (doc is with_list)


def test_given_predicates_are_those_of_their_document_alone(trained: Language, gold: list[Doc]) -> None:
    docs = [sentenced(trained, doc.text) for doc in gold]
    set_predicates(docs[1], [(1, 3)])
    found = [[(frame.start, frame.end) for frame in get_frames(doc)] for doc in trained.pipe(docs)]
    assert found == [[(1, 2), (8, 9)], [(1, 3)], [(1, 2)]]


@each_selector
def test_one_span_may_be_given_twice(selector: str) -> None:
    nlp = opinionated(SRL, selector)
    doc = sentenced(nlp, "Ann left Bob there.")
    set_predicates(doc, [(1, 2), (1, 2)])
    one, other = get_frames(nlp(doc))
    assert one.arguments and (one.arguments, one.roleset) == (other.arguments, other.roleset)
    assert one.scores == pytest.approx(other.scores)  # a row's sums depend on its place in the batch


def test_two_frames_on_one_span_can_be_learnt_from() -> None:
    nlp, _ = initialized(SRL, negatives=0.0)
    reference = nlp.make_doc("Ann left Bob.")
    frames = [Frame(1, 2, [Argument(0, 1, "ARG0")]), Frame(1, 2, [Argument(2, 3, "ARG1")])]
    set_frames(reference, frames)
    losses = train(nlp, make_examples(nlp, [reference]), steps=10)
    assert losses[-1] < losses[0]
    assert [frame.start for frame in get_frames(nlp(reference.text))] == [1]


def test_a_given_predicate_without_words_is_left_out(trained: Language) -> None:
    doc = sentenced(trained, "Tom left a key there.")
    put_spans(doc, PREDICATES_KEY, (1, 2), (3, 3))
    assert [(frame.start, frame.end) for frame in get_frames(trained(doc))] == [(1, 2)]


# Rolesets


def rolesets_of(nlp: Language, words: list[str], lemmas: list[str] | None = None) -> list[str | None]:
    """The roleset of each word as a predicate."""
    doc = Doc(nlp.vocab, words=words, lemmas=lemmas, sent_starts=[True, *[False] * (len(words) - 1)])
    set_predicates(doc, [(i, i + 1) for i in range(len(words))])
    return [frame.roleset for frame in get_frames(component(nlp)(doc))]


def test_the_most_frequent_roleset_is_the_fallback_and_unseen_words_have_none() -> None:
    nlp, _ = initialized(SRL)
    assert rolesets_of(nlp, ["LEFT", "gave", "danced"]) == ["leave.02", "give.01", None]


def test_forms_are_looked_up_before_lemmas() -> None:
    nlp, examples = initialized(SRL)
    for example in examples:
        for token in example.reference:
            token.lemma_ = {"left": "leave", "gave": "give"}.get(token.text, token.lower_)
    (more,) = SRL.parse("Ann leaves.\n> [ARG0 Ann] [V=leave.99 leaves].", nlp)
    more[1].lemma_ = "leave"
    nlp.initialize(lambda: [*examples, *make_examples(nlp, [more])])
    found = rolesets_of(nlp, ["leaves", "leaving", "gives", "dances"], ["leave", "leave", "give", "dance"])
    assert found == ["leave.99", "leave.02", "give.01", None]
    assert rolesets_of(nlp, ["leaves", "leaving", "dances"]) == ["leave.99", "leave.02", None]


def test_rolesets_can_be_left_alone(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp, examples = initialized(SRL, predict_rolesets=False)
        train(nlp, examples, steps=2)
    assert not component(nlp).lost.counts
    assert component(nlp).label_data["rolesets"] == {}
    frames = get_frames(from_disk(nlp, tmp_path)(examples[0].text))
    assert all(frame.roleset is None for frame in frames)
    doc = sentenced(nlp, examples[0].text)
    set_predicates(doc, [(1, 2)])
    assert get_frames(nlp(doc))[0].roleset is None


def test_rolesets_can_be_switched_off_after_training(trained: Language, gold: list[Doc]) -> None:
    component(trained).configure(predict_rolesets=False)
    for doc in gold:
        expected = [frame._replace(roleset=None) for frame in get_frames(doc)]
        assert read_frames(trained(doc.text)) == expected


def test_corpora_may_have_no_rolesets() -> None:
    nlp = make_nlp(SRL)
    examples = make_examples(nlp, SRL.parse("Ann left.\n> [ARG0 Ann] [V left].", nlp))
    nlp.initialize(lambda: examples)
    train(nlp, examples, steps=15)
    assert read_frames(nlp("Ann left.")) == [Frame(1, 2, [Argument(0, 1, "ARG0")])]


# Annotation


@each_selector
def test_a_document_of_one_word_may_be_a_predicate(selector: str) -> None:
    nlp = opinionated(SRL, selector)
    doc = nlp.make_doc("Go")
    set_predicates(doc, [(0, 1)])
    (frame,) = get_frames(component(nlp)(doc))
    assert (frame.start, frame.end) == (0, 1)
    assert all(argument[:2] == (0, 1) for argument in frame.arguments)


def test_a_document_without_predicates(trained: Language) -> None:
    doc = trained("Oh.")
    assert get_frames(doc) == [] and doc._.srl == []
    assert SELECTED_KEY in doc.spans


@each_selector
def test_arguments_are_selected_spans_and_scores_are_probabilities(selector: str) -> None:
    doc = opinionated(SRL, selector)("Leo picked up a hat that Ruth left there. Ann gave her brother a key.")
    spans = selected(SRL, doc)
    assert spans == sorted(set(spans))
    assert {argument[:2] for frame in get_frames(doc) for argument in frame.arguments} <= set(spans)
    for group in [*frame_groups(doc), doc.spans[SELECTED_KEY]]:
        scores = group.attrs["scores"]
        assert len(scores) == len(group) > 0
        assert all(isinstance(score, float) and 0 <= score <= 1 for score in scores)


def test_selected_spans_do_not_cross(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[1].text)
    spans = selected(SRL, doc)
    assert not any(i < k < j < last for (i, j), (k, last) in itertools.permutations(spans, 2))
    assert (4, 9) not in spans and (3, 9) in spans and (3, 5) in spans


# Settings


@pytest.mark.parametrize("selector", ["structured", "laminar", "sigmoid"])
def test_candidates_add_to_the_loss(selector: str) -> None:
    some, none = (
        train(*initialized(SRL, selector, candidate_ratio=ratio, negatives=0.0), steps=1)[0] for ratio in (1.0, 0.0)
    )
    assert some > none


# Training


def test_the_best_tree_is_learnt_from_partial_annotation() -> None:
    nlp, examples = initialized(SRL, decoding="map", annotation="partial")
    train(nlp, examples, steps=30)
    for example in examples:
        assert read_frames(nlp(example.text)) == get_frames(example.reference)


@each_selector
def test_frames_that_cannot_be_used_are_reported_once_and_the_rest_is_learnt(selector: str) -> None:
    nlp, _ = initialized(SRL, selector)
    reference = of_other_tokens(nlp)
    left = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(3, 4, "ARG1")])
    slept = Frame(4, 6, [Argument(3, 4, "ARG0"), Argument(0, 1, "ARG1")])
    set_frames(reference, [left, slept, Frame(5, 6, [Argument(3, 4, "ARG0")])])
    messages, losses = update_and_warn_once(nlp, reference, steps=4)
    assert len(messages) == 2
    assert MISALIGNED in messages[0] and "predicate 'ept' in document 'the attic'" in messages[0]
    assert OTHER_SENTENCE in messages[1] and "ARG1 'She' in document 'the attic'" in messages[1]
    assert component(nlp).lost.counts == {MISALIGNED: 4, OTHER_SENTENCE: 8}
    assert losses[-1] < losses[0]


@each_selector
def test_a_given_predicate_may_be_far_from_its_arguments(selector: str) -> None:
    nlp, _ = initialized(SRL, selector)
    words = ["Ann", "left", "her", "and"] * 75
    doc = Doc(nlp.vocab, words=words, sent_starts=[i == 0 for i in range(300)])
    set_predicates(doc, [(1, 2), (297, 298)])
    frames = get_frames(component(nlp)(doc))
    assert [(frame.start, frame.end) for frame in frames] == [(1, 2), (297, 298)]
    assert all(0 <= score <= 1 for score in doc.spans[SELECTED_KEY].attrs["scores"])


# Scores


def test_evaluation_takes_given_predicates(trained: Language, gold: list[Doc]) -> None:
    examples = make_examples(trained, gold)
    for example in examples:
        set_predicates(example.predicted, [])
    assert trained.evaluate(examples)["srl_pred_r"] == 0.0


# Frames


LEXICON = {
    "give.01": {
        "name": "transfer",
        "words": ["give", "hand"],
        "roles": {
            "ARG0": {"description": "giver", "tag": "PAG"},
            "ARG1": {"description": "thing given", "tag": "PPT"},
            "ARG2": {"description": "given to", "tag": "GOL"},
        },
    },
    "leave.02": {"name": "give", "words": ["leave"], "roles": {"ARG1": {"description": "thing left", "tag": "PPT"}}},
}


def with_lexicon(selector: str = "structured", **model: Any) -> tuple[Language, list[Any]]:
    nlp, examples = initialized(SRL, selector, model=model)
    component(nlp).initialize(lambda: examples, lexicon=LEXICON)
    return nlp, examples


def test_frames_say_what_the_lexicon_knows() -> None:
    nlp, examples = with_lexicon()
    assert rolesets_of(nlp, ["handed", "gives", "dances"]) == ["give.01", "give.01", None]  # words never seen
    train(nlp, examples, steps=SRL.steps)
    doc = nlp("Ann gave Leo a key. Tom handed Ann a hat.")
    frame = doc._.srl[0]
    assert (frame.roleset, frame.roleset_name) == ("give.01", "transfer")
    assert frame.descriptions["ARG0"] == "giver"


@each_selector
def test_it_learns_with_a_lexicon_which_is_saved(selector: str, tmp_path: Path) -> None:
    nlp, examples = with_lexicon(selector, roleset_vectors=True)
    losses = train(nlp, examples, steps=5)
    assert losses[-1] < losses[0]
    other = from_disk(nlp, tmp_path)
    assert component(other)._saved()["lexicon"] == LEXICON
    text = "Ann gave Leo a key."
    assert get_frames(other(text)) == get_frames(nlp(text))


def test_a_lexicon_of_another_form_is_refused() -> None:
    nlp, examples = initialized(SRL)
    with pytest.raises(ValueError, match=r"the lexicon of 'structured_srl': roleset 'give\.01'"):
        component(nlp).initialize(lambda: examples, lexicon={"give.01": []})


def test_strict_frames_give_no_core_role_that_a_roleset_lacks() -> None:
    nlp, examples = with_lexicon()
    train(nlp, examples, steps=SRL.steps)
    docs = list(nlp.pipe([*SRL.texts, "Ruth left Leo."]))
    component(nlp).configure(frame_roles=True)
    strict = list(nlp.pipe([*SRL.texts, "Ruth left Leo."]))

    def roles(docs: list[Doc]) -> set[str]:
        frames = [frame for doc in docs for frame in get_frames(doc) if frame.roleset == "leave.02"]
        return {argument.role for frame in frames for argument in frame.arguments}

    assert "ARG0" in roles(docs)
    assert roles(strict).isdisjoint({"ARG0", "ARG2"})
    assert "ARG1" in roles(strict)


@pytest.mark.parametrize("roles", ["ARG0", [0], None])
def test_unique_roles_must_be_a_list_of_roles(roles: Any) -> None:
    nlp, _ = initialized(SRL)
    with pytest.raises(
        ValueError, match=r"'unique_roles.*' of 'structured_srl' is .*; it must be a (list|valid string)"
    ):
        component(nlp).configure(unique_roles=roles)
