from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import SGD

from spacy_span_selector import add_pipe_from
from spacy_span_selector.annotation import cluster_prefixes
from spacy_span_selector.extensions import doc_clusters
from spacy_span_selector.tools.training.teacher import Teacher

from ..tok2vec import LISTENER, TOK2VEC
from .components import (
    COREF,
    SRL,
    Case,
    annotate,
    annotation,
    assert_same,
    blank_nlp,
    component,
    from_disk,
    gold_docs,
    initialized,
    make_examples,
    train,
    transformer_nlp,
    weights,
)

WIDTH = TOK2VEC["width"]
TEXT = "Ann gave Leo a key. He left."


def add_encoder(nlp: Language, name: str = "tok2vec", width: int = WIDTH) -> None:
    nlp.add_pipe(
        "tok2vec", name=name, config={"model": {**TOK2VEC, "width": width}}, before=nlp.pipe_names[1:2] or None
    )


def listening(case: Case, upstream: str = "*", width: int = WIDTH) -> tuple[Language, list[Example]]:
    """A pipeline whose component listens to an encoder, initialized."""
    fix_random_seed(0)
    nlp = blank_nlp()
    add_encoder(nlp)
    listener = {**LISTENER, "width": width, "upstream": upstream}
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


@pytest.mark.parametrize(("upstream", "encoder"), [("*", "a shared encoder"), ("tok2vec", "the encoder 'tok2vec'")])
def test_a_component_without_its_encoder_is_an_error(case: Case, upstream: str, encoder: str, tmp_path: Path) -> None:
    trained, examples = listening(case, upstream)
    trained.to_disk(tmp_path)
    nlp, message = source(case, trained), absent(case, encoder)
    for pipeline in (nlp, spacy.load(tmp_path, exclude=["tok2vec"]), spacy.load(tmp_path, disable=["tok2vec"])):
        with pytest.raises(ValueError, match=message):
            pipeline(TEXT)
    with pytest.raises(ValueError, match=message):
        list(nlp.pipe(["", TEXT]))
    with pytest.raises(ValueError, match=message):
        nlp.update(examples, losses={})


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


def test_a_component_with_an_encoder_of_its_own_can_be_sourced_and_added(case: Case) -> None:
    trained, examples = listening(case)
    expected = annotate(trained, [TEXT])
    trained.replace_listeners("tok2vec", case.factory, ["model.tok2vec"])
    trained.remove_pipe("tok2vec")
    assert_same(annotate(trained, [TEXT]), expected)
    assert_same(annotate(source(case, trained), [TEXT]), expected)
    nlp = blank_nlp()
    add_pipe_from(nlp, trained, case.factory)
    assert_same(annotate(nlp, [TEXT]), expected)
    encoder = component(trained).model.get_ref("tok2vec")
    before = weights(encoder)
    trained.update(examples, sgd=SGD(0.1))
    assert all(not np.array_equal(one, other) for one, other in zip(weights(encoder), before, strict=True))


def test_a_teacher_without_its_encoder_is_an_error(case: Case) -> None:
    trained, _ = listening(case)
    trained.remove_pipe("tok2vec")
    nlp, examples = initialized(case)
    Teacher(trained).teach(nlp)
    with pytest.raises(ValueError, match=f"'{case.factory} of the teacher' listens to a shared encoder, but no"):
        nlp.update(examples)


def test_a_frozen_encoder_must_annotate(case: Case) -> None:
    nlp, examples = listening(case)
    with pytest.raises(ValueError, match=r"no encoder has run on .*annotating_components"):
        nlp.update(examples, losses={}, exclude=["tok2vec"])
    assert nlp.update(examples, losses={}, exclude=["tok2vec"], annotates=["tok2vec"])[case.factory] > 0


def test_a_wrong_width_in_the_config_is_an_error(case: Case) -> None:
    nlp, examples = listening(case, width=WIDTH + 1)
    with pytest.raises(ValueError, match=f"width {WIDTH + 1}, .* some of {WIDTH}.*give both the same width"):
        nlp.update(examples, losses={})


def test_a_transformer_that_has_not_run_is_an_error(case: Case, tmp_path: Path) -> None:
    nlp, examples = transformer_nlp(case, tmp_path)
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


def test_a_component_runs_with_its_encoder_and_both_may_be_trained_further(case: Case, tmp_path: Path) -> None:
    texts = [TEXT, "", "  ", "Hi"]
    trained, examples = listening(case)
    train(trained, examples, steps=2)
    expected = annotate(trained, texts)
    nlp = blank_nlp()
    nlp.add_pipe("tok2vec", source=trained)
    nlp.add_pipe(case.factory, source=trained)
    assert_same(annotate(nlp, texts), expected)
    train(trained, examples, steps=3)
    assert_same(annotate(nlp, texts), annotate(trained, texts))
    train(nlp, [Example(nlp.make_doc(example.text), example.reference) for example in examples], steps=3)
    assert_same(annotate(from_disk(nlp, tmp_path), [TEXT]), annotate(nlp, [TEXT]))


def parsing(*others: str) -> Language:
    """A pipeline of spaCy's own components behind an encoder of the same width, trained on one document."""
    fix_random_seed(1)
    nlp = spacy.blank("xx")
    nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    for name in others:
        nlp.add_pipe(name, config={"min_action_freq": 1} if name == "parser" else {})
    words, heads = ["Ann", "saw", "a", "key", "He", "left"], [1, 1, 3, 1, 5, 5]
    deps = ["nsubj", "ROOT", "det", "dobj", "nsubj", "ROOT"]
    starts = [True, False, False, False, True, False]
    parse = {"heads": heads, "deps": deps} if "parser" in others else {"sent_starts": starts}
    doc = Doc(nlp.vocab, words=words, ents=["B-PER", *"OOOOO"], **parse)
    examples = [Example(Doc(nlp.vocab, words=words), doc)] * 4
    nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples)
    return nlp


@pytest.mark.parametrize("boundaries", ["parser", "senter"])
def test_a_component_runs_behind_others(case: Case, boundaries: str, tmp_path: Path) -> None:
    trained, examples = listening(case)
    train(trained, examples, steps=5)
    nlp = parsing(boundaries, "ner")
    before = nlp(TEXT)
    add_pipe_from(nlp, trained, case.factory)
    assert nlp.pipe_names == ["tok2vec", boundaries, "ner", case.factory]
    doc = nlp(TEXT)
    sentences = [token.is_sent_start for token in doc]
    assert sentences == [token.is_sent_start for token in before]
    assert [str(entity) for entity in doc.ents] == [str(entity) for entity in before.ents]
    expected = trained.make_doc(TEXT)
    for token, starts in zip(expected, sentences, strict=True):
        token.is_sent_start = starts
    expected = trained(expected)
    assert annotation(doc)[0] == annotation(expected)[0]
    assert_same(annotate(from_disk(nlp, tmp_path), [TEXT]), annotate(nlp, [TEXT]))


def test_the_trained_pipeline_stays_as_it_was(case: Case) -> None:
    trained, examples = listening(case)
    train(trained, examples, steps=2)
    expected = annotate(trained, [TEXT])
    nlp = blank_nlp()
    own = add_pipe_from(nlp, trained, case.factory, "mine", last=True)
    assert nlp.pipe_names == ["sentencizer", "mine"] and own is component(nlp)
    assert_same(annotate(nlp, [TEXT]), expected)
    train(nlp, make_examples(nlp, [example.reference for example in examples]), steps=3)
    assert trained.get_pipe(case.factory).name == case.factory
    assert trained.get_pipe("tok2vec").listener_map[case.factory]
    assert_same(annotate(trained, [TEXT]), expected)


def test_a_pipeline_for_another_language_is_told() -> None:
    trained = listening(COREF)[0]
    with pytest.warns(UserWarning, match="'structured_coref' has learnt the language 'xx', not 'de'"):
        add_pipe_from(spacy.blank("de"), trained, "structured_coref")


def test_a_component_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError, match="No component 'nobody'"):
        add_pipe_from(spacy.blank("xx"), listening(SRL)[0], "nobody")


def test_two_components_for_coreference_run_side_by_side(tmp_path: Path) -> None:
    trained, examples = listening(COREF)
    train(trained, examples, steps=40)
    nlp = blank_nlp()
    add_pipe_from(nlp, trained, COREF.factory)
    other = add_pipe_from(nlp, trained, COREF.factory, "people")
    other.configure(prefix="people", mentions_key="people_mentions", threshold=0.0, keep_singletons=False)
    doc = nlp(examples[0].text)
    assert cluster_prefixes(doc) == ["coref_clusters", "people"]
    assert doc._.coref_clusters == doc_clusters(doc, "coref_clusters")
    assert doc_clusters(doc, "people") and all(len(cluster) > 1 for cluster in doc_clusters(doc, "people"))
    assert {"coref_mentions", "people_mentions"} <= doc.spans.keys()
    assert_same(annotate(from_disk(nlp, tmp_path), [examples[0].text]), annotate(nlp, [examples[0].text]))
