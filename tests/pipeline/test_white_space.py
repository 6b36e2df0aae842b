"""The same text on one line and wrapped: where its lines end changes nothing that is found, and nothing learnt."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
import spacy
from hypothesis import HealthCheck, given, settings
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_span_selector.annotation import get_clusters, get_frames, get_predicates, set_predicates
from spacy_span_selector.documents.visible import is_blank
from spacy_span_selector.examples.alignment import WHITE_SPACE
from spacy_span_selector.layers.coref.pair_features import FEATURE_NAMES

from ..selectors import selector_block
from ..tok2vec import LISTENER, TOK2VEC, TRANSFORMER_LISTENER
from .components import (
    COREF,
    SRL,
    Case,
    component,
    gold_docs,
    load_trained,
    tiny_transformer,
    weights,
)

TEXTS = [
    '"Ann," said Tom, "gave Leo a key." "Why?" He left -- he did -- the house; Ruth found it there.',
    "Leo picked up a hat that Ruth left at Mr. Lee's house, (the old one). It wasn't hers... She gave Tom the hat!",
    "Oh. He thanked Ann; she can't leave: the station, the bus, a key, her brother's hat.",
]
GAPS = ["\n", " ", "  ", " \n", "\r\n", "\u00a0", " \u200b ", " \U0001f389 ", " \U0001f469\u200d\U0001f680 "]


def build(case: Case, encoder: str, folder: Path) -> Language:
    """A pipeline whose component has one of three encoders."""
    fix_random_seed(1)
    nlp = spacy.blank("en")
    nlp.add_pipe("word_sentencizer")
    tok2vec: dict[str, Any] = TOK2VEC
    if encoder == "shared tok2vec":
        without = {"@architectures": "spacy_span_selector.WithoutWhiteSpace.v1", "tok2vec": TOK2VEC}
        nlp.add_pipe("tok2vec", config={"model": without})
        tok2vec = LISTENER
    if encoder == "transformer":
        nlp.add_pipe("transformer", config={"model": tiny_transformer(folder, window=16, stride=12)})
        tok2vec = TRANSFORMER_LISTENER
    model = {**case.model, "tok2vec": tok2vec, "selector": selector_block("structured"), "dropout": 0.2}
    if case is COREF:
        model |= {"pair_features": list(FEATURE_NAMES), "distance": "mentions"}
    nlp.add_pipe(case.factory, config={"model": model, "threshold": 0.2})
    nlp.initialize(lambda: make_examples(nlp, case))
    return nlp


def make_examples(nlp: Language, case: Case) -> list[Example]:
    return [Example(nlp.make_doc(doc.text), doc) for doc in gold_docs(case, nlp)]


def build_and_train(case: Case, encoder: str, folder: Path) -> Language:
    """A pipeline that has seen its corpus a few times, so that it finds much."""
    nlp = build(case, encoder, folder)
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01
    for _ in range(25):
        nlp.update(make_examples(nlp, case), sgd=optimizer, annotates=["word_sentencizer"])
    return nlp


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case, str], Language]:
    """Builds each pipeline once; tests do not change it."""
    return cache(lambda case, encoder: build_and_train(case, encoder, tmp_path_factory.mktemp("encoder")))


@pytest.fixture(params=["own tok2vec", "shared tok2vec", "transformer"])
def encoder(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def by_word(doc: Doc) -> dict[str, Any]:
    """All spans of a document by words, white space aside, with their scores; none has white space at an edge."""
    words = [token.i for token in doc if not is_blank(token.text)]
    places = {token: place for place, token in enumerate(words)}
    return {
        key: ([(places[span.start], places[span.end - 1], span.label_) for span in group], dict(group.attrs))
        for key, group in doc.spans.items()
    }


def wrap(text: str, gaps: list[str]) -> str:
    """A text with other white space where it has some, and at both ends."""
    first, *words = text.split()
    return gaps[0] + first + "".join(gap + word for gap, word in zip(gaps[2:], words, strict=False)) + gaps[1]


def gaps_for(text: str) -> st.SearchStrategy[list[str]]:
    count = len(text.split()) + 1
    return st.lists(st.sampled_from(GAPS), min_size=count, max_size=count)


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), text=st.sampled_from(TEXTS))
def test_annotation_does_not_depend_on_where_lines_end(
    make: Callable[[Case, str], Language], case: Case, encoder: str, data: st.DataObject, text: str
) -> None:
    nlp = make(case, encoder)
    plain = nlp(text)
    assert case.keys(plain)
    wrapped = nlp(wrap(text, data.draw(gaps_for(text))))
    assert by_word(wrapped) == by_word(plain)


def test_training_does_not_depend_on_where_lines_end(case: Case, encoder: str, tmp_path: Path) -> None:
    found = []
    for number, gap in enumerate([" ", "\n", "  ", " \n"]):
        folder = tmp_path / str(number)
        folder.mkdir()
        nlp = build(case, encoder, folder)
        examples = [wrapped_example(nlp, doc, gap) for doc in gold_docs(case, nlp)]
        fix_random_seed(2)
        optimizer = nlp.resume_training()
        # The loss of a shared tok2vec is a sum over all rows, in an order that depends on their number.
        losses = [nlp.update(examples, sgd=optimizer, annotates=["word_sentencizer"])[case.factory] for _ in range(2)]
        found.append((losses, [array for name in nlp.pipe_names[1:] for array in all_weights(nlp, name)]))
    (losses, plain), *others = found
    assert losses[0] != losses[1]
    for other_losses, arrays in others:
        assert other_losses == losses
        for array, expected in zip(arrays, plain, strict=True):
            np.testing.assert_array_equal(array, expected)
    assert not component(nlp).lost.counts


def wrapped_example(nlp: Language, doc: Doc, gap: str) -> Example:
    """An example both of whose sides have white space between words."""
    words = [token.text for token in doc]
    tokens = [words[0], *(token for word in words[1:] for token in (gap, word))] if gap.strip(" ") else words
    step = 2 if gap.strip(" ") else 1
    reference = Doc(nlp.vocab, words=tokens, spaces=[step == 1] * len(tokens))
    for key, group in doc.spans.items():
        # As an annotation tool may mark it: with the white space behind it.
        spans = [
            Span(reference, step * span.start, min(step * span.end, len(tokens)), label=span.label_) for span in group
        ]
        reference.spans[key] = SpanGroup(reference, name=key, spans=spans, attrs=dict(group.attrs))
    return Example(Doc(nlp.vocab, words=tokens, spaces=[step == 1] * len(tokens)), reference)


def all_weights(nlp: Language, name: str) -> list[np.ndarray]:
    """The weights of a component, its torch modules among them."""
    model = nlp.get_pipe(name).model  # type: ignore[attr-defined]
    modules = [shim._model for node in model.walk() for shim in node.shims]
    return [*weights(model), *(array.detach().numpy() for module in modules for array in module.parameters())]


def merged(doc: Doc, width: int) -> Doc:
    """The document with runs of so many words, which spaces divide, as one token each."""
    with doc.retokenize() as retokenizer:
        start = 0
        while start + width <= len(doc):
            run = doc[start : start + width]
            fits = all(token.is_alpha and token.text != "ca" for token in run) and all(
                token.whitespace_ for token in run[:-1]
            )
            if fits:
                retokenizer.merge(run)
            start += width + 1 if fits else 1
    return doc


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("text", TEXTS)
def test_merged_tokens_are_read_as_words(
    make: Callable[[Case, str], Language], case: Case, encoder: str, text: str, width: int
) -> None:
    if encoder == "shared tok2vec":
        return  # the words of a token share its vector
    nlp = make(case, encoder)
    plain, doc = nlp(text), merged(nlp.make_doc(text), width)
    starts, ends = {token.idx for token in doc}, {token.idx + len(token) for token in doc}
    found = nlp(doc)
    key = component(nlp).selected_key
    expected, got = (
        {(span.start_char, span.end_char, span.label_): score for span, score in zip(group, scores, strict=True)}
        for group in (plain.spans[key], found.spans[key])
        for scores in [group.attrs["scores"]]
    )
    whole = {span: score for span, score in expected.items() if span[0] in starts and span[1] in ends}
    assert len(whole) < len(expected)
    assert {span: got.get(span) for span in whole} == whole
    assert all(start in starts and end in ends for start, end, _ in got)


def test_merged_tokens_are_learnt_as_words(case: Case, encoder: str, tmp_path: Path) -> None:
    if encoder == "shared tok2vec":
        return
    found = []
    for number, width in enumerate([1, 2, 3]):
        folder = tmp_path / str(number)
        folder.mkdir()
        nlp = build(case, encoder, folder)
        examples = make_examples(nlp, case)
        for example in examples:
            merged(example.predicted, width)
        fix_random_seed(2)
        losses = nlp.update(examples, sgd=nlp.resume_training(), annotates=["word_sentencizer"])
        found.append((losses[case.factory], [array for name in nlp.pipe_names[1:] for array in all_weights(nlp, name)]))
    (loss, plain), *others = found
    for other, arrays in others:
        assert other == pytest.approx(loss, rel=1e-5)
        for array, expected in zip(arrays, plain, strict=True):
            np.testing.assert_allclose(array, expected, rtol=1e-3, atol=1e-4)


def test_given_mentions_have_no_white_space_at_their_edges() -> None:
    nlp = load_trained(COREF)
    doc = nlp.make_doc("Ann\nLee  met her\nbrother .")
    spans = [doc[0:4], doc[3:4], doc[5:6]]
    assert [span.text for span in spans] == ["Ann\nLee  ", " ", "her"]
    doc.spans[COREF.given_key] = SpanGroup(doc, spans=spans)
    with pytest.warns(UserWarning, match="leaves out a given mention that is nothing but white space or emoji: ' '"):
        nlp(doc)
    assert sorted(span for cluster in get_clusters(doc) for span in cluster) == [(0, 3), (5, 6)]
    assert component(nlp).lost.counts == {WHITE_SPACE: 1}


def test_given_predicates_have_no_white_space_at_their_edges() -> None:
    nlp = load_trained(SRL)
    doc = nlp.make_doc("Leo\npicked\nup a hat .")
    set_predicates(doc, [(1, 5), (1, 2)])
    nlp(doc)
    assert [(frame.start, frame.end, frame.roleset) for frame in get_frames(doc)] == [(2, 5, "pick_up.04")]
    assert get_predicates(doc) == [(1, 5), (1, 2)]
