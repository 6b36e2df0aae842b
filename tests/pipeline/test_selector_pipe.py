"""Behaviour that all components share, tested with each of them."""

import gc
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
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
from thinc.api import SGD, Config
from torch import nn

from spacy_span_selector.annotation import describe_doc, set_title
from spacy_span_selector.examples.alignment import CROSSES_SENTENCES, MISALIGNED, TOO_WIDE
from spacy_span_selector.layers.spans import layout
from spacy_span_selector.layers.spans.layout import LEAST_LONG
from spacy_span_selector.models import torch_head
from spacy_span_selector.models.finite import NotFinite
from spacy_span_selector.models.torch_head import DOCS_READER, HeadInput
from spacy_span_selector.pipeline import selector_pipe
from spacy_span_selector.pipeline.batches import MORE_THAN_A_BATCH, TOO_LONG

from ..harmful import MakesFolder, as_by_default_before_torch_2_6, saved
from ..selectors import SELECTORS, selector_block
from ..tok2vec import LISTENER, TOK2VEC
from .components import (
    CASES,
    COREF,
    NUMBERED,
    Annotation,
    Case,
    annotate,
    annotation,
    assert_same,
    blank_nlp,
    component,
    each_selector,
    from_disk,
    gold_docs,
    head_weights,
    initialized,
    load_trained,
    make_examples,
    make_nlp,
    network,
    of_other_tokens,
    opinionated,
    selected,
    sentenced,
    train,
    transformer_nlp,
    update_and_warn_once,
    weights,
)

each_numbered = pytest.mark.parametrize("case", NUMBERED, ids=lambda case: case.factory)


def texts_of(docs: list[Doc]) -> list[str]:
    return [doc.text for doc in docs]


def assert_weights_equal(nlp: Language, expected: dict[str, torch.Tensor], name: str | None = None) -> None:
    torch.testing.assert_close(head_weights(nlp, name), expected, rtol=0, atol=0)


def gradients(nlp: Language) -> dict[str, torch.Tensor]:
    return {name: weight.grad.clone() for name, weight in network(nlp).named_parameters() if weight.grad is not None}


FRESH = """
import json, sys
import spacy, torch

factories, texts = json.loads(sys.argv[1])
nlp = spacy.blank("en")
print(*(type(nlp.add_pipe(factory)).__name__ for factory in factories), flush=True)
torch.set_num_threads(2)
torch.ones(300, 300) @ torch.ones(300, 300)  # starts the threads that a forked process would wait for
pipelines = [spacy.load(path) for path in sys.argv[2:]]  # nothing else imports the components
from tests.pipeline.components import annotation, assert_same
for nlp in pipelines:
    expected = [annotation(doc) for doc in nlp.pipe(texts)]
    assert_same([annotation(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=2)], expected)
"""


@pytest.fixture(scope="module")
def in_a_fresh_process(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """A process that nothing of this package was imported into. It takes seconds to start.

    It prints the class of each component that it adds to a pipeline; then it lets trained pipelines with all selectors
    annotate texts, in one process and in two.
    """
    folder, paths = tmp_path_factory.mktemp("pipelines"), []
    for case in CASES:
        for selector in case.selectors:
            paths.append(folder / f"{case.factory}-{selector}")
            load_trained(case, selector).to_disk(paths[-1])
    given = json.dumps([[case.factory for case in CASES], [text for case in CASES for text in case.texts]])
    command = [sys.executable, "-c", FRESH, given, *map(str, paths)]
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        output, errors = process.communicate(timeout=240)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail("a fresh process, in which nlp.pipe has two processes, had no result after four minutes")
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


# Initialization, training and serialization


def test_add_pipe_needs_no_import(in_a_fresh_process: subprocess.CompletedProcess[str]) -> None:
    found = in_a_fresh_process.stdout.split()
    assert found == [type(component(make_nlp(case))).__name__ for case in CASES], in_a_fresh_process.stderr


def test_nothing_need_be_configured(case: Case) -> None:
    nlp = blank_nlp()
    nlp.add_pipe(case.factory)
    examples = make_examples(nlp, gold_docs(case, nlp))
    optimizer = nlp.initialize(lambda: examples)
    assert nlp.update(examples, sgd=optimizer, losses={})[case.factory] > 0
    assert nlp(examples[0].text).spans[case.spans_key].attrs["scores"] is not None
    assert isinstance(component(nlp).selector, SELECTORS["laminar"])


@each_selector()
def test_overfitting(case: Case, selector: str) -> None:
    nlp = load_trained(case, selector)
    gold = gold_docs(case, nlp)
    for doc, expected in zip(nlp.pipe(texts_of(gold)), gold, strict=True):
        assert case.read(doc) == case.read(expected)
    untrained, examples = initialized(case, selector)
    assert untrained.evaluate(examples)[case.scores[0]] < 0.6


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@each_selector()
def test_training_lowers_the_loss(case: Case, selector: str, annotation: str) -> None:
    losses = train(*initialized(case, selector, model={"dropout": 0.1}, annotation=annotation), steps=8)
    assert losses[-1] < 0.6 * losses[0]


def from_bytes(nlp: Language, path: Path) -> Language:
    return load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())


def from_text(nlp: Language, path: Path) -> Language:
    config = Config().from_str(nlp.config.to_str())
    assert "attrs" not in config["components"][nlp.pipe_names[-1]]["model"]["selector"]
    return load_model_from_config(config, auto_fill=False, validate=True).from_bytes(nlp.to_bytes())


def from_pickle(nlp: Language, path: Path) -> Language:
    return pickle.loads(pickle.dumps(nlp))


@pytest.mark.parametrize("reload", [from_disk, from_bytes, from_text, from_pickle])
@each_selector()
def test_predictions_survive_serialization(
    case: Case, selector: str, reload: Callable[[Language, Path], Language], tmp_path: Path
) -> None:
    nlp = load_trained(case, selector)
    texts = texts_of(gold_docs(case, nlp))
    loaded = reload(nlp, tmp_path)
    assert_same(annotate(loaded, texts), annotate(nlp, texts))
    assert component(loaded).label_data == component(nlp).label_data
    assert component(loaded).selector == component(nlp).selector
    assert isinstance(component(loaded).selector, SELECTORS[selector])


def test_loading_replaces_weights_of_other_sizes(case: Case, trained: Language, gold: list[Doc]) -> None:
    fix_random_seed(3)
    other = make_nlp(case)
    examples = make_examples(other, case.parse(case.other_corpus, other))
    other.initialize(lambda: examples)
    other.from_bytes(trained.to_bytes())
    assert_same(annotate(other, texts_of(gold)), annotate(trained, texts_of(gold)))
    assert component(other).label_data == component(trained).label_data


def test_settings_survive_serialization_before_initialization(case: Case, tmp_path: Path) -> None:
    keys: dict[str, Any] = {setting: f"my_{setting}" for setting in (case.spans_setting, case.given_setting) if setting}
    nlp = make_nlp(case, threshold=0.25, decoding="map", **keys, **case.settings)
    expected = component(nlp).cfg
    found = component(from_disk(nlp, tmp_path))
    assert found.cfg == {**expected, "candidate_ratio": pytest.approx(expected["candidate_ratio"])}
    assert found.threshold == 0.25 and found.labels == ()


def change_saved_settings(path: Path, factory: str, **changes: Any) -> None:
    file = path / factory / "cfg"
    settings = {**json.loads(file.read_text(encoding="utf-8")), **changes}
    file.write_text(json.dumps({name: value for name, value in settings.items() if value != "gone"}), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"threshold": 7}, "'threshold' of '{name}' is 7; it must be less than or equal to 1"),
        ({"threshold": "0.5"}, "'threshold' of '{name}' is '0.5'; it must be a valid number"),
        ({"decoding": "best"}, "'decoding' of '{name}' is 'best'; it must be 'marginal' or 'map'"),
        ({"{key}": 7}, "'{key}' of '{name}' is 7; it must be a valid string"),
        ({"colour": "red"}, "there is no setting 'colour'; expected some of .*threshold"),
    ],
)
def test_wrong_saved_settings_are_errors(
    case: Case, trained: Language, changes: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    trained.to_disk(tmp_path)
    changes = {setting.format(key=case.spans_setting): value for setting, value in changes.items()}
    configured = {setting: value for setting, value in component(trained).cfg.items() if setting in changes}
    change_saved_settings(tmp_path, case.factory, **changes, configured=configured)
    problem = problem.format(name=case.factory, key=case.spans_setting)
    problem = f"Can't load '{case.factory}' from .*cfg: {problem}"
    with pytest.raises(ValueError, match=problem):
        spacy.load(tmp_path)
    pipe = component(trained)
    before = pipe._saved()
    with pytest.raises(ValueError, match=problem):
        pipe.from_disk(tmp_path / case.factory)
    content = srsly.msgpack_loads(pipe.to_bytes())
    content["cfg"] = (tmp_path / case.factory / "cfg").read_bytes()
    with pytest.raises(ValueError, match=problem.replace(".*cfg", "the bytes")):
        pipe.from_bytes(srsly.msgpack_dumps(content))
    assert pipe._saved() == before


def test_settings_that_an_earlier_version_saved_twice_are_those_of_the_config(
    case: Case, trained: Language, tmp_path: Path
) -> None:
    component(trained).configure(threshold=0.2)
    trained.to_disk(tmp_path)
    change_saved_settings(tmp_path, case.factory, **{**component(trained).cfg, "decoding": "map"})
    loaded = component(spacy.load(tmp_path))
    assert loaded.cfg == component(trained).cfg and loaded.threshold == 0.2


def test_settings_are_set_by_name_as_those_of_spacys_components(case: Case) -> None:
    pipe = component(make_nlp(case))
    pipe.cfg["threshold"] = 0.25
    pipe.cfg.update(decoding="map")
    assert (pipe.threshold, pipe.decoding) == (0.25, "map")
    assert dict(pipe.cfg) == pipe.cfg
    for set_it in (pipe.cfg.__setitem__, partial(setattr, pipe), lambda name, value: pipe.configure(**{name: value})):
        with pytest.raises(ValueError, match=f"'threshold' of '{case.factory}' is 7; it must be less than or equal"):
            set_it("threshold", 7)
    with pytest.raises(ValueError, match=f"'{case.factory}' has no setting 'colour'"):
        pipe.configure(colour="red", threshold=0.5)
    with pytest.raises(ValueError, match="negatives"):
        pipe.configure(threshold=0.5, negatives=-1.0)
    assert pipe.threshold == 0.25


def test_what_is_excluded_is_not_loaded(case: Case, trained: Language, tmp_path: Path) -> None:
    trained.to_disk(tmp_path)
    change_saved_settings(tmp_path, case.factory, threshold=7)
    pipe = component(trained)
    pipe.from_disk(tmp_path / case.factory, exclude=["cfg", "vocab"])
    pipe.from_bytes(pipe.to_bytes(exclude=["cfg"]))
    assert pipe.threshold == 0.4


def test_no_code_in_weights_is_run(
    case: Case, trained: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_by_default_before_torch_2_6(monkeypatch)
    monkeypatch.setattr(torch_head, "save_weights", lambda module: saved({"weight": MakesFolder(tmp_path / "harm")}))
    trained.to_disk(tmp_path / "pipeline")
    problem = f"Can't load '{case.factory}' from .*: The weights of the network .* Nothing of them was loaded"
    with pytest.raises(ValueError, match=problem):
        spacy.load(tmp_path / "pipeline")
    with pytest.raises(ValueError, match=problem):
        make_nlp(case).from_bytes(trained.to_bytes())
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.7, 0.999])
def test_damaged_bytes_are_an_error_that_names_the_component(case: Case, trained: Language, part: float) -> None:
    whole = component(trained).to_bytes()
    with pytest.raises(ValueError, match=f"Can't load '{case.factory}' from the bytes: "):
        component(make_nlp(case)).from_bytes(whole[: int(part * len(whole))])
    assert gc.isenabled()


def test_use_before_initialization_is_an_error(case: Case) -> None:
    problem = rf"'{case.factory}' could not be run. Did you forget to call `initialize\(\)`"
    with pytest.raises(ValueError, match=problem):
        make_nlp(case)("Ann left. She slept.")


@pytest.mark.parametrize("settings", [{}, {"non_crossing": True}], ids=["sigmoid", "non-crossing"])
def test_a_selector_can_be_changed_on_the_command_line(case: Case, settings: dict[str, Any]) -> None:
    changes = {"@misc": "spacy_span_selector.SigmoidSelector.v1", **settings}
    text = make_nlp(case).config.to_str()
    overrides = {f"components.{case.factory}.model.selector.{key}": value for key, value in changes.items()}
    nlp = load_model_from_config(Config().from_str(text, overrides=overrides), auto_fill=True)
    assert component(nlp).selector == SELECTORS["sigmoid"](**settings)


def test_training_can_be_resumed(case: Case, trained: Language, gold: list[Doc]) -> None:
    first = train(*initialized(case), steps=1)[0]
    assert max(train(trained, make_examples(trained, gold), steps=2, learn_rate=0.001)) < 0.5 * first


# Annotation


def some_group_has_several_spans(case: Case, annotations: list[Annotation]) -> bool:
    apart = {case.spans_key} if case.prefix else set()  # these are in groups of their own, too
    groups = [spans for found, _ in annotations for key, (spans, _) in found.items() if key not in apart]
    return any(len(spans) > 1 for spans in groups)


@each_selector()
def test_order_is_kept_when_batches_are_cut(case: Case, selector: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = opinionated(case, selector)
    texts = [*case.texts, " ".join(case.texts), "Ruth left a hat."]
    expected = annotate(nlp, texts)
    assert some_group_has_several_spans(case, expected)
    for words in (1, 9, 12, 15, 10_000):
        monkeypatch.setattr(selector_pipe, "PREDICT_WORDS", words)
        assert_same([annotation(doc) for doc in nlp.pipe(texts)], expected)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes that hang can't be stopped on this platform")
def test_processes_equal_one_process(in_a_fresh_process: subprocess.CompletedProcess[str]) -> None:
    assert in_a_fresh_process.returncode == 0, in_a_fresh_process.stderr


def test_nothing_is_found_in_and_learnt_from_nothing(case: Case, trained: Language) -> None:
    assert list(trained.pipe([])) == []
    assert component(trained).predict([]) == []
    assert trained.update([]) == {}
    assert component(trained).update([]) == {case.factory: 0.0}
    assert [annotation(doc) for doc in trained.pipe(["", "", ""])] == [({case.spans_key: ([], {})}, [])] * 3
    examples = make_examples(trained, [Doc(trained.vocab), Doc(trained.vocab)])
    before = head_weights(trained)
    assert trained.update(examples, sgd=SGD(1.0), losses={}) == {case.factory: 0.0}
    assert_weights_equal(trained, before)


@each_selector()
def test_a_batch_may_have_documents_without_words_or_gold(case: Case, selector: str) -> None:
    nlp, examples = initialized(case, selector)
    nothing, empty = nlp.make_doc("Oh."), Doc(nlp.vocab)
    case.write_nothing(nothing)
    batch = make_examples(nlp, [empty, nothing, empty, nlp.make_doc("Well. Well.")])
    for some in (batch, [*batch, *examples, *batch]):
        assert 0 < nlp.update(some, sgd=SGD(0.001), losses={})[case.factory] < 100
    assert all(torch.isfinite(weight).all() for weight in head_weights(nlp).values())


@each_selector()
def test_a_document_of_one_word(case: Case, selector: str) -> None:
    nlp = opinionated(case, selector)
    doc, reference = component(nlp)(nlp.make_doc("Go")), nlp.make_doc("Go")
    assert {(span.start, span.end) for group in doc.spans.values() for span in group} <= {(0, 1)}
    case.mark(reference, [(0, 1)])
    assert nlp.update([Example(nlp.make_doc("Go"), reference)], losses={})[case.factory] > 0


def test_annotating_again_replaces_groups_of_the_component_only(case: Case, trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[1].text)
    if case.prefix:
        assert case.keys(doc) == [f"{case.prefix}_{number + 1}" for number in range(len(case.read(gold[1])))]
        assert len(case.keys(doc)) > 1
    others = {"entities": doc[0:1], f"{case.prefix}_of_mine": doc[0:2]}
    for key, span in others.items():
        doc.spans[key] = [span]
    nothing: Annotation = ({case.spans_key: ([], {})}, [])
    for prediction, expected in ((case.prediction, case.predicted), (case.no_prediction, nothing)):
        component(trained).set_annotations([doc], [prediction])
        copy = doc.copy()
        for key, span in others.items():
            assert [found.text for found in copy.spans.pop(key)] == [span.text]
        assert annotation(copy) == expected


def test_annotation_survives_a_docbin(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[0].text)
    (loaded,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(trained.vocab)
    assert annotation(loaded) == annotation(doc)


def test_predict_leaves_documents_alone(case: Case, trained: Language, gold: list[Doc]) -> None:
    doc = sentenced(trained, gold[0].text)
    predictions = component(trained).predict([doc])
    assert not doc.spans
    component(trained).set_annotations([doc], predictions)
    assert case.read(doc) == case.read(gold[0])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@each_selector()
def test_gpu_learns_and_annotates_like_a_cpu(case: Case, selector: str, tmp_path: Path) -> None:
    spacy.require_gpu()
    try:
        nlp, examples = initialized(case, selector)
        train(nlp, examples, steps=30)
        texts = [example.text for example in examples]
        found = annotate(nlp, texts)
        nlp.to_disk(tmp_path)
    finally:
        spacy.require_cpu()
    assert_same(found, annotate(spacy.load(tmp_path), texts), tolerance=1e-3)


# Settings


@each_selector("structured", "laminar", "sigmoid")
def test_a_higher_threshold_keeps_no_more_spans(case: Case, selector: str) -> None:
    nlp, examples = initialized(case, selector)
    kept = []
    for threshold in np.linspace(0, 1, 11):
        component(nlp).configure(threshold=float(threshold))
        kept.append(len(selected(case, nlp(examples[0].text))))
    assert kept == sorted(kept, reverse=True)
    assert len(set(kept)) > 3 and kept[-1] == 0


def test_threshold_is_for_marginal_decoding_alone(case: Case) -> None:
    nlp = load_trained(case)
    text = case.texts[0]
    component(nlp).configure(threshold=1.0)
    assert selected(case, nlp(text)) == []
    component(nlp).configure(decoding="map")
    by_tree = nlp(text)
    assert len(selected(case, by_tree)) > 0
    component(nlp).configure(threshold=0.1)
    assert_same(annotate(nlp, [text]), [annotation(by_tree)])


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ({"annotation": "partial", "negatives": 0.0}, {"annotation": "complete", "negatives": 0.0}),
        ({"negatives": 0.0}, {"negatives": 1.0}),
    ],
)
@each_selector()
def test_settings_of_the_loss(case: Case, selector: str, less: dict[str, Any], more: dict[str, Any]) -> None:
    losses = [train(*initialized(case, selector, **settings), steps=1)[0] for settings in (less, more)]
    assert losses[0] < losses[1]


@each_numbered
def test_keys_can_be_chosen(case: Case, trained: Language) -> None:
    keys: dict[str, Any] = {"prefix": "mine", case.spans_setting: "mine_of_1", case.given_setting: "given"}
    nlp = make_nlp(case, **keys)
    docs = gold_docs(case, nlp)
    for doc in docs:
        groups = case.read(doc)
        doc.spans.clear()
        case.write(doc, groups, prefix="mine")
    examples = make_examples(nlp, docs)
    nlp.initialize(lambda: examples)
    assert train(nlp, examples, steps=1)[0] > 0
    nlp.from_bytes(trained.to_bytes(), exclude=[case.factory])
    component(nlp).model.from_bytes(component(trained).model.to_bytes())
    for doc in docs:
        assert set(nlp(doc.text).spans) == {*doc.spans, "mine_of_1"}
    assert nlp.evaluate(examples)[case.scores[0]] == 1.0


@each_numbered
@pytest.mark.parametrize(
    ("setting", "key"), [("spans", "{given}"), ("given", "{prefix}_1"), ("spans", "{prefix}_2"), ("given", "a+b_10")]
)
def test_keys_that_clash_are_an_error(case: Case, setting: str, key: str) -> None:
    settings = {"spans": case.spans_setting, "given": case.given_setting}
    keys: dict[str, Any] = {settings[setting]: key.format(given=case.given_key, prefix=case.prefix)}
    if "+" in key:
        keys["prefix"] = "a+b"
    problem = rf"^'{case.factory}' would read what it has written: 'prefix' '.*' and '\w+_key' '.*' name .* of its own"
    for set_them in (partial(make_nlp, case), component(make_nlp(case)).configure):
        with pytest.raises(ValueError, match=problem):
            set_them(**keys)


@each_selector("structured", "laminar", "sigmoid")
def test_max_span_width_limits_predictions_and_gold(case: Case, selector: str) -> None:
    first, too_wide = case.too_wide
    with pytest.warns(UserWarning, match=f"max_span_width.*{first}"):
        nlp, examples = initialized(case, selector, model={"max_span_width": case.max_span_width}, threshold=0.0)
        losses = train(nlp, examples, steps=3)
    assert component(nlp).lost.counts == {TOO_WIDE: 3 * too_wide}
    assert np.isfinite(losses).all()
    assert all(torch.isfinite(weight).all() for weight in head_weights(nlp).values())
    found = selected(case, nlp(examples[1].text))
    assert {end - start for start, end in found} == set(range(1, case.max_span_width + 1))


def test_a_sentence_that_is_too_long_is_cut(case: Case) -> None:
    nlp = load_trained(case)
    text = case.texts[0].replace(".", ",")  # two clauses, one sentence
    component(nlp).configure(max_sentence_words=6)
    doc = nlp.make_doc(text)
    with pytest.warns(
        UserWarning, match=f"'{case.factory}' cuts a sentence that has more words.*from '{text[:4]}"
    ) as caught:
        found = annotation(component(nlp)(sentenced(nlp, text)))
        component(nlp)(sentenced(nlp, text))
    assert len(caught) == 1
    assert component(nlp).lost.counts == {TOO_LONG: 2}
    starts = [token.i == 0 or doc[token.i - 1].text == "," for token in doc]
    cut = Doc(nlp.vocab, words=[token.text for token in doc], sent_starts=starts)
    component(nlp).configure(max_sentence_words=None)
    assert_same([annotation(component(nlp)(cut))], [found])
    whole = annotate(nlp, case.texts[:1])
    component(nlp).configure(max_sentence_words=8)  # not too long
    assert annotate(nlp, case.texts[:1]) == whole
    assert component(nlp).lost.counts == {TOO_LONG: 2}


@each_selector("laminar", "sigmoid")
def test_long_sentences_are_annotated_and_learnt_as_with_a_chart_of_all_spans(
    case: Case, selector: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, losses, learnt = [], [], []
    for shortest in (LEAST_LONG, 1):
        monkeypatch.setattr(layout, "LEAST_LONG", shortest)
        model = {"max_span_width": 3, "dropout": 0.0}
        # No random spans: how many there are to draw from differs.
        nlp, examples = initialized(case, selector, model=model, threshold=0.0, negatives=0.0, candidate_ratio=2.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            losses.append(train(nlp, examples, steps=3))
        found.append(annotate(nlp, case.texts))
        learnt.append(head_weights(nlp))
    assert_same(found[1], found[0])
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    torch.testing.assert_close(learnt[1], learnt[0], rtol=1e-3, atol=1e-3)


@each_selector("laminar", "sigmoid")
def test_long_sentences_are_not_cut_where_the_width_of_spans_has_a_limit(case: Case, selector: str) -> None:
    nlp, _ = initialized(case, selector, model={"max_span_width": 3}, max_sentence_words=4, threshold=0.0)
    text = case.texts[0].replace(".", ",")
    whole = annotation(component(nlp)(sentenced(nlp, text)))
    assert not component(nlp).lost.counts
    component(nlp).configure(max_sentence_words=None)
    assert annotation(component(nlp)(sentenced(nlp, text))) == whole


def test_a_sentence_of_more_words_than_a_batch_is_cut_all_the_same(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    nlp, _ = initialized(case, "laminar", model={"max_span_width": 3}, threshold=0.0)
    monkeypatch.setattr(selector_pipe, "MOST_WORDS", 4)
    with pytest.warns(UserWarning, match="cuts a sentence that has more words than 16,384"):
        component(nlp)(sentenced(nlp, case.texts[0].replace(".", ",")))
    assert list(component(nlp).lost.counts) == [MORE_THAN_A_BATCH]


def test_the_greatest_width_of_a_span_is_that_of_the_config_not_of_the_saved_weights(
    case: Case, tmp_path: Path
) -> None:
    nlp, examples = initialized(case, "laminar", model={"max_span_width": 8}, max_sentence_words=4)
    nlp.to_disk(tmp_path)
    model = {"components": {case.factory: {"model": {"max_span_width": case.max_span_width}}}}
    with pytest.warns(UserWarning, match="max_span_width"):
        spacy.load(tmp_path, config=model).update(examples, sgd=SGD(0.0))
    model["components"][case.factory]["model"]["max_span_width"] = None
    with pytest.warns(UserWarning, match="cuts a sentence"):
        spacy.load(tmp_path, config=model)(case.texts[0])


def test_new_pipelines_have_a_greatest_width_of_spans_and_saved_ones_keep_theirs(case: Case, tmp_path: Path) -> None:
    nlp = blank_nlp()
    nlp.add_pipe(case.factory)
    assert nlp.config["components"][case.factory]["model"]["max_span_width"] == 256
    nlp, _ = initialized(case, model={"max_span_width": None})
    assert from_disk(nlp, tmp_path).config["components"][case.factory]["model"]["max_span_width"] is None


@each_selector("structured")
def test_long_sentences_are_cut_for_selectors_that_need_all_spans_or_pairs(case: Case, selector: str) -> None:
    with pytest.warns(UserWarning, match="cuts a sentence"):
        initialized(case, selector, model={"max_span_width": 3}, max_sentence_words=4)


def test_the_model_takes_documents_too(case: Case) -> None:
    """As `spacy debug model` gives it some."""
    nlp, examples = initialized(case)
    docs = [example.predicted for example in examples]
    output = component(nlp).model.predict(docs)
    expected = component(nlp).model.predict(component(nlp)._read_docs(docs))
    assert output.selection.spans.starts.tolist() == expected.selection.spans.starts.tolist()
    assert len(output.selection.spans.starts)


def test_clusters_are_left_behind_where_a_document_is_read_without_white_space(case: Case) -> None:
    nlp, _ = initialized(case)
    doc = Doc(nlp.vocab, ["Ann", "\n", "lost", "it"], sent_starts=[True, False, False, False])
    doc.spans.update({"coref_clusters_1": [doc[0:1]], "sc": [doc[0:1]]})
    (read,) = component(nlp)._read_docs([doc]).docs
    assert [*read.doc.spans] == ["sc"]


def test_a_copy_of_the_model_does_not_copy_the_component(case: Case) -> None:
    model = make_nlp(case).get_pipe(case.factory).model  # type: ignore[attr-defined]
    assert model.copy().attrs[DOCS_READER] is model.attrs[DOCS_READER]


def test_the_layers_of_the_network_are_named(case: Case, tmp_path: Path) -> None:
    nlp, _ = initialized(case)
    layers = component(nlp).model.get_ref("head").attrs["layers"]
    assert {name.split(".")[0] for name in layers} == {name for name, _ in network(nlp).named_children()}
    assert component(from_disk(nlp, tmp_path)).model.get_ref("head").attrs["layers"] == layers


def test_predicting_leaves_the_network_as_it_is(case: Case) -> None:
    """As other threads may be predicting with it, dropout must never be on."""
    nlp = load_trained(case)
    nlp(case.texts[0])
    modes: list[bool] = []
    for part in network(nlp).modules():
        part.register_forward_hook(lambda part, *_: modes.append(part.training))
    nlp(case.texts[0])
    assert modes and not any(modes)
    assert not any(part.training for part in network(nlp).modules())


@pytest.mark.parametrize(
    ("setting", "value", "problem"),
    [
        ("decoding", "viterbi", "'viterbi'; it must be 'marginal' or 'map'"),
        ("annotation", "none", "'none'; it must be 'complete' or 'partial'"),
        ("threshold", 1.5, "1.5; it must be less than or equal to 1"),
        ("threshold", -0.1, "-0.1; it must be greater than or equal to 0"),
        ("candidate_ratio", -1.0, "-1.0; it must be greater than or equal to 0"),
        ("negatives", -1.0, "-1.0; it must be greater than or equal to 0"),
        ("learn_rate_factor", -1.0, "-1.0; it must be greater than or equal to 0"),
        ("max_sentence_words", 0, "0; it must be greater than or equal to 1"),
        ("threshold", "0.5", "'0.5'; it must be a valid number"),
    ],
)
def test_a_wrong_setting_is_an_error(case: Case, setting: str, value: object, problem: str) -> None:
    config: dict[str, Any] = {setting: value}
    with pytest.raises(ValueError, match=f"'{setting}' of '{case.factory}' is {problem}"):
        make_nlp(case, **config)


@pytest.mark.parametrize(
    ("case", "setting", "value"),
    [
        pytest.param(case, setting, value, id=f"{case.factory}-{setting}-{value}")
        for case in CASES
        for setting, value in [
            ("selector", "best"),
            ("dropout", 1.0),
            ("dropout", "0.1"),
            ("feature_width", "4"),
            *((name, 0) for name in case.model if name.endswith("_width")),
        ]
    ],
)
def test_a_wrong_setting_of_the_model_is_an_error(case: Case, setting: str, value: object) -> None:
    with pytest.raises(ValueError, match=setting):
        make_nlp(case, model={setting: value})


# Training


def training_batch(nlp: Language, examples: list[Example]) -> tuple[HeadInput, Any]:
    """What the model is given in training, and the gold annotation of the batch."""
    read, gold, _ = component(nlp)._read_examples(examples)
    return read, gold


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@each_selector()
def test_a_step_has_the_gradients_of_the_loss(case: Case, selector: str, annotation: str) -> None:
    """The gradients that the component hands to its model, tensor by tensor, add up to those of the whole."""
    nlp, examples = initialized(case, selector, annotation=annotation)
    pipe = component(nlp)
    torch.manual_seed(0)
    pipe.update(examples)
    found = gradients(nlp)
    network(nlp).zero_grad()
    torch.manual_seed(0)
    batch, gold = training_batch(nlp, examples)
    output, _ = pipe.model.begin_update(batch)
    pipe._loss(output, gold, None, batch).backward()
    assert found.keys() == head_weights(nlp).keys()
    torch.testing.assert_close(found, gradients(nlp), rtol=1e-3, atol=1e-6)
    assert any(gradient.abs().max() > 0 for gradient in found.values())


def test_get_loss_is_the_loss_of_update(case: Case) -> None:
    nlp, examples = initialized(case, negatives=0.0)
    batch, _ = training_batch(nlp, examples)
    output, _ = component(nlp).model.begin_update(batch)
    loss, _ = component(nlp).get_loss(examples, output)
    assert nlp.update(examples, losses={})[case.factory] == pytest.approx(loss)


def test_examples_without_words_do_not_hinder_initialization(case: Case) -> None:
    nlp = make_nlp(case)
    docs = [Doc(nlp.vocab), *gold_docs(case, nlp)]
    nlp.initialize(lambda: make_examples(nlp, docs))
    assert head_weights(nlp)


@pytest.mark.parametrize("use", ["predict", "update"])
def test_no_sentence_boundaries_is_an_error(case: Case, use: str) -> None:
    nlp, examples = initialized(case)
    doc = nlp.make_doc("Ann left. She slept.")
    set_title(doc, "the attic")
    with pytest.raises(ValueError, match=r"document 'the attic' has no sentence boundaries.*sentencizer"):
        if use == "predict":
            component(nlp)(doc)
        else:
            nlp.update([*examples, Example(doc, nlp.make_doc(doc.text))])


def test_gold_text_that_differs_is_an_error_that_names_the_document(case: Case) -> None:
    nlp, examples = initialized(case)
    other = Example(examples[1].predicted, examples[0].reference)
    with pytest.raises(ValueError, match=r"Can't align document 'the station'.*Make both from the same text"):
        nlp.update([other])


@each_selector()
def test_gold_that_cannot_be_used_is_reported_once_and_the_rest_is_learnt(case: Case, selector: str) -> None:
    nlp, _ = initialized(case, selector)
    reference = of_other_tokens(nlp)
    case.mark(reference, [(0, 1), (0, 4), (1, 2), (1, 4), (4, 5), (5, 6)])
    messages, losses = update_and_warn_once(nlp, reference, steps=6)
    assert len(messages) == 2
    assert CROSSES_SENTENCES in messages[0] and "'Ann left. She' in document 'the attic'" in messages[0]
    assert MISALIGNED in messages[1] and "'sl' in document 'the attic'" in messages[1]
    assert component(nlp).lost.counts == {CROSSES_SENTENCES: 12, MISALIGNED: 12}
    assert losses[-1] < losses[0]


def test_what_cannot_be_learnt_is_told_before_training(case: Case) -> None:
    nlp = make_nlp(case, model={"max_span_width": case.max_span_width})
    unknown = [Doc(nlp.vocab, words=["Go", "home", "."])]  # has no sentence boundaries on either side
    docs = [*gold_docs(case, nlp), *unknown]
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in docs]
    first, count = case.too_wide
    message = f"{TOO_WIDE}: {first}" + (f" ({count} so far)" if count > 1 else "")
    with pytest.warns(UserWarning, match=re.escape(message)):
        nlp.initialize(lambda: examples)
    assert not any(example.predicted.has_annotation("SENT_START") for example in examples)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        nlp.update(examples[:-1], losses={})
    assert component(nlp).lost.counts == {TOO_WIDE: count}


def test_sentence_boundaries_of_references_are_used_where_no_component_sets_any(case: Case) -> None:
    nlp, examples = initialized(case, negatives=0.0)
    without = [Example(nlp.make_doc(example.text), example.reference) for example in examples]
    losses = [component(nlp).update(batch)[case.factory] for batch in (examples, without)]
    assert losses[0] == pytest.approx(losses[1])


def test_gold_of_other_tokens_is_learnt(case: Case) -> None:
    nlp, _ = initialized(case, negatives=0.0)
    whole, cut = (nlp.make_doc("Ann left. She slept."), Doc(nlp.vocab, words=["A", "nn"], spaces=[False, True]))
    parts = Doc(nlp.vocab, words=["left", ".", "She", "slept", "."], spaces=[False, True, True, False, False])
    reference = Doc.from_docs([cut, parts], ensure_whitespace=False)
    case.mark(whole, [(0, 1), (1, 2)])
    case.mark(reference, [(0, 2), (2, 3)])
    examples = [Example(sentenced(nlp, whole.text), doc) for doc in (whole, reference)]
    losses = [component(nlp).update([example])[case.factory] for example in examples]
    assert losses[0] == pytest.approx(losses[1])
    assert not component(nlp).lost.counts


@each_selector()
def test_references_that_are_not_annotated_are_ignored_in_training(case: Case, selector: str) -> None:
    nlp, examples = initialized(case, selector)
    unannotated = [nlp.make_doc(example.text) for example in examples]
    if case.given_key:
        unannotated[0].spans[case.given_key] = [unannotated[0][1:2]]  # where to look, but not what is there
    before = head_weights(nlp)
    losses = nlp.update(make_examples(nlp, unannotated), sgd=SGD(1.0), losses={})
    assert losses == {case.factory: 0.0}
    assert_weights_equal(nlp, before)


@each_selector()
def test_references_annotated_without_groups_are_learnt(case: Case, selector: str) -> None:
    nlp, examples = initialized(case, selector)
    reference = nlp.make_doc(examples[0].text)
    case.write_nothing(reference)
    losses = train(nlp, make_examples(nlp, [reference]), steps=10)
    assert losses[-1] < 0.7 * losses[0]
    assert case.read(nlp(reference.text)) == []


def test_losses_are_added_under_the_name_of_the_component(case: Case) -> None:
    nlp, examples = initialized(case, name="mine", negatives=0.0)
    losses = component(nlp).update(examples)
    assert list(losses) == ["mine"]
    alone = losses["mine"]
    assert component(nlp).update(examples, losses=losses)["mine"] == pytest.approx(2 * alone)


@each_selector()
def test_without_optimizer_gradients_are_accumulated(case: Case, selector: str) -> None:
    nlp, examples = initialized(case, selector)
    before = head_weights(nlp)
    torch.manual_seed(0)
    component(nlp).update(examples)
    once = gradients(nlp)
    torch.manual_seed(0)  # the same negatives
    component(nlp).update(examples, sgd=None)
    assert any(gradient.abs().max() > 0 for gradient in once.values())
    assert_weights_equal(nlp, before)
    twice = {name: 2 * once[name] for name in before}
    torch.testing.assert_close(gradients(nlp), twice, rtol=1e-3, atol=1e-6)


def test_learn_rate_factor_is_for_the_network_alone(case: Case) -> None:
    changes = []
    for factor in (1.0, 10.0):
        nlp, examples = initialized(case, negatives=0.0, learn_rate_factor=factor)
        tok2vec = component(nlp).model.get_ref("tok2vec")
        head, vectors = head_weights(nlp), weights(tok2vec)
        nlp.update(examples, sgd=SGD(0.001, L2=0.0, grad_clip=0.0))
        head_change = {name: weight - head[name] for name, weight in head_weights(nlp).items()}
        changes.append((head_change, [after - before for after, before in zip(weights(tok2vec), vectors, strict=True)]))
    (slow, vectors_slow), (fast, vectors_fast) = changes
    torch.testing.assert_close(fast, {name: 10 * change for name, change in slow.items()}, rtol=1e-2, atol=1e-6)
    assert max(float(change.abs().max()) for change in slow.values()) > 1e-4
    assert max(np.abs(change).max() for change in vectors_slow) > 1e-5
    for change, other in zip(vectors_slow, vectors_fast, strict=True):
        np.testing.assert_allclose(change, other, rtol=1e-4, atol=1e-7)


@each_selector()
def test_a_sentence_of_300_words(case: Case, selector: str) -> None:
    nlp, _ = initialized(case, selector, model={"selector": selector_block(selector)})
    words = ["Ann", "saw", "her", "and"] * 75
    starts: list[bool | int | None] = [i == 0 for i in range(300)]
    predicted, reference = (Doc(nlp.vocab, words=words, sent_starts=starts) for _ in range(2))
    case.mark(reference, [(0, 1), (2, 3), (296, 297)], [(0, 300)], [(297, 298), (2, 296)])
    loss = nlp.update([Example(predicted, reference)], sgd=SGD(0.001), losses={})[case.factory]
    assert np.isfinite(loss) and loss > 0
    assert all(torch.isfinite(weight).all() for weight in head_weights(nlp).values())
    for threshold in (0.0, 0.4) if selector == "structured" else (0.9,):  # the others could keep 45,000 spans
        component(nlp).configure(threshold=threshold)
        doc = component(nlp)(predicted)
        assert all(0 <= score <= 1 for score in doc.spans[case.spans_key].attrs["scores"])


# Scores


def test_evaluation_gives_the_scores_of_the_component(case: Case, trained: Language, gold: list[Doc]) -> None:
    scores = trained.evaluate(make_examples(trained, gold))
    assert set(Language.get_factory_meta(case.factory).default_score_weights or {}) <= set(scores)
    assert {name: scores[name] for name in case.scores} == dict.fromkeys(case.scores, 1.0)


@pytest.mark.parametrize(
    ("case", "setting", "worst"), [(case, "threshold", 1.0) for case in CASES] + [(COREF, "link_threshold", None)]
)
def test_threshold_can_be_found(
    case: Case, setting: str, worst: float | None, trained: Language, gold: list[Doc], tmp_path: Path
) -> None:
    trained.to_disk(tmp_path / "model")
    DocBin(docs=gold).to_disk(tmp_path / "dev.spacy")
    paths = str(tmp_path / "model"), tmp_path / "dev.spacy"
    best, score, scores = find_threshold(*paths, case.factory, setting, case.scores[0], n_trials=3)
    assert scores[best] == score == 1.0 and set(scores) == {0.0, 0.5, 1.0}
    assert worst is None or scores[worst] == 0.0


# Shared encoders


def listening_nlp(*cases: Case, **config: Any) -> tuple[Language, list[list[Example]]]:
    """A pipeline whose components share an encoder, and for each of them its examples; to be initialized."""
    fix_random_seed(0)
    nlp = blank_nlp()
    nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    for case in cases:
        nlp.add_pipe(case.factory, config={"model": {**case.model, "tok2vec": LISTENER}, **config})
    return nlp, [make_examples(nlp, gold_docs(case, nlp)) for case in cases]


def shared_weights(nlp: Language) -> list[np.ndarray]:
    encoder: Any = nlp.get_pipe("tok2vec")
    return weights(encoder.model)


def assert_all_differ(found: list[np.ndarray], others: list[np.ndarray]) -> None:
    assert all(not np.array_equal(one, other) for one, other in zip(found, others, strict=True))


def test_listener_trains_the_shared_tok2vec_with_a_tagger(case: Case, tmp_path: Path) -> None:
    # Without random negatives, so that the losses of two steps can be compared.
    nlp, [examples] = listening_nlp(case, negatives=0.0)
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}
    nlp.add_pipe("tagger", before=case.factory, config={"model": tagger})
    for example in examples:
        for token in example.reference:
            token.tag_ = "UP" if token.is_title else "LOW"
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    before = shared_weights(nlp)
    history = [nlp.update(examples, sgd=optimizer, losses={}) for _ in range(25)]
    assert all(history[-1][name] < 0.5 * history[0][name] for name in ("tagger", case.factory))
    assert_all_differ(shared_weights(nlp), before)
    loaded = from_disk(nlp, tmp_path)
    texts = [*(example.text for example in examples), ""]
    assert_same([annotation(doc) for doc in loaded.pipe(texts)], annotate(nlp, texts))


def test_tok2vec_learns_from_the_component_alone(case: Case) -> None:
    nlp, [examples] = listening_nlp(case)
    optimizer = nlp.initialize(lambda: examples)
    before = shared_weights(nlp)
    for _ in range(2):  # spaCy finishes the update of a shared encoder before its listeners have given it gradients
        nlp.update([*examples, *make_examples(nlp, [Doc(nlp.vocab)])], sgd=optimizer)
    assert_all_differ(shared_weights(nlp), before)
    nlp.update(make_examples(nlp, [Doc(nlp.vocab)]), sgd=optimizer)


def test_transformer_listener(case: Case, tmp_path: Path) -> None:
    nlp, examples = transformer_nlp(case, tmp_path, architecture="spacy-transformers.TransformerModel.v3")
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01
    batch = [*make_examples(nlp, [Doc(nlp.vocab)]), *examples]
    history = [nlp.update(batch, sgd=optimizer, losses={})[case.factory] for _ in range(15)]
    assert history[-1] < 0.7 * history[0]
    loaded = from_disk(nlp, tmp_path / "model")
    texts = [*(example.text for example in examples), "", "Hi"]
    assert_same([annotation(doc) for doc in loaded.pipe(texts)], annotate(nlp, texts))


def test_components_that_share_an_encoder_learn_from_separate_corpora(tmp_path: Path) -> None:
    nlp, corpora = listening_nlp(*CASES)
    everything = [example for examples in corpora for example in examples]
    nlp.initialize(lambda: everything)
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01
    before = shared_weights(nlp)
    batches = [everything, *corpora]
    for step in range(90):
        nlp.update(batches[step % len(batches)], sgd=optimizer, losses={}, drop=0.0)
    assert_all_differ(shared_weights(nlp), before)
    for pipeline in (nlp, from_disk(nlp, tmp_path)):
        for case, examples in zip(CASES, corpora, strict=True):
            for example in examples:
                assert case.read(pipeline(example.text)) == case.read(example.reference)


def test_a_corpus_without_annotation_for_a_component_does_not_change_it() -> None:
    nlp, corpora = listening_nlp(*CASES)
    nlp.initialize(lambda: [example for examples in corpora for example in examples])
    for case, examples in zip(CASES, corpora, strict=True):
        others = [other.factory for other in CASES if other is not case]
        before = {name: head_weights(nlp, name) for name in others}
        losses = nlp.update(examples, sgd=SGD(0.1), losses={})
        assert losses[case.factory] > 0
        for name in others:
            assert losses[name] == 0.0
            assert_weights_equal(nlp, before[name], name)


# NaN and infinity


def spoil_loss(nlp: Language, name: str, monkeypatch: pytest.MonkeyPatch, spoil: Callable[..., torch.Tensor]) -> None:
    """Let a component have another loss; `spoil` makes it of its own and of a tensor that it is computed from."""
    pipe = component(nlp, name)
    loss_of = pipe._loss

    def spoilt(output: Any, *others: Any) -> torch.Tensor:
        return spoil(loss_of(output, *others), output.tensors()[0])

    monkeypatch.setattr(pipe, "_loss", spoilt)


def infinite_loss(loss: torch.Tensor, tensor: torch.Tensor) -> torch.Tensor:
    return loss + float("inf")


def infinite_gradient(loss: torch.Tensor, tensor: torch.Tensor) -> torch.Tensor:
    scores = tensor[tensor.isfinite()]
    return loss + (scores - scores.detach()).abs().sum().sqrt()  # adds 0


@pytest.mark.parametrize(
    ("spoil", "where"), [(infinite_loss, "the loss"), (infinite_gradient, "the gradient of the token vectors")]
)
def test_training_stops_before_nan_reaches_a_weight(
    case: Case, spoil: Callable[..., torch.Tensor], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp, examples = initialized(case)
    nlp.update(examples, sgd=SGD(0.01))
    before = nlp.to_bytes()
    with monkeypatch.context() as patch:
        spoil_loss(nlp, case.factory, patch, spoil)
        with pytest.raises(NotFinite) as caught:
            nlp.update(examples, sgd=SGD(0.01))
    message = str(caught.value)
    assert message.startswith(f"'{case.factory}' can't learn from a batch: there is NaN or infinity in {where}.")
    assert "Lower the learning rate" in message
    assert all(describe_doc(example.predicted) in message for example in examples)
    assert nlp.to_bytes() == before


def test_a_step_that_failed_leaves_nothing_to_the_next(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    after = []
    for fails in (True, False):
        nlp, examples = initialized(case)
        if fails:
            with monkeypatch.context() as patch, pytest.raises(NotFinite):
                spoil_loss(nlp, case.factory, patch, infinite_gradient)
                nlp.update(examples, sgd=False, drop=0.0)  # type: ignore[arg-type]
        torch.manual_seed(0)  # the same negatives
        nlp.update(examples, sgd=SGD(0.01), drop=0.0)
        after.append(nlp.to_bytes())
    assert after[0] == after[1]


def test_a_shared_encoder_gets_nothing_from_a_component_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    nlp, corpora = listening_nlp(*CASES)
    everything = [example for examples in corpora for example in examples]
    nlp.initialize(lambda: everything)
    before = shared_weights(nlp)
    spoil_loss(nlp, CASES[1].factory, monkeypatch, infinite_gradient)
    with pytest.raises(NotFinite, match=CASES[1].factory):
        nlp.update(everything, sgd=SGD(0.1))
    nlp.get_pipe("tok2vec").finish_update(SGD(0.1))  # type: ignore[attr-defined]
    np.testing.assert_equal(shared_weights(nlp), before)


def bert_in(nlp: Language) -> nn.Module:
    bert: nn.Module = component(nlp, "transformer").model.layers[0].shims[0]._model
    return bert


def test_training_stops_before_nan_reaches_a_weight_of_a_transformer(case: Case, tmp_path: Path) -> None:
    nlp, examples = transformer_nlp(case, tmp_path)
    bert = bert_in(nlp)
    before = nlp.to_bytes()
    hook = bert.embeddings.LayerNorm.weight.register_hook(lambda gradient: gradient * float("nan"))  # type: ignore
    with pytest.raises(NotFinite, match=r"gradient of embeddings\.LayerNorm\.weight in the encoder.*document"):
        nlp.update(examples, sgd=False)  # type: ignore[arg-type]
    component(nlp, "transformer").finish_update(SGD(0.1))
    assert nlp.to_bytes() == before
    hook.remove()
    nlp.update(examples, sgd=SGD(0.1))


def test_overflow_that_the_gradient_scaler_has_seen_is_no_error(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp, examples = transformer_nlp(case, tmp_path)
    bert = bert_in(nlp)
    scaler = component(nlp, "transformer").model.layers[0].shims[0]._grad_scaler
    monkeypatch.setattr(scaler, "unscale", lambda gradients: setattr(scaler, "_found_inf", True) or True)
    bert.embeddings.LayerNorm.weight.register_hook(lambda gradient: gradient * float("inf"))  # type: ignore
    weights_before = {name: weight.clone() for name, weight in bert.state_dict().items()}
    nlp.update(examples, sgd=False)  # type: ignore[arg-type]
    component(nlp, "transformer").finish_update(SGD(0.1))
    torch.testing.assert_close(dict(bert.state_dict()), weights_before, rtol=0, atol=0)


def test_vectors_with_nan_are_an_error_at_prediction(case: Case) -> None:
    nlp, _ = initialized(case)
    encoder = component(nlp).model.get_ref("tok2vec")
    forward = encoder._func

    def broken(model: Any, docs: list[Doc], is_train: bool) -> Any:
        vectors, backprop = forward(model, docs, is_train)
        factors = [np.nan if doc[0].text == "Hi" else 1 for doc in docs]
        return [vector * factor for vector, factor in zip(vectors, factors, strict=True)], backprop

    encoder.replace_callbacks(broken)
    assert len(list(nlp.pipe(["Ann left.", "Ann lost it."]))) == 2
    with pytest.raises(NotFinite, match=f"'{case.factory}' can't annotate: .* document starting 'Hi Ann'. Check"):
        list(nlp.pipe(["Ann left.", "Hi Ann"]))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_weights_that_were_made_nan_or_infinite_in_memory_are_an_error_at_prediction(case: Case, bad: float) -> None:
    nlp, _ = initialized(case)
    for name, weight in network(nlp).named_parameters():
        before = weight.data.clone()
        weight.data.view(-1)[0] = bad
        with pytest.raises(NotFinite, match=f"'{case.factory}' can't annotate: .* in '{name}' of its network"):
            nlp("Ann left.")
        weight.data.copy_(before)


def test_saved_weights_with_nan_are_an_error(case: Case, tmp_path: Path) -> None:
    nlp, _ = initialized(case)
    name, weight = next(iter(network(nlp).named_parameters()))
    with torch.no_grad():
        weight[0] = float("nan")
    with pytest.raises(ValueError, match=f"NaN or infinity in '{name}' of the network.*lower learning rate"):
        from_disk(nlp, tmp_path)
    assert case.factory not in spacy.load(tmp_path, exclude=[case.factory]).pipe_names
