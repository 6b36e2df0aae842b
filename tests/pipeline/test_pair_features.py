"""What the linker knows of two mentions, from the document through the component."""

import random
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_span_selector.annotation import GIVEN_MENTIONS_KEY, set_clusters, set_speakers
from spacy_span_selector.layers.coref.linker import Mentions
from spacy_span_selector.layers.coref.pair_features import FEATURE_NAMES
from spacy_span_selector.pipeline.batches import TOO_LONG

from ..selectors import selector_block
from .components import COREF, component, network

NLP = spacy.blank("en")


def make_nlp(features: Sequence[str], selector: str = "laminar", **config: Any) -> Language:
    """An initialized pipeline of the component alone."""
    fix_random_seed(0)
    nlp = spacy.blank("en", vocab=NLP.vocab)
    model = {**COREF.model, "pair_features": features, "distance": "mentions"}
    config = {"model": {**model, "selector": selector_block(selector)}, **COREF.plain, **config}
    nlp.add_pipe("structured_coref", config=config)
    gold = Doc(NLP.vocab, words=["Ann", "saw", "herself"], sent_starts=[True, False, False])
    set_clusters(gold, [[(0, 1), (2, 3)]])
    nlp.initialize(lambda: [Example(gold.copy(), gold)])
    return nlp


def make_dialogue(seed: int, gaps: bool = False) -> Doc:
    """Quotations of several speakers, with white space between sentences or without."""
    draw, space = random.Random(seed), random.Random(seed)
    words: list[str] = []
    starts: list[bool] = []
    turns: list[tuple[int, int, str]] = []
    for speaker in draw.choices(["Ann", "Bob"], k=6):
        own = ["“", "Tom", "saw", "the", "boat", ",", "and", "it", "left", ".", "”"][draw.randint(0, 1) :]
        turns.append((len(words), len(words) + len(own), speaker))
        starts += [i == 0 for i in range(len(own))]
        words += own
        if gaps:
            words.append(space.choice(["\n", "  ", "\n\n"]))
            starts.append(False)
    doc = Doc(NLP.vocab, words=words, sent_starts=starts)
    set_speakers(doc, turns)
    return doc


def facts_in_linker(nlp: Language, docs: list[Doc]) -> list[list[tuple[int, ...]]]:
    """What the linker sees of the mentions of each document."""
    seen: list[Mentions] = []
    linker: Any = network(nlp).linker
    hook = linker.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    component(nlp).predict(docs)
    hook.remove()
    (mentions,) = seen
    facts = mentions.facts
    columns = (facts.words, facts.short_word, facts.sentence, facts.quotation, facts.speaker)
    numbers = zip(*(column.tolist() for column in columns), map(tuple, facts.content.tolist()), strict=True)
    by_document: list[list[Any]] = [[] for _ in docs]
    for document, row in zip(mentions.document.tolist(), numbers, strict=True):
        by_document[document].append(row)
    return by_document


def test_the_linker_sees_in_a_batch_what_it_sees_of_documents_alone() -> None:
    nlp, docs = make_nlp(FEATURE_NAMES, "sigmoid", threshold=0.0), [make_dialogue(seed) for seed in range(3)]
    assert facts_in_linker(nlp, docs) == [facts for doc in docs for facts in facts_in_linker(nlp, [doc])]


def test_the_linker_does_not_see_white_space() -> None:
    nlp = make_nlp(FEATURE_NAMES, "sigmoid", threshold=0.0)
    (found,), (expected,) = (facts_in_linker(nlp, [make_dialogue(0, gaps)]) for gaps in (True, False))
    assert found == expected and len({row[2:5] for row in found}) > 3


def test_sentences_that_are_cut_are_still_one() -> None:
    found: list[Any] = []
    for most in (500, 4):
        nlp = make_nlp(FEATURE_NAMES, "structured", max_sentence_words=most)
        doc = make_dialogue(0)
        doc.spans[GIVEN_MENTIONS_KEY] = [doc[i : i + 1] for i in range(len(doc))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # sentences are cut
            found.append(facts_in_linker(nlp, [doc]))
        assert (component(nlp).lost.counts[TOO_LONG] > 0) == (most == 4)
    assert found[0] == found[1] and len(found[0][0]) == len(doc)


def test_a_pipeline_keeps_its_features_on_the_disk(tmp_path: Path) -> None:
    nlp = make_nlp(FEATURE_NAMES, "sigmoid", threshold=0.0, link_threshold=-0.5)
    with torch.no_grad():
        for name, weight in network(nlp).named_parameters():
            if "pairs" in name or "word" in name:
                weight.normal_()
    nlp.to_disk(tmp_path)
    loaded, doc = spacy.load(tmp_path), make_dialogue(1)
    assert component(loaded).link_threshold == -0.5
    assert list(component(loaded).model.attrs["settings"].pair_features) == list(FEATURE_NAMES)
    (expected,), (found,) = (component(pipeline).predict([doc]) for pipeline in (nlp, loaded))
    assert len(found.spans) > 1
    assert (found.spans, found.scores) == (expected.spans, expected.scores)
    assert (found.linked, found.link_scores) == (expected.linked, expected.link_scores)
    np.testing.assert_array_equal(found.links, expected.links)


def test_weights_of_other_features_are_an_error() -> None:
    saved = make_nlp(["nested"]).to_bytes()
    with pytest.raises(ValueError, match=r"do not fit its config: .*pairs.nested.* expected nothing of this name"):
        make_nlp([]).from_bytes(saved)


@pytest.mark.parametrize("names", ["nested", ["gender"], [1]])
def test_features_that_are_not_known_are_errors(names: Any) -> None:
    with pytest.raises(ValueError, match="pair_features"):
        make_nlp(names)
