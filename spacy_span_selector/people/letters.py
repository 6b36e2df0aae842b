"""Who writes a letter, and to whom: its greeting and its signature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from spacy.vocab import Vocab

from ..documents.labels import is_name
from ..documents.lines import Line, read_blocks
from ..language import LETTER_WORDS, language_table

LONGEST_GREETING, LONGEST_CLOSING = 6, 5
"""How many words they have at most."""
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
    """The turn of who writes a letter, greeting included; none if the text has no greeting in a line of its own.

    Words of greetings and closings are a table of the language.
    """
    known = language_table(vocab, LETTER_WORDS)
    lines = [line for block in read_blocks(text) for line in block]
    if not known or len(lines) < 2 or not _is_greeting(lines[0], known):
        return []
    closing = next((i for i in range(len(lines) - 1, 0, -1) if _is_closing(lines[i], known)), len(lines))
    signed = lines[min(closing + 1, len(lines) - 1)].text
    if closing < len(lines):
        signed = signed.rpartition(",")[2] if closing == len(lines) - 1 else signed.partition(",")[0]
    name = " ".join(signed.strip(" .-–—").split())
    if not is_name(name) or name.split()[0].lower() in known:
        return [Turn(UNSIGNED, lines[0].first, len(text.rstrip()))]
    end = lines[min(closing, len(lines) - 1)].first
    return [Turn(name, lines[0].first, end)]


def _is_greeting(line: Line, known: Mapping[str, object]) -> bool:
    """Check whether a line greets somebody and says no more: "Dear Ann,"."""
    words = line.text.split()
    return known.get(words[0].lower().strip(",")) == "greeting" and (
        1 < len(words) <= LONGEST_GREETING and line.text[-1] in ",:!;—–-" and words[1][:1].isupper()
    )


def _is_closing(line: Line, known: Mapping[str, object]) -> bool:
    """Check whether a line takes leave: "Best regards,", with the name or without."""
    words = line.text.partition(",")[0].lower().rstrip("!.").split()
    return 0 < len(words) <= LONGEST_CLOSING and any(known.get(word) == "closing" for word in (words[0], words[-1]))
