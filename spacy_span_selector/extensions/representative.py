"""The representative mention of a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from spacy.tokens import Span

from .mention_types import mention_type, without_clitic


def representative_mention(cluster: Sequence[Span]) -> Span:
    """The proper mention of a cluster that most proper ones speak for, else the longest nominal one, else the first.

    A proper mention speaks for each that has all of its words: "Tom" and "Mr. Sawyer" for "Mr. Tom Sawyer". So a name
    that was linked wrongly does not stand for the cluster, however long it is. Of those that equally many speak for,
    the longest wins. Length is the number of tokens, without white space and a possessive ending. Among mentions of
    equal length, one without a possessive ending wins, then the first in the text.

    cluster (Sequence[Span]): Mentions, at least one.
    RETURNS (Span): The representative.
    """
    types = [mention_type(mention) for mention in cluster]
    proper, nominal = (
        [mention for mention, found in zip(cluster, types, strict=True) if found == wanted]
        for wanted in ("proper", "nominal")
    )
    if proper:
        words = {id(mention): frozenset(token.lower_ for token in without_clitic(mention)) for mention in proper}
        uses = Counter(words.values())
        votes = {name: sum(uses[other] for other in uses if other <= name) for name in uses}
        return min(proper, key=lambda mention: (-votes[words[id(mention)]], _order(mention)))
    if nominal:
        return min(nominal, key=_order)
    return min(cluster, key=lambda mention: (mention.start, mention.end))


def _order(mention: Span) -> tuple[int, bool, int]:
    """The sort key of mentions of one type, the longest first."""
    bare = without_clitic(mention)
    return -sum(not token.is_space for token in bare), len(bare) < len(mention), mention.start
