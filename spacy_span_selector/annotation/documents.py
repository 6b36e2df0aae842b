"""What a document is called, and who speaks in it.

Speakers, where known, are the labels of the turns in `doc.spans["speakers"]`; the name of a document
is `doc.user_data["title"]`.
"""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc, Span, SpanGroup

SPEAKERS_KEY = "speakers"
TITLE_KEY = "title"  # in doc.user_data; displaCy reads the same key


def describe_doc(doc: Doc) -> str:
    """Name a document in a message: its title if it has one, otherwise its first words."""
    title = doc.user_data.get(TITLE_KEY)
    if title:
        return f"document {title!r}"
    opening = doc[:8].text
    return f"document starting {opening!r}" if opening else "an empty document"


def get_speakers(doc: Doc, key: str = SPEAKERS_KEY) -> list[tuple[int, int, str]]:
    """The speaker turns of a document: (start token, end token, speaker)."""
    return [(turn.start, turn.end, turn.label_) for turn in doc.spans.get(key, ())]


def set_speakers(doc: Doc, turns: Sequence[tuple[int, int, str]], key: str = SPEAKERS_KEY) -> None:
    """Replace the speaker turns of a document: (start token, end token, speaker)."""
    spans = [Span(doc, start, end, label=speaker) for start, end, speaker in turns]
    doc.spans[key] = SpanGroup(doc, name=key, spans=spans)
