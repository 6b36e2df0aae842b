"""The frames of a sentence, one line per predicate: the words of the frame, each argument in a box with its role.

displaCy's labels are wider than short words and would overlap, so this module has its own markup. A line
starts with the first word of its frame and ends with the last, which keeps lines short in long sentences.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from html import escape

from spacy.tokens import Span

from ..annotation import PREDICATE_LABEL
from ..extensions import SrlFrame
from .html_page import color_class

PREDICATE_COLOR = "#ffd54a"
ADJUNCT_COLOR = "#e4e4e4"
CONTINUED_OR_REFERRING = re.compile(r"^[CR]-")
PROPBANK_ROLE = re.compile(r"A(?:RG)?(?:(?P<number>\d)|(?P<adjunct>M\b.*))")  # CoNLL-2005 writes A0, AM-TMP
HUES = (205, 110, 325, 25, 260, 165)  # degrees, of ARG0 to ARG5


def render_frames(sentence: Span, frames: Sequence[SrlFrame]) -> str:
    """The frames of a sentence, each named by its roleset or else by its predicate; empty if there are none."""
    lines = [
        f"<dt>{escape(frame.roleset or frame.predicate.text)}</dt><dd>{_render_frame(sentence, frame)}</dd>"
        for frame in frames
    ]
    return "\n".join(['<dl class="frames">', *lines, "</dl>"]) if lines else ""


def role_color(role: str) -> str:
    """A CSS colour for a role: the same for C-ARG1 and R-ARG1 as for ARG1, and one for all adjuncts."""
    family = CONTINUED_OR_REFERRING.sub("", role)
    if family == PREDICATE_LABEL:
        return PREDICATE_COLOR
    propbank = PROPBANK_ROLE.fullmatch(family)
    if propbank and propbank["adjunct"]:
        return ADJUNCT_COLOR
    hue = HUES[int(propbank["number"]) % len(HUES)] if propbank else zlib.crc32(family.encode()) % 360
    return f"hsl({hue}, 80%, 86%)"


def _render_frame(sentence: Span, frame: SrlFrame) -> str:
    """The words from the first to the last of a frame, with dots if the sentence has more words."""
    labelled = frame.labelled_spans()
    words = sentence.doc[min(span.start for span, _ in labelled) : max(span.end for span, _ in labelled)]
    before, after = sentence.doc[sentence.start : words.start], sentence.doc[words.end : sentence.end]
    return f"{'… ' if _has_words(before) else ''}{_boxed(words, labelled)}{' …' if _has_words(after) else ''}"


def _has_words(span: Span) -> bool:
    return any(character.isalnum() for character in span.text)


def _boxed(words: Span, labelled: Sequence[tuple[Span, str]]) -> str:
    """Words with a box around each labelled span, its label first.

    Spans may nest and even cross: of two that cross, the later one continues in a second box without a label.
    """
    starting: dict[int, list[tuple[Span, str]]] = {}
    for span, label in sorted(labelled, key=lambda item: -len(item[0])):
        starting.setdefault(span.start, []).append((span, label))
    pieces: list[str] = []
    opened: list[tuple[Span, str]] = []  # boxes around the token, the outermost first
    space = ""
    for token in words:
        kept = next((depth for depth, (span, _) in enumerate(opened) if span.end <= token.i), len(opened))
        resumed = [(span, label) for span, label in opened[kept:] if span.end > token.i]
        started = starting.get(token.i, [])
        pieces += ["</mark>"] * (len(opened) - kept) + [space]
        pieces += [_open_box(label) for _, label in resumed]
        pieces += [f"{_open_box(label)}<b>{escape(label)}</b>&nbsp;" for _, label in started]
        pieces.append(escape(token.text))
        opened[kept:] = resumed + started
        space = token.whitespace_
    return "".join([*pieces, *["</mark>"] * len(opened)])


def _open_box(label: str) -> str:
    return f'<mark class="{color_class(role_color(label))}">'
