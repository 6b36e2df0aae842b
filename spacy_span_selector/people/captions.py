"""The cues of WebVTT and SubRip files: what in them is format, and whose voices they name.

Readers of such files return texts without their places. Here a text stays as it is, so its format is only found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..documents.cleaned import Place
from ..documents.labels import Label
from ..documents.lines import Block, read_blocks

MOMENT = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
TIMING = re.compile(rf"\[{MOMENT} --> {MOMENT}\]|{MOMENT}[^\S\n]+-->.*")
NO_CUE = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)(?:\s|$)")
TAG = re.compile(r"</?[a-z][^<>\n]{0,100}> ?|<[\d:.]+> ?|\{\\[^{}\n]{0,100}\} ?")
VOICE = re.compile(r"<v(?:\.[^\s<>]{0,40})?[^\S\n]+([^<>\n]{1,80})>\s*|</v>")
CHANGE = re.compile(r"^[^\S\n]*(?:>{2,3}|[-–](?!-))[^\S\n]*(?=\S)", re.MULTILINE)


class Captions(NamedTuple):
    """What of a text is the format of captions; nothing of other texts.

    cues (list[Place]): Numbers and times of cues, and what is in no cue.
    tags (list[Place]): Tags within lines.
    changes (list[Label]): Where somebody begins or ceases to speak: voices, and the dashes of two who share a cue.
    """

    cues: list[Place]
    tags: list[Place]
    changes: list[Label]


def find_captions(text: str) -> Captions:
    """Find the cues of a text, and the voices; a text without cues has voices if two lines begin with one."""
    blocks = read_blocks(text)
    others = NO_CUE if blocks and blocks[0][0].text.startswith("WEBVTT") else None
    cues = [place for block in blocks for place in _find_cues(block, others)]
    if not any(map(TIMING.search, (text[start:end] for start, end in cues))):
        cues = []
    if not cues and sum(VOICE.match(line.text) is not None for block in blocks for line in block) < 2:
        return Captions([], [], [])
    text = hide(text, cues)
    changes = [
        Label(match.start(), match.end(), " ".join((match[1] or "").split()), "voice") for match in VOICE.finditer(text)
    ]
    text = hide(text, [label[:2] for label in changes])
    tags = [match.span() for match in TAG.finditer(text)]
    if changes:
        changes += [Label(start, end, "", "voice") for start, end in cues]
    else:
        changes = [Label(*match.span(), "", "colon") for match in CHANGE.finditer(hide(text, tags))]
    return Captions(cues, tags, sorted(changes))


def _find_cues(block: Block, others: re.Pattern[str] | None) -> Iterator[Place]:
    """The numbers and times of cues in a block; all of it before them, if it is no cue."""
    start = block[0].start if others and others.match(block[0].text) else None
    for i, line in enumerate(block):
        if match := TIMING.match(line.text):
            if start is None:
                numbered = i and (block[i - 1].text.isdecimal() or (i == 1 and not line.text.startswith("[")))
                start = block[i - 1].start if numbered else line.start
            yield start, line.start + match.end()
            start = None
    if start is not None:
        yield start, block[-1].start + len(block[-1].text)


def hide(text: str, places: Iterable[Place]) -> str:
    """A text with spaces in some places, so that all others stay where they are."""
    parts, done = [], 0
    for start, end in places:
        start, end = max(start, done), max(end, done)  # a dash behind a tag has the spaces that this became
        parts += [text[done:start], re.sub(r"[^\n]", " ", text[start:end])]
        done = end
    return "".join([*parts, text[done:]])
