"""Speaker markers, `<speaker> NAME </speaker>` before each change of speaker: inserted and removed.

They tell an encoder, which only reads text, who speaks (Wu et al. 2020, CorefQA). The components of this package select
no span that touches a marker.
"""

from __future__ import annotations

from spacy.tokens import Doc

from ..annotation import SPEAKER_MARKS, get_speaker_markers, get_speakers, set_speaker_markers
from .rebuilt import rebuild_doc


def insert_speaker_markers(doc: Doc) -> Doc:
    """Insert a marker before each turn in `doc.spans["speakers"]` whose speaker differs from that of the turn before.

    Each word of a name is a token. A turn without a name, or without tokens, gets no marker. All other annotation keeps
    its words, and `remove_speaker_markers` restores the document. A sentence with a marker inside stays one sentence of
    `doc.sents`, but the components treat the words on each side of the marker as a sentence of its own.

    doc (Doc): The document, which is not modified.
    RETURNS (Doc): A new document, with its markers in `doc.spans["speaker_markers"]`; the document itself if it has
        markers already, or has no speakers.
    """
    names: dict[int, str] = {}
    speaker = ""
    for start, end, name in sorted(get_speakers(doc), key=lambda turn: turn[:2]):
        if start == end:
            continue
        name = " ".join(name.split())
        if name and name != speaker:
            names[start] = name
        speaker = name
    if not names or get_speaker_markers(doc):
        return doc
    tokens: list[int | str] = []
    markers = []
    for i in range(len(doc)):
        if i in names:
            marker = [SPEAKER_MARKS[0], *names[i].split(), SPEAKER_MARKS[1]]
            markers.append((len(tokens), len(tokens) + len(marker)))
            tokens += marker
        tokens.append(i)
    marked = rebuild_doc(doc, tokens)
    set_speaker_markers(marked, markers)
    return marked


def remove_speaker_markers(doc: Doc) -> Doc:
    """Remove the speaker markers from a document, but not its turns in `doc.spans["speakers"]`.

    Spans around markers keep their other tokens, and spans of nothing but markers are lost.

    doc (Doc): The document, which is not modified.
    RETURNS (Doc): A new document; the document itself if it has no markers.
    """
    inside = {i for start, end in get_speaker_markers(doc) for i in range(start, end)}
    if not inside:
        return doc
    return rebuild_doc(doc, [i for i in range(len(doc)) if i not in inside])
