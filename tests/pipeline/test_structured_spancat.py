"""Behaviour of `structured_spancat` alone; what all components share is in test_selector_pipe.py."""

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from spacy import displacy
from spacy.cli import app
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.util import fix_random_seed

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.annotation import LABELLED_KEY, declare, get_labelled_spans, set_labelled_spans
from spacy_span_selector.examples.gold_labels import UNKNOWN_LABEL
from spacy_span_selector.pipeline.training import create_add_labels

from .components import (
    SPANCAT,
    Case,
    annotation,
    assert_same,
    blank_nlp,
    component,
    gold_docs,
    initialized,
    load_trained,
    make_examples,
    make_nlp,
    opinionated,
    selected,
    train,
)

LABELS = ["PER", "LOC", "FAC"]
"""Those of the corpus, most frequent first."""


@pytest.fixture
def case() -> Case:
    return SPANCAT


def texts(doc: Doc, key: str = LABELLED_KEY) -> list[tuple[str, str]]:
    return [(span.text, span.label_) for span in doc.spans[key]]


def cross(spans: list[tuple[int, int]]) -> bool:
    return any(a < c < b < d for a, b in spans for c, d in spans)


# Labels


def test_labels_are_those_of_the_corpus_most_frequent_first() -> None:
    nlp, _ = initialized(SPANCAT)
    assert component(nlp).labels == tuple(LABELS)
    assert component(nlp).label_data == LABELS


def test_labels_of_a_file_are_used() -> None:
    nlp = make_nlp(SPANCAT)
    examples = make_examples(nlp, gold_docs(SPANCAT, nlp))
    with pytest.warns(UserWarning, match=f"{UNKNOWN_LABEL}: FAC 'her house'"):
        component(nlp).initialize(lambda: examples, labels=["LOC", "EVENT", "PER"])
    assert component(nlp).labels == ("LOC", "EVENT", "PER")


def test_init_labels_writes_what_initialization_reads(tmp_path: Path) -> None:
    nlp = make_nlp(SPANCAT)
    DocBin(docs=gold_docs(SPANCAT, nlp)).to_disk(tmp_path / "train.spacy")
    config = nlp.config.copy()
    config["paths"] |= {"train": str(tmp_path / "train.spacy"), "dev": str(tmp_path / "train.spacy")}
    config["corpora"] = {
        name: {"@readers": "spacy.Corpus.v1", "path": f"${{paths.{name}}}"} for name in ("train", "dev")
    }
    config.to_disk(tmp_path / "train.cfg")
    app(["init", "labels", str(tmp_path / "train.cfg"), str(tmp_path / "labels")], standalone_mode=False)
    path = tmp_path / "labels" / "structured_spancat.json"
    assert json.loads(path.read_text(encoding="utf-8")) == LABELS
    reader = {"@readers": "spacy.read_labels.v1", "path": str(path)}
    config["initialize"]["components"] = {"structured_spancat": {"labels": reader}}
    assert component(init_nlp(config), "structured_spancat").labels == tuple(LABELS)


@pytest.mark.parametrize("labels", ["PER", {"PER": 1}, ["PER", 7], ["PER", "PER"], ["PER", ""]])
def test_labels_of_another_form_are_an_error(labels: Any) -> None:
    nlp = make_nlp(SPANCAT)
    examples = make_examples(nlp, gold_docs(SPANCAT, nlp))
    with pytest.raises(ValueError, match=r"labels of 'structured_spancat' are .* expected what .*init labels.* writes"):
        component(nlp).initialize(lambda: examples, labels=labels)


def test_a_corpus_without_labelled_spans_is_an_error_that_names_the_key() -> None:
    nlp = make_nlp(SPANCAT, spans_key="entities")
    docs = gold_docs(SPANCAT, nlp)
    docs[0].spans["entities"] = [docs[0][:1]]
    with pytest.raises(ValueError, match=r"found no labelled span in .*doc\.spans\['entities'\]. Set 'spans_key'"):
        nlp.initialize(lambda: make_examples(nlp, docs))


def test_a_label_can_be_added_and_learnt() -> None:
    nlp = load_trained(SPANCAT)
    docs = gold_docs(SPANCAT, nlp)
    before = [annotation(nlp(doc.text)) for doc in docs]
    pipe = component(nlp)
    assert (pipe.add_label("THING"), pipe.add_label("THING"), pipe.add_label("PER")) == (1, 0, 0)
    assert pipe.labels == (*LABELS, "THING")
    assert_same([annotation(nlp(doc.text)) for doc in docs], before)
    (more,) = SPANCAT.parse("Leo lost a hat.\n[] [PER Leo] lost [THING a hat].", nlp)
    train(nlp, make_examples(nlp, [docs[0], more]), steps=30)
    assert texts(nlp("Leo lost a hat.")) == [("Leo", "PER"), ("a hat", "THING")]
    loaded = make_nlp(SPANCAT).from_bytes(nlp.to_bytes())
    assert texts(loaded("Leo lost a hat.")) == [("Leo", "PER"), ("a hat", "THING")]


def test_labels_of_another_corpus_can_be_added() -> None:
    nlp = load_trained(SPANCAT)
    docs = SPANCAT.parse(SPANCAT.other_corpus, nlp)
    assert component(nlp).add_labels(docs) == {"labels": ["PERSON"]}
    assert component(nlp).add_labels(docs) == {"labels": []}


EXCLUSIVE = {"label_hidden_width": None}


@pytest.mark.parametrize(("annotates", "kept"), [(["THING"], True), (None, False)])
def test_further_texts_that_mark_one_new_label_alone_unlearn_others_only_if_they_do_not_say_so(
    annotates: list[str] | None, kept: bool
) -> None:
    nlp, examples = initialized(SPANCAT, "laminar", model=EXCLUSIVE)
    train(nlp, examples, SPANCAT.steps)
    before = {text for text in texts(nlp("Leo lost a hat. Ruth found Tim.")) if text[1] == "PER"}
    (more,) = SPANCAT.parse("Leo lost a hat. Ann Lee met Leo.\n[] Leo lost [THING a hat]. Ann Lee met Leo.", nlp)
    declare(more, annotates)
    component(nlp).add_labels([more])
    train(nlp, make_examples(nlp, [more]), steps=30)
    found = texts(nlp("Leo lost a hat. Ruth found Tim."))
    assert ("a hat", "THING") in found and len(before) > 1
    assert before.issubset(found) == kept


def test_a_config_may_add_labels_and_says_which(caplog: pytest.LogCaptureFixture) -> None:
    nlp = load_trained(SPANCAT)
    examples = make_examples(nlp, SPANCAT.parse(SPANCAT.other_corpus, nlp))
    caplog.set_level("INFO", logger="spacy")
    create_add_labels("structured_spancat", lambda nlp: examples)(nlp)
    assert component(nlp).labels == (*LABELS, "PERSON")
    assert caplog.messages == ["'structured_spancat' learns 1 new labels (PERSON)"]


def test_labels_that_were_not_added_are_left_out_and_counted() -> None:
    nlp = load_trained(SPANCAT)
    (doc,) = SPANCAT.parse("=== odd\nAnn left home.\n[] [PERSON Ann] left [LOC home].", nlp)
    examples = make_examples(nlp, [doc])
    with pytest.warns(UserWarning, match=f"{UNKNOWN_LABEL}.*PERSON 'Ann' in document 'odd'"):
        nlp.update(examples, losses={})
    assert component(nlp).lost.counts == {UNKNOWN_LABEL: 1}


def test_an_empty_label_can_not_be_added() -> None:
    with pytest.raises(ValueError, match="labels of 'structured_spancat'"):
        component(load_trained(SPANCAT)).add_label("")


# Annotation


def test_nested_spans_and_several_labels_of_a_span_are_found(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[1].text)
    assert texts(doc)[-3:] == [("her", "PER"), ("her house", "FAC"), ("her house", "LOC")]
    assert len(doc.spans[LABELLED_KEY].attrs["scores"]) == len(doc.spans[LABELLED_KEY])


@pytest.mark.parametrize("decoding", ["marginal", "map"])
@pytest.mark.parametrize("selector", SPANCAT.selectors)
def test_only_the_sigmoid_selector_lets_spans_cross(selector: str, decoding: str) -> None:
    nlp = make_nlp(SPANCAT, selector).from_bytes(opinionated(SPANCAT, selector).to_bytes())
    component(nlp).configure(decoding=decoding)
    spans = selected(SPANCAT, nlp(SPANCAT.texts[0]))
    assert spans and cross(spans) == (selector == "sigmoid")


@pytest.mark.parametrize("selector", ["structured", "laminar", "sigmoid"])
def test_every_labelled_span_is_more_probable_than_the_threshold(selector: str) -> None:
    nlp, examples = initialized(SPANCAT, selector, threshold=0.1)
    scores = nlp(examples[0].text).spans[LABELLED_KEY].attrs["scores"]
    assert scores and min(scores) > 0.1


def test_annotation_survives_plain_data(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[1].text)
    back = from_dict(json.loads(json.dumps(to_dict(doc))), trained)
    assert annotation(back)[0] == annotation(doc)[0]
    assert texts(back) == texts(gold[1])


def test_displacy_shows_the_spans(trained: Language, gold: list[Doc]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        html = displacy.render(trained(gold[1].text), style="span", jupyter=False)
    assert {*re.findall(r"\b[A-Z]{3}\b", html)} >= {*LABELS}


# In place of spaCy's `spancat`


@pytest.mark.parametrize("factory", ["spancat", "structured_spancat"])
@pytest.mark.parametrize("key", ["sc", "entities"])
def test_the_settings_examples_and_scores_are_those_of_spacys_spancat(factory: str, key: str) -> None:
    fix_random_seed(0)
    nlp = blank_nlp()
    block = {"spans_key": key, "threshold": 0.5, "scorer": {"@scorers": "spacy.spancat_scorer.v1"}}
    nlp.add_pipe(factory, config=block)
    assert nlp.config["components"][factory].items() >= block.items()
    docs = gold_docs(SPANCAT, nlp)
    for doc in docs:
        spans = get_labelled_spans(doc)
        doc.spans.clear()
        set_labelled_spans(doc, [(0, 1, "OTHER")])  # of another component, unless it is the same key
        set_labelled_spans(doc, spans, key=key)
    examples = make_examples(nlp, docs)
    optimizer = nlp.initialize(lambda: examples)
    assert set(component(nlp).labels) == {*LABELS}
    optimizer.learn_rate = 0.01
    for _ in range(25):
        nlp.update(examples, sgd=optimizer, losses={})
    scores = nlp.evaluate(examples)
    assert scores[f"spans_{key}_f"] > 0.8
    assert set(scores[f"spans_{key}_per_type"]) == {*LABELS}
    assert Language.get_factory_meta(factory).default_score_weights["spans_sc_f"] == 1.0
    doc = nlp(docs[0].text)
    assert set(doc.spans) == {key}
    assert doc.spans[key] and len(doc.spans[key].attrs["scores"]) == len(doc.spans[key])
