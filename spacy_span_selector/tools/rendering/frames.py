"""The frames of a sentence, one line per predicate: the words of the frame, each argument in a box with its role.

A line starts with the first word of its frame and ends with the last, which keeps lines short in long sentences. An
argument that is a mention has the number of its cluster.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple

from spacy.tokens import Span

from ...annotation import PREDICATE_LABEL
from ...annotation.glossary import ROLES
from ...extensions import SrlFrame
from .boxes import Part, TextMarkup, boxed, data
from .clusters import COLORS, Mentions, ShownMention, find_mention, render_list

CONTINUED_OR_REFERRING = re.compile(r"^[CR]-")
PROPBANK_ROLE = re.compile(r"A(?:RG)?((?P<number>[0-5])|(?P<adjunct>M\b.*))")  # CoNLL-2005 writes A0, AM-TMP


class ShownArgument(NamedTuple):
    """A span of a frame with its role, what that is, its probability if known, and the mention that it is, if any."""

    role: str
    description: str
    score: float | None
    mention: ShownMention | None

    def open_box(self, height: int, resumed: bool) -> str:
        role, mention = escape(self.role), self.mention
        known = data(score=self.score, description=self.description)
        box = f'<mark class="role {role_look(self.role)}" data-role="{role}"{known}>'
        if resumed:
            return box
        number = f'<i class="number {mention.shown.look}"{mention.data}></i>' if mention else ""
        return f"{box}<b>{role}</b>&nbsp;{number}"


def render_frames(text: TextMarkup, sentence: Span, frames: Sequence[SrlFrame], mentions: Mentions) -> str:
    """The frames of a sentence, each named by its roleset or else by its predicate; empty if there are none."""
    lines = []
    for frame in frames:
        name = f"<dt{data(meaning=frame.meaning)}>{escape(frame.title)}</dt>"
        line = _render_frame(text, sentence, frame, mentions)
        lines.append(f'<div class="frame{" auxiliary" if frame.is_bare else ""}">{name}<dd>{line}</dd></div>')
    return "\n".join(['<dl class="frames">', *lines, "</dl>"]) if lines else ""


def render_roles(frames: Iterable[SrlFrame]) -> list[str]:
    """A list of the roles that occur, the most frequent first, each with what it says where PropBank has it."""
    counts = Counter(CONTINUED_OR_REFERRING.sub("", role) for frame in frames for role in frame.arguments)
    entries = []
    for role, count in counts.most_common():
        propbank = PROPBANK_ROLE.fullmatch(role)
        meaning = ROLES.get(f"ARG{propbank[1]}" if propbank else role, "")
        name = f'<span class="rolename {role_look(role)}">{escape(role)}</span>'
        entries.append(f"<li>{name} {meaning} <small>{count}</small></li>")
    return render_list("ul", "Roles", entries, "roles")


@lru_cache(maxsize=1024)
def role_look(role: str) -> str:
    """The class of the colour of a role: the same for C-ARG1 and R-ARG1 as for ARG1, and one for all adjuncts."""
    family = CONTINUED_OR_REFERRING.sub("", role)
    if family == PREDICATE_LABEL:
        return "predicate"
    propbank = PROPBANK_ROLE.fullmatch(family)
    if propbank and propbank["adjunct"]:
        return "adjunct"
    return f"k{int(propbank['number']) if propbank else zlib.crc32(family.encode()) % COLORS}"


def _render_frame(text: TextMarkup, sentence: Span, frame: SrlFrame, mentions: Mentions) -> str:
    """The words from the first to the last of a frame, with dots if the sentence has more words."""
    labelled = frame.labelled_spans()
    start, end = min(span.start for span, _ in labelled), max(span.end for span, _ in labelled)
    scores: Sequence[float | None] = frame.scores or [None] * len(labelled)
    parts: list[Part] = [
        (span.start, span.end, ShownArgument(role, frame.description(role), score, find_mention(span, mentions)))
        for (span, role), score in zip(labelled, scores, strict=True)
    ]
    before = "… " if text.has_words(sentence.start, start) else ""
    after = " …" if text.has_words(end, sentence.end) else ""
    return f"{before}{boxed(text, start, end, parts)}{after}"
