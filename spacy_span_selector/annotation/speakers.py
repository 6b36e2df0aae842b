"""The speakers of a document, and the tokens of a text that name them.

Speakers, where known, are the labels of the turns in `doc.spans["speakers"]`. In some documents the tokens
`<speaker> NAME </speaker>` before a turn name the speaker. `doc.spans["speaker_markers"]` holds these markers, because
the same words may also be part of a text.
"""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc, Span, SpanGroup

from .checks import check_labelled, check_spans
from .retokenized import read_group

SPEAKERS_KEY = "speakers"
SPEAKER_MARKERS_KEY = "speaker_markers"
SPEAKER_MARKS = ("<speaker>", "</speaker>")  # the tokens before and after a name


def get_speakers(doc: Doc, key: str = SPEAKERS_KEY) -> list[tuple[int, int, str]]:
    """The speaker turns of a document: (start token, end token, speaker)."""
    turns = read_group(doc, key) if key in doc.spans else ()
    return [(turn.start, turn.end, turn.label_) for turn in turns]


def set_speakers(doc: Doc, turns: Sequence[tuple[int, int, str]], key: str = SPEAKERS_KEY) -> None:
    """Replace the speaker turns of a document: (start token, end token, speaker).

    RAISES (ValueError): If offsets are not those of some tokens, or a speaker is no string. The document is as it was.
    """
    checked = check_labelled(doc, turns, "turns", "speaker")
    spans = [Span(doc, start, end, label=speaker) for start, end, speaker in checked]
    doc.spans[key] = SpanGroup(doc, name=key, spans=spans)


def get_speaker_markers(doc: Doc, key: str = SPEAKER_MARKERS_KEY) -> list[tuple[int, int]]:
    """The speaker markers of a document: (start token, end token)."""
    markers = read_group(doc, key) if key in doc.spans else ()
    return [(marker.start, marker.end) for marker in markers]


def set_speaker_markers(doc: Doc, markers: Sequence[tuple[int, int]], key: str = SPEAKER_MARKERS_KEY) -> None:
    """Replace the speaker markers of a document: (start token, end token).

    RAISES (ValueError): If offsets are not those of some tokens. The document is as it was.
    """
    checked = check_spans(doc, markers, "markers")
    doc.spans[key] = SpanGroup(doc, name=key, spans=[Span(doc, start, end) for start, end in checked])
