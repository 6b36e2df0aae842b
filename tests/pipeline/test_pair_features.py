"""What the linker knows of two mentions, from the document through the component: vectors say nothing here."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_span_selector.annotation import GIVEN_MENTIONS_KEY, get_clusters, set_clusters, set_speakers
from spacy_span_selector.layers.coref.linker import Mentions
from spacy_span_selector.layers.coref.pair_features import FEATURE_NAMES
from spacy_span_selector.pipeline.long_sentences import TOO_LONG

from ..selectors import selector_block
from .components import COREF, component, network, train

BLIND = {
    "@architectures": "spacy.Tok2Vec.v2",
    "embed": {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 8,
        "rows": [50],
        "attrs": ["SHAPE"],
        "include_static_vectors": False,
    },
    "encode": {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": 8,
        "window_size": 1,
        "maxout_pieces": 2,
        "depth": 1,
    },
}
"""An encoder that tells words apart by their shapes alone."""

NLP = spacy.blank("en")
Sentence = tuple[list[str], list[tuple[int, int, Any]]]
"""Words, and mentions with their clusters, None for one of its own."""


def make_doc(sentences: list[Sentence]) -> Doc:
    words, starts, clusters = [], [], {}
    for number, (own, mentions) in enumerate(sentences):
        for start, end, cluster in mentions:
            key = (number, start, end) if cluster is None else cluster
            clusters.setdefault(key, []).append((len(words) + start, len(words) + end))
        words += own
        starts += [i == 0 for i in range(len(own))]
    doc = Doc(NLP.vocab, words=words, sent_starts=starts)
    set_clusters(doc, list(clusters.values()))
    return doc


def nested(draw: random.Random) -> Doc:
    """A mention corefers with one that it contains."""
    sentences: list[Sentence] = []
    for number in range(5):
        apart = draw.random() < 0.5
        mentions = [(0, 4, None), (6, 7, None)] if apart else [(0, 4, number), (2, 3, number)]
        sentences.append((["w"] * 9, mentions))
    return make_doc(sentences)


def content_words(draw: random.Random) -> Doc:
    """Mentions corefer if they share a name, never their last word. No name is in two documents."""
    names = [f"n{draw.randrange(100, 999)}" for _ in range(3)]
    first = [draw.choice(names) for _ in range(6)]
    return make_doc([([name, f"n{draw.randrange(100, 999)}", "of", "w"], [(0, 3, name)]) for name in first])


def quotation(draw: random.Random) -> Doc:
    """Mentions corefer within a quotation, and none does outside."""
    sentences: list[Sentence] = []
    for number in range(4):
        inside, last = draw.random() < 0.6, draw.randint(0, 2)
        for part in range(last + 1):
            opening, closing = ["“"] * (inside and part == 0), ["”"] * (inside and part == last)
            place = len(opening) + 2
            words = [*opening, "w", "w", "it", "w", "w", *closing]
            sentences.append((words, [(place, place + 1, number if inside else None)]))
    return make_doc(sentences)


def speaker(draw: random.Random) -> Doc:
    """Mentions corefer in sentences of one speaker."""
    speakers = [draw.choice(["Ann", "Bob", "Leo"]) for _ in range(7)]
    doc = make_doc([(["w", "it", "w"], [(1, 2, name)]) for name in speakers])
    set_speakers(doc, [(3 * i, 3 * i + 3, name) for i, name in enumerate(speakers)])
    return doc


def sentences(draw: random.Random) -> Doc:
    """Mentions corefer in one sentence."""
    return make_doc(
        [
            (["w", "it", "w"] * count, [(3 * i + 1, 3 * i + 2, number) for i in range(count)])
            for number, count in enumerate(draw.choices([1, 2, 3], k=4))
        ]
    )


def short_words(draw: random.Random) -> Doc:
    """Mentions of one word corefer, those of another, which looks the same to the encoder, do not."""
    chosen = [draw.random() < 0.5 for _ in range(7)]
    return make_doc([(["w", "he" if is_he else "it", "w"], [(1, 2, 0 if is_he else None)]) for is_he in chosen])


CORPORA: dict[str, Callable[[random.Random], Doc]] = {
    "nested": nested,
    "content_words": content_words,
    "quotation": quotation,
    "speaker": speaker,
    "sentences": sentences,
    "short_words": short_words,
}


def make_examples(name: str, seed: int, count: int) -> list[Example]:
    """Gold documents, and the same with sentences, speakers and mentions, but without clusters."""
    draw, examples = random.Random(seed), []
    for _ in range(count):
        gold = CORPORA[name](draw)
        given = Doc(NLP.vocab, words=[token.text for token in gold], sent_starts=gold.to_array("SENT_START").tolist())
        set_speakers(given, [(turn.start, turn.end, turn.label_) for turn in gold.spans.get("speakers", ())])
        given.spans[GIVEN_MENTIONS_KEY] = [given[a:b] for cluster in get_clusters(gold) for a, b in cluster]
        examples.append(Example(given, gold))
    return examples


def make_nlp(features: Sequence[str], selector: str = "laminar", **config: Any) -> Language:
    """An initialized pipeline of the component alone."""
    fix_random_seed(0)
    nlp = spacy.blank("en", vocab=NLP.vocab)
    model = {**COREF.model, "tok2vec": BLIND, "match_words": False, "pair_features": features, "distance": "mentions"}
    nlp.add_pipe("structured_coref", config={"model": {**model, "selector": selector_block(selector)}, **config})
    nlp.initialize(lambda: make_examples("nested", 0, 3))
    return nlp


def score_after_training(name: str, features: Sequence[str]) -> float:
    """The CoNLL F1 of unseen documents after a short training."""
    nlp = make_nlp(features, add_gold=True, candidate_ratio=0.0)
    for seed in range(40):
        train(nlp, make_examples(name, seed, 8), steps=1, learn_rate=0.03)
    examples = make_examples(name, 1000, 20)
    for example in examples:
        component(nlp)(example.predicted)
    return component(nlp).score(examples)["coref_f"]


@pytest.mark.parametrize("name", FEATURE_NAMES)
def test_what_only_a_feature_tells_is_learnt_by_it(name: str) -> None:
    assert score_after_training(name, [name]) > 0.95
    assert score_after_training(name, []) < 0.65


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
    nlp = make_nlp(FEATURE_NAMES, "sigmoid", threshold=0.0, link_threshold=-0.5, link_non_mentions=0.25)
    with torch.no_grad():
        for name, weight in network(nlp).named_parameters():
            if "pairs" in name or "word" in name:
                weight.normal_()
    nlp.to_disk(tmp_path)
    loaded, doc = spacy.load(tmp_path), make_dialogue(1)
    settings = component(loaded).settings
    assert (settings.link_threshold, settings.link_non_mentions) == (-0.5, 0.25)
    assert list(component(loaded).model.attrs["settings"].pair_features) == list(FEATURE_NAMES)
    (expected,), (found,) = (component(pipeline).predict([doc]) for pipeline in (nlp, loaded))
    assert found == expected


def test_weights_of_other_features_are_an_error() -> None:
    saved = make_nlp(["nested"]).to_bytes()
    with pytest.raises(ValueError, match=r"do not fit its config: .*pairs.nested.* expected nothing of this name"):
        make_nlp([]).from_bytes(saved)


@pytest.mark.parametrize("names", ["nested", ["gender"], [1]])
def test_features_that_are_not_known_are_errors(names: Any) -> None:
    with pytest.raises(ValueError, match="pair_features"):
        make_nlp(names)
