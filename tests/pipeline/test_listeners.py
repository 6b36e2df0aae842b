"""Components that listen to a shared encoder, with and without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed

from ..tiny_bert import tiny_bert
from ..tok2vec import TOK2VEC
from .components import (
    CASES,
    Case,
    annotate,
    assert_same,
    blank_nlp,
    component,
    from_disk,
    gold_docs,
    make_examples,
    train,
)

WIDTH = TOK2VEC["width"]
TEXT = "Ann gave Leo a key. He left."


@pytest.fixture(params=CASES, ids=lambda case: case.factory)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def add_encoder(nlp: Language, name: str = "tok2vec", width: int = WIDTH) -> None:
    nlp.add_pipe(
        "tok2vec", name=name, config={"model": {**TOK2VEC, "width": width}}, before=nlp.pipe_names[1:2] or None
    )


def listening(case: Case, upstream: str = "*", width: int = WIDTH) -> tuple[Language, list[Example]]:
    """A pipeline whose component listens to an encoder, initialized."""
    fix_random_seed(0)
    nlp = blank_nlp()
    add_encoder(nlp)
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": width, "upstream": upstream}
    nlp.add_pipe(case.factory, config={"model": {**case.model, "tok2vec": listener}})
    examples = make_examples(nlp, gold_docs(case, nlp))
    nlp.initialize(lambda: examples)
    return nlp, examples


def source(case: Case, trained: Language, **encoder: Any) -> Language:
    """Another pipeline that takes the component, behind an encoder of its own if there are settings for one."""
    nlp = blank_nlp()
    if encoder:
        add_encoder(nlp, **encoder)
        nlp.initialize(lambda: [Example(nlp.make_doc(TEXT), nlp.make_doc(TEXT))])
    nlp.add_pipe(case.factory, source=trained)
    return nlp


def absent(case: Case, encoder: str = "a shared encoder", name: str = "tok2vec") -> str:
    return (
        rf"'{case.factory}' listens to {encoder}, but no encoder has run on document starting 'Ann.*Put the encoder "
        rf"that '{case.factory}' was trained with before it.*replace_listeners\('{name}', '{case.factory}', \['model"
    )


def test_a_component_without_its_encoder_is_an_error(case: Case) -> None:
    trained, examples = listening(case)
    nlp = source(case, trained)
    with pytest.raises(ValueError, match=absent(case)):
        nlp(TEXT)
    with pytest.raises(ValueError, match=absent(case)):
        list(nlp.pipe(["", TEXT]))
    with pytest.raises(ValueError, match=absent(case)):
        nlp.update(examples, losses={})


def test_the_encoder_is_named(case: Case) -> None:
    nlp = source(case, listening(case, upstream="tok2vec")[0])
    with pytest.raises(ValueError, match=absent(case, "the encoder 'tok2vec'")):
        nlp(TEXT)


def test_an_encoder_that_is_disabled_or_not_loaded_is_an_error(case: Case, tmp_path: Path) -> None:
    nlp, _ = listening(case)
    nlp.to_disk(tmp_path)
    for loaded in (spacy.load(tmp_path, exclude=["tok2vec"]), spacy.load(tmp_path, disable=["tok2vec"])):
        with pytest.raises(ValueError, match=absent(case)):
            loaded(TEXT)


@pytest.mark.parametrize("name", ["tok2vec", "other"])
def test_an_encoder_of_another_width_is_an_error(case: Case, name: str) -> None:
    trained, examples = listening(case)
    nlp = source(case, trained, name=name, width=2 * WIDTH)
    message = (
        f"'{case.factory}' listens to a shared encoder, for vectors of width {WIDTH}, but an encoder gave document "
        f"starting 'Ann.*' some of {2 * WIDTH}. Put .* trained with before it"
    )
    with pytest.raises(ValueError, match=message):
        nlp(TEXT)
    with pytest.raises(ValueError, match=message):
        nlp.update(examples, losses={})


def test_a_component_with_its_encoder_runs(case: Case) -> None:
    trained, examples = listening(case)
    train(trained, examples, steps=2)
    expected = annotate(trained, [TEXT, "", "  "])
    nlp = blank_nlp()
    nlp.add_pipe("tok2vec", source=trained)
    nlp.add_pipe(case.factory, source=trained)
    assert_same(annotate(nlp, [TEXT, "", "  "]), expected)


def test_a_component_with_an_encoder_of_its_own_can_be_sourced(case: Case) -> None:
    trained, _ = listening(case)
    expected = annotate(trained, [TEXT])
    trained.replace_listeners("tok2vec", case.factory, ["model.tok2vec"])
    assert_same(annotate(source(case, trained), [TEXT]), expected)


def test_a_frozen_encoder_must_annotate(case: Case) -> None:
    nlp, examples = listening(case)
    with pytest.raises(ValueError, match=r"no encoder has run on .*annotating_components"):
        nlp.update(examples, losses={}, exclude=["tok2vec"])
    assert nlp.update(examples, losses={}, exclude=["tok2vec"], annotates=["tok2vec"])[case.factory] > 0


def test_a_wrong_width_in_the_config_is_an_error(case: Case) -> None:
    nlp, examples = listening(case, width=WIDTH + 1)
    with pytest.raises(ValueError, match=f"width {WIDTH + 1}, .* some of {WIDTH}.*give both the same width"):
        nlp.update(examples, losses={})


def test_a_transformer_that_has_not_run_is_an_error(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    nlp = blank_nlp()
    encoder = {
        "@architectures": "spacy_span_selector.TransformerModel.v1",
        "name": str(tiny_bert(tmp_path / "bert")),
        "get_spans": {"@span_getters": "spacy-transformers.doc_spans.v1"},
    }
    nlp.add_pipe("transformer", config={"model": encoder})
    pooling = {"@layers": "reduce_mean.v1"}
    listener = {"@architectures": "spacy-transformers.TransformerListener.v1", "grad_factor": 1.0, "pooling": pooling}
    nlp.add_pipe(case.factory, config={"model": {**case.model, "tok2vec": listener}})
    examples = make_examples(nlp, gold_docs(case, nlp))
    nlp.initialize(lambda: examples)
    assert train(nlp, examples, steps=1)[0] > 0
    annotate(nlp, [TEXT, "", "  "])
    doc = nlp(TEXT)
    doc._.trf_data.model_output["last_hidden_state"] = doc._.trf_data.model_output["last_hidden_state"][..., :8]
    with pytest.raises(ValueError, match=f"'{case.factory}' listens .* for vectors of width 16, but .* some of 8"):
        component(nlp)(doc)
    message = absent(case, name="transformer")
    with pytest.raises(ValueError, match=message):
        source(case, nlp)(TEXT)
    with pytest.raises(ValueError, match=message):
        source(case, nlp).update(examples, losses={})


def test_a_shared_encoder_may_be_trained_further(case: Case, tmp_path: Path) -> None:
    trained, examples = listening(case)
    nlp = blank_nlp()
    nlp.add_pipe("tok2vec", source=trained)
    nlp.add_pipe(case.factory, source=trained)
    train(trained, examples, steps=3)
    assert_same(annotate(nlp, [TEXT, "", "Hi"]), annotate(trained, [TEXT, "", "Hi"]))
    train(nlp, [Example(nlp.make_doc(example.text), example.reference) for example in examples], steps=3)
    assert_same(annotate(from_disk(nlp, tmp_path), [TEXT]), annotate(nlp, [TEXT]))
