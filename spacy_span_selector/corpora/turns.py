"""Conversion between the speaker of each word and turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby


def find_turns(speakers: Sequence[str | None]) -> list[tuple[int, int, str]]:
    """The longest runs of words with the same known speaker.

    speakers (Sequence[str | None]): The speaker of each word of a document, None if it is not known.
    RETURNS (list[tuple[int, int, str]]): Start, end (exclusive) and speaker of each turn.
    """
    turns = []
    for speaker, run in groupby(range(len(speakers)), key=speakers.__getitem__):
        words = list(run)
        if speaker is not None:
            turns.append((words[0], words[-1] + 1, speaker))
    return turns


def spread_turns(turns: Iterable[tuple[int, int, str]], length: int) -> list[str | None]:
    """The speaker of each word of a document.

    turns (Iterable[tuple[int, int, str]]): Start, end (exclusive) and speaker of each turn.
    length (int): The number of words of the document.
    RETURNS (list[str | None]): The speaker of each word, that of the last turn if turns overlap; None without a turn.
    """
    speakers: list[str | None] = [None] * length
    for start, end, speaker in turns:
        speakers[start:end] = [speaker] * (end - start)
    return speakers
