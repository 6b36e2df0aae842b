"""A component of a trained pipeline behind the components of another one."""

from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_span_selector import add_pipe_from
from spacy_span_selector.annotation import cluster_prefixes
from spacy_span_selector.extensions import doc_clusters

from ..tok2vec import TOK2VEC
from .components import CASES, COREF, SRL, Case, annotate, assert_same, component, from_disk, make_examples, train
from .test_listeners import TEXT, listening

TRAINED_ON = (
    ["Ann", "saw", "a", "key", "He", "left"],
    [1, 1, 3, 1, 5, 5],
    ["nsubj", "ROOT", "det", "dobj", "nsubj", "ROOT"],
)


@pytest.fixture(params=CASES, ids=lambda case: case.factory)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def parsing(*others: str) -> Language:
    """A pipeline of spaCy's own components behind an encoder of the same width, trained on one document."""
    fix_random_seed(1)
    nlp = spacy.blank("xx")
    nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    for name in others:
        nlp.add_pipe(name, config={"min_action_freq": 1} if name == "parser" else {})
    words, heads, deps = TRAINED_ON
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
    assert {key: list(map(str, group)) for key, group in doc.spans.items()} == {
        key: list(map(str, group)) for key, group in expected.spans.items()
    }
    assert_same(annotate(from_disk(nlp, tmp_path), [TEXT]), annotate(nlp, [TEXT]))


def test_the_trained_pipeline_stays_as_it_was(case: Case) -> None:
    trained, examples = listening(case)
    train(trained, examples, steps=2)
    expected = annotate(trained, [TEXT])
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    own = add_pipe_from(nlp, trained, case.factory, "mine", last=True)
    assert nlp.pipe_names == ["sentencizer", "mine"] and own is component(nlp)
    assert_same(annotate(nlp, [TEXT]), expected)
    train(nlp, make_examples(nlp, [example.reference for example in examples]), steps=3)
    assert trained.get_pipe(case.factory).name == case.factory
    assert trained.get_pipe("tok2vec").listener_map[case.factory]
    assert_same(annotate(trained, [TEXT]), expected)


def test_a_component_with_an_encoder_of_its_own_can_be_added(case: Case) -> None:
    trained, _ = listening(case)
    expected = annotate(trained, [TEXT])
    trained.replace_listeners("tok2vec", case.factory, ["model.tok2vec"])
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    add_pipe_from(nlp, trained, case.factory)
    assert_same(annotate(nlp, [TEXT]), expected)


def test_a_component_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError, match="No component 'nobody'"):
        add_pipe_from(spacy.blank("xx"), listening(SRL)[0], "nobody")


def test_two_components_for_coreference_run_side_by_side(tmp_path: Path) -> None:
    trained, examples = listening(COREF)
    train(trained, examples, steps=40)
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    add_pipe_from(nlp, trained, COREF.factory)
    other = add_pipe_from(nlp, trained, COREF.factory, "people")
    other.configure(prefix="people", mentions_key="people_mentions", threshold=0.0, keep_singletons=False)
    doc = nlp(examples[0].text)
    assert cluster_prefixes(doc) == ["coref_clusters", "people"]
    assert doc._.coref_clusters == doc_clusters(doc, "coref_clusters")
    assert doc_clusters(doc, "people") and all(len(cluster) > 1 for cluster in doc_clusters(doc, "people"))
    assert {"coref_mentions", "people_mentions"} <= doc.spans.keys()
    assert_same(annotate(from_disk(nlp, tmp_path), [examples[0].text]), annotate(nlp, [examples[0].text]))
