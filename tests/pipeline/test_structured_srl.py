from __future__ import annotations

import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import srsly
import torch
from spacy.cli.find_threshold import find_threshold
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import fix_random_seed, load_model_from_config
from thinc.api import SGD

from spacy_span_selector.annotation import (
    FRAME_PREFIX,
    PREDICATES_KEY,
    SELECTED_KEY,
    Argument,
    Frame,
    frame_keys,
    get_clusters,
    get_frames,
    set_frames,
    set_predicates,
    set_title,
)
from spacy_span_selector.corpora.bracketed import parse_bracketed
from spacy_span_selector.pipeline import structured_srl
from spacy_span_selector.pipeline.alignment import CROSSES_SENTENCES, MISALIGNED, TOO_WIDE
from spacy_span_selector.pipeline.gold_frames import OTHER_SENTENCE, UNKNOWN_ROLE
from spacy_span_selector.pipeline.structured_srl import SrlPrediction, StructuredSrl

from ..selectors import SELECTORS, selector_block
from ..tok2vec import TOK2VEC

CORPUS = """
=== the station
Ann gave her brother a key.
> [ARG0 Ann] [V=give.01 gave] [ARG2 her brother] [ARG1 a key].
He left yesterday.
> [ARG0 He] [V=depart.01 left] [ARGM-TMP yesterday].
Oh.
>
=== the hat
Leo picked up a hat that Ruth left there.
> [ARG0 Leo] [V=pick_up.04 picked up] [ARG1 a hat that Ruth left there].
> Leo picked up [ARG1 a hat] [R-ARG1 that] [ARG0 Ruth] [V=leave.02 left] [ARGM-LOC there].
=== the bus
Tom left a key there.
> [ARG0 Tom] [V=leave.02 left] [ARG1 a key] [ARGM-LOC there].
"""

MODEL = {
    "@architectures": "spacy_span_selector.SrlModel.v1",
    "tok2vec": TOK2VEC,
    "hidden_width": 24,
    "pair_width": 16,
    "pair_hidden_width": 24,
    "feature_width": 4,
    "dropout": 0.0,
}
NAMES = ["structured", "sigmoid", "greedy", "bio"]


def make_nlp(model: dict[str, Any] | None = None, name: str = "structured_srl", **config: Any) -> Language:
    """A pipeline; `model` has the settings of the architecture that differ from MODEL."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_srl", name=name, config={"model": {**MODEL, **(model or {})}, **config})
    return nlp


def component(nlp: Language) -> StructuredSrl:
    pipe = nlp.get_pipe(nlp.pipe_names[-1])
    assert isinstance(pipe, StructuredSrl)
    return pipe


def sentenced(nlp: Language, text: str) -> Doc:
    """A document that has sentence boundaries and nothing else."""
    doc: Doc = nlp.get_pipe("sentencizer")(nlp.make_doc(text))
    return doc


def make_examples(nlp: Language, docs: list[Doc]) -> list[Example]:
    """Examples whose predicted side has sentence boundaries."""
    return [Example(sentenced(nlp, doc.text), doc) for doc in docs]


def gold_docs(nlp: Language, text: str = CORPUS) -> list[Doc]:
    return parse_bracketed(text, nlp)


def initialized(seed: int = 0, model: dict[str, Any] | None = None, **config: Any) -> tuple[Language, list[Example]]:
    """A pipeline with random weights, and its examples."""
    fix_random_seed(seed)
    nlp = make_nlp(model, **config)
    examples = make_examples(nlp, gold_docs(nlp))
    nlp.initialize(lambda: examples)
    return nlp, examples


@cache
def opinionated(selector: str, seed: int = 0) -> Language:
    """A pipeline whose random weights are so great that it finds many predicates and arguments; to be left as it is."""
    nlp, _ = initialized(
        seed, model={"selector": selector_block(selector, ratio=3.0)}, threshold=0.0, candidate_ratio=3.0
    )
    with torch.no_grad():
        for weight in component(nlp).model.get_ref("head").shims[0]._model.parameters():
            weight.mul_(3.0)
    return nlp


def train(nlp: Language, examples: list[Example], steps: int, learn_rate: float = 0.01) -> list[float]:
    """The losses of all steps."""
    optimizer = nlp.resume_training()
    optimizer.learn_rate = learn_rate
    losses = []
    for _ in range(steps):
        losses.append(sum(nlp.update(examples, sgd=optimizer, losses={}, drop=0.0).values()))
    return losses


@pytest.fixture(scope="module")
def trained_bytes() -> bytes:
    nlp, examples = initialized()
    train(nlp, examples, steps=40)
    return nlp.to_bytes()


@pytest.fixture
def trained(trained_bytes: bytes) -> Language:
    """A pipeline that has learnt the corpus by heart. It is loaded into a component that was never initialized."""
    return make_nlp().from_bytes(trained_bytes)


@pytest.fixture
def gold(trained: Language) -> list[Doc]:
    return gold_docs(trained)


Annotation = tuple[list[Frame], list[tuple[int, int]], list[float]]


def without_scores(frames: list[Frame]) -> list[Frame]:
    return [frame._replace(scores=None) for frame in frames]


def annotation(doc: Doc) -> Annotation:
    """Everything that the component has written; the scores of frames, then those of spans."""
    frames, selected = get_frames(doc), doc.spans[SELECTED_KEY]
    scores = [*(score for frame in frames for score in frame.scores or ()), *selected.attrs["scores"]]
    return without_scores(frames), [(span.start, span.end) for span in selected], scores


def annotate(nlp: Language, texts: list[str]) -> list[Annotation]:
    """One document at a time."""
    return [annotation(nlp(text)) for text in texts]


def assert_same(found: list[Annotation], expected: list[Annotation]) -> None:
    assert [annotated[:2] for annotated in found] == [annotated[:2] for annotated in expected]
    for (*_, scores), (*_, others) in zip(found, expected, strict=True):
        assert scores == pytest.approx(others, abs=1e-4)


def head_weights(nlp: Language) -> dict[str, torch.Tensor]:
    head = component(nlp).model.get_ref("head").shims[0]._model
    return {name: weight.detach().clone() for name, weight in head.named_parameters()}


def weights(model: Any) -> list[np.ndarray]:
    """The weights of a Thinc model."""
    return [node.get_param(name).copy() for node in model.walk() for name in node.param_names if node.has_param(name)]


# Life of a component


@pytest.mark.parametrize(
    ("selector", "steps", "config"),
    [
        ("structured", 30, {}),
        ("structured", 30, {"decoding": "map", "annotation": "partial"}),
        ("sigmoid", 30, {}),
        ("greedy", 50, {}),
        ("bio", 30, {}),
    ],
)
def test_overfitting(selector: str, steps: int, config: dict[str, Any]) -> None:
    nlp, examples = initialized(model={"selector": selector_block(selector, ratio=4.0)}, **config)
    train(nlp, examples, steps)
    for example in examples:
        assert without_scores(get_frames(nlp(example.text))) == get_frames(example.reference)


@pytest.mark.parametrize("selector", NAMES)
def test_training_lowers_the_loss(selector: str) -> None:
    losses = train(*initialized(model={"selector": selector_block(selector), "dropout": 0.1}), steps=8)
    assert losses[-1] < 0.6 * losses[0]


def from_disk(nlp: Language, path: Path) -> Language:
    nlp.to_disk(path)
    return spacy.load(path)


def from_bytes(nlp: Language, path: Path) -> Language:
    return make_nlp().from_bytes(nlp.to_bytes())


def from_pickle(nlp: Language, path: Path) -> Language:
    return pickle.loads(pickle.dumps(nlp))


def from_bytes_over_other_sizes(nlp: Language, path: Path) -> Language:
    other = make_nlp()
    examples = make_examples(other, gold_docs(other, "Go.\n> [V=go.01 Go].\nAnn left.\n> [ARG7 Ann] [V left]."))
    other.initialize(lambda: examples)
    return other.from_bytes(nlp.to_bytes())


@pytest.mark.parametrize("reload", [from_disk, from_bytes, from_pickle, from_bytes_over_other_sizes])
def test_predictions_survive_serialization(
    reload: Callable[[Language, Path], Language], trained: Language, gold: list[Doc], tmp_path: Path
) -> None:
    texts = [doc.text for doc in gold]
    loaded = reload(trained, tmp_path)
    assert_same(annotate(loaded, texts), annotate(trained, texts))
    assert component(loaded).label_data == component(trained).label_data


def test_settings_survive_serialization(tmp_path: Path) -> None:
    nlp, _ = initialized(
        model={"selector": selector_block("bio")}, threshold=0.25, decoding="map", prefix="srl", add_gold=True
    )
    loaded = component(from_disk(nlp, tmp_path))
    expected = component(nlp)
    assert loaded.cfg == {**expected.cfg, "candidate_ratio": pytest.approx(expected.cfg["candidate_ratio"])}
    assert isinstance(loaded.model.attrs["selector"], SELECTORS["bio"])


def test_an_uninitialized_component_can_be_saved(tmp_path: Path) -> None:
    nlp = from_disk(make_nlp(threshold=0.25), tmp_path)
    assert component(nlp).cfg["threshold"] == 0.25
    assert component(nlp).labels == ()


def test_use_before_initialization_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"'structured_srl' could not be run. Did you forget to call `initialize\(\)`"):
        make_nlp()("Ann left. She slept.")


def test_component_can_be_sourced(trained: Language, gold: list[Doc]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_srl", source=trained)
    assert_same(annotate(nlp, [gold[0].text]), annotate(trained, [gold[0].text]))


def test_config_can_be_loaded_again(trained: Language, gold: list[Doc]) -> None:
    nlp = load_model_from_config(trained.config, auto_fill=False, validate=True)
    assert component(nlp).cfg == component(make_nlp()).cfg
    nlp.from_bytes(trained.to_bytes())
    assert_same(annotate(nlp, [gold[0].text]), annotate(trained, [gold[0].text]))


def test_training_can_be_resumed(trained: Language, gold: list[Doc]) -> None:
    first = train(*initialized(), steps=1)[0]
    assert max(train(trained, make_examples(trained, gold), steps=2, learn_rate=0.001)) < 0.5 * first


def test_nothing_need_be_configured() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_srl")
    examples = make_examples(nlp, gold_docs(nlp))
    optimizer = nlp.initialize(lambda: examples)
    assert nlp.update(examples, sgd=optimizer, losses={})["structured_srl"] > 0
    assert nlp(examples[0].text).spans[SELECTED_KEY].attrs["scores"] is not None
    assert isinstance(component(nlp).model.attrs["selector"], SELECTORS["structured"])


# Labels


def test_labels_are_the_roles_most_frequent_first(trained: Language) -> None:
    labels = component(trained).labels
    assert set(labels) == {"ARG0", "ARG1", "ARG2", "R-ARG1", "ARGM-TMP", "ARGM-LOC"}
    assert labels[:3] == ("ARG0", "ARG1", "ARGM-LOC")
    assert component(trained).label_data == {
        "roles": list(labels),
        "rolesets": {
            "gave": {"give.01": 1},
            "left": {"depart.01": 1, "leave.02": 2},
            "picked up": {"pick_up.04": 1},
        },
    }


@pytest.mark.parametrize("selector", ["structured", "bio"])
def test_initialization_with_labels_equals_that_from_data(selector: str, tmp_path: Path) -> None:
    nlp, examples = initialized(model={"selector": selector_block(selector)})
    srsly.write_json(tmp_path / "labels.json", component(nlp).label_data)
    fix_random_seed(0)
    other = make_nlp({"selector": selector_block(selector)})
    labels = {"@readers": "spacy.read_labels.v1", "path": str(tmp_path / "labels.json"), "require": True}
    other.config["initialize"]["components"] = {"structured_srl": {"labels": labels}}
    other.initialize(lambda: examples)
    assert component(other).cfg == component(nlp).cfg
    expected = head_weights(nlp)
    assert all(torch.equal(weight, expected[name]) for name, weight in head_weights(other).items())


def test_labels_may_be_more_than_those_of_the_data() -> None:
    nlp, examples = initialized()
    labels = {"roles": ["ARG5", *component(nlp).labels], "rolesets": {"left": {"leave.02": 1}}}
    component(nlp).initialize(lambda: examples, labels=labels)
    assert component(nlp).labels[0] == "ARG5"
    assert train(nlp, examples, steps=1)[0] > 0


def test_an_unknown_role_in_training_is_counted_and_said_once() -> None:
    nlp, examples = initialized()
    data = component(nlp).label_data
    component(nlp).initialize(lambda: examples, labels={**data, "roles": ["ARG0", "ARG1"]})
    with pytest.warns(
        UserWarning, match=f"'structured_srl' leaves out .* that {UNKNOWN_ROLE}: ARG2 'her brother'"
    ) as all_:
        losses = train(nlp, examples, steps=3)
    assert len([warning for warning in all_ if warning.category is UserWarning]) == 1
    assert component(nlp).lost.counts == {UNKNOWN_ROLE: 3 * 5}
    assert losses[-1] < losses[0]


def test_an_unknown_role_in_evaluation_is_missed(trained: Language, gold: list[Doc]) -> None:
    (frame,) = get_frames(gold[2])
    set_frames(gold[2], [frame._replace(arguments=[*frame.arguments[:-1], frame.arguments[-1]._replace(role="ARG9")])])
    scores = trained.evaluate(make_examples(trained, gold[2:]))
    assert scores["srl_r"] == scores["srl_p"] == pytest.approx(2 / 3)
    assert scores["srl_span_f"] == 1.0
    assert scores["srl_per_role"]["ARG9"]["r"] == 0.0


def test_no_argument_in_any_example_is_an_error() -> None:
    nlp = make_nlp(prefix="roles")
    docs = gold_docs(nlp)
    with pytest.raises(ValueError, match=r"'structured_srl' found no argument .*'roles_1'.*span-selector convert"):
        nlp.initialize(lambda: make_examples(nlp, docs))


@pytest.mark.parametrize("labels", [["ARG0", "ARG1"], {"roles": ["ARG0"]}])
def test_labels_of_another_form_are_an_error_that_shows_the_right_one(labels: Any) -> None:
    nlp, examples = initialized()
    with pytest.raises(
        ValueError, match=r"labels of 'structured_srl' are .*ARG0.*'python -m spacy init labels'.*roles"
    ):
        component(nlp).initialize(lambda: examples, labels=labels)


@pytest.mark.parametrize("role", ["V", ""])
def test_a_role_that_no_argument_can_have_is_an_error(role: str) -> None:
    nlp = make_nlp()
    doc = nlp.make_doc("Ann left.")
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, role)])])
    with pytest.raises(ValueError, match=f"'structured_srl' found arguments with the role '{role}'"):
        nlp.initialize(lambda: make_examples(nlp, [doc]))


# Predicates


def test_predicates_of_several_words_are_found(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[1].text)
    assert [doc.spans[key][0].text for key in frame_keys(doc)] == ["picked up", "left"]
    assert [doc.spans[key][0].label_ for key in frame_keys(doc)] == ["V", "V"]


def test_given_predicates_are_honoured_and_no_others_looked_for(trained: Language, gold: list[Doc]) -> None:
    doc = sentenced(trained, gold[1].text)
    set_predicates(doc, [(7, 8)])
    (frame,) = get_frames(trained(doc))
    assert without_scores([frame]) == [get_frames(gold[1])[1]]
    assert frame.scores is not None and frame.scores[0] == 1.0


def test_any_span_may_be_given_as_a_predicate(trained: Language, gold: list[Doc]) -> None:
    doc = sentenced(trained, gold[0].text)
    spans = [(7, 8), (0, 3), (4, 6), (5, 9)]  # not sorted; the last leaves its sentence
    set_predicates(doc, spans)
    assert [(frame.start, frame.end) for frame in get_frames(trained(doc))] == sorted(spans)


@pytest.mark.parametrize("selector", NAMES)
def test_an_empty_list_says_that_there_are_no_predicates(selector: str) -> None:
    nlp = opinionated(selector)
    with_list, without = (sentenced(nlp, "Ann left Bob. Leo saw her.") for _ in range(2))
    set_predicates(with_list, [])
    for doc in nlp.pipe([with_list, without]):
        assert (get_frames(doc) == []) is (doc is with_list)


def test_given_predicates_are_those_of_their_document_alone(trained: Language, gold: list[Doc]) -> None:
    docs = [sentenced(trained, doc.text) for doc in gold]
    set_predicates(docs[1], [(1, 3)])
    found = [[(frame.start, frame.end) for frame in get_frames(doc)] for doc in trained.pipe(docs)]
    assert found == [[(1, 2), (8, 9)], [(1, 3)], [(1, 2)]]


@pytest.mark.parametrize("selector", NAMES)
def test_one_span_may_be_given_twice(selector: str) -> None:
    nlp = opinionated(selector)
    doc = sentenced(nlp, "Ann left Bob there.")
    set_predicates(doc, [(1, 2), (1, 2)])
    one, other = get_frames(nlp(doc))
    assert one.arguments and (one.arguments, one.roleset) == (other.arguments, other.roleset)
    assert one.scores == pytest.approx(other.scores)  # a row's sums depend on its place in the batch


def test_two_frames_on_one_span_can_be_learnt_from() -> None:
    nlp, _ = initialized(negatives=0.0)
    reference = nlp.make_doc("Ann left Bob.")
    frames = [Frame(1, 2, [Argument(0, 1, "ARG0")]), Frame(1, 2, [Argument(2, 3, "ARG1")])]
    set_frames(reference, frames)
    losses = train(nlp, make_examples(nlp, [reference]), steps=10)
    assert losses[-1] < losses[0]
    assert [frame.start for frame in get_frames(nlp(reference.text))] == [1]


def test_a_given_predicate_without_words_is_left_out(trained: Language) -> None:
    doc = sentenced(trained, "Tom left a key there.")
    set_predicates(doc, [(1, 2), (3, 3)])
    assert [(frame.start, frame.end) for frame in get_frames(trained(doc))] == [(1, 2)]


def test_given_predicates_stay_given(trained: Language, gold: list[Doc]) -> None:
    doc = sentenced(trained, gold[0].text)
    set_predicates(doc, [(1, 2)])
    assert [(span.start, span.end) for span in trained(doc).spans[PREDICATES_KEY]] == [(1, 2)]


# Rolesets


def test_rolesets_are_learnt_in_context(trained: Language, gold: list[Doc]) -> None:
    found = [[frame.roleset for frame in get_frames(trained(doc.text))] for doc in gold]
    assert found == [["give.01", "depart.01"], ["pick_up.04", "leave.02"], ["leave.02"]]


def rolesets_of(nlp: Language, words: list[str], lemmas: list[str] | None = None) -> list[str | None]:
    """The roleset of each word as a predicate."""
    doc = Doc(nlp.vocab, words=words, lemmas=lemmas, sent_starts=[True, *[False] * (len(words) - 1)])
    set_predicates(doc, [(i, i + 1) for i in range(len(words))])
    return [frame.roleset for frame in get_frames(component(nlp)(doc))]


def test_the_most_frequent_roleset_is_the_fallback_and_unseen_words_have_none() -> None:
    nlp, _ = initialized()
    assert rolesets_of(nlp, ["LEFT", "gave", "danced"]) == ["leave.02", "give.01", None]


def test_forms_are_looked_up_before_lemmas() -> None:
    nlp, examples = initialized()
    for example in examples:
        for token in example.reference:
            token.lemma_ = {"left": "leave", "gave": "give"}.get(token.text, token.lower_)
    (more,) = gold_docs(nlp, "Ann leaves.\n> [ARG0 Ann] [V=leave.99 leaves].")
    more[1].lemma_ = "leave"
    nlp.initialize(lambda: [*examples, *make_examples(nlp, [more])])
    lemmas = ["leave", "leave", "give", "dance"]
    assert rolesets_of(nlp, ["leaves", "leaving", "gives", "dances"], lemmas) == [
        "leave.99",
        "leave.02",
        "give.01",
        None,
    ]
    assert rolesets_of(nlp, ["leaves", "leaving"]) == ["leave.99", None]


def test_rolesets_can_be_left_alone(tmp_path: Path) -> None:
    nlp, examples = initialized(predict_rolesets=False)
    train(nlp, examples, steps=2)
    assert component(nlp).label_data["rolesets"] == {}
    frames = get_frames(from_disk(nlp, tmp_path)(examples[0].text))
    assert all(frame.roleset is None for frame in frames)
    doc = sentenced(nlp, examples[0].text)
    set_predicates(doc, [(1, 2)])
    assert get_frames(nlp(doc))[0].roleset is None


def test_rolesets_can_be_switched_off_after_training(trained: Language, gold: list[Doc]) -> None:
    component(trained).cfg["predict_rolesets"] = False
    for doc in gold:
        expected = [frame._replace(roleset=None) for frame in get_frames(doc)]
        assert without_scores(get_frames(trained(doc.text))) == expected


def test_corpora_may_have_no_rolesets() -> None:
    nlp = make_nlp()
    examples = make_examples(nlp, gold_docs(nlp, "Ann left.\n> [ARG0 Ann] [V left]."))
    nlp.initialize(lambda: examples)
    train(nlp, examples, steps=15)
    assert without_scores(get_frames(nlp("Ann left."))) == [Frame(1, 2, [Argument(0, 1, "ARG0")])]


# Annotation


TEXTS = ["Ann gave Leo a key. He left.", "", "Hi", "Leo picked up a hat that Tom left. Ann left it there.", "  ", ""]


@pytest.mark.parametrize("selector", NAMES)
def test_batches_equal_documents_one_by_one(selector: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = opinionated(selector)
    texts = [*TEXTS, " ".join(TEXTS), "Ruth left a hat."]
    expected = annotate(nlp, texts)
    assert any(frame.arguments for frames, _, _ in expected for frame in frames)
    for words in (1, 12, 10_000):
        monkeypatch.setattr(structured_srl, "PREDICT_WORDS", words)
        assert_same([annotation(doc) for doc in nlp.pipe(texts)], expected)


PIPE_IN_PROCESSES = """
import json, sys
import spacy, torch

torch.set_num_threads(2)
torch.ones(300, 300) @ torch.ones(300, 300)  # starts the threads that a forked process would wait for
nlp, texts = spacy.load(sys.argv[1]), json.loads(sys.argv[2])  # nothing else imports the component
from tests.pipeline.test_structured_srl import annotation, assert_same
expected = [annotation(doc) for doc in nlp.pipe(texts)]
assert_same([annotation(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=2)], expected)
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes that hang can't be stopped on this platform")
def test_processes_equal_one_process(trained: Language, tmp_path: Path) -> None:
    trained.to_disk(tmp_path)
    command = [sys.executable, "-c", PIPE_IN_PROCESSES, str(tmp_path), json.dumps(TEXTS)]
    root = Path(__file__).parents[2]
    process = subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, errors = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail("nlp.pipe with two processes had no result after two minutes")
    assert process.returncode == 0, errors


def test_empty_batches(trained: Language) -> None:
    assert list(trained.pipe([])) == []
    assert component(trained).predict([]) == []
    assert trained.update([]) == {}
    assert component(trained).update([]) == {"structured_srl": 0.0}


def test_documents_without_words(trained: Language) -> None:
    assert [annotation(doc) for doc in trained.pipe(["", "", ""])] == [([], [], [])] * 3
    examples = make_examples(trained, [Doc(trained.vocab), Doc(trained.vocab)])
    before = head_weights(trained)
    losses = trained.update(examples, sgd=SGD(1.0), losses={})
    assert losses == {"structured_srl": 0.0}
    assert all(torch.equal(weight, before[name]) for name, weight in head_weights(trained).items())


@pytest.mark.parametrize("selector", NAMES)
def test_a_batch_may_have_documents_without_words_or_predicates(selector: str) -> None:
    nlp, examples = initialized(model={"selector": selector_block(selector)})
    nothing_found = nlp.make_doc("Oh.")
    set_predicates(nothing_found, [])
    empty = Doc(nlp.vocab)
    batch = make_examples(nlp, [empty, nothing_found, empty, nlp.make_doc("Well. Well.")])
    for some in (batch, [*batch, *examples, *batch]):
        loss = nlp.update(some, sgd=SGD(0.001), losses={})["structured_srl"]
        assert 0 < loss < 100
    assert all(torch.isfinite(weight).all() for weight in head_weights(nlp).values())


@pytest.mark.parametrize("selector", NAMES)
def test_a_document_of_one_word(selector: str) -> None:
    nlp = opinionated(selector)
    doc = nlp.make_doc("Go")
    set_predicates(doc, [(0, 1)])
    (frame,) = get_frames(component(nlp)(doc))
    assert (frame.start, frame.end) == (0, 1)
    assert all(argument[:2] == (0, 1) for argument in frame.arguments)
    reference = nlp.make_doc("Go")
    set_frames(reference, [Frame(0, 1, [Argument(0, 1, "ARG0")])])
    assert nlp.update([Example(nlp.make_doc("Go"), reference)], losses={})["structured_srl"] > 0


@pytest.mark.parametrize("selector", NAMES)
def test_a_document_of_white_space(selector: str) -> None:
    nlp = opinionated(selector)
    for text in (" ", "\n \n\n", " \t"):
        doc = nlp(text)
        assert doc.text == text
        assert all(frame.end <= len(doc) for frame in get_frames(doc))


def test_whitespace_tokens(trained: Language) -> None:
    reference = trained.make_doc("Ann gave \n her brother a key.")
    assert any(token.is_space for token in reference)
    set_frames(reference, [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(3, 5, "ARG2")])])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert trained.update(make_examples(trained, [reference]), losses={})["structured_srl"] > 0
    assert not component(trained).lost.counts


def test_a_document_without_predicates(trained: Language) -> None:
    doc = trained("Oh.")
    assert get_frames(doc) == [] and doc._.srl == []
    assert SELECTED_KEY in doc.spans


@pytest.mark.parametrize("selector", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_arguments_of_one_predicate_never_overlap(selector: str, seed: int) -> None:
    nlp = opinionated(selector, seed)
    doc = nlp("Leo picked up a hat that Ruth left there, and her brother gave Tom a key. He left.")
    frames = get_frames(doc)
    assert max(len(frame.arguments) for frame in frames) > 1
    for frame in frames:
        assert frame.arguments == sorted(frame.arguments)
        for one, other in itertools.pairwise(frame.arguments):
            assert one.end <= other.start
        assert {doc[argument.start].sent.start for argument in frame.arguments} <= {doc[frame.start].sent.start}


@pytest.mark.parametrize("selector", NAMES)
def test_scores_are_probabilities(selector: str) -> None:
    nlp = opinionated(selector)
    doc = nlp("Leo picked up a hat that Ruth left there. Ann gave her brother a key.")
    keys = frame_keys(doc)
    for key in [*keys, SELECTED_KEY]:
        scores = doc.spans[key].attrs["scores"]
        assert len(scores) == len(doc.spans[key]) > 0
        assert all(isinstance(score, float) and 0 <= score <= 1 for score in scores)
    selected = [(span.start, span.end) for span in doc.spans[SELECTED_KEY]]
    assert selected == sorted(set(selected))
    assert {argument[:2] for frame in get_frames(doc) for argument in frame.arguments} <= set(selected)


def test_selected_spans_do_not_cross(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[1].text)
    spans = [(span.start, span.end) for span in doc.spans[SELECTED_KEY]]
    assert not any(i < k < j < last for (i, j), (k, last) in itertools.permutations(spans, 2))
    assert (4, 9) not in spans and (3, 9) in spans and (3, 5) in spans


def test_annotating_again_replaces_frames_only(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[1].text)
    doc.spans["entities"] = [doc[0:1]]
    doc.spans[f"{FRAME_PREFIX}_of_mine"] = [doc[0:1]]
    assert frame_keys(doc) == [f"{FRAME_PREFIX}_1", f"{FRAME_PREFIX}_2"]
    frame = Frame(6, 7, [Argument(0, 1, "ARG1")], None, [0.5, 0.25])
    component(trained).set_annotations([doc], [SrlPrediction([frame], [(0, 1)], [0.75])])
    assert set(doc.spans) == {"entities", f"{FRAME_PREFIX}_of_mine", f"{FRAME_PREFIX}_1", SELECTED_KEY}
    assert get_frames(doc) == [frame]
    assert doc.spans[SELECTED_KEY].attrs == {"scores": [0.75]}
    component(trained).set_annotations([doc], [SrlPrediction([], [], [])])
    assert set(doc.spans) == {"entities", f"{FRAME_PREFIX}_of_mine", SELECTED_KEY}
    assert [span.text for span in doc.spans["entities"]] == ["Leo"]


def test_annotation_survives_a_docbin(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[0].text)
    (loaded,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(trained.vocab)
    assert annotation(loaded) == annotation(doc)


def test_predict_leaves_documents_alone(trained: Language, gold: list[Doc]) -> None:
    doc = sentenced(trained, gold[0].text)
    (prediction,) = component(trained).predict([doc])
    assert without_scores(prediction.frames) == get_frames(gold[0])
    assert not doc.spans


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("selector", NAMES)
def test_gpu_learns_and_annotates_like_a_cpu(selector: str, tmp_path: Path) -> None:
    spacy.require_gpu()
    try:
        nlp, examples = initialized(model={"selector": selector_block(selector, ratio=4.0)})
        train(nlp, examples, steps=30)
        found = annotate(nlp, [example.text for example in examples])
        nlp.to_disk(tmp_path)
    finally:
        spacy.require_cpu()
    on_cpu = annotate(spacy.load(tmp_path), [example.text for example in examples])
    for (frames, spans, scores), (cpu_frames, cpu_spans, cpu_scores) in zip(found, on_cpu, strict=True):
        assert (frames, spans) == (cpu_frames, cpu_spans)
        assert scores == pytest.approx(cpu_scores, abs=1e-3)


# Settings


@pytest.mark.parametrize("selector", ["structured", "sigmoid"])
def test_a_higher_threshold_keeps_no_more_spans(selector: str) -> None:
    nlp, examples = initialized(model={"selector": selector_block(selector)})
    kept = []
    for threshold in np.linspace(0, 1, 11):
        component(nlp).cfg["threshold"] = float(threshold)
        kept.append(len(annotate(nlp, [examples[0].text])[0][1]))
    assert kept == sorted(kept, reverse=True)
    assert len(set(kept)) > 2 and kept[-1] == 0


def test_threshold_is_for_marginal_decoding_alone() -> None:
    nlp, examples = initialized(threshold=1.0)
    text = examples[0].text
    assert annotate(nlp, [text])[0][1] == []
    component(nlp).cfg["decoding"] = "map"
    by_tree = annotate(nlp, [text])
    assert len(by_tree[0][1]) > 0
    component(nlp).cfg["threshold"] = 0.1
    assert_same(annotate(nlp, [text]), by_tree)


@pytest.mark.parametrize("ratio", [0.01, 0.3, 1.0])
def test_greedy_keeps_a_number_of_spans_per_word(ratio: float) -> None:
    nlp, examples = initialized(model={"selector": selector_block("greedy", ratio)})
    doc = nlp(examples[0].text)
    expected = [int(np.ceil(ratio * len(sentence))) for sentence in doc.sents]
    kept = [span.sent.start for span in doc.spans[SELECTED_KEY]]
    assert [kept.count(sentence.start) for sentence in doc.sents] == expected


@pytest.mark.parametrize("selector", ["structured", "sigmoid"])
def test_partial_annotation_has_another_loss(selector: str) -> None:
    losses = [
        train(*initialized(model={"selector": selector_block(selector)}, annotation=kind, negatives=0.0), steps=1)[0]
        for kind in ("complete", "partial")
    ]
    assert losses[0] > losses[1]


@pytest.mark.parametrize("selector", ["structured", "sigmoid"])
def test_settings_of_training_add_to_the_loss(selector: str) -> None:
    def first_loss(**config: Any) -> float:
        config = {"candidate_ratio": 0.0, "add_gold": False, "negatives": 0.0, **config}
        return train(*initialized(model={"selector": selector_block(selector)}, **config), steps=1)[0]

    least = first_loss()
    for more in ({"candidate_ratio": 1.0}, {"add_gold": True}, {"negatives": 1.0}):
        assert first_loss(**more) > least


def test_keys_can_be_chosen(trained: Language) -> None:
    nlp = make_nlp(prefix="roles", predicates_key="verbs", spans_key="kept")
    docs = gold_docs(nlp)
    for doc in docs:
        frames = get_frames(doc)
        doc.spans.clear()
        set_frames(doc, frames, prefix="roles")
    examples = make_examples(nlp, docs)
    nlp.initialize(lambda: examples)
    assert train(nlp, examples, steps=1)[0] > 0
    nlp.from_bytes(trained.to_bytes(), exclude=["structured_srl"])
    component(nlp).model.from_bytes(component(trained).model.to_bytes())
    assert set(nlp(docs[1].text).spans) == {"roles_1", "roles_2", "kept"}
    given = sentenced(nlp, docs[1].text)
    set_predicates(given, [(1, 3)], key="verbs")
    set_predicates(given, [], key=PREDICATES_KEY)
    assert get_frames(nlp(given), "roles")[0][:2] == (1, 3)


@pytest.mark.parametrize(
    "keys",
    [
        {"spans_key": PREDICATES_KEY},
        {"predicates_key": "srl_1"},
        {"spans_key": "srl_2"},
        {"prefix": "a+b", "predicates_key": "a+b_10"},
    ],
)
def test_keys_that_clash_are_an_error(keys: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"'structured_srl' would read what it has written.*name of its own"):
        make_nlp(**keys)


@pytest.mark.parametrize("selector", ["structured", "sigmoid", "greedy"])
def test_max_span_width_limits_predictions_and_gold(selector: str) -> None:
    with pytest.warns(UserWarning, match="max_span_width.*ARG1 'a hat that Ruth left there' in document 'the hat'"):
        nlp, examples = initialized(model={"selector": selector_block(selector), "max_span_width": 2}, threshold=0.0)
        losses = train(nlp, examples, steps=3)
    assert component(nlp).lost.counts == {TOO_WIDE: 3}
    assert np.isfinite(losses).all()
    assert all(torch.isfinite(weight).all() for weight in head_weights(nlp).values())
    _, spans, _ = annotate(nlp, [examples[1].text])[0]
    assert {end - start for start, end in spans} == {1, 2}


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("decoding", "viterbi", "'decoding' of 'structured_srl' is 'viterbi'; it must be one of 'marginal', 'map'"),
        ("annotation", "none", "'annotation' of 'structured_srl' is 'none'; it must be one of 'complete', 'partial'"),
        ("threshold", 1.5, "'threshold' of 'structured_srl' is 1.5; it must be from 0.0 to 1.0"),
        ("threshold", -0.1, "'threshold' of 'structured_srl' is -0.1; it must be from 0.0 to 1.0"),
        ("candidate_ratio", -1.0, "'candidate_ratio' of 'structured_srl' is -1.0; it must be at least 0.0"),
        ("negatives", -1.0, "'negatives' of 'structured_srl' is -1.0; it must be at least 0.0"),
        ("learn_rate_factor", -1.0, "'learn_rate_factor' of 'structured_srl' is -1.0; it must be at least 0.0"),
    ],
)
def test_a_wrong_setting_is_an_error(setting: str, value: object, message: str) -> None:
    config: dict[str, Any] = {setting: value}
    with pytest.raises(ValueError, match=message):
        make_nlp(**config)


@pytest.mark.parametrize(("setting", "value"), [("selector", "best"), ("pair_width", 0), ("dropout", 1.0)])
def test_a_wrong_setting_of_the_model_is_an_error(setting: str, value: object) -> None:
    with pytest.raises(ValueError, match=setting):
        make_nlp({setting: value})


# Training


@pytest.mark.parametrize("use", ["predict", "update"])
def test_no_sentence_boundaries_is_an_error(use: str) -> None:
    nlp, examples = initialized()
    doc = nlp.make_doc("Ann left. She slept.")
    set_title(doc, "the attic")
    with pytest.raises(ValueError, match=r"document 'the attic' has no sentence boundaries.*sentencizer"):
        if use == "predict":
            component(nlp)(doc)
        else:
            nlp.update([*examples, Example(doc, nlp.make_doc(doc.text))])


def test_gold_text_that_differs_is_an_error_that_names_the_document() -> None:
    nlp, examples = initialized()
    other = Example(examples[1].predicted, examples[0].reference)
    with pytest.raises(ValueError, match=r"Can't align document 'the station'.*Make both from the same text"):
        nlp.update([other])


@pytest.mark.parametrize("selector", NAMES)
def test_gold_that_cannot_be_used_is_reported_once_and_the_rest_is_learnt(selector: str) -> None:
    nlp, _ = initialized(model={"selector": selector_block(selector)})
    reference = Doc(
        nlp.vocab, words=["Ann", "left", ".", "She", "sl", "ept", "."], spaces=[True, False, True, True] + [False] * 3
    )
    set_title(reference, "the attic")
    left = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(1, 4, "ARG1"), Argument(4, 5, "ARG2"), Argument(3, 4, "ARG1")])
    slept = Frame(4, 6, [Argument(3, 4, "ARG0"), Argument(0, 1, "ARG1")])
    set_frames(reference, [left, slept, Frame(5, 6, [Argument(3, 4, "ARG0")])])
    (example,) = make_examples(nlp, [reference])
    with pytest.warns(UserWarning) as caught:
        losses = [nlp.update([example], sgd=SGD(0.1), losses={})["structured_srl"]]
    messages = sorted(str(warning.message) for warning in caught if warning.category is UserWarning)
    assert len(messages) == 3
    assert CROSSES_SENTENCES in messages[0] and "ARG1 'left. She' in document 'the attic'" in messages[0]
    assert MISALIGNED in messages[1] and "ARG2 'sl' in document 'the attic'" in messages[1]
    assert OTHER_SENTENCE in messages[2] and "ARG1 'She' in document 'the attic'" in messages[2]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        losses += [nlp.update([example], sgd=SGD(0.1), losses={})["structured_srl"] for _ in range(3)]
    assert component(nlp).lost.counts == {CROSSES_SENTENCES: 4, MISALIGNED: 8, OTHER_SENTENCE: 8}
    assert losses[-1] < losses[0]


def test_gold_of_other_tokens_is_learnt() -> None:
    nlp, _ = initialized(negatives=0.0)
    whole, cut = (nlp.make_doc("Ann left. She slept."), Doc(nlp.vocab, words=["A", "nn"], spaces=[False, True]))
    parts = Doc(nlp.vocab, words=["left", ".", "She", "slept", "."], spaces=[False, True, True, False, False])
    reference = Doc.from_docs([cut, parts], ensure_whitespace=False)
    set_frames(whole, [Frame(1, 2, [Argument(0, 1, "ARG0")])])
    set_frames(reference, [Frame(2, 3, [Argument(0, 2, "ARG0")])])
    examples = [Example(make_examples(nlp, [whole])[0].predicted, doc) for doc in (whole, reference)]
    losses = [component(nlp).update([example])["structured_srl"] for example in examples]
    assert losses[0] == pytest.approx(losses[1])
    assert not component(nlp).lost.counts


@pytest.mark.parametrize("selector", NAMES)
def test_references_that_are_not_annotated_teach_nothing(selector: str) -> None:
    nlp, examples = initialized(model={"selector": selector_block(selector)})
    unannotated = [nlp.make_doc(example.text) for example in examples]
    set_predicates(unannotated[0], [(1, 2)])  # where to look, but not what is there
    before = head_weights(nlp)
    losses = nlp.update(make_examples(nlp, unannotated), sgd=SGD(1.0), losses={})
    assert losses == {"structured_srl": 0.0}
    assert all(torch.equal(weight, before[name]) for name, weight in head_weights(nlp).items())


def test_references_annotated_without_frames_teach_that_there_are_none() -> None:
    nlp, examples = initialized()
    reference = nlp.make_doc(examples[0].text)
    set_predicates(reference, [])
    losses = train(nlp, make_examples(nlp, [reference]), steps=10)
    assert losses[-1] < 0.7 * losses[0]
    assert get_frames(nlp(reference.text)) == []


def test_losses_are_added_under_the_name_of_the_component() -> None:
    nlp, examples = initialized(name="roles", negatives=0.0)
    losses = component(nlp).update(examples)
    assert list(losses) == ["roles"]
    alone = losses["roles"]
    assert component(nlp).update(examples, losses=losses)["roles"] == pytest.approx(2 * alone)


def test_get_loss_is_the_loss_of_update() -> None:
    nlp, examples = initialized(negatives=0.0)
    pipe = component(nlp)
    docs = [example.predicted for example in examples]
    layout, gold = pipe._layout_and_gold(examples)
    closed = torch.ones(len(docs), dtype=torch.bool)
    find = structured_srl.FindPredicates(gold.predicates, closed)
    request = structured_srl.SrlRequest(find, pipe._senses(docs), pipe._training_strategy(gold))
    output, _ = pipe.model.begin_update(structured_srl.HeadInput(docs, layout, request))
    loss, _ = pipe.get_loss(examples, output)
    assert nlp.update(examples, losses={})["structured_srl"] == pytest.approx(loss)


@pytest.mark.parametrize("selector", NAMES)
def test_without_optimizer_gradients_are_accumulated(selector: str) -> None:
    nlp, examples = initialized(model={"selector": selector_block(selector)}, negatives=0.0)
    head = component(nlp).model.get_ref("head").shims[0]._model
    before = head_weights(nlp)
    component(nlp).update(examples)
    once = {name: weight.grad.clone() for name, weight in head.named_parameters()}
    component(nlp).update(examples, sgd=None)
    assert any(gradient.abs().max() > 0 for gradient in once.values())
    for name, weight in head.named_parameters():
        assert torch.equal(weight.detach(), before[name])
        torch.testing.assert_close(weight.grad, 2 * once[name], rtol=1e-3, atol=1e-6)


def test_learn_rate_factor_is_for_the_network_alone() -> None:
    changes = []
    for factor in (1.0, 10.0):
        nlp, examples = initialized(negatives=0.0, learn_rate_factor=factor)
        tok2vec = component(nlp).model.get_ref("tok2vec")
        head, vectors = head_weights(nlp), weights(tok2vec)
        nlp.update(examples, sgd=SGD(0.001, L2=0.0, grad_clip=0.0))
        head_change = {name: weight - head[name] for name, weight in head_weights(nlp).items()}
        changes.append((head_change, [after - before for after, before in zip(weights(tok2vec), vectors, strict=True)]))
    (slow, vectors_slow), (fast, vectors_fast) = changes
    for name, change in slow.items():
        torch.testing.assert_close(fast[name], 10 * change, rtol=1e-2, atol=1e-6)
    assert max(float(change.abs().max()) for change in slow.values()) > 1e-4
    for change, other in zip(vectors_slow, vectors_fast, strict=True):
        np.testing.assert_allclose(change, other, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("selector", NAMES)
def test_a_sentence_of_300_words(selector: str) -> None:
    nlp, _ = initialized(model={"selector": selector_block(selector)})
    words = ["Ann", "left", "her", "and"] * 75
    starts: list[bool | int | None] = [i == 0 for i in range(300)]
    predicted, reference = (Doc(nlp.vocab, words=words, sent_starts=starts) for _ in range(2))
    far = Frame(297, 298, [Argument(0, 1, "ARG0"), Argument(2, 297, "ARG1")])
    set_frames(reference, [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 300, "ARG1")]), far])
    loss = nlp.update([Example(predicted, reference)], sgd=SGD(0.001), losses={})["structured_srl"]
    assert np.isfinite(loss) and loss > 0
    assert all(torch.isfinite(weight).all() for weight in head_weights(nlp).values())
    set_predicates(predicted, [(1, 2), (297, 298)])
    doc = component(nlp)(predicted)
    assert [(frame.start, frame.end) for frame in get_frames(doc)] == [(1, 2), (297, 298)]
    assert all(0 <= score <= 1 for score in doc.spans[SELECTED_KEY].attrs["scores"])


# Scores


def test_evaluation_gives_scores_of_frames(trained: Language, gold: list[Doc]) -> None:
    scores = trained.evaluate(make_examples(trained, gold))
    assert set(Language.get_factory_meta("structured_srl").default_score_weights or {}) <= set(scores)
    for name in ("srl_f", "srl_span_f", "srl_pred_f", "srl_sense_acc", "srl_kept_r"):
        assert scores[name] == 1.0


def test_evaluation_takes_given_predicates(trained: Language, gold: list[Doc]) -> None:
    examples = make_examples(trained, gold)
    for example in examples:
        set_predicates(example.predicted, [])
    assert trained.evaluate(examples)["srl_pred_r"] == 0.0


def test_threshold_can_be_found(trained: Language, gold: list[Doc], tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "model")
    DocBin(docs=gold).to_disk(tmp_path / "dev.spacy")
    best, score, scores = find_threshold(
        str(tmp_path / "model"), tmp_path / "dev.spacy", "structured_srl", "threshold", "srl_f", n_trials=3
    )
    assert (best, score) == (0.5, 1.0)
    assert scores[1.0] == 0.0 and set(scores) == {0.0, 0.5, 1.0}


# Shared encoders

CLUSTERS = """
=== the visit
[Ann Lee|ann] met [[her|ann] brother|tom] at [the station].
[He|tom] thanked [Ann|ann].
"""


def joint_nlp() -> tuple[Language, list[Example], list[Example]]:
    """A pipeline with one encoder for both components, examples with clusters, and examples with frames."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 24}
    coref = {"@architectures": "spacy_span_selector.CorefModel.v1", "tok2vec": listener, "dropout": 0.0}
    sizes = {"hidden_width": 24, "linker_width": 16, "linker_hidden_width": 24, "feature_width": 4}
    nlp.add_pipe("structured_coref", config={"model": {**coref, **sizes}})
    nlp.add_pipe("structured_srl", config={"model": {**MODEL, "tok2vec": listener}})
    clusters, frames = (make_examples(nlp, gold_docs(nlp, text)) for text in (CLUSTERS, CORPUS))
    nlp.initialize(lambda: [*clusters, *frames])
    return nlp, clusters, frames


def test_components_that_share_an_encoder_learn_from_separate_corpora(tmp_path: Path) -> None:
    nlp, clusters, frames = joint_nlp()
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01
    shared: Any = nlp.get_pipe("tok2vec")
    before = weights(shared.model)
    for step in range(60):
        batch = ([*clusters, *frames], clusters, frames)[step % 3]
        nlp.update(batch, sgd=optimizer, losses={}, drop=0.0)
    assert all(not np.array_equal(old, new) for old, new in zip(before, weights(shared.model), strict=True))
    loaded = from_disk(nlp, tmp_path)
    for pipeline in (nlp, loaded):
        for example in clusters:
            assert get_clusters(pipeline(example.text)) == get_clusters(example.reference)
        for example in frames:
            assert without_scores(get_frames(pipeline(example.text))) == get_frames(example.reference)


def test_a_corpus_that_says_nothing_of_a_component_does_not_change_it() -> None:
    nlp, clusters, frames = joint_nlp()

    def head(name: str) -> dict[str, torch.Tensor]:
        pipe: Any = nlp.get_pipe(name)
        module = pipe.model.get_ref("head").shims[0]._model
        return {key: weight.detach().clone() for key, weight in module.named_parameters()}

    for batch, silent in ((clusters, "structured_srl"), (frames, "structured_coref")):
        before = head(silent)
        losses = nlp.update(batch, sgd=SGD(0.1), losses={})
        assert losses[silent] == 0.0 and sum(losses.values()) > 0
        assert all(torch.equal(weight, before[key]) for key, weight in head(silent).items())
