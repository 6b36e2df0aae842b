"""Documents from turns of a dialogue, and speaker markers: `<speaker> NAME </speaker>` before each change of speaker.

Markers tell an encoder, which only reads text, who speaks (Wu et al. 2020, CorefQA). The components of this package
select no span that touches a marker.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..annotation import (
    SPEAKER_MARKERS_KEY,
    SPEAKER_MARKS,
    get_speaker_markers,
    get_speakers,
    set_speaker_markers,
    set_speakers,
)
from ..documents.rebuilt import rebuild_doc
from ..documents.tokenized import make_doc


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
    without = rebuild_doc(doc, [i for i in range(len(doc)) if i not in inside])
    del without.spans[SPEAKER_MARKERS_KEY]
    return without


def doc_from_turns(nlp: Language, turns: Iterable[tuple[str, str]], *, markers: bool = False) -> Doc:
    """Make a document of a dialogue, for a pipeline to annotate: `nlp(doc_from_turns(nlp, [("Ann", "I saw him.")]))`.

    Each turn starts a sentence. Speaker markers, the words `<speaker> NAME </speaker>` before each change of speaker,
    tell an encoder who speaks that has seen them in training. The components of this package select nothing in them,
    and `remove_speaker_markers` removes them.

    nlp (Language): The pipeline, whose tokenizer splits the text.
    turns (Iterable[tuple[str, str]]): Speaker and text of each turn, in order. White space around them is dropped.
    markers (bool): Whether to insert speaker markers, for a pipeline that was trained with them.
    RETURNS (Doc): The document, with turns in `doc.spans["speakers"]`, and markers in `doc.spans["speaker_markers"]`.
    RAISES (ValueError): If there are no turns, or a turn is not a pair of a name and a text, neither of them empty, or
        the tokenizer can't split its text.
    """
    if not isinstance(turns, Iterable):
        raise ValueError(f'The turns are {turns!r}; expected a list of them, such as [("Ann", "I saw him.")].')
    docs, spans = [], []
    start = 0
    for number, turn in enumerate(turns, start=1):
        name, text = _check_turn(turn, number)
        doc = _tokenize(nlp, text, number)
        doc[0].is_sent_start = True
        docs.append(doc)
        spans.append((start, start + len(doc), name))
        start += len(doc)
    joined = Doc.from_docs(docs)
    if joined is None:
        raise ValueError('There are no turns to make a document of; expected some, such as [("Ann", "I saw him.")].')
    set_speakers(joined, spans)
    return insert_speaker_markers(joined) if markers else joined


def _tokenize(nlp: Language, text: str, number: int) -> Doc:
    try:
        doc = make_doc(nlp, text)
    except ValueError as error:  # such as a text that is too long, or half of a character
        raise ValueError(f"Turn {number}, {text[:60]!r}, can't be split into words: {error}") from error
    if not len(doc):
        raise ValueError(f"Turn {number}, {text[:60]!r}, has no word for the tokenizer. Leave out turns without words.")
    return doc


def _check_turn(turn: Any, number: int) -> tuple[str, str]:
    pair = list(turn) if isinstance(turn, tuple | list) else []
    if len(pair) != 2 or not all(isinstance(part, str) for part in pair):
        raise ValueError(f'Turn {number} is {turn!r}; expected a name and a text, such as ("Ann", "I saw him.").')
    name, text = (part.strip() for part in pair)
    for what, part in (("name", name), ("text", text)):
        if not part:
            raise ValueError(
                f"Turn {number}, {turn!r}, has no {what}. "
                + ("Name each speaker, if only by a letter." if what == "name" else "Leave out turns without words.")
            )
    return " ".join(name.split()), text
