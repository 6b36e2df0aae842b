from __future__ import annotations

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    SPEAKER_MARKERS_KEY,
    SPEAKERS_KEY,
    get_speaker_markers,
    get_speakers,
    set_speaker_markers,
    set_speakers,
)


def make_doc(text: str = "Ann left . Bob stayed .") -> Doc:
    return Doc(Vocab(), words=text.split())


def test_speakers_are_replaced() -> None:
    doc = make_doc()
    assert get_speakers(doc) == []
    set_speakers(doc, [(0, 6, "Leo")])
    set_speakers(doc, [(0, 3, "Ruth"), (3, 6, "Ann Lee")])
    assert get_speakers(doc) == [(0, 3, "Ruth"), (3, 6, "Ann Lee")]
    assert set(doc.spans) == {SPEAKERS_KEY}


def test_another_key_may_hold_speakers() -> None:
    doc = make_doc()
    set_speakers(doc, [(0, 3, "Ruth")], key="turns")
    assert get_speakers(doc, key="turns") == [(0, 3, "Ruth")]
    assert get_speakers(doc) == []


def test_only_the_marked_tokens_are_markers() -> None:
    doc = make_doc("<speaker> Ann </speaker> Write <speaker> here .")
    assert get_speaker_markers(doc) == []
    set_speaker_markers(doc, [(3, 4)])
    set_speaker_markers(doc, [(0, 3)])
    assert get_speaker_markers(doc) == [(0, 3)]
    assert set(doc.spans) == {SPEAKER_MARKERS_KEY}


def test_markers_are_saved() -> None:
    doc = make_doc("<speaker> Ann </speaker> No .")
    set_speaker_markers(doc, [(0, 3)])
    assert get_speaker_markers(Doc(Vocab()).from_bytes(doc.to_bytes())) == [(0, 3)]
    (stored,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(Vocab())
    assert get_speaker_markers(stored) == [(0, 3)]
