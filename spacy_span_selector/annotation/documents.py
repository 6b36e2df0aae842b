"""What a document is called, and who speaks in it.

Speakers, where known, are the labels of the turns in `doc.spans["speakers"]`; the name of a document
is `doc.user_data["title"]`. Where the words of a document say who speaks, as the tokens `<speaker> NAME </speaker>`
before a turn, `doc.spans["speaker_markers"]` says which tokens these are: a text may hold such words of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc, Span, SpanGroup

SPEAKERS_KEY = "speakers"
SPEAKER_MARKERS_KEY = "speaker_markers"
SPEAKER_MARKS = ("<speaker>", "</speaker>")  # the tokens before and after a name
TITLE_KEY = "title"  # in doc.user_data; displaCy reads the same key


def describe_doc(doc: Doc) -> str:
    """Name a document in a message: its title if it has one, otherwise its first words."""
    title = doc.user_data.get(TITLE_KEY)
    if title:
        return f"document {title!r}"
    opening = doc[:8].text
    return f"document starting {opening!r}" if opening else "an empty document"


def get_sentences(doc: Doc) -> list[Span]:
    """The sentences of a document; without sentence boundaries it is one."""
    return list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]


def get_speakers(doc: Doc, key: str = SPEAKERS_KEY) -> list[tuple[int, int, str]]:
    """The speaker turns of a document: (start token, end token, speaker)."""
    return [(turn.start, turn.end, turn.label_) for turn in doc.spans.get(key, ())]


def set_speakers(doc: Doc, turns: Sequence[tuple[int, int, str]], key: str = SPEAKERS_KEY) -> None:
    """Replace the speaker turns of a document: (start token, end token, speaker)."""
    spans = [Span(doc, start, end, label=speaker) for start, end, speaker in turns]
    doc.spans[key] = SpanGroup(doc, name=key, spans=spans)


def get_speaker_markers(doc: Doc, key: str = SPEAKER_MARKERS_KEY) -> list[tuple[int, int]]:
    """The tokens of a document that are no text but say who speaks: (start token, end token) of each marker."""
    return [(marker.start, marker.end) for marker in doc.spans.get(key, ())]


def set_speaker_markers(doc: Doc, markers: Sequence[tuple[int, int]], key: str = SPEAKER_MARKERS_KEY) -> None:
    """Say which tokens of a document are markers of speakers: (start token, end token) of each."""
    doc.spans[key] = SpanGroup(doc, name=key, spans=[doc[start:end] for start, end in markers])
