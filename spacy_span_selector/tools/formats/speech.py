"""Speech: turns of speakers, and which mention stands for a speaker."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from ...annotation import Mention


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


def nearest_mention(place: Mention, mentions: Iterable[Mention], quoted: Collection[int]) -> Mention:
    """The mention that is nearest to a quotation, outside of all quotations where there is one.

    place (Mention): The quotation.
    mentions (Iterable[Mention]): The mentions of a cluster. Of two that are as near, the one before is taken.
    quoted (Collection[int]): The tokens of all quotations.
    """
    start, end = place

    def order(mention: Mention) -> tuple[bool, int, Mention]:
        is_quoted = any(i in quoted for i in range(*mention))
        return is_quoted, max(start - mention[1], mention[0] - end, 0), mention

    return min(mentions, key=order)
