"""Any offsets, labels and scores: they are read back as they were given, or are an error that changes nothing."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector import from_dict, render, to_dict
from spacy_span_selector.annotation import (
    CONSTITUENTS_KEY,
    LABELLED_KEY,
    MENTIONS_KEY,
    SPEAKERS_KEY,
    Argument,
    Frame,
    get_clusters,
    get_frames,
    set_clusters,
    set_constituents,
    set_frames,
    set_labelled_spans,
    set_mentions,
    set_predicates,
    set_speakers,
)
from spacy_span_selector.extensions import register_extensions
from spacy_span_selector.tools.formats.registry import all_formats

from .fuzzing import fuzz
from .strategies import Text, odd_values, texts

register_extensions()

WORDS = ["Ann", "gave", "her", "brother", "a", "key"]
LENGTH = len(WORDS)

good = st.integers(0, LENGTH - 1).flatmap(lambda start: st.tuples(st.just(start), st.integers(start + 1, LENGTH)))
odd_numbers = st.one_of(
    st.integers(-LENGTH - 2, LENGTH + 2),
    st.sampled_from([2**31, 2**32, -(2**31), 2**63, 2**64, -(2**70), True, 1.0, 0.5, float("nan"), None, "1", (1,)]),
)
odd = st.one_of(
    st.tuples(odd_numbers, odd_numbers), st.tuples(odd_numbers), st.sampled_from([(), None, 3, "ab", (0, 1, 2, 3)])
)
spans = st.one_of(good, good, good, odd)
labels = st.one_of(st.sampled_from(["ARG0", "ARG1", "", "é"]), odd_values)
good_labelled = st.tuples(good, labels).map(lambda item: (*item[0], item[1]))
labelled = st.one_of(good_labelled, odd)
numbers = st.one_of(st.floats(0, 1), odd_values)


def make_doc() -> Doc:
    """A document that is annotated already."""
    doc = Doc(Vocab(), words=WORDS, sent_starts=[i == 0 for i in range(LENGTH)])
    set_clusters(doc, [[(0, 1), (2, 3)]])
    set_mentions(doc, [(0, 1), (2, 3)], [0.5, 0.5])
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "give.01")])
    set_predicates(doc, [(1, 2)])
    set_constituents(doc, [(0, LENGTH, "S")])
    set_speakers(doc, [(0, LENGTH, "Ann")])
    return doc


def state(doc: Doc) -> dict[str, Any]:
    groups = {key: ([(s.start, s.end, s.label_) for s in group], repr(group.attrs)) for key, group in doc.spans.items()}
    return {**groups, "text": doc.text}


def check(write: Callable[[Doc], None], read: Callable[[Doc], object], expected: Callable[[], object]) -> None:
    """Check that annotation is read back as written, or that an error has changed nothing."""
    doc = make_doc()
    before = state(doc)
    try:
        write(doc)
    except (ValueError, TypeError) as error:
        assert str(error)
        assert state(doc) == before, f"changed before {error!r}"
    else:
        found, wanted = read(doc), expected()
        assert found == wanted or repr(found) == repr(wanted)  # nan is not equal to itself
        assert state(Doc(doc.vocab).from_bytes(doc.to_bytes())) == state(doc)


@fuzz(80, clusters=st.lists(st.lists(spans, max_size=3), max_size=3))
def test_clusters(clusters: list[list[Any]]) -> None:
    check(
        lambda doc: set_clusters(doc, clusters),
        get_clusters,
        lambda: sorted(sorted(cluster) for cluster in clusters if cluster),
    )


@fuzz(80, mentions=st.lists(spans, max_size=4), scores=st.lists(numbers, max_size=4))
def test_mentions(mentions: list[Any], scores: list[Any]) -> None:
    check(
        lambda doc: set_mentions(doc, mentions, scores),
        lambda doc: ([(s.start, s.end) for s in doc.spans[MENTIONS_KEY]], doc.spans[MENTIONS_KEY].attrs["scores"]),
        lambda: (mentions, [float(score) for score in scores]),
    )


arguments = st.one_of(good_labelled, st.tuples(odd_numbers, odd_numbers, labels)).map(lambda item: Argument(*item))
frames = st.builds(
    lambda span, *rest: Frame(*span, *rest),
    st.one_of(good, st.tuples(odd_numbers, odd_numbers)),
    st.lists(arguments, max_size=3),
    st.one_of(st.sampled_from(["give.01", None]), odd_values),
    st.none() | st.lists(numbers, max_size=4),
)


@fuzz(80, drawn=st.lists(frames, max_size=3))
def test_frames(drawn: list[Frame]) -> None:
    def expected() -> list[Frame]:
        ordered = []
        for frame in sorted(drawn, key=lambda frame: frame[:2]):
            order = sorted(range(len(frame.arguments)), key=lambda i: frame.arguments[i])
            scores = frame.scores and [float(frame.scores[i]) for i in (0, *(i + 1 for i in order))]
            arguments = [frame.arguments[i] for i in order]
            ordered.append(frame._replace(arguments=arguments, roleset=frame.roleset or None, scores=scores))
        return ordered

    check(lambda doc: set_frames(doc, drawn), get_frames, expected)


SETTERS = {SPEAKERS_KEY: set_speakers, CONSTITUENTS_KEY: set_constituents, LABELLED_KEY: set_labelled_spans}


@pytest.mark.parametrize("key", SETTERS)
@fuzz(40, drawn=st.lists(labelled, max_size=4))
def test_spans_with_labels(key: str, drawn: list[Any]) -> None:
    def read(doc: Doc) -> list[tuple[int, int, str]]:
        return [(span.start, span.end, span.label_) for span in doc.spans[key]]

    check(lambda doc: SETTERS[key](doc, drawn), read, lambda: sorted(drawn) if key == LABELLED_KEY else drawn)


@fuzz(80, text=texts("coref_clusters_1", "coref_clusters_2", "srl_1", "srl_2", SPEAKERS_KEY, CONSTITUENTS_KEY))
def test_documents_with_any_spans_are_shown_and_exported(text: Text) -> None:
    """Even where spans have no tokens, as a user may have put them in `doc.spans`."""
    doc = text.doc(Vocab())
    assert isinstance(render(doc, page=True), str)
    assert isinstance(doc._.resolved_text, str) and isinstance(repr(doc._.srl), str)
    assert len(doc._.coref_clusters) <= 2
    assert to_dict(from_dict(to_dict(doc, tokens=True), doc.vocab)) == to_dict(doc)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is left out is counted
        for write in filter(None, (format_.write for format_ in all_formats())):
            try:
                write([doc])
            except ValueError as error:
                assert "which no text file can hold" in str(error)  # NUL
