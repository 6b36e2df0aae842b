"""The frames of a sentence, one line per predicate: the words of the frame, each argument in a box with its role.

A line starts with the first word of its frame and ends with the last, which keeps lines short in long sentences. An
argument that is a mention has the number of its cluster.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple

from spacy.tokens import Span

from ...annotation import PREDICATE_LABEL
from ...annotation.glossary import ROLES
from ...extensions import SrlFrame
from .boxes import Words, boxed
from .clusters import COLORS, ShownMention, find_mention, render_list

CONTINUED_OR_REFERRING = re.compile(r"^[CR]-")
PROPBANK_ROLE = re.compile(r"A(?:RG)?((?P<number>[0-5])|(?P<adjunct>M\b.*))")  # CoNLL-2005 writes A0, AM-TMP


class ShownArgument(NamedTuple):
    """A span of a frame with its role, what that is, its probability if known, and the mention that it is, if it is
    one."""

    role: str
    description: str
    score: float | None
    mention: ShownMention | None


def render_frames(
    words: Words,
    sentence: Span,
    frames: Sequence[SrlFrame],
    starting: Mapping[int, Sequence[ShownMention]] | None = None,
) -> str:
    """The frames of a sentence, each named by its roleset or else by its predicate; empty if there are none.

    words (Words): The words of the document.
    sentence (Span): The sentence.
    frames (Sequence[SrlFrame]): Its frames.
    starting (Mapping[int, Sequence[ShownMention]] | None): The mentions that are shown, by their first tokens.
    RETURNS (str): The markup.
    """
    lines = []
    for frame in frames:
        line = _render_frame(words, sentence, frame, starting or {})
        name = f"<dt{_attribute('meaning', frame.meaning)}>{escape(frame.title)}</dt>"
        lines.append(f'<div class="frame{" auxiliary" if frame.is_auxiliary else ""}">{name}<dd>{line}</dd></div>')
    return "\n".join(['<dl class="frames">', *lines, "</dl>"]) if lines else ""


def render_roles(frames: Iterable[SrlFrame]) -> list[str]:
    """A list of the roles that occur, the most frequent first, each with what it says where PropBank has it."""
    counts = Counter(CONTINUED_OR_REFERRING.sub("", role) for frame in frames for role in frame.arguments)
    entries = []
    for role, count in counts.most_common():
        propbank = PROPBANK_ROLE.fullmatch(role)
        meaning = ROLES.get(f"ARG{propbank[1]}" if propbank else role, "")
        entries.append(
            f'<li><span class="rolename {role_look(role)}">{escape(role)}</span> {meaning} <small>{count}</small></li>'
        )
    return render_list("ul", "Roles", entries, "roles")


def role_look(role: str) -> str:
    """The class of the colour of a role: the same for C-ARG1 and R-ARG1 as for ARG1, and one for all adjuncts."""
    family = CONTINUED_OR_REFERRING.sub("", role)
    if family == PREDICATE_LABEL:
        return "predicate"
    propbank = PROPBANK_ROLE.fullmatch(family)
    if propbank and propbank["adjunct"]:
        return "adjunct"
    return f"k{int(propbank['number']) if propbank else zlib.crc32(family.encode()) % COLORS}"


def _render_frame(words: Words, sentence: Span, frame: SrlFrame, starting: Mapping[int, Sequence[ShownMention]]) -> str:
    """The words from the first to the last of a frame, with dots if the sentence has more words."""
    labelled = frame.labelled_spans()
    start, end = min(span.start for span, _ in labelled), max(span.end for span, _ in labelled)
    before, after = words.has_words(sentence.start, start), words.has_words(end, sentence.end)
    scores: Sequence[float | None] = frame.scores or [None] * len(labelled)
    boxes = [
        (span.start, span.end, ShownArgument(role, frame.description(role), score, find_mention(span, starting)))
        for (span, role), score in zip(labelled, scores, strict=True)
    ]
    line = boxed(words, start, end, boxes, _open_box)
    return f"{'… ' if before else ''}{line}{' …' if after else ''}"


def _open_box(argument: ShownArgument, height: int, resumed: bool) -> str:
    attributes, name = _role_markup(argument.role)
    known = "" if argument.score is None else f' data-score="{argument.score:.3f}"'
    box = f"<mark {attributes}{known}{_attribute('description', argument.description)}>"
    if resumed:
        return box
    mention = argument.mention
    number = f'<i class="number {mention.shown.look}" {mention.data}></i>' if mention else ""
    return box + name + number


@lru_cache(maxsize=1024)
def _role_markup(role: str) -> tuple[str, str]:
    """The attributes of a box with a role, and what stands in it first."""
    return f'class="role {role_look(role)}" data-role="{escape(role)}"', f"<b>{escape(role)}</b>&nbsp;"


def _attribute(name: str, value: str) -> str:
    """Data of an element, if there is any."""
    return f' data-{name}="{escape(value)}"' if value else ""
