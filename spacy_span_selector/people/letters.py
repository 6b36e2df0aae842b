"""Who writes a letter, and to whom: its greeting and its signature."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from spacy.vocab import Vocab

from ..documents.labels import is_name
from ..documents.lines import Line, read_blocks
from ..language import LETTER_WORDS, language_table

LONGEST_GREETING, LONGEST_CLOSING = 6, 5
"""How many words they have at most."""
HEADING, LONGEST_HEADING = 3, 8
"""How many lines may stand before a greeting, with a place or a date, and how many words each has at most."""
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
    """The turn of who writes a letter, greeting included; none if the text does not begin with a greeting in a line of
    its own, apart from a heading.

    Words of greetings and closings are a table of the language.
    """
    known = language_table(vocab, LETTER_WORDS)
    lines = [line for block in read_blocks(text) for line in block]
    greeting = next((i for i, line in enumerate(lines[: HEADING + 1]) if _is_greeting(line, known)), len(lines))
    heading = lines[:greeting]
    if greeting >= len(lines) - 1 or any(len(line.text.split()) > LONGEST_HEADING for line in heading):
        return []
    signatures = [(lines[-1].first, lines[-1].text)]
    for line, after in pairwise([*lines[greeting + 1 :], None]):
        if line and _is_closing(line, known):
            signed = after.text.partition(",")[0] if after else line.text.rpartition(",")[2]
            signatures.append((line.first, signed))
    for end, signed in reversed(signatures):
        name = " ".join(signed.strip(" .-–—").split())
        if is_name(name) and ":" not in name and name.split()[0].lower() not in known:
            return [Turn(name, lines[greeting].first, end)]
    return [Turn(UNSIGNED, lines[greeting].first, len(text.rstrip()))]


def _is_greeting(line: Line, known: Mapping[str, object]) -> bool:
    """Check whether a line greets somebody and says no more: "Dear Ann,", "My dear brother,"."""
    first, *others = line.text.split()
    if known.get(first.lower()) == "own" and others:
        first, *others = others
    return known.get(first.lower().strip(",")) == "greeting" and (
        0 < len(others) < LONGEST_GREETING
        and (line.text[-1] == "," or (line.text[-1] in ":!;—–-" and others[0][:1].isupper()))
    )


def _is_closing(line: Line, known: Mapping[str, object]) -> bool:
    """Check whether a line takes leave: "Best regards,", with the name or without."""
    words = line.text.partition(",")[0].lower().rstrip("!.").split()
    return 0 < len(words) <= LONGEST_CLOSING and any(known.get(word) == "closing" for word in (words[0], words[-1]))
