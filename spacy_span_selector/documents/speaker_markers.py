"""Speakers as words: `<speaker> NAME </speaker>` before each change of speaker, put in and taken out.

So an encoder that only reads text learns who speaks (Wu et al. 2020, CorefQA). The components of this package select
no span that touches a marker.
"""

from __future__ import annotations

from spacy.tokens import Doc

from ..annotation import SPEAKER_MARKS, get_speaker_markers, get_speakers, set_speaker_markers
from .rebuilt import rebuild_doc


def insert_speaker_markers(doc: Doc) -> Doc:
    """Put a marker before each turn in `doc.spans["speakers"]` whose speaker is not that of the turn before.

    A name is as many tokens as it has words; a turn without a name, or without tokens, gets no marker. Everything
    else that is annotated keeps its place, and `remove_speaker_markers` restores it. A marker in the midst of a
    sentence leaves it one sentence of `doc.sents`; the components take the words on each side as a sentence of
    their own.

    doc (Doc): The document, which is not modified.
    RETURNS (Doc): A new document, whose `doc.spans["speaker_markers"]` says where they are; the document itself if it
        has them already, or has no speakers.
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
    """Take the markers of speakers out of a document; who speaks is still in `doc.spans["speakers"]`.

    Spans that hold markers keep their other tokens, and spans that are nothing else are lost.

    doc (Doc): The document, which is not modified.
    RETURNS (Doc): A new document; the document itself if it has no markers.
    """
    inside = {i for start, end in get_speaker_markers(doc) for i in range(start, end)}
    if not inside:
        return doc
    return rebuild_doc(doc, [i for i in range(len(doc)) if i not in inside])
