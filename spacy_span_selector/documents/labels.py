"""Find the labels that say who speaks: a few shapes of lines, one of which a text uses, as all its lines tell together.

A name that begins with a capital tells by itself. Any other word may stand before a colon: it is a name if several of
them take turns in a good part of the lines, and what they say looks like talk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from .lines import ITEM, SENTENCE_END, Block, Line, header_lines, is_wrapped

STYLES = ("chat", "stamped", "angle", "bracket", "prompt", "colon", "heading", "period", "alone")
"""How a text may say who speaks: "[12:03] Ann: hi"; "[12:03] Ann" before lines; "<ann> hi"; "[Ann] hi"; "ann> hi";
"Ann: hi", "**Ann:** hi", "Q. Why?"; "## Ann" before lines; "ANN. Hi"; "ANN" before lines."""

LONGEST_NAME, LONGEST_HANDLE = 5, 3
"""Names have at most so many words, and those in small letters."""
FEWEST_LINES = 3
"""One in so many lines begins with a label, at least, where names have no capitals."""
OTHER_THAN_LETTERS = "\u2600"
"""The first emoji: letters apart, names may begin with it or a later character."""

MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
DAY = (
    rf"(?:\d{{1,4}}[-./]\d{{1,2}}[-./]\d{{1,4}}|(?:\d{{1,2}}\.?[- ]{MONTH}|{MONTH} \d{{1,2}})(?:,?[- ]\d{{2,4}})?|"
    r"Today|Yesterday|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6})"
)
STAMP = rf"(?:{DAY}(?:,\s{{0,4}}|T|\s{{1,4}})(?:at\s)?)?\d{{1,2}}[:.]\d{{2}}(?:[:.]\d{{2}})?(?:\s?[AaPp]\.?[Mm]\b\.?)?"
ONLY_STAMP = re.compile(rf"\[{STAMP}\]|\({STAMP}\)|{STAMP}")
TIME = re.compile(rf"[*_]{{0,3}}(?:{ONLY_STAMP.pattern})(?:\s?[-–:])?\s+(?=\S)")
MORE = r"[^*:：\[\]<>()\"“”，。！？；\t]{0,39}?"  # of a name behind its first character
AFTER_NAME = r"\s{0,4}(?::[*_]{1,3}\s*|[:：][*_]{0,3}(?:\s+|$)|：\s*)"
CHAT_NAME = re.compile(
    rf"<\s*[@+%~&]?([^<>]{{1,40}}?)\s*>(?:\s+|$)|From\s+([^\s:]{MORE})(?:\s+to\s[^:]{{1,60}})?\s?:(?:\s+|$)|"
    rf"[*_]{{0,3}}([^\s:<>\[\]]{MORE})[*_]{{0,3}}(?:{AFTER_NAME}|\s?\t\s*)"
)
NAME_AND_TIME = re.compile(
    rf"[*_]{{0,3}}([^\s:\[\]()<>]{MORE})[*_]{{0,3}}(?P<gap>,?\s{{1,9}}(?:[-–—]\s)?)"
    rf"(?:(?P<bracket>\[{STAMP}\]|\({STAMP}\))\s?:?(?:\s+|$)|{STAMP}$)"
)
ONLY_NAME = re.compile(r"[^\s:<>\[\]][^:<>\[\]]{0,39}")
EVENT = re.compile(r"(?:\*{1,3}|-!-|-->|<--|--|==)\s")
COLON = re.compile(
    rf"[*_]{{0,3}}(?P<open>\[)?([^\s:：\[\]<>()\"“”#|]{MORE})(?(open)\]|(?P<aside>\s{{0,4}}[(\[][^)\]]{{1,40}}[)\]])?)"
    rf"[*_]{{0,3}}{AFTER_NAME}(?!https?:)"
)
LETTER = re.compile(r"([QAB]\.)\s+(?=\S)")
LETTERS = ("Q.", "A.", "B.")
"""Labels of questions and answers, as in court; with the last it is a list."""
OTHER_SHAPES = {
    "angle": re.compile(r"<\s?[@+%~&]?([^<>/\s][^<>/]{0,39}?)>\s+(?=\S)"),
    "bracket": re.compile(r"\[([^\[\]]{0,39}[^\[\].!?])\]\s+(?=\S)"),
    "prompt": re.compile(r"([^\s:<>\[\]()\"“”][^:<>\[\]()\"“”]{0,39})>\s+(?=\S)"),
    "heading": re.compile(r"#{1,6}\s+([^\s:#][^:#]{0,39}?)\s?:?$"),
}
PERIOD = re.compile(r"((?:(?:DR|MR|MRS|MS|ST)\. )?[^\W\d_][^\s.:]*(?: [^\s.:]+){0,3})\.\s+(?=\S)")
ALONE = re.compile(
    r"((?:(?:DR|MR|MRS|MS|ST)\. )?[^\W\d_][^.:()\[\]!?,;\"“”]{1,30}?)\.?(?:\s*[(\[][^)\]]{1,30}[)\]])?\.?"
)
NO_NAME = re.compile(
    r"(?:act|scene|prologue|epilogue|chapter|book|part|int|ext|fade|cut|the end|end|dramatis|persons|enter|exit|exeunt|"
    r"notes?|nb|ps|p\.s|tips?|warning|error|info|debug|fatal|todo|re|https?|ingredients|method|directions|instructions|"
    r"serves|title|author|subject|date|abstract|keywords|summary|name|address|phone|e-?mail|pros|cons|fig|figure|table)\b",
    re.IGNORECASE,
)
WITHIN_NAMES = frozenset({"of", "the", "and", "de", "la", "van", "von", "der", "&", "to", "a"})
ROLE = re.compile(
    r"(?:user|assistant|system|human|ai|bot|chatbot|agent|customer|client|caller|operator|speaker|host|guest|"
    r"interviewer|interviewee|therapist|patient|doctor|teacher|student|me|you|them)(?:[ _-]?\d{1,3}|[ _-][a-z])?",
    re.IGNORECASE,
)
HANDLE = re.compile(r"@?[^\W_][\w.'’&+-]*")
TALK = re.compile(
    r"[?!？！](?:\s|$)|\b(?:i|you|we|me|my|your|us|hi|hello|hey|yes|yeah|no|nope|ok|okay|thanks|thank|please|sorry|oh)\b",
    re.IGNORECASE,
)
FULL_STOP = re.compile(r"[.…。؟।]['\"’”)]*$")


class Label(NamedTuple):
    """The words before a turn that say who speaks.

    start, end (int): Where they are, with their punctuation.
    name (str): The speaker; empty if what follows is spoken by nobody.
    style (str): One of `STYLES`.
    said (str): The first line behind it.
    """

    start: int
    end: int
    name: str
    style: str
    said: str = ""


def find_labels(blocks: Sequence[Block], styles: Sequence[str] = STYLES) -> list[Label]:
    """The labels of turns, in the style that has the most; chats come first.

    styles (Sequence[str]): The styles to look for, if not for all.
    RETURNS (list[Label]): The labels, in order. Among all styles, a single one counts only at the start of the text.
    """
    found: dict[str, list[Label]] = {style: [] for style in styles}
    for block in blocks:
        wrapped = len(block) > 1 and is_wrapped(block)
        headers = set(header_lines(block))
        inside: dict[str, list[tuple[int, Label]]] = {style: [] for style in styles}
        for i, line in enumerate(block):
            after = block[i + 1] if i + 1 < len(block) else None
            for style in styles if i not in headers else ():
                if label := _read_label(line, after, style):
                    inside[style].append((i, label))
                    if label.name:
                        break
        for style, read in inside.items():
            certain = style == "chat" or not wrapped or 2 * len(read) >= len(block)
            found[style] += [
                label for i, label in read if certain or i == 0 or SENTENCE_END.search(block[i - 1].text) is not None
            ]
    n_lines = sum(map(len, blocks))
    found = {style: _of_speakers(labels, n_lines, styles is STYLES) for style, labels in found.items()}
    named = {style: [label for label in labels if label.name] for style, labels in found.items()}
    best = max(named, key=lambda style: (style == "chat" and len(named[style]) > 1, len(named[style])), default="")
    if not best or not named[best]:
        return []
    if styles is STYLES and len(named[best]) == 1 and named[best][0].start != blocks[0][0].start:
        return []
    return found[best]


def _read_label(line: Line, after: Line | None, style: str) -> Label | None:
    """The label that a line begins with, in one style."""
    text = line.text
    name: str | None = None
    end = 0
    if style == "chat":
        name, end = _read_stamped(line, after)
    elif style == "stamped":
        time = TIME.match(text)
        if time and after and not TIME.match(after.text) and ONLY_NAME.fullmatch(text, time.end()):
            name, end = text[time.end() :], len(text)
    elif style == "colon":
        if match := LETTER.match(text):
            name, end = match[1], match.end()
        elif (match := COLON.match(text)) and (
            is_name(match[2]) or (_is_handle(match[2]) and not match["aside"])  # and not the type of an argument
        ):
            name, end = match[2], match.end()
    elif style == "period":
        if (match := PERIOD.match(text)) and _is_name_in_capitals(match[1]):
            name, end = match[1], match.end()
    elif style == "alone":
        if after and not after.text.isupper() and (match := ALONE.fullmatch(text)) and _is_name_in_capitals(match[1]):
            name, end = match[1], len(text)
    elif style == "angle" and EVENT.match(text):
        name = ""
        end = len(text)
    elif (match := OTHER_SHAPES[style].match(text)) and (is_name(match[1]) or _is_handle(match[1])):
        name, end = match[1], match.end()
    if name is None:
        return None
    said = text[end:] or (after.text if after else "")
    return Label(line.start, line.start + end, " ".join(name.split()), style, said)


def _read_stamped(line: Line, after: Line | None) -> tuple[str | None, int]:
    """The name beside a stamp, "" if there is none, and the end of both."""
    text = line.text
    if after and ONLY_STAMP.fullmatch(after.text) and ONLY_NAME.fullmatch(text) and is_name(text):
        return text, after.start + len(after.text) - line.start
    if (time := TIME.match(text)) and not ONLY_STAMP.fullmatch(text):
        match = CHAT_NAME.match(text, time.end())
        name = match and (match[1] or match[2] or match[3]).strip("@*_ ")
        if match and name and (any(map(str.isalnum, name)) or name[0] >= OTHER_THAN_LETTERS):
            return name, match.end()
        return "", time.end()
    if match := NAME_AND_TIME.match(text):
        apart = len(match["gap"]) > 1 or match["bracket"]
        before_lines = apart and after and not NAME_AND_TIME.match(after.text) and _is_handle(match[1])
        if is_name(match[1]) or before_lines:
            return match[1], match.end()
    return None, 0


def _of_speakers(labels: list[Label], n_lines: int, any_style: bool) -> list[Label]:
    """Those labels whose names are of speakers, as all tell; `any_style` if nobody has said that the text has these."""
    if not labels or labels[0].style in ("chat", "period", "alone"):
        return labels
    counts = Counter(label.name for label in labels)
    if counts["Q."] and counts["A."] and not counts["B."]:
        labels = [label._replace(name=label.name[0]) if label.name in LETTERS else label for label in labels]
    else:
        labels = [label for label in labels if label.name not in LETTERS]
    sure = [label for label in labels if not label.name or _is_sure(label.name)]
    alone = not any(label.name for label in sure)
    more = [label for label in labels if alone or not label.name or _is_sure(label.name) or counts[label.name] > 1]
    tried = [more, sure] if len(more) > len(sure) else [sure]
    return next((found for found in tried if _take_turns(found, n_lines, any_style)), [])


def _take_turns(labels: Sequence[Label], n_lines: int, any_style: bool) -> bool:
    """Check whether labels of one style are those of speakers, by their names and what is said."""
    named = [label for label in labels if label.name]
    counts = Counter(label.name for label in named)
    total, repeated = len(named), len(named) > len(counts)
    said = [label.said for label in named if not ITEM.match(label.said)]
    talk = sum(TALK.search(words) is not None for words in said)
    ends = sum(FULL_STOP.search(words) is not None for words in said)
    sure = all(map(_is_sure, counts))
    foreign = not all(map(str.isascii, said))
    style = named[0].style if named else ""
    if style == "colon" and all(_is_sure(name) or is_name(name) for name in counts):
        kept = total == 2 or repeated or talk > 0 or foreign or not any_style  # and not the keys of a record
        capital = sure and any(name[0].isupper() for name in counts)
        return kept and (capital or (len(counts) > 1 and (sure or FEWEST_LINES * total >= n_lines)))
    if len(counts) < 2 or any("</" in label.said for label in named):
        return False
    if style == "angle":
        return True
    if not sure and FEWEST_LINES * total < n_lines:
        return False
    if style == "heading" and not repeated and not all(map(ROLE.fullmatch, counts)):
        return False
    return 2 * talk >= total or (repeated and 4 * (talk + ends) >= total) or not any_style


def is_name(text: str) -> bool:
    """Check whether words may be the name of a speaker: a few, none with a small letter in front."""
    words = text.split()
    if not 0 < len(words) <= LONGEST_NAME or NO_NAME.match(text) or words[0][0].islower():
        return False
    if not words[0][0].isalpha() and words[0][0] < OTHER_THAN_LETTERS:
        return False
    return all(not word[0].islower() or word in WITHIN_NAMES for word in words)


def _is_handle(text: str) -> bool:
    """Check whether words may be a name that has no capital."""
    words = text.split()
    if not 0 < len(words) <= LONGEST_HANDLE or NO_NAME.match(text):
        return False
    small = len(words) == 1 or text.islower() or ROLE.fullmatch(text) is not None
    return small and all(map(HANDLE.fullmatch, words))


def _is_sure(name: str) -> bool:
    return (name[0].isupper() and is_name(name)) or ROLE.fullmatch(name) is not None


def _is_name_in_capitals(text: str) -> bool:
    return text.isupper() and len(text) > 1 and is_name(text) and not ITEM.match(f"{text}. x")
