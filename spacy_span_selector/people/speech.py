"""Speech: turns of speakers, and which mention stands for a speaker."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from ..annotation import Mention

Turn = tuple[int, int, str]  # start, end (exclusive) and speaker
Speaker = TypeVar("Speaker")


def find_turns(speakers: Sequence[Speaker | None]) -> list[tuple[int, int, Speaker]]:
    """The longest runs of words with the same speaker, which is None for words whose speaker is not known."""
    runs = [(speaker, [*run]) for speaker, run in groupby(range(len(speakers)), key=speakers.__getitem__)]
    return [(words[0], words[-1] + 1, speaker) for speaker, words in runs if speaker is not None]


def spread_turns(turns: Iterable[Turn], length: int) -> list[str | None]:
    """The speaker of each of some words, that of the last turn if turns overlap; None without a turn."""
    speakers: list[str | None] = [None] * length
    for start, end, speaker in turns:
        speakers[start:end] = [speaker] * (end - start)
    return speakers


def nearest_mention(place: Mention, mentions: Iterable[Mention], quoted: Collection[int]) -> Mention:
    """The mention that is nearest to a quotation, outside of all quoted tokens if there is one; rather one before."""
    start, end = place

    def order(mention: Mention) -> tuple[bool, int, Mention]:
        is_quoted = any(i in quoted for i in range(*mention))
        return is_quoted, max(start - mention[1], mention[0] - end, 0), mention

    return min(mentions, key=order)
