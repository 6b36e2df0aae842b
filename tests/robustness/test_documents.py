"""Documents of any words, sentences, given spans, through all components."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume
from spacy.tokens import Doc

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.annotation import (
    GIVEN_MENTIONS_KEY,
    PREDICATES_KEY,
    Frame,
    get_clusters,
    get_frames,
    get_sentences,
    set_predicates,
)
from spacy_span_selector.documents.cleaned import count_words
from spacy_span_selector.documents.rebuilt import is_blank
from spacy_span_selector.scoring.coref import COREFERENCE

from ..pipeline.components import Annotation, annotation, component, read_frames, selected
from ..tools.formats.plain.documents import rounded
from .fuzzing import fuzz
from .pipelines import COMPONENTS, ENCODERS, pipeline
from .strategies import Offsets, Text, raw_texts, texts

each_pipeline = pytest.mark.parametrize(
    ("factory", "encoder", "selector"),
    [
        (factory, encoder, selector)
        for factory, case in COMPONENTS.items()
        for encoder in ENCODERS
        for selector in case.selectors
        if encoder == "cnn" or selector == "structured"
    ],
)
documents = texts(GIVEN_MENTIONS_KEY, PREDICATES_KEY)


def annotate(doc: Doc, *pipeline_name: str) -> Annotation:
    """Annotate a document with its own sentences."""
    nlp = pipeline(*pipeline_name)
    with nlp.select_pipes(disable="sentencizer"):
        nlp(doc)
    return annotation(doc)


def has_sentences(doc: Doc) -> bool:
    return count_words(doc) < 2 or doc.has_annotation("SENT_START")


def annotated(text: Text, *pipeline_name: str) -> Doc:
    doc = text.doc(pipeline(*pipeline_name).vocab)
    assume(has_sentences(doc))
    annotate(doc, *pipeline_name)
    return doc


def given_spans(doc: Doc, factory: str) -> list[Offsets]:
    """The given spans, without white space at their edges. They may be odd, apart from that."""
    given = doc.spans.get(COMPONENTS[factory].given_key, ())
    words = [[token.i for token in span if not is_blank(token.text)] for span in given]
    return [(tokens[0], tokens[-1] + 1) for tokens in words if tokens]


def found_spans(doc: Doc, factory: str) -> list[Offsets]:
    """Every span that a component has found, those that it was given apart."""
    given = given_spans(doc, factory)
    spans = [(span.start, span.end) for key in COMPONENTS[factory].keys(doc) for span in doc.spans[key]]
    return [span for span in [*selected(COMPONENTS[factory], doc), *spans] if span not in given]


def runs(doc: Doc) -> dict[int, int]:
    """The number of the sentence of each word."""
    numbers = np.zeros(len(doc), dtype=int)
    for sentence in get_sentences(doc):
        numbers[sentence.start :] += 1
    return {token.i: int(numbers[token.i]) for token in doc if not is_blank(token.text)}


def overlap(spans: Sequence[Offsets]) -> bool:
    return any(end > start for (_, end), (start, _) in pairwise(sorted(spans)))


def cross(spans: Sequence[Offsets]) -> bool:
    return any(a < c < b < d for a, b in spans for c, d in spans)


@each_pipeline
@fuzz(12, text=documents)
def test_spans_lie_in_one_sentence_and_do_not_cross(factory: str, encoder: str, selector: str, text: Text) -> None:
    doc = annotated(text, factory, encoder, selector)
    number = runs(doc)
    for start, end in found_spans(doc, factory):
        assert 0 <= start < end <= len(doc)
        inside = {number[token.i] for token in doc[start:end] if token.i in number}
        assert len(inside) == 1, (start, end)
    if not component(pipeline(factory, encoder, selector)).selector.spans_may_cross:
        given = given_spans(doc, factory)
        assert not cross([span for span in selected(COMPONENTS[factory], doc) if span not in given])


@each_pipeline
@fuzz(8, text=documents)
def test_white_space_starts_and_ends_nothing(factory: str, encoder: str, selector: str, text: Text) -> None:
    doc = annotated(text, factory, encoder, selector)
    edges = [(doc[start].text, doc[end - 1].text) for start, end in found_spans(doc, factory)]
    assert [edge for edge in edges if edge[0].isspace() or edge[1].isspace()] == []


@each_pipeline
@fuzz(8, text=documents)
def test_annotation_can_be_read(factory: str, encoder: str, selector: str, text: Text) -> None:
    doc = annotated(text, factory, encoder, selector)
    _, scores = annotation(doc)
    assert all(0 <= score <= 1 for score in scores), scores  # which nan is not, either
    assert all(len(doc.spans[key]) == len(doc.spans[key].attrs["scores"]) for key in COMPONENTS[factory].keys(doc))
    clusters, frames = get_clusters(doc), get_frames(doc)
    mentions = [mention for cluster in clusters for mention in cluster]
    assert len(mentions) == len({*mentions}), "a mention is in two clusters"
    if factory == COREFERENCE.factory:
        assert {*mentions} <= {*selected(COMPONENTS[factory], doc)}
    number = runs(doc)
    for frame in frames:
        assert not overlap([argument[:2] for argument in frame.arguments]), frame
        assert {number[argument.start] for argument in frame.arguments} <= {number[frame.start]}, frame
    assert [len(cluster) for cluster in doc._.coref_clusters] == [len(cluster) for cluster in clusters]
    assert [(frame.predicate.start, frame.predicate.end) for frame in doc._.srl] == [frame[:2] for frame in frames]
    assert isinstance(doc._.resolved_text, str) and isinstance(repr(doc._.srl), str)


@each_pipeline
@fuzz(8, text=documents)
def test_the_text_is_not_changed_and_annotation_is_kept(factory: str, encoder: str, selector: str, text: Text) -> None:
    doc = annotated(text, factory, encoder, selector)
    original = text.doc(doc.vocab)
    assert doc.text == original.text
    assert [token.is_sent_start for token in doc] == [token.is_sent_start for token in original]
    given = COMPONENTS[factory].given_key
    assert [span.text for span in doc.spans.get(given, ())] == [span.text for span in original.spans.get(given, ())]
    found = annotation(doc)
    assert annotate(doc, factory, encoder, selector) == found, "the second time"
    assert annotation(Doc(doc.vocab).from_bytes(doc.to_bytes())) == found


@each_pipeline
@fuzz(6, text=documents)
def test_plain_data_is_read_back(factory: str, encoder: str, selector: str, text: Text) -> None:
    doc = annotated(text, factory, encoder, selector)
    case = COMPONENTS[factory]
    data = json.loads(json.dumps(to_dict(doc, tokens=True), allow_nan=False))
    back = from_dict(data, doc.vocab)
    assert back.text == doc.text and to_dict(back, tokens=True) == data
    assert [(key, back.spans[key].attrs) for key in case.keys(back)] == [
        (key, rounded(doc.spans[key].attrs)) for key in case.keys(doc)
    ]
    assert case.read(back) == case.read(doc)


@each_pipeline
@fuzz(8, text=documents)
def test_documents_without_sentences_are_named(factory: str, encoder: str, selector: str, text: Text) -> None:
    doc = text.doc(pipeline(factory, encoder, selector).vocab)
    assume(not has_sentences(doc))
    with pytest.raises(ValueError, match=f"'{factory}' selects spans sentence by sentence, but .*document"):
        annotate(doc, factory, encoder, selector)


@pytest.mark.parametrize("encoder", ENCODERS)
@fuzz(12, text=texts())
def test_given_predicates_are_kept(encoder: str, text: Text) -> None:
    """Each word that is given gets a frame, and no other does."""
    name = "structured_srl", encoder
    plain = annotated(text, *name)
    number = runs(plain)
    given = [(token.i, token.i + 1) for token in list(plain)[::2]]
    doc = text.doc(plain.vocab)
    set_predicates(doc, given)
    annotate(doc, *name)
    frames: list[Frame] = read_frames(doc)
    assert [frame[:2] for frame in frames] == [span for span in given if span[0] in number]


@each_pipeline
@fuzz(8, text=raw_texts)
def test_any_text_is_annotated(factory: str, encoder: str, selector: str, text: str) -> None:
    doc = pipeline(factory, encoder, selector)(text)
    assert doc.text == text
    assert COMPONENTS[factory].spans_key in doc.spans
