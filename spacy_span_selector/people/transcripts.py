"""Documents from texts that say who speaks: dialogues, chats, mails, plays. The text stays as it is."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias, cast

import numpy as np
from spacy.attrs import IDX, IS_SPACE, LENGTH
from spacy.language import Language
from spacy.tokens import Doc
from thinc.types import Ints2d

from ..annotation import SPEAKERS_KEY, get_speakers, set_speakers
from ..annotation.checks import show
from ..documents.labels import ONLY_STAMP, TALK, Label, find_labels
from ..documents.lines import Block, header_lines, read_blocks
from .captions import TAG, Captions, Place, find_captions, hide
from .letters import Turn, read_letter
from .tokenized import make_doc

Words: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

KINDS: dict[str, Sequence[str]] = {
    "chat": ("chat", "stamped", "angle", "bracket", "prompt"),
    "dialogue": ("colon", "heading"),
    "email": (),
    "play": ("period", "alone", "colon"),
}
"""The kinds of transcripts, and the styles of their labels."""

CHATS = (*KINDS["chat"], "heading")
"""The styles of texts that have no stage directions."""

PROBE, MOST_LINES = 20_000, 8
"""Unasked, so many characters are searched for turns, which have so many lines on average, at most."""
UNSEEN = dict.fromkeys([0xFEFF, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], " ") | {13: "\n"}
"""A byte order mark, marks of the direction of writing, which messengers put around names, and ends of lines."""
FROM = re.compile(r"from\s*:\s*(.*)", re.IGNORECASE)
ADDRESS = re.compile(r"[<(\[](?:mailto:)?[^<>()\[\]\s]+@[^<>()\[\]\s]+[>)\]]")
WROTE = re.compile(r"On\s((?:[^\n]|\n(?!\s*\n)){1,200}?)\swrote:\s*$", re.MULTILINE)
BEFORE_NAME = re.compile(r".*(?:\d|,|\b[AaPp]\.?[Mm]\b\.?)\s*", re.DOTALL)
FORWARDED = re.compile(r"-{2,}\s?\w[^\n]*?-{2,}|Begin forwarded message:")
IN_BRACKETS = r"\[[^\[\]]*\]|\A\s*\([^()]*\)|^[^\S\n]*\([^()]*\)[^\S\n]*$"
DIRECTION = re.compile(IN_BRACKETS, re.MULTILINE)
DIRECTION_IN_PLAY = re.compile(rf"{IN_BRACKETS}|^[^\S\n]*_?(?:Enter|Re-enter|Exit|Exeunt)\b[^\n]*$", re.MULTILINE)
SCENE = re.compile(r"(?:ACT|SCENE|PROLOGUE|EPILOGUE|INT|EXT|FADE|CUT|THE END|CURTAIN|(?:Act|Scene) [IVX\d]+)\b")
SCREENPLAY = re.compile(r"^[^\S\n]*(?:INT|EXT)[./ ]", re.MULTILINE)


def doc_from_transcript(nlp: Language, text: str, kind: str | None = None) -> Doc:
    """Make a document of a text that says who speaks, and annotate it: `nlp(doc_from_transcript(nlp, text))`.

    Turns are found in dialogues (`Ann: Hi.`, `user: hi`, `**Ann:** hi`, `Q. Why?`), in chats (`[12:03] Ann: hi`,
    `<ann> hi`, `[Ann] hi`), in captions (WebVTT, SRT), in mails, whose body is the sender's until a mail that it
    forwards or answers, and in plays (`HAMLET. To be`, or the name in capitals in a line of its own). Labels, headers
    and the times of cues are sentences of their own, outside of the turn, and nobody speaks stage directions.

    kind (str | None): One of "chat", "dialogue", "email" and "play"; None for what is found.
    RETURNS (Doc): The document: its text is `text`, and the words of turns are in `doc.spans["speakers"]`.
    RAISES (ValueError): If no turns are found, the kind is none of these, or the text can't be split into words.
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(f"The kind of a transcript is {kind!r}; expected one of {', '.join(KINDS)}, or None.")
    if not isinstance(text, str):
        raise ValueError(f"The text of a transcript is {show(text)}; expected a string.")
    try:
        doc = read_transcript(nlp, text, kind)
    except ValueError as error:  # such as a text that is too long, or half of a character
        raise ValueError(f"The text starting {text[:40]!r} can't be split into words: {error}") from error
    if not doc.spans.get(SPEAKERS_KEY):
        raise ValueError(
            f"No turns of {kind or 'a dialogue, a chat, a mail or a play'} were found in the text starting "
            f"{text[:40]!r}. Expected lines such as 'Ann: Hi.', '[12:03] Ann: hi', 'From: Ann' or 'HAMLET. To be'. "
            "Name its kind, give its turns to doc_from_turns, or annotate it as plain text: nlp(text)."
        )
    return doc


def read_transcript(nlp: Language, text: str, kind: str | None = None) -> Doc:
    """Make a document of a text, with speakers, whose sentences start at labels and turns, if it has turns.

    kind (str | None): One of `KINDS`; None for what is found.
    """
    labels, turns = read_turns(text, kind)
    doc = make_doc(nlp, text)
    if turns:
        tags = {place for turn in turns for place in turn.directions if TAG.fullmatch(text, *place)}
        directions = [place for turn in turns for place in turn.directions]
        doc = _split_at(nlp, doc, text, [*labels, *(turn[1:3] for turn in turns), *directions], tags)
        set_turns(doc, turns, labels)
    return doc


def _split_at(nlp: Language, doc: Doc, text: str, places: Sequence[Place], tags: Collection[Place]) -> Doc:
    """A document without words that are partly in one of some places; each tag is a word, and "<i>" no "i"."""
    offsets, lengths, is_space = doc.to_array([IDX, LENGTH, IS_SPACE]).astype(np.int64).T
    edges = np.array(places)
    words = np.searchsorted(offsets, edges, side="right") - 1
    inside = (edges > offsets[words]) & (edges < (offsets + lengths)[words]) & (is_space[words] == 0)
    cuts = sorted({0, len(text), *edges[inside].tolist(), *(edge for tag in tags for edge in tag)})
    docs = []
    for start, end in pairwise(cuts):
        piece = text[start:end]
        word = piece.rstrip()
        is_tag = (start, end) in tags
        docs.append(Doc(nlp.vocab, [word], [word != piece]) if is_tag else make_doc(nlp, piece))
    return doc if len(docs) < 2 else Doc.from_docs(docs, ensure_whitespace=False)


def read_turns(text: str, kind: str | None = None) -> tuple[list[Place], list[Turn]]:
    """Find labels and turns in a text.

    kind (str | None): One of `KINDS`; None for what is found.
    RETURNS (tuple[list[Place], list[Turn]]): The characters of labels and headers, and the turns, in order.
    """
    text = text.replace("\r\n", " \n").translate(UNSEEN)
    captions = find_captions(text)
    text = hide(text, sorted({*captions.cues, *captions.tags, *(label[:2] for label in captions.changes)}))
    blocks = read_blocks(text)
    if kind == "email" or (kind is None and any(_is_of_mail(text, block) for block in blocks)):
        return _read_mails(text, blocks)
    labels = captions.changes
    if not any(label.name for label in labels):
        labels = sorted([*labels, *(find_labels(blocks) if kind is None else find_labels(blocks, KINDS[kind]))])
    if not any(label.name for label in labels):
        return [], []
    return _read_labelled(text, blocks, labels, captions)


def _read_labelled(
    text: str, blocks: Sequence[Block], labels: Sequence[Label], captions: Captions
) -> tuple[list[Place], list[Turn]]:
    """Turns that last from a label to the next one, or to what is no turn in a play."""
    style = next(label.style for label in labels if label.name)
    scenes: list[int] = []
    if style not in CHATS:
        scenes = [block[0].start for block in blocks if SCENE.match(block[0].text)]
    if style == "alone" and SCREENPLAY.search(text):  # what comes after a blank line is told
        scenes += [block[0].start for block in blocks]
    starts = {label.start for label in labels}
    ends = sorted([*starts, *(scene for scene in scenes if scene not in starts), len(text)])
    hidden = [] if style == "voice" else captions.cues
    if style not in CHATS:
        hidden = hidden + [
            (line.start, line.start + len(line.text))
            for block in blocks
            for line in block
            if ONLY_STAMP.fullmatch(line.text)
        ]
    places = sorted([*hidden, *(label[:2] for label in labels)])
    hidden = sorted([*hidden, *captions.tags])
    turns = []
    for label, place in zip(
        labels, np.searchsorted(ends, [label.start for label in labels], side="right").tolist(), strict=True
    ):
        if label.name:
            end = label.end + len(text[label.end : ends[place]].rstrip())
            inside = hidden[bisect_left(hidden, (label.end,)) : bisect_left(hidden, (end,))]
            directions = _join_places([*_find_directions(text[label.end : end], label), *inside])
            turns.append(Turn(label.name, label.end, end, directions))
    return places, _join_turns(turns, hide(text, places)) if captions.cues else turns


def _find_directions(spoken: str, label: Label) -> Iterator[Place]:
    if label.style not in CHATS:
        rule = DIRECTION_IN_PLAY if label.style in KINDS["play"][:2] else DIRECTION
        for match in rule.finditer(spoken):
            yield label.end + match.start(), label.end + match.end()


def _join_places(places: Sequence[Place]) -> tuple[Place, ...]:
    """The characters that are in any of some places."""
    joined: list[Place] = []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            start, end = joined[-1][0], max(joined.pop()[1], end)
        joined.append((start, end))
    return tuple(joined)


def _join_turns(turns: Sequence[Turn], spoken: str) -> list[Turn]:
    """Turns of one speaker as one where a new cue is all that is between them."""
    groups: list[list[Turn]] = []
    for turn in turns:
        last = groups[-1][-1] if groups else None
        if last and last.name == turn.name and not spoken[last.end : turn.start].strip():
            groups[-1].append(turn)
        else:
            groups.append([turn])
    joined = []
    for group in groups:
        gaps = [(turn.end, after.start) for turn, after in pairwise(group)]
        directions = sorted([*gaps, *(place for turn in group for place in turn.directions)])
        joined.append(Turn(group[0].name, group[0].start, group[-1].end, tuple(directions)))
    return joined


def _read_mails(text: str, blocks: Sequence[Block]) -> tuple[list[Place], list[Turn]]:
    """Turns of the senders of mails, and of those who are said to have written the quoted lines."""
    labels: list[Place] = []
    turns: list[Turn] = []
    names = {False: "", True: ""}  # of who has written the lines that come, those not quoted and those that are
    for block in blocks:
        headers = set(header_lines(block))
        wrote = 0  # where the words "On Monday Ann wrote:" end
        for i, line in enumerate(block):
            place = (line.start, line.start + len(line.text))
            is_quoted = line.first < line.start
            if i in headers:
                labels.append(place)
                if i - 1 not in headers:
                    names |= {True: ""} if is_quoted else {True: "", False: ""}
                if match := FROM.match(line.text):
                    names[is_quoted] = _read_sender(match[1])
            elif i - 1 in headers and line.indent and not is_quoted:  # goes on a long header
                headers.add(i)
                labels[-1] = (labels[-1][0], place[1])
            elif FORWARDED.match(line.text):
                labels.append(place)
                names[is_quoted] = ""
            elif match := WROTE.match(text, line.start):
                wrote = match.end()
                labels.append((line.start, wrote))
                names[True] = _read_writer(match[1])
                if not text[wrote:].lstrip().startswith(">"):
                    names[False] = names[True]
            elif line.start >= wrote:
                start, name = line.first, names[is_quoted]
                if turns and turns[-1].name == name and (not labels or labels[-1][0] < turns[-1].start):
                    start = turns.pop().start
                turns.append(Turn(name, start, place[1]))
    return labels, [turn for turn in turns if turn.name]


def _is_of_mail(text: str, block: Block) -> bool:
    """Check whether a block says who has written something."""
    return any(FROM.match(block[i].text) for i in header_lines(block)) or any(
        WROTE.match(text, line.start) is not None for line in block
    )


def _read_sender(text: str) -> str:
    """The name in what a header says of the sender; the address if it has none."""
    name = " ".join(ADDRESS.sub("", text).replace('"', "").split())
    return name or text.strip(" <>[]()")


def _read_writer(text: str) -> str:
    """The name in "On Monday, 6 May 2024 at 10:12 AM Ann Lee <ann@example.org> wrote:"."""
    name = " ".join(BEFORE_NAME.sub("", ADDRESS.sub("", text)).split())
    return name or " ".join(text.split())


def set_turns(doc: Doc, turns: Sequence[Turn], labels: Sequence[Place] = ()) -> None:
    """Set the speakers of a document, and the starts of sentences at turns and labels; a label is one sentence.

    turns (Sequence[Turn]): The turns, by the characters of its text.
    labels (Sequence[tuple[int, int]]): The characters of the labels.
    """
    find_words, words, offsets = _words_of(doc)
    values = np.zeros(len(doc), dtype=np.int64)
    for start, end in labels:
        inside = find_words(start, end)
        values[inside] = -1
        values[inside[:1]] = 1
        values[words[np.searchsorted(offsets, end) :][:1]] = 1
    for turn in turns:
        values[find_words(turn.start, turn.end)[:1]] = 1
        for part in _spoken(turn, find_words)[:1]:
            values[part[0]] = 1
    # At once: spaCy searches the whole document when the start of a sentence is set at a token.
    doc.from_array("SENT_START", cast(Ints2d, values.astype(np.uint64)))
    _set_spoken(doc, turns, find_words)


def notice_turns(doc: Doc) -> None:
    """Set the speakers of a document that has none, if its text is a letter, or its lines tell that it is a chat, a
    play or a mail; its tokens and sentences stay."""
    if get_speakers(doc):
        return
    text = doc.text
    turns = read_turns(text)[1] if _is_talk(text[:PROBE]) else read_letter(text, doc.vocab)
    if turns:
        _set_spoken(doc, turns, _words_of(doc)[0])


def _is_talk(text: str) -> bool:
    """Check whether nearly all of a text is talk by its labels, or it starts like a mail; a novel has few labels."""
    turns = read_turns(text)[1]
    names = {turn.name for turn in turns}
    blocks = read_blocks(text)
    if turns and _is_of_mail(text, blocks[0]):
        return True
    talk = sum(TALK.search(text, turn.start, turn.end) is not None for turn in turns)
    is_dense = MOST_LINES * len(turns) >= sum(map(len, blocks))
    return len(names) > 1 and is_dense and (len(turns) > len(names) or talk > 1)  # and not the keys of a record


def _words_of(doc: Doc) -> tuple[Callable[[int, int], Words], Words, Words]:
    """What finds the words of some characters; all words, and where they start."""
    offsets, is_space = doc.to_array([IDX, IS_SPACE]).astype(np.int64).T
    words = np.flatnonzero(is_space == 0)
    offsets = offsets[words]
    return lambda start, end: words[slice(*np.searchsorted(offsets, (start, end)))], words, offsets


def _spoken(turn: Turn, find_words: Callable[[int, int], Words]) -> list[Words]:
    """The words of each part of a turn between its directions."""
    edges = [turn.start, *(edge for place in turn.directions for edge in place), turn.end]
    parts = [find_words(*pair) for pair in zip(edges[::2], edges[1::2], strict=True)]
    return [part for part in parts if len(part)]


def _set_spoken(doc: Doc, turns: Sequence[Turn], find_words: Callable[[int, int], Words]) -> None:
    spoken = [(int(part[0]), int(part[-1]) + 1, turn.name) for turn in turns for part in _spoken(turn, find_words)]
    set_speakers(doc, spoken)
