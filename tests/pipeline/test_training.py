from pathlib import Path
from typing import Any

import pytest
import torch
from spacy.language import DEFAULT_CONFIG, Language
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp

from spacy_span_selector.examples.gold_frames import UNKNOWN_ROLE, UNKNOWN_ROLESET
from spacy_span_selector.pipeline.training import create_add_labels

from .components import (
    SPANCAT,
    SRL,
    Case,
    annotate,
    assert_same,
    component,
    from_disk,
    head_weights,
    initialized,
    load_trained,
    make_examples,
    make_nlp,
    network,
    train,
)

NEW_FRAMES = """
=== the horn
Tom played the horn loudly.
> [ARG0 Tom] [V=play.11 played] [ARG1 the horn] [ARGM-MNR loudly].
Ann left us.
> [ARG0 Ann] [V=leave.15 left] [ARG5 us].
"""


def new_docs(nlp: Language) -> list[Doc]:
    return SRL.parse(NEW_FRAMES, nlp)


@pytest.fixture
def trained() -> Language:
    return load_trained(SRL, "laminar")


def test_labels_of_a_corpus_are_added(trained: Language) -> None:
    pipe = component(trained)
    before = pipe.labels
    added = {"roles": ["ARGM-MNR", "ARG5"], "rolesets": ["leave.15", "play.11"]}
    assert pipe.add_labels(new_docs(trained)) == added
    assert pipe.labels == (*before, "ARGM-MNR", "ARG5")
    assert pipe.label_data["rolesets"]["played"] == {"play.11": 1}
    assert pipe.label_data["rolesets"]["left"] == {"depart.01": 1, "leave.02": 2, "leave.15": 1}
    assert network(trained).sizes["roles"] == 8
    assert pipe.add_labels(new_docs(trained)) == {"roles": [], "rolesets": []}


@pytest.mark.parametrize("vectors", [False, True])
def test_what_was_learnt_before_stays(vectors: bool) -> None:
    nlp, examples = initialized(SRL, model={"roleset_vectors": vectors})
    train(nlp, examples, 10)
    texts = [example.text for example in examples if "left" not in example.text]
    expected = annotate(nlp, texts)
    before = head_weights(nlp)
    component(nlp).add_labels(new_docs(nlp))
    found = annotate(nlp, texts)
    assert [groups for groups, _ in found] == [groups for groups, _ in expected]
    after = head_weights(nlp)
    assert before.keys() == after.keys()
    changed = {name for name in before if before[name].shape != after[name].shape}
    grown = {"rolesets.rolesets.weight", "arguments.roles.output.weight", "arguments.roles.output.bias"}
    assert changed == grown | ({"arguments.roles.rolesets.weight"} if vectors else set())
    assert all(torch.equal(before[name], after[name]) for name in before if name not in changed)


def test_rolesets_keep_their_weights_though_their_numbers_change(trained: Language) -> None:
    pipe = component(trained)
    numbers, weight = pipe._rolesets.numbers, network(trained).rolesets.rolesets.weight.detach().clone()
    pipe.add_labels(new_docs(trained))
    grown = network(trained).rolesets.rolesets.weight
    for roleset, number in pipe._rolesets.numbers.items():
        assert torch.equal(grown[number], weight[numbers[roleset]] if roleset in numbers else torch.zeros(16))


def test_new_labels_are_learnt_and_old_ones_are_not_forgotten(trained: Language, tmp_path: Path) -> None:
    pipe = component(trained)
    docs = new_docs(trained)
    pipe.add_labels(docs)
    old = SRL.parse(SRL.corpus, trained)
    examples = make_examples(trained, [*docs, *old])
    before = trained.evaluate(make_examples(trained, docs))["srl_f"]
    losses = train(trained, examples, SRL.steps)
    assert losses[-1] < losses[0] / 5
    assert trained.evaluate(make_examples(trained, docs))["srl_f"] == 1.0 > before
    assert trained.evaluate(make_examples(trained, old))["srl_f"] == 1.0
    frames = {frame.roleset: frame.arguments for frame in trained(docs[0].text)._.srl}
    assert frames["play.11"].keys() == {"ARG0", "ARG1", "ARGM-MNR"}
    assert frames["leave.15"].keys() == {"ARG0", "ARG5"}
    loaded = from_disk(trained, tmp_path)
    assert component(loaded).labels == pipe.labels
    assert_same(annotate(loaded, [docs[0].text]), annotate(trained, [docs[0].text]))


def test_an_optimizer_that_was_used_before_goes_on(trained: Language) -> None:
    pipe = component(trained)
    examples = make_examples(trained, new_docs(trained))
    optimizer = trained.resume_training()
    with pytest.warns(UserWarning, match=UNKNOWN_ROLE):
        trained.update(examples, sgd=optimizer)
    pipe.add_labels(new_docs(trained))
    before = head_weights(trained)
    trained.update(examples, sgd=optimizer)
    assert any(not torch.equal(weight, before[name]) for name, weight in head_weights(trained).items())


def test_what_is_not_added_is_named_and_counted_once(trained: Language) -> None:
    examples = make_examples(trained, new_docs(trained))
    with pytest.warns(UserWarning) as caught:
        trained.update(examples)
        trained.update(examples)
    messages = [str(warning.message) for warning in caught]
    (roles,) = [message for message in messages if UNKNOWN_ROLE in message]
    assert "ARGM-MNR (1), ARG5 (1). nlp.get_pipe('structured_srl').add_labels, before training, adds such" in roles
    (rolesets,) = [message for message in messages if UNKNOWN_ROLESET in message]
    assert "play.11 (1), leave.15 (1)" in rolesets
    lost = component(trained).lost
    assert lost.counts == {UNKNOWN_ROLE: 4, UNKNOWN_ROLESET: 4}
    assert lost.labels[UNKNOWN_ROLE] == {"ARGM-MNR": 2, "ARG5": 2}


def test_long_lists_of_labels_are_cut(trained: Language) -> None:
    lines = (f"Ann left us.\n> [ARGM-{i} Ann] [V left] us.\n" for i in range(30))
    examples = make_examples(trained, SRL.parse("=== many\n" + "".join(lines), trained))
    with pytest.warns(UserWarning, match=r"ARGM-0 \(1\), .* and 10 more\. nlp"):
        trained.update(examples)


def test_a_role_can_be_added(trained: Language) -> None:
    pipe = component(trained)
    assert pipe.is_resizable
    assert (pipe.add_label("ARGM-MNR"), pipe.add_label("ARGM-MNR"), pipe.add_label("ARG0")) == (1, 0, 0)
    assert pipe.labels[-1] == "ARGM-MNR"
    with pytest.raises(ValueError, match="arguments with the role 'V'"):
        pipe.add_label("V")


@pytest.mark.parametrize("case", [SRL, SPANCAT], ids=lambda case: case.factory)
def test_labels_cannot_be_added_before_initialization(case: Case) -> None:
    with pytest.raises(ValueError, match=f"'{case.factory}' can't get more labels before it has been initialized"):
        component(make_nlp(case)).add_label("ARG0")


def test_rolesets_are_not_added_where_they_are_not_predicted() -> None:
    nlp, _ = initialized(SRL, predict_rolesets=False)
    assert component(nlp).add_labels(new_docs(nlp)) == {"roles": ["ARGM-MNR", "ARG5"], "rolesets": []}


def test_a_config_can_add_the_labels_of_its_corpus(trained: Language, tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "trained")
    DocBin(docs=new_docs(trained)).to_disk(tmp_path / "train.spacy")
    nlp = init_nlp(DEFAULT_CONFIG.merge(continued_config(tmp_path)))
    assert component(nlp).labels[-2:] == ("ARGM-MNR", "ARG5")
    examples = make_examples(nlp, new_docs(nlp))
    before = nlp.evaluate(examples)["srl_f"]
    train(nlp, examples, SRL.steps)
    assert nlp.evaluate(make_examples(nlp, new_docs(nlp)))["srl_f"] == 1.0 > before


def continued_config(folder: Path) -> dict[str, Any]:
    """A pipeline that was trained before, and gets the labels of further texts."""
    corpus = {"@readers": "spacy_span_selector.Corpus.v1", "path": str(folder / "train.spacy")}
    add_labels = {"@callbacks": "spacy_span_selector.add_labels.v1", "component": "structured_srl"}
    return {
        "nlp": {"lang": "xx", "pipeline": ["sentencizer", "structured_srl"]},
        "components": {
            "sentencizer": {"factory": "sentencizer"},
            "structured_srl": {"source": str(folder / "trained")},
        },
        "corpora": {"train": corpus, "dev": corpus},
        "training": {"train_corpus": "corpora.train", "dev_corpus": "corpora.dev"},
        "initialize": {"after_init": {**add_labels, "corpus": "${corpora.train}"}},
    }


@pytest.mark.parametrize("name", ["nobody", "sentencizer"])
def test_a_component_that_learns_no_labels_later_is_named(name: str) -> None:
    nlp = initialized(SRL)[0]
    with pytest.raises(ValueError, match=rf"'{name}' learns no labels later; structured_srl does\."):
        create_add_labels(name, lambda nlp: [])(nlp)
