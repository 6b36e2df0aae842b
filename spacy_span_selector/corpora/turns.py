"""From the speaker of each word to turns, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby


def find_turns(speakers: Sequence[str | None]) -> list[tuple[int, int, str]]:
    """The longest runs of words with the same speaker, where it is known: start, end (exclusive) and speaker.

    speakers (Sequence[str | None]): The speaker of each word of a document, None where nobody is known to speak.
    """
    turns = []
    for speaker, run in groupby(range(len(speakers)), key=speakers.__getitem__):
        words = list(run)
        if speaker is not None:
            turns.append((words[0], words[-1] + 1, speaker))
    return turns


def spread_turns(turns: Iterable[tuple[int, int, str]], length: int) -> list[str | None]:
    """The speaker of each word of a document, None where nobody is known to speak; where turns overlap, of the last.

    turns (Iterable[tuple[int, int, str]]): Start, end (exclusive) and speaker.
    length (int): How many words the document has.
    """
    speakers: list[str | None] = [None] * length
    for start, end, speaker in turns:
        speakers[start:end] = [speaker] * (end - start)
    return speakers
