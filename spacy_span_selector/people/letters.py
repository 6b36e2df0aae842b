"""Who writes a letter, and to whom: its greeting and its signature."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from spacy.vocab import Vocab

from ..documents.labels import is_name
from ..documents.lines import Line, read_blocks
from ..language import LETTER_WORDS, PRONOUNS, language_table, language_words

LONGEST_GREETING, LONGEST_CLOSING = 6, 5
"""How many words they have at most."""
HEADING, LONGEST_HEADING = 3, 8
"""How many lines may stand before a greeting, with a place or a date, and how many words each has at most."""
OPENING = re.compile(r"\w+((?:\s[^\s,!]+){1,3})[,!]\s+(?=\S)")
SIGNED = re.compile(r"[.!?…]\)?\s(?=[^.!?…]+$|[^.!?…]+,[^.!?…]+\.$)")
"""A greeting that more follows in its line, and what is before a signature that follows a sentence."""
LONGEST_TAIL = 80
STOP, QUOTE = re.compile(r"[.!?…]"), re.compile(r'["“”«»]')
UNSIGNED = "?"
"""The name of who writes a letter without a signature."""


class Turn(NamedTuple):
    """A turn of a speaker.

    name (str): The speaker; empty if it is nobody.
    start, end (int): Its characters.
    directions (tuple[tuple[int, int], ...]): The characters within that nobody speaks, such as stage directions.
    """

    name: str
    start: int
    end: int
    directions: tuple[tuple[int, int], ...] = ()


def read_letter(text: str, vocab: Vocab) -> list[Turn]:
    """The turn of who writes a letter, greeting included; none if the text does not begin with a greeting, in a line of
    its own apart from a heading, or of a name: "Hi Ann, I am late. Love, Tom".

    Words of greetings and closings are a table of the language.
    """
    known = language_table(vocab, LETTER_WORDS)
    lines = _set_apart([line for block in read_blocks(text) for line in block], known, vocab)
    greeting = next((i for i, line in enumerate(lines[: HEADING + 1]) if _is_greeting(line, known)), len(lines))
    heading = lines[:greeting]
    if greeting >= len(lines) - 1 or any(len(line.text.split()) > LONGEST_HEADING for line in heading):
        return []
    is_bare = lines[greeting].text.lower().strip(",") in known  # "Hi,": who writes must take leave, and sign
    signatures = [] if is_bare else [(lines[-1].first, lines[-1].text)]
    for line, after in pairwise([*lines[greeting + 1 :], None]):
        if line and _is_closing(line, known):
            parts = [after.text.partition(",")[0]] if after else line.text.split(",")[:0:-1]
            signatures += [(line.first, part) for part in parts]
    for end, signed in reversed(signatures):
        name = " ".join(signed.strip(" .-–—").split())
        if is_name(name) and ":" not in name and name.split()[0].lower() not in known:
            return [Turn(name, lines[greeting].first, end)]
    return [] if is_bare else [Turn(UNSIGNED, lines[greeting].first, len(text.rstrip()))]


def _set_apart(lines: list[Line], known: Mapping[str, object], vocab: Vocab) -> list[Line]:
    """Lines in which a greeting of a name, behind which somebody writes, and a signature have lines of their own."""
    greeting = OPENING.match(lines[0].text) if lines else None
    if greeting is None or not is_name(greeting[1]) or known.get(greeting[0].split()[0].lower()) != "greeting":
        return lines
    first, *others = [*_split(lines[0], greeting.end()), *lines[1:]]
    cut = max(0, len(others[-1].text) - LONGEST_TAIL)
    if signature := SIGNED.search(others[-1].text[cut:]):
        others[-1:] = _split(others[-1], cut + signature.end())
        if _is_closing(others[-1], known):
            return [first, *others]
    sentence = STOP.split(others[0].text)[0].lower().replace(",", " ").split()
    pronouns = language_words(vocab, PRONOUNS)
    writes = any(word in known or (word in pronouns and pronouns[word].get("person") in (1, 2)) for word in sentence)
    return [first, *others] if writes and not any(QUOTE.search(line.text) for line in others) else lines


def _split(line: Line, place: int) -> tuple[Line, Line]:
    start = line.start + place
    behind = line._replace(start=start, text=line.text[place:], first=start)
    return line._replace(text=line.text[:place].rstrip()), behind


def _is_greeting(line: Line, known: Mapping[str, object]) -> bool:
    """Check whether a line greets somebody and says no more: "Dear Ann,", "My dear brother,", "Good morning,"."""
    words = line.text.split()
    words = words[known.get(words[0].lower()) == "own" and len(words) > 1 :]
    length = 1 + (known.get(" ".join(words[:2]).lower().strip(",")) == "greeting")
    first, others = " ".join(words[:length]), words[length:]
    return known.get(first.lower().strip(",")) == "greeting" and (
        len(others) < LONGEST_GREETING
        and (line.text[-1] == "," or (line.text[-1] in ":!;—–-" and others != [] and others[0][:1].isupper()))
    )


def _is_closing(line: Line, known: Mapping[str, object]) -> bool:
    """Check whether a line takes leave: "Best regards,", with the name or without."""
    leave = line.text.partition(",")[0].lower().rstrip("!.")
    words = [] if STOP.search(leave) else leave.split()
    return 0 < len(words) <= LONGEST_CLOSING and any(known.get(word) == "closing" for word in (words[0], words[-1]))
