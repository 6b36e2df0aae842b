"""The representative mention of a cluster."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Span

from .mention_types import mention_type, without_clitic


def representative_mention(cluster: Sequence[Span]) -> Span:
    """The longest proper mention of a cluster, else the longest nominal one, else the first.

    Length is the number of tokens, without white space and a possessive ending. Among mentions of equal length, one
    without a possessive ending wins, then the first in the text.

    cluster (Sequence[Span]): Mentions, at least one.
    RETURNS (Span): The representative.
    """
    types = [mention_type(mention) for mention in cluster]
    for wanted in ("proper", "nominal"):
        candidates = [mention for mention, found in zip(cluster, types, strict=True) if found == wanted]
        if candidates:
            return min(candidates, key=_order)
    return min(cluster, key=lambda mention: (mention.start, mention.end))


def _order(mention: Span) -> tuple[int, bool, int]:
    """The sort key of mentions of one type, the longest first."""
    bare = without_clitic(mention)
    return -sum(not token.is_space for token in bare), len(bare) < len(mention), mention.start
