from __future__ import annotations

import itertools
import json
import math
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
import torch
from spacy.cli.find_threshold import find_threshold
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import fix_random_seed, load_model_from_config
from thinc.api import SGD, Config

from spacy_span_selector.annotation import (
    CLUSTER_PREFIX,
    GIVEN_MENTIONS_KEY,
    MENTIONS_KEY,
    cluster_groups,
    cluster_keys,
    get_clusters,
    set_clusters,
    set_constituents,
    set_mentions,
    set_speaker_markers,
    set_title,
)
from spacy_span_selector.corpora.bracketed import parse_bracketed
from spacy_span_selector.layers.coref.linker import Links
from spacy_span_selector.layers.coref.network import CorefOutput
from spacy_span_selector.layers.selection.candidates import LikelyAndGold
from spacy_span_selector.models.torch_head import HeadInput
from spacy_span_selector.pipeline import structured_coref
from spacy_span_selector.pipeline.alignment import CROSSES_SENTENCES, EMPTY, HOLDS_MARKER, MISALIGNED, TOO_WIDE
from spacy_span_selector.pipeline.structured_coref import CorefPrediction, StructuredCoref

from ..selectors import SELECTORS, selector_block
from ..tiny_bert import tiny_bert
from ..tok2vec import TOK2VEC

CORPUS = """
=== the station
[Ann Lee|ann] met [[her|ann] brother|tom] at [the station].
[He|tom] thanked [Ann|ann].
=== the hat
[Leo] lost [a hat|hat].
[Ruth|ruth] found [it|hat] near [[her|ruth] house].
"""

MODEL = {
    "@architectures": "spacy_span_selector.CorefModel.v1",
    "tok2vec": TOK2VEC,
    "hidden_width": 32,
    "linker_width": 16,
    "linker_hidden_width": 24,
    "feature_width": 4,
    "antecedents": 10,
    "dropout": 0.0,
}
NAMES = ["structured", "sigmoid", "greedy", "multitask"]


def make_nlp(model: dict[str, Any] | None = None, name: str = "structured_coref", **config: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref", name=name, config={"model": model or MODEL, **config})
    return nlp


def component(nlp: Language) -> StructuredCoref:
    pipe = nlp.get_pipe(nlp.pipe_names[-1])
    assert isinstance(pipe, StructuredCoref)
    return pipe


def make_examples(nlp: Language, docs: list[Doc]) -> list[Example]:
    """Examples whose predicted side has sentence boundaries."""
    sentencizer = nlp.get_pipe("sentencizer")
    return [Example(sentencizer(nlp.make_doc(doc.text)), doc) for doc in docs]


def gold_docs(nlp: Language, text: str = CORPUS) -> list[Doc]:
    """Documents with clusters, and with constituents: their mentions and their sentences."""
    docs = parse_bracketed(text, nlp)
    for doc in docs:
        noun_phrases = [(start, end, "NP-SBJ") for cluster in get_clusters(doc) for start, end in cluster]
        set_constituents(doc, [*noun_phrases, *((sentence.start, sentence.end, "S") for sentence in doc.sents)])
    return docs


def initialized(seed: int = 0, model: dict[str, Any] | None = None, **config: Any) -> tuple[Language, list[Example]]:
    """A pipeline with random weights, and its examples."""
    fix_random_seed(seed)
    nlp = make_nlp(model, **config)
    examples = make_examples(nlp, gold_docs(nlp))
    nlp.initialize(lambda: examples)
    return nlp, examples


def train(nlp: Language, examples: list[Example], steps: int, learn_rate: float = 0.01) -> list[float]:
    """The losses of all steps."""
    optimizer = nlp.resume_training()
    optimizer.learn_rate = learn_rate
    losses = []
    for _ in range(steps):
        losses.append(sum(nlp.update(examples, sgd=optimizer, losses={}, drop=0.0).values()))
    return losses


def selecting(selector: str, ratio: float | None = 1.0, **settings: Any) -> dict[str, Any]:
    """The small model with another selector; a greedy one keeps so many spans per token."""
    return {**MODEL, "selector": selector_block(selector, ratio), **settings}


@cache
def trained_by(selector: str) -> bytes:
    """A pipeline that has learnt the corpus by heart."""
    nlp, examples = initialized(model=selecting(selector))
    train(nlp, examples, steps=120)
    return nlp.to_bytes()


def load_trained(selector: str) -> Language:
    return make_nlp(selecting(selector)).from_bytes(trained_by(selector))


@pytest.fixture(scope="module")
def trained_bytes() -> bytes:
    return trained_by("structured")


@pytest.fixture
def trained(trained_bytes: bytes) -> Language:
    """A pipeline that has learnt the corpus by heart. It is loaded into a component that was never initialized."""
    return make_nlp().from_bytes(trained_bytes)


@pytest.fixture
def gold(trained: Language) -> list[Doc]:
    return gold_docs(trained)


Annotation = tuple[list[list[tuple[int, int]]], list[tuple[int, int]], list[float]]


def annotation(doc: Doc) -> Annotation:
    """Everything that the component has written."""
    mentions = doc.spans[MENTIONS_KEY]
    scores = [round(score, 4) for score in mentions.attrs["scores"]]
    return get_clusters(doc), [(span.start, span.end) for span in mentions], scores


def annotate(nlp: Language, texts: list[str]) -> list[Annotation]:
    """One document at a time."""
    return [annotation(nlp(text)) for text in texts]


def head_weights(nlp: Language) -> dict[str, torch.Tensor]:
    head = component(nlp).model.get_ref("head").shims[0]._model
    return {name: weight.detach().clone() for name, weight in head.named_parameters()}


def weights(model: Any) -> list[np.ndarray]:
    """The weights of a Thinc model."""
    return [node.get_param(name).copy() for node in model.walk() for name in node.param_names if node.has_param(name)]


# Life of a component


def test_add_pipe_needs_no_import() -> None:
    script = "import spacy; nlp = spacy.blank('en'); print(type(nlp.add_pipe('structured_coref')).__name__)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert found.stdout.strip() == "StructuredCoref"


@pytest.mark.parametrize("selector", NAMES)
def test_overfitting(selector: str, gold: list[Doc]) -> None:
    nlp = load_trained(selector)
    for doc, expected in zip(nlp.pipe([doc.text for doc in gold]), gold, strict=True):
        assert get_clusters(doc) == get_clusters(expected)
    untrained, examples = initialized(model=selecting(selector))
    assert untrained.evaluate(examples)["coref_f"] < 0.6


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("selector", NAMES)
def test_training_lowers_the_loss(selector: str, annotation: str) -> None:
    losses = train(*initialized(model=selecting(selector), annotation=annotation), steps=15)
    assert losses[-1] < 0.6 * losses[0]


@pytest.mark.parametrize("selector", ["structured", "sigmoid"])  # the others may never meet what they prune at first
def test_links_are_learnt_from_partial_annotation(selector: str) -> None:
    nlp, examples = initialized(model=selecting(selector), keep_singletons=False, candidate_ratio=2.0)
    for example in examples:
        clusters = [cluster for cluster in get_clusters(example.reference) if len(cluster) > 1]
        set_clusters(example.reference, clusters)
    train(nlp, examples, steps=120)
    for example in examples:
        assert get_clusters(nlp(example.text)) == get_clusters(example.reference)


def from_disk(nlp: Language, path: Path) -> Language:
    nlp.to_disk(path)
    return spacy.load(path)


def from_bytes(nlp: Language, path: Path) -> Language:
    return make_nlp().from_bytes(nlp.to_bytes())


def from_pickle(nlp: Language, path: Path) -> Language:
    return pickle.loads(pickle.dumps(nlp))


def from_bytes_over_other_weights(nlp: Language, path: Path) -> Language:
    other, _ = initialized(seed=3)
    return other.from_bytes(nlp.to_bytes())


@pytest.mark.parametrize("selector", ["sigmoid", "greedy", "multitask"])
def test_selectors_survive_serialization(selector: str, gold: list[Doc], tmp_path: Path) -> None:
    nlp, texts = load_trained(selector), [doc.text for doc in gold]
    loaded = from_disk(nlp, tmp_path)
    assert annotate(loaded, texts) == annotate(nlp, texts)
    assert component(loaded).model.attrs["selector"] == component(nlp).model.attrs["selector"]
    assert isinstance(component(loaded).model.attrs["selector"], SELECTORS[selector])


@pytest.mark.parametrize("reload", [from_disk, from_bytes, from_pickle, from_bytes_over_other_weights])
def test_predictions_survive_serialization(
    reload: Callable[[Language, Path], Language], trained: Language, gold: list[Doc], tmp_path: Path
) -> None:
    texts = [doc.text for doc in gold]
    assert annotate(reload(trained, tmp_path), texts) == annotate(trained, texts)


def test_settings_survive_serialization(tmp_path: Path) -> None:
    nlp, _ = initialized(threshold=0.25, decoding="map", keep_singletons=False)
    expected = component(nlp).cfg
    found = component(from_disk(nlp, tmp_path)).cfg
    assert found == {**expected, "candidate_ratio": pytest.approx(expected["candidate_ratio"])}


def test_an_uninitialized_component_can_be_saved(tmp_path: Path) -> None:
    nlp = from_disk(make_nlp(threshold=0.25), tmp_path)
    assert component(nlp).cfg["threshold"] == 0.25


def test_use_before_initialization_is_an_error() -> None:
    with pytest.raises(
        ValueError, match=r"'structured_coref' could not be run. Did you forget to call `initialize\(\)`"
    ):
        make_nlp()("Ann left. She slept.")


def test_component_can_be_sourced(trained: Language, gold: list[Doc]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref", source=trained)
    assert annotate(nlp, [gold[0].text]) == annotate(trained, [gold[0].text])


def test_config_can_be_loaded_again(trained: Language, gold: list[Doc]) -> None:
    nlp = load_model_from_config(trained.config, auto_fill=False, validate=True)
    assert component(nlp).cfg == component(make_nlp()).cfg
    nlp.from_bytes(trained.to_bytes())
    assert annotate(nlp, [gold[0].text]) == annotate(trained, [gold[0].text])


@pytest.mark.parametrize("selector", ["structured", "greedy", "multitask"])
def test_a_selector_survives_the_text_of_a_config(selector: str, gold: list[Doc]) -> None:
    nlp = load_trained(selector)
    config = Config().from_str(nlp.config.to_str())
    assert "attrs" not in config["components"]["structured_coref"]["model"]["selector"]
    loaded = load_model_from_config(config, auto_fill=False, validate=True).from_bytes(nlp.to_bytes())
    assert component(loaded).model.attrs["selector"] == component(nlp).model.attrs["selector"]
    assert annotate(loaded, [gold[0].text]) == annotate(nlp, [gold[0].text])


def test_a_selector_can_be_changed_on_the_command_line() -> None:
    text = make_nlp(selecting("structured")).config.to_str()
    change = {"components.structured_coref.model.selector.@misc": "spacy_span_selector.SigmoidSelector.v1"}
    nlp = load_model_from_config(Config().from_str(text, overrides=change), auto_fill=True)
    assert component(nlp).model.attrs["selector"] == SELECTORS["sigmoid"]()
    change = {
        "components.structured_coref.model.selector.@misc": "spacy_span_selector.GreedySelector.v1",
        "components.structured_coref.model.selector.ratio": 0.2,
    }
    nlp = load_model_from_config(Config().from_str(text, overrides=change), auto_fill=True)
    assert component(nlp).model.attrs["selector"] == SELECTORS["greedy"](0.2)


def test_training_can_be_resumed(trained: Language, gold: list[Doc]) -> None:
    first = train(*initialized(), steps=1)[0]
    assert max(train(trained, make_examples(trained, gold), steps=2, learn_rate=0.001)) < 0.5 * first


# Annotation


TEXTS = ["Ann Lee met her brother. He thanked Ann.", "", "Hi", "Leo lost a hat. Ruth found it.", "Yes.", "  ", ""]


@pytest.mark.parametrize("selector", NAMES)
def test_batches_equal_documents_one_by_one(selector: str) -> None:
    nlp = load_trained(selector)
    expected = annotate(nlp, TEXTS)
    for batch_size in (1, 2, 100):
        assert [annotation(doc) for doc in nlp.pipe(TEXTS, batch_size=batch_size)] == expected


@pytest.mark.parametrize("words", [1, 9, 15])
def test_order_is_kept_when_batches_are_cut(words: int, trained: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*TEXTS, " ".join(TEXTS), "Ruth lost a hat."]
    expected = annotate(trained, texts)
    monkeypatch.setattr(structured_coref, "PREDICT_WORDS", words)
    assert [annotation(doc) for doc in trained.pipe(texts)] == expected


PIPE_IN_PROCESSES = """
import json, sys
import spacy, torch
from tests.pipeline.test_structured_coref import annotation

torch.set_num_threads(2)
torch.ones(300, 300) @ torch.ones(300, 300)  # starts the threads that a forked process would wait for
texts = json.loads(sys.argv[1])
for path in sys.argv[2:]:
    nlp = spacy.load(path)
    expected = [annotation(doc) for doc in nlp.pipe(texts)]
    assert [annotation(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=2)] == expected
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes that hang can't be stopped on this platform")
def test_processes_equal_one_process(tmp_path: Path) -> None:
    for selector in NAMES:
        load_trained(selector).to_disk(tmp_path / selector)
    paths = [str(tmp_path / selector) for selector in NAMES]
    command = [sys.executable, "-c", PIPE_IN_PROCESSES, json.dumps(TEXTS), *paths]
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
    assert component(trained).update([]) == {"structured_coref": 0.0}


def test_documents_without_words(trained: Language) -> None:
    assert [annotation(doc) for doc in trained.pipe(["", "", ""])] == [([], [], [])] * 3
    examples = make_examples(trained, [Doc(trained.vocab), Doc(trained.vocab)])
    before = head_weights(trained)
    losses = trained.update(examples, sgd=SGD(1.0), losses={})
    assert losses == {"structured_coref": 0.0}
    assert all(torch.equal(weight, before[name]) for name, weight in head_weights(trained).items())


def test_a_batch_may_have_documents_without_words(trained: Language, gold: list[Doc]) -> None:
    empty = Doc(trained.vocab)
    losses = trained.update(make_examples(trained, [empty, gold[0], empty]), sgd=SGD(0.001), losses={})
    assert 0 < losses["structured_coref"] < 100


def test_a_document_of_one_word(trained: Language) -> None:
    component(trained).cfg["threshold"] = 0.0
    doc = component(trained)(trained.make_doc("Ann"))
    assert get_clusters(doc) == [[(0, 1)]]
    reference = trained.make_doc("Ann")
    set_clusters(reference, [[(0, 1)]])
    assert trained.update([Example(trained.make_doc("Ann"), reference)], losses={})["structured_coref"] > 0


def test_a_document_without_clusters(trained: Language) -> None:
    component(trained).cfg["threshold"] = 1.0
    doc = trained("Yes. It rained.")
    assert annotation(doc) == ([], [], [])
    assert doc._.coref_clusters == []


def test_whitespace_tokens(trained: Language, gold: list[Doc]) -> None:
    text = gold[0].text.replace("met", " \n met")
    doc = trained(text)
    assert any(token.is_space for token in doc)
    reference = trained.make_doc(text)
    set_clusters(reference, [[(0, 2), (5, 6)]])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        losses = trained.update(make_examples(trained, [reference]), losses={})
    assert losses["structured_coref"] > 0
    assert not component(trained).lost.counts


def test_annotating_again_replaces_clusters_only(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[0].text)
    doc.spans["entities"] = [doc[0:2]]
    doc.spans[f"{CLUSTER_PREFIX}_of_mine"] = [doc[0:1]]
    assert cluster_keys(doc) == [f"{CLUSTER_PREFIX}_{number}" for number in (1, 2, 3)]
    component(trained).set_annotations([doc], [CorefPrediction([(2, 3)], [0.5], [0.9], [[(2, 3)]])])
    assert set(doc.spans) == {"entities", f"{CLUSTER_PREFIX}_of_mine", f"{CLUSTER_PREFIX}_1", MENTIONS_KEY}
    assert annotation(doc) == ([[(2, 3)]], [(2, 3)], [0.5])
    assert [span.text for span in doc.spans["entities"]] == ["Ann Lee"]
    component(trained).set_annotations([doc], [CorefPrediction([], [], [], [])])
    assert set(doc.spans) == {"entities", f"{CLUSTER_PREFIX}_of_mine", MENTIONS_KEY}


def test_links_are_followed_to_the_first_mention() -> None:
    none = torch.zeros(0, dtype=torch.long)
    antecedents = torch.tensor([[0, 0], [0, 0], [0, 1], [2, 1], [3, 0]])
    scores = torch.tensor([[-torch.inf] * 2, [-1.0, -torch.inf], [-1.0, 2.0], [3.0, 2.0], [-0.5, 0.0]])
    links = Links(antecedents, torch.isfinite(scores), scores)
    output = CorefOutput(none, None, None, none, none, none, links)
    clusters, link_scores = structured_coref._link(output)
    assert clusters == [0, 1, 1, 1, 4]
    odds = [[], [math.exp(-1)], [math.exp(-1), math.exp(2)], [math.exp(3), math.exp(2)], [math.exp(-0.5), 1.0]]
    chosen = [1.0, 1.0, math.exp(2), math.exp(3), 1.0]
    expected = [best / (1 + sum(others)) for best, others in zip(chosen, odds, strict=True)]
    assert link_scores == pytest.approx(expected, rel=1e-5)


def test_clusters_are_numbered_by_their_first_mention(trained: Language, gold: list[Doc]) -> None:
    clusters = get_clusters(trained(gold[1].text))
    assert clusters == sorted(clusters) and len(clusters) == 4
    assert all(cluster == sorted(cluster) for cluster in clusters)


def test_scores_are_the_probabilities_of_the_mentions(trained: Language, gold: list[Doc]) -> None:
    for doc in trained.pipe([doc.text for doc in gold]):
        mentions = doc.spans[MENTIONS_KEY]
        of_mention = {(span.start, span.end): p for span, p in zip(mentions, mentions.attrs["scores"], strict=True)}
        threshold = component(trained).cfg["threshold"]
        assert all(threshold < score <= 1 for score in of_mention.values())
        for key in cluster_keys(doc):
            group = doc.spans[key]
            assert group.attrs["scores"] == [of_mention[span.start, span.end] for span in group]


def test_link_scores_are_the_probabilities_of_the_links(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[0].text)
    (prediction,) = component(trained).predict([gold[0]])
    assert all(0 < score <= 1 for score in prediction.link_scores)
    assert prediction.link_scores[0] == 1.0  # before the first mention there is none
    of_mention = dict(zip(prediction.mentions, prediction.link_scores, strict=True))
    for group in cluster_groups(doc):
        expected = [of_mention[span.start, span.end] for span in group]
        assert group.attrs["link_scores"] == pytest.approx(expected)


def test_annotation_survives_a_docbin(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[0].text)
    (loaded,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(trained.vocab)
    assert annotation(loaded) == annotation(doc)


def test_predict_leaves_documents_alone(trained: Language, gold: list[Doc]) -> None:
    doc = trained.get_pipe("sentencizer")(trained.make_doc(gold[0].text))
    component(trained).predict([doc])
    assert not doc.spans


# Settings


@pytest.mark.parametrize("selector", NAMES)
def test_without_singletons_they_are_mentions_only(selector: str, gold: list[Doc]) -> None:
    nlp = load_trained(selector)
    everything = annotate(nlp, [gold[1].text])[0]
    component(nlp).cfg["keep_singletons"] = False
    without = annotate(nlp, [gold[1].text])[0]
    assert without[0] == [cluster for cluster in everything[0] if len(cluster) > 1] != everything[0]
    assert without[1:] == everything[1:]
    component(nlp).cfg["keep_singletons"] = True
    assert annotate(nlp, [gold[1].text])[0] == everything


def test_singletons_can_be_asked_for_after_training_without_them() -> None:
    nlp, examples = initialized(keep_singletons=False, annotation="complete")
    train(nlp, examples, steps=120)
    text, expected = examples[1].text, get_clusters(examples[1].reference)
    assert get_clusters(nlp(text)) == [cluster for cluster in expected if len(cluster) > 1] != expected
    component(nlp).cfg["keep_singletons"] = True
    assert get_clusters(nlp(text)) == expected


@pytest.mark.parametrize("ratio", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("selector", ["greedy", "multitask"])
def test_greedy_keeps_a_number_of_spans_per_word_that_do_not_cross(selector: str, ratio: float) -> None:
    nlp, examples = initialized(model=selecting(selector, ratio))
    for doc in nlp.pipe([example.text for example in examples]):
        spans = [(span.start, span.end) for span in doc.spans[MENTIONS_KEY]]
        assert len(spans) == math.ceil(ratio * len(doc))
        assert not any(a < c < b < d for a, b in spans for c, d in spans)


def test_the_score_of_a_mention_decides_which_greedy_ones_are_singletons(gold: list[Doc]) -> None:
    nlp, found = load_trained("greedy"), []
    for threshold in (0.0, 0.5, 1.0):
        component(nlp).cfg["threshold"] = threshold
        doc = nlp(gold[1].text)
        clusters, mentions = get_clusters(doc), doc.spans[MENTIONS_KEY]
        linked = {mention for cluster in clusters if len(cluster) > 1 for mention in cluster}
        scored = zip(mentions, mentions.attrs["scores"], strict=True)
        likely = {(span.start, span.end) for span, score in scored if score > threshold}
        assert {cluster[0] for cluster in clusters if len(cluster) == 1} == likely - linked
        found.append((linked, len(clusters)))
    assert found[0][0] == found[1][0] == found[2][0]
    assert found[0][1] > found[1][1] > found[2][1]


def test_sigmoid_keeps_every_span_above_the_threshold() -> None:
    nlp, examples = initialized(model=selecting("sigmoid"))
    component(nlp).cfg["threshold"] = 0.0
    doc = nlp(examples[0].text)
    every = {(i, k) for s in doc.sents for i in range(s.start, s.end) for k in range(i + 1, s.end + 1)}
    mentions = doc.spans[MENTIONS_KEY]
    assert {(span.start, span.end) for span in mentions} == every
    component(nlp).cfg["threshold"] = threshold = float(np.median(mentions.attrs["scores"]))
    likely = [
        (span.start, span.end)
        for span, score in zip(mentions, mentions.attrs["scores"], strict=True)
        if score > threshold
    ]
    assert annotate(nlp, [examples[0].text])[0][1] == likely


# Given mentions


def give(nlp: Language, text: str, mentions: list[tuple[int, int]] | None, key: str = GIVEN_MENTIONS_KEY) -> Doc:
    doc: Doc = nlp.get_pipe("sentencizer")(nlp.make_doc(text))
    if mentions is not None:
        doc.spans[key] = [doc[start:end] for start, end in mentions]
    return doc


@pytest.mark.parametrize("selector", NAMES)
def test_only_given_mentions_are_linked(selector: str, gold: list[Doc]) -> None:
    nlp = load_trained(selector)
    given = [(0, 2), (3, 4), (3, 5), (4, 5), (9, 10)]  # all are gold mentions but "brother"; others are not given
    doc = component(nlp)(give(nlp, gold[0].text, given))
    assert [(span.start, span.end) for span in doc.spans[MENTIONS_KEY]] == given
    clusters = get_clusters(doc)
    assert sorted(mention for cluster in clusters for mention in cluster) == given
    assert {(0, 2), (3, 4)} in ({*cluster} & {(0, 2), (3, 4)} for cluster in clusters)


def test_linking_given_mentions_is_not_limited_by_their_probability(trained: Language, gold: list[Doc]) -> None:
    component(trained).cfg["threshold"] = 1.0
    clusters = get_clusters(gold[0])
    doc = component(trained)(give(trained, gold[0].text, [mention for cluster in clusters for mention in cluster]))
    assert get_clusters(doc) == clusters


def test_no_given_mentions_means_none(trained: Language, gold: list[Doc]) -> None:
    assert annotation(component(trained)(give(trained, gold[0].text, []))) == ([], [], [])


def test_documents_with_and_without_given_mentions_share_a_batch(trained: Language) -> None:
    given: list[list[tuple[int, int]] | None] = [[(0, 2), (3, 4)], None, [], [(0, 1), (1, 2)], None, None, None]
    docs = [give(trained, text, mentions if text else None) for text, mentions in zip(TEXTS, given, strict=True)]
    expected = [annotation(component(trained)(doc.copy())) for doc in docs]
    assert [annotation(doc) for doc in trained.pipe(docs)] == expected
    assert [mentions for _, mentions, _ in expected[:4]] == [[(0, 2), (3, 4)], [], [], [(0, 1), (1, 2)]]
    assert expected[4:] == annotate(trained, TEXTS)[4:]


def test_given_mentions_that_cannot_be_linked_are_reported_once(trained: Language, gold: list[Doc]) -> None:
    doc = give(trained, gold[0].text, [(0, 2), (7, 10), (3, 4), (5, 8), (9, 9)])
    set_title(doc, "the station")
    set_speaker_markers(doc, [(7, 8)])
    with pytest.warns(UserWarning, match="leaves out a given mention that") as caught:
        found = annotation(component(trained)(doc))
    assert found[1] == [(0, 2), (3, 4)]
    assert len(caught) == 2
    assert all("in document 'the station'" in str(warning.message) for warning in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert annotation(component(trained)(doc)) == found
    assert component(trained).lost.counts == {HOLDS_MARKER: 4, EMPTY: 2}


def test_the_key_of_given_mentions_can_be_chosen(trained_bytes: bytes, gold: list[Doc]) -> None:
    nlp = make_nlp().from_bytes(trained_bytes)
    component(nlp).cfg["given_key"] = "entities"
    doc = give(nlp, gold[0].text, [(0, 2), (3, 4)], key="entities")
    assert annotation(component(nlp)(doc))[:2] == ([[(0, 2), (3, 4)]], [(0, 2), (3, 4)])


@pytest.mark.parametrize("keys", [{"given_key": MENTIONS_KEY}, {"given_key": "coref_clusters_1"}])
def test_keys_that_clash_are_an_error(keys: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"'structured_coref' would read what it has written.*name of its own"):
        make_nlp(**keys)


# More settings


def test_annotation_is_partial_without_singletons() -> None:
    assert component(make_nlp()).cfg["annotation"] == "complete"
    assert component(make_nlp(keep_singletons=False)).cfg["annotation"] == "partial"
    assert component(make_nlp(keep_singletons=False, annotation="complete")).cfg["annotation"] == "complete"


def test_negatives_follow_annotation() -> None:
    assert component(make_nlp()).cfg["negatives"] == 1.0
    assert component(make_nlp(annotation="partial")).cfg["negatives"] == 0.1
    assert component(make_nlp(annotation="partial", negatives=0.0)).cfg["negatives"] == 0.0


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("selector", NAMES)
def test_gpu_learns_and_annotates_like_a_cpu(selector: str, tmp_path: Path) -> None:
    spacy.require_gpu()
    try:
        nlp, examples = initialized(model=selecting(selector))
        train(nlp, examples, steps=30)
        found = annotate(nlp, [example.text for example in examples])
        nlp.to_disk(tmp_path)
    finally:
        spacy.require_cpu()
    on_cpu = annotate(spacy.load(tmp_path), [example.text for example in examples])
    for (clusters, mentions, scores), (cpu_clusters, cpu_mentions, cpu_scores) in zip(found, on_cpu, strict=True):
        assert (clusters, mentions) == (cpu_clusters, cpu_mentions)
        assert scores == pytest.approx(cpu_scores, abs=1e-3)


def test_partial_annotation_has_another_loss() -> None:
    losses = [train(*initialized(annotation=kind, negatives=0.0), steps=1)[0] for kind in ("complete", "partial")]
    assert losses[0] > losses[1]


def test_threshold_is_for_marginal_decoding_alone() -> None:
    nlp, examples = initialized(threshold=0.99)
    text = examples[0].text
    assert annotate(nlp, [text]) == [([], [], [])]
    component(nlp).cfg["decoding"] = "map"
    by_tree = annotate(nlp, [text])
    assert len(by_tree[0][1]) > 0
    component(nlp).cfg["threshold"] = 0.1
    assert annotate(nlp, [text]) == by_tree


def test_a_higher_threshold_keeps_no_more_spans() -> None:
    nlp, examples = initialized()
    kept = []
    for threshold in np.linspace(0, 1, 11):
        component(nlp).cfg["threshold"] = float(threshold)
        kept.append(len(annotate(nlp, [examples[0].text])[0][1]))
    assert kept == sorted(kept, reverse=True)
    assert len(set(kept)) > 3 and kept[-1] == 0


def test_keys_can_be_chosen(trained: Language) -> None:
    nlp = make_nlp(prefix="people", mentions_key="candidates")
    docs = gold_docs(nlp)
    for doc in docs:
        clusters = get_clusters(doc)
        doc.spans.clear()
        set_clusters(doc, clusters, prefix="people")
    examples = make_examples(nlp, docs)
    nlp.initialize(lambda: examples)
    assert train(nlp, examples, steps=1)[0] > 0
    nlp.from_bytes(trained.to_bytes(), exclude=["structured_coref"])
    component(nlp).model.from_bytes(component(trained).model.to_bytes())
    doc = nlp(docs[0].text)
    assert set(doc.spans) == {"people_1", "people_2", "people_3", "candidates"}
    assert nlp.evaluate(examples)["coref_f"] == 1.0


def test_max_span_width_limits_predictions_and_gold() -> None:
    with pytest.warns(UserWarning, match="max_span_width.*'Ann Lee' in document 'the station'"):
        nlp, examples = initialized(model={**MODEL, "max_span_width": 1}, threshold=0.0)
        losses = train(nlp, examples, steps=3)
    assert component(nlp).lost.counts[TOO_WIDE] == 3 * 5
    assert np.isfinite(losses).all()
    assert all(torch.isfinite(weight).all() for weight in head_weights(nlp).values())
    _, mentions, _ = annotate(nlp, [examples[0].text])[0]
    assert {end - start for start, end in mentions} == {1}


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("decoding", "viterbi", "'decoding' of 'structured_coref' is 'viterbi'; it must be one of 'marginal', 'map'"),
        ("annotation", "none", "'annotation' of 'structured_coref' is 'none'; it must be one of 'complete', 'partial'"),
        ("threshold", 1.5, "'threshold' of 'structured_coref' is 1.5; it must be from 0.0 to 1.0"),
        ("threshold", -0.1, "'threshold' of 'structured_coref' is -0.1; it must be from 0.0 to 1.0"),
        ("candidate_ratio", -1.0, "'candidate_ratio' of 'structured_coref' is -1.0; it must be at least 0.0"),
        ("negatives", -1.0, "'negatives' of 'structured_coref' is -1.0; it must be at least 0.0"),
        ("learn_rate_factor", -1.0, "'learn_rate_factor' of 'structured_coref' is -1.0; it must be at least 0.0"),
    ],
)
def test_a_wrong_setting_is_an_error(setting: str, value: object, message: str) -> None:
    config: dict[str, Any] = {setting: value}
    with pytest.raises(ValueError, match=message):
        make_nlp(**config)


# Training


def test_no_cluster_in_any_example_is_an_error() -> None:
    nlp = make_nlp()
    docs = gold_docs(nlp, "It rained.")
    with pytest.raises(
        ValueError, match=r"'structured_coref' found no cluster .*'coref_clusters_1'.*span-selector conv"
    ):
        nlp.initialize(lambda: make_examples(nlp, docs))


def test_no_constituent_in_any_example_is_an_error_of_the_multitask_selector() -> None:
    for selector in NAMES:
        nlp = make_nlp(selecting(selector))
        docs = gold_docs(nlp)
        for doc in docs:
            set_constituents(doc, [])
        examples = make_examples(nlp, docs)
        if selector != "multitask":
            nlp.initialize(lambda examples=examples: examples)
            continue
        with pytest.raises(ValueError, match=r"'structured_coref' found no constituent .*'constituents'.*OntoGUM"):
            nlp.initialize(lambda examples=examples: examples)


def test_prediction_needs_no_constituents(gold: list[Doc]) -> None:
    doc = load_trained("multitask")(gold[0].text)
    assert "constituents" not in doc.spans
    assert get_clusters(doc) == get_clusters(gold[0])


def test_documents_without_constituents_do_not_teach_the_second_task() -> None:
    nlp, examples = initialized(model=selecting("multitask"))
    with_trees, without_trees = examples
    set_constituents(without_trees.reference, [])

    def change(batch: list[Example]) -> torch.Tensor:
        """What a step changes in the output layer of the second task."""
        before = head_weights(nlp)["span_scorer.output.weight"]
        nlp.update(batch, sgd=SGD(0.1, L2=0.0, grad_clip=0.0))
        return (head_weights(nlp)["span_scorer.output.weight"] - before)[1:]

    assert (change([without_trees]) == 0).all()
    assert (change([with_trees]).abs().amax(dim=1) > 0).all()


def test_the_weight_of_the_second_task_can_be_set() -> None:
    losses = []
    for weight in (0.0, 0.1, 1.0):
        selector = {**selector_block("multitask", 1.0), "weight": weight}
        losses.append(train(*initialized(model={**MODEL, "selector": selector}), steps=1)[0])
    assert losses[0] < losses[1] < losses[2]


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("selector", NAMES)
def test_a_step_has_the_gradients_of_the_loss(selector: str, annotation: str) -> None:
    """The gradients that the component hands to its model, tensor by tensor, add up to those of the whole."""
    nlp, examples = initialized(model=selecting(selector), annotation=annotation)
    pipe = component(nlp)
    head = pipe.model.get_ref("head").shims[0]._model
    torch.manual_seed(0)
    pipe.update(examples)
    found = {name: weight.grad.clone() for name, weight in head.named_parameters()}
    head.zero_grad()
    docs = [example.predicted for example in examples]
    vectors = np.concatenate(pipe.model.get_ref("tok2vec").predict(docs))
    words = np.concatenate([doc.to_array(["LOWER"]) for doc in docs]).view(np.int64)
    torch.manual_seed(0)
    layout, gold = pipe._layout_and_gold(examples)
    request = pipe._training_request(docs, gold)
    output = head.train()(torch.from_numpy(vectors), torch.from_numpy(words), layout, request)
    loss, _ = pipe._loss(output, gold, layout)
    loss.backward()
    for name, weight in head.named_parameters():
        torch.testing.assert_close(found[name], weight.grad, rtol=1e-3, atol=1e-6, msg=name)
    assert any(gradient.abs().max() > 0 for gradient in found.values())


def test_max_distance_limits_links(gold: list[Doc]) -> None:
    nlp = make_nlp({**MODEL, "max_distance": 1}).from_bytes(trained_by("structured"))
    doc = nlp(gold[0].text)
    place = {(span.start, span.end): i for i, span in enumerate(doc.spans[MENTIONS_KEY])}
    clusters = [[place[mention] for mention in cluster] for cluster in get_clusters(doc)]
    assert all(later - earlier == 1 for cluster in clusters for earlier, later in itertools.pairwise(cluster))
    assert get_clusters(doc) != get_clusters(gold[0])


def test_examples_without_words_are_an_error_only_if_all_are() -> None:
    nlp = make_nlp()
    docs = [Doc(nlp.vocab), *gold_docs(nlp)]
    nlp.initialize(lambda: make_examples(nlp, docs))
    assert head_weights(nlp)


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


def test_gold_that_cannot_be_used_is_reported_once_and_the_rest_is_learnt() -> None:
    nlp, _ = initialized()
    reference = Doc(
        nlp.vocab, words=["Ann", "left", ".", "She", "sl", "ept", "."], spaces=[True, False, True, True] + [False] * 3
    )
    set_title(reference, "the attic")
    set_clusters(reference, [[(0, 1), (3, 4)], [(1, 4)], [(4, 5)], [(5, 6), (0, 4)]])
    (example,) = make_examples(nlp, [reference])
    with pytest.warns(UserWarning) as caught:
        losses = [nlp.update([example], sgd=SGD(0.1), losses={})["structured_coref"]]
    messages = sorted(str(warning.message) for warning in caught if warning.category is UserWarning)
    assert len(messages) == 2
    assert CROSSES_SENTENCES in messages[0] and "'Ann left. She' in document 'the attic'" in messages[0]
    assert MISALIGNED in messages[1] and "'ept' in document 'the attic'" in messages[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        losses += [nlp.update([example], sgd=SGD(0.1), losses={})["structured_coref"] for _ in range(5)]
    assert component(nlp).lost.counts == {CROSSES_SENTENCES: 12, MISALIGNED: 12}
    assert losses[-1] < losses[0]


def test_gold_of_other_tokens_is_learnt() -> None:
    nlp, _ = initialized()
    whole, cut = (nlp.make_doc("Ann left. She slept."), Doc(nlp.vocab, words=["A", "nn"], spaces=[False, True]))
    parts = Doc(nlp.vocab, words=["left", ".", "She", "slept", "."], spaces=[False, True, True, False, False])
    reference = Doc.from_docs([cut, parts], ensure_whitespace=False)
    set_clusters(whole, [[(0, 1), (3, 4)]])
    set_clusters(reference, [[(0, 2), (4, 5)]])
    component(nlp).cfg["negatives"] = 0.0
    examples = [Example(make_examples(nlp, [whole])[0].predicted, doc) for doc in (whole, reference)]
    losses = [component(nlp).update([example])["structured_coref"] for example in examples]
    assert losses[0] == pytest.approx(losses[1])
    assert not component(nlp).lost.counts


def test_a_mention_in_two_clusters_is_reported() -> None:
    nlp, _ = initialized()
    reference = nlp.make_doc("Ann left. She slept.")
    set_clusters(reference, [[(0, 1), (3, 4)], [(3, 4)]])
    with pytest.warns(UserWarning, match="leaves out a gold mention that is also in an earlier cluster: 'She'"):
        nlp.update(make_examples(nlp, [reference]))


@pytest.mark.parametrize("selector", NAMES)
def test_references_that_are_not_annotated_teach_nothing(selector: str) -> None:
    nlp, examples = initialized(model=selecting(selector))
    unannotated = make_examples(nlp, [nlp.make_doc(example.text) for example in examples])
    before = head_weights(nlp)
    losses = nlp.update(unannotated, sgd=SGD(1.0), losses={})
    assert losses == {"structured_coref": 0.0}
    assert all(torch.equal(weight, before[name]) for name, weight in head_weights(nlp).items())


@pytest.mark.parametrize("selector", NAMES)
def test_references_annotated_without_clusters_teach_that_there_are_none(selector: str) -> None:
    nlp, examples = initialized(model=selecting(selector))
    reference = nlp.make_doc(examples[0].text)
    set_mentions(reference, [], [])
    losses = train(nlp, make_examples(nlp, [reference]), steps=10)
    assert losses[-1] < losses[0]


def test_losses_are_added_under_the_name_of_the_component() -> None:
    nlp, examples = initialized(name="who", negatives=0.0)
    losses = component(nlp).update(examples)
    assert list(losses) == ["who"]
    alone = losses["who"]
    assert component(nlp).update(examples, losses=losses)["who"] == pytest.approx(2 * alone)


def test_get_loss_is_the_loss_of_update() -> None:
    nlp, examples = initialized(negatives=0.0)
    pipe = component(nlp)
    docs = [example.predicted for example in examples]
    layout, gold = pipe._layout_and_gold(examples)
    choose = LikelyAndGold(gold, pipe.cfg["candidate_ratio"], pipe.cfg["add_gold"])
    output, _ = pipe.model.begin_update(HeadInput(docs, layout, choose))
    loss, _ = pipe.get_loss(examples, output)
    assert nlp.update(examples, losses={})["structured_coref"] == pytest.approx(loss)


def test_without_optimizer_gradients_are_accumulated() -> None:
    nlp, examples = initialized(negatives=0.0)
    head = component(nlp).model.get_ref("head").shims[0]._model
    before = head_weights(nlp)
    component(nlp).update(examples)
    once = {name: weight.grad.clone() for name, weight in head.named_parameters() if weight.grad is not None}
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
        pairs = zip(weights(tok2vec), vectors, strict=True)
        changes.append((head_change, [after - before for after, before in pairs]))
    (slow, vectors_slow), (fast, vectors_fast) = changes
    for name, change in slow.items():
        torch.testing.assert_close(fast[name], 10 * change, rtol=1e-2, atol=1e-6)
    assert max(float(change.abs().max()) for change in slow.values()) > 1e-4
    assert max(np.abs(change).max() for change in vectors_slow) > 1e-5
    for change, other in zip(vectors_slow, vectors_fast, strict=True):
        np.testing.assert_allclose(change, other, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("selector", NAMES)
def test_a_sentence_of_300_words(selector: str) -> None:
    nlp, _ = initialized(model=selecting(selector, ratio=0.4))
    words = ["Ann", "saw", "her", "and"] * 75
    starts: list[bool | int | None] = [i == 0 for i in range(300)]
    predicted, reference = (Doc(nlp.vocab, words=words, sent_starts=starts) for _ in range(2))
    set_clusters(reference, [[(0, 1), (2, 3), (296, 297)], [(0, 300)]])
    loss = nlp.update([Example(predicted, reference)], sgd=SGD(0.001), losses={})["structured_coref"]
    assert np.isfinite(loss) and loss > 0
    assert all(torch.isfinite(weight).all() for weight in head_weights(nlp).values())
    for threshold in (0.0, 0.4) if selector == "structured" else (0.9,):  # the others could keep 45,000 spans
        component(nlp).cfg["threshold"] = threshold
        doc = component(nlp)(predicted)
        assert all(0 <= score <= 1 for score in doc.spans[MENTIONS_KEY].attrs["scores"])


# Scores


def test_evaluation_gives_coreference_scores(trained: Language, gold: list[Doc]) -> None:
    scores = trained.evaluate(make_examples(trained, gold))
    assert set(Language.get_factory_meta("structured_coref").default_score_weights or {}) <= set(scores)
    assert scores["coref_f"] == scores["coref_ment_f"] == 1.0


def test_score_follows_keep_singletons(trained: Language, gold: list[Doc]) -> None:
    examples = make_examples(trained, gold)
    for example in examples:
        set_clusters(example.predicted, [cluster for cluster in get_clusters(example.reference) if len(cluster) > 1])
        set_mentions(example.predicted, [], [])
    assert component(trained).score(examples)["coref_f"] < 1
    component(trained).cfg["keep_singletons"] = False
    assert component(trained).score(examples)["coref_f"] == 1


def test_threshold_can_be_found(trained: Language, gold: list[Doc], tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "model")
    DocBin(docs=gold).to_disk(tmp_path / "dev.spacy")
    best, score, scores = find_threshold(
        str(tmp_path / "model"), tmp_path / "dev.spacy", "structured_coref", "threshold", "coref_f", n_trials=3
    )
    assert (best, score) == (0.5, 1.0)
    assert scores[1.0] == 0.0 and set(scores) == {0.0, 0.5, 1.0}


# Shared encoders


def listening_model(architecture: str = "spacy.Tok2VecListener.v1", **settings: Any) -> dict[str, Any]:
    return {**MODEL, "tok2vec": {"@architectures": architecture, **settings}}


def test_listener_trains_the_shared_tok2vec_with_a_tagger(tmp_path: Path) -> None:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    shared: Any = nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 24}
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}})
    # Without random negatives, so that the losses of two steps can be compared.
    nlp.add_pipe("structured_coref", config={"model": listening_model(width=24), "negatives": 0.0})
    docs = gold_docs(nlp)
    for doc in docs:
        for token in doc:
            token.tag_ = "UP" if token.is_title else "LOW"
    examples = make_examples(nlp, docs)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    before = weights(shared.model)
    history = [nlp.update(examples, sgd=optimizer, losses={}) for _ in range(25)]
    assert all(history[-1][name] < 0.5 * history[0][name] for name in ("tagger", "structured_coref"))
    after = weights(shared.model)
    assert all(not np.array_equal(old, new) for old, new in zip(before, after, strict=True))
    loaded = from_disk(nlp, tmp_path)
    texts = [doc.text for doc in docs]
    assert [annotation(doc) for doc in loaded.pipe([*texts, ""])] == annotate(nlp, [*texts, ""])


def test_listener_can_be_replaced_by_what_it_listens_to() -> None:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    nlp.add_pipe("structured_coref", config={"model": listening_model(width=24)})
    examples = make_examples(nlp, gold_docs(nlp))
    nlp.initialize(lambda: examples)
    expected = annotate(nlp, [examples[0].text])
    nlp.replace_listeners("tok2vec", "structured_coref", ["model.tok2vec"])
    nlp.remove_pipe("tok2vec")
    assert annotate(nlp, [examples[0].text]) == expected
    encoder = component(nlp).model.get_ref("tok2vec")
    before = weights(encoder)
    nlp.update(examples, sgd=SGD(0.1))
    assert all(not np.array_equal(old, new) for old, new in zip(before, weights(encoder), strict=True))


def test_tok2vec_learns_from_coreference_alone() -> None:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    shared: Any = nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    nlp.add_pipe("structured_coref", config={"model": listening_model(width=24)})
    examples = make_examples(nlp, gold_docs(nlp))
    optimizer = nlp.initialize(lambda: examples)
    before = weights(shared.model)
    for _ in range(2):  # spaCy finishes the update of a shared encoder before its listeners have given it gradients
        nlp.update([*examples, *make_examples(nlp, [Doc(nlp.vocab)])], sgd=optimizer)
    after = weights(shared.model)
    assert all(not np.array_equal(old, new) for old, new in zip(before, after, strict=True))
    nlp.update(make_examples(nlp, [Doc(nlp.vocab)]), sgd=optimizer)


def test_transformer_listener(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    encoder = {"@architectures": "spacy-transformers.TransformerModel.v3", "name": str(tiny_bert(tmp_path / "bert"))}
    nlp.add_pipe("transformer", config={"model": encoder})
    pooling = {"@layers": "reduce_mean.v1"}
    listener = listening_model("spacy-transformers.TransformerListener.v1", grad_factor=1.0, pooling=pooling)
    nlp.add_pipe("structured_coref", config={"model": listener})
    examples = make_examples(nlp, gold_docs(nlp))
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    batch = [*make_examples(nlp, [Doc(nlp.vocab)]), *examples]
    history = [nlp.update(batch, sgd=optimizer, losses={})["structured_coref"] for _ in range(15)]
    assert history[-1] < 0.7 * history[0]
    loaded = from_disk(nlp, tmp_path / "model")
    texts = [*(example.text for example in examples), "", "Hi"]
    assert [annotation(doc) for doc in loaded.pipe(texts)] == annotate(nlp, texts)
