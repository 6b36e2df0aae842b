"""Documents of any words, sentences, given spans, through all components."""

import json
from itertools import pairwise

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
from spacy_span_selector.documents.visible import is_blank
from spacy_span_selector.scoring.coref import COREFERENCE

from ..pipeline.components import Annotation, Case, annotation, component, read_frames, selected
from ..tools.formats.plain.documents import rounded
from .fuzzing import fuzz
from .pipelines import COMPONENTS, ENCODERS, pipeline
from .strategies import Text, raw_texts, texts

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


def annotate(doc: Doc, *pipeline_name: str) -> Annotation:
    """Annotate a document with its own sentences."""
    nlp = pipeline(*pipeline_name)
    with nlp.select_pipes(disable="sentencizer"):
        nlp(doc)
    return annotation(doc)


def has_sentences(doc: Doc) -> bool:
    return count_words(doc) < 2 or doc.has_annotation("SENT_START")


def sentence_numbers(doc: Doc) -> dict[int, int]:
    """The number of the sentence of each word."""
    numbers = enumerate(get_sentences(doc))
    return {token.i: number for number, sentence in numbers for token in sentence if not is_blank(token.text)}


@each_pipeline
@fuzz(26, text=texts(GIVEN_MENTIONS_KEY, PREDICATES_KEY))
def test_any_document(factory: str, encoder: str, selector: str, text: Text) -> None:
    """Without sentences it is named in an error; with them what is found is sound, kept and read back."""
    doc = text.doc(pipeline(factory, encoder, selector).vocab)
    if not has_sentences(doc):
        with pytest.raises(ValueError, match=f"'{factory}' selects spans sentence by sentence, but .*document"):
            annotate(doc, factory, encoder, selector)
        return
    found = annotate(doc, factory, encoder, selector)
    check_spans(doc, COMPONENTS[factory], component(pipeline(factory, encoder, selector)).selector.spans_may_cross)
    check_attributes(doc, factory)
    original = text.doc(doc.vocab)
    assert doc.text == original.text
    assert [token.is_sent_start for token in doc] == [token.is_sent_start for token in original]
    given = COMPONENTS[factory].given_key
    assert [span.text for span in doc.spans.get(given, ())] == [span.text for span in original.spans.get(given, ())]
    assert annotate(doc, factory, encoder, selector) == found, "the second time"
    assert annotation(Doc(doc.vocab).from_bytes(doc.to_bytes())) == found
    check_plain_data(doc, COMPONENTS[factory])


def check_spans(doc: Doc, case: Case, may_cross: bool) -> None:
    """Spans that were found, not given, lie in one sentence, begin and end with words, and do not cross."""
    given_words = [
        [token.i for token in span if not is_blank(token.text)] for span in doc.spans.get(case.given_key, ())
    ]
    given = [(words[0], words[-1] + 1) for words in given_words if words]
    selected_spans = [span for span in selected(case, doc) if span not in given]
    others = [(span.start, span.end) for key in case.keys(doc) for span in doc.spans[key]]
    number = sentence_numbers(doc)
    for start, end in [*selected_spans, *(span for span in others if span not in given)]:
        assert 0 <= start < end <= len(doc)
        assert len({number[token.i] for token in doc[start:end] if token.i in number}) == 1, (start, end)
        assert not doc[start].text.isspace() and not doc[end - 1].text.isspace(), (start, end)
    assert may_cross or not any(a < c < b < d for a, b in selected_spans for c, d in selected_spans)


def check_attributes(doc: Doc, factory: str) -> None:
    """Scores are probabilities; a mention is in one cluster; arguments do not overlap, and `doc._` has all of it."""
    case = COMPONENTS[factory]
    _, scores = annotation(doc)
    assert all(0 <= score <= 1 for score in scores), scores  # which nan is not, either
    assert all(len(doc.spans[key]) == len(doc.spans[key].attrs["scores"]) for key in case.keys(doc))
    clusters, frames = get_clusters(doc), get_frames(doc)
    mentions = [mention for cluster in clusters for mention in cluster]
    assert len(mentions) == len({*mentions}), "a mention is in two clusters"
    assert factory != COREFERENCE.factory or {*mentions} <= {*selected(case, doc)}
    number = sentence_numbers(doc)
    for frame in frames:
        arguments = sorted(argument[:2] for argument in frame.arguments)
        assert all(end <= start for (_, end), (start, _) in pairwise(arguments)), frame
        assert {number[start] for start, _ in arguments} <= {number[frame.start]}, frame
    assert [len(cluster) for cluster in doc._.coref_clusters] == [len(cluster) for cluster in clusters]
    assert [(frame.predicate.start, frame.predicate.end) for frame in doc._.srl] == [frame[:2] for frame in frames]
    assert isinstance(doc._.resolved_text, str) and isinstance(repr(doc._.srl), str)


def check_plain_data(doc: Doc, case: Case) -> None:
    data = json.loads(json.dumps(to_dict(doc, tokens=True), allow_nan=False))
    back = from_dict(data, doc.vocab)
    assert back.text == doc.text and to_dict(back, tokens=True) == data
    assert [(key, back.spans[key].attrs) for key in case.keys(back)] == [
        (key, rounded(doc.spans[key].attrs)) for key in case.keys(doc)
    ]
    assert case.read(back) == case.read(doc)


@pytest.mark.parametrize("encoder", ENCODERS)
@fuzz(12, text=texts())
def test_given_predicates_are_kept(encoder: str, text: Text) -> None:
    """Each word that is given gets a frame, and no other does."""
    doc = text.doc(pipeline("structured_srl", encoder).vocab)
    assume(has_sentences(doc))
    given = [(i, i + 1) for i in range(0, len(doc), 2)]
    set_predicates(doc, given)
    annotate(doc, "structured_srl", encoder)
    frames: list[Frame] = read_frames(doc)
    assert [frame[:2] for frame in frames] == [span for span in given if not is_blank(doc[span[0]].text)]


@each_pipeline
@fuzz(8, text=raw_texts)
def test_any_text_is_annotated(factory: str, encoder: str, selector: str, text: str) -> None:
    doc = pipeline(factory, encoder, selector)(text)
    assert doc.text == text
    assert COMPONENTS[factory].spans_key in doc.spans
