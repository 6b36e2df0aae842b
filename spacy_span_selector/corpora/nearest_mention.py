"""Which mention of a cluster stands for the one who speaks, where a format names the cluster alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..annotation import Mention


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
