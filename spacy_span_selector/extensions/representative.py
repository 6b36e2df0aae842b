"""The representative mention of a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from spacy.tokens import Span

from .mention_types import mention_type, without_clitic


def representative_mention(cluster: Sequence[Span]) -> Span:
    """The proper mention of a cluster that most proper ones speak for, else the longest nominal one, else the first.

    A proper mention speaks for each that has all of its names, its capitalized words: "Tom" and "Mr. Sawyer" for "Mr.
    Tom Sawyer". So a name that was linked wrongly does not stand for the cluster, however long it is. Of those that
    equally many speak for, the one with most names wins, then the usual wording: "Alice", not "poor Alice". Length is
    the number of tokens, without white space and a possessive ending. Among mentions of equal length, one without a
    possessive ending wins, then the first in the text.

    cluster (Sequence[Span]): Mentions, at least one.
    RETURNS (Span): The representative.
    """
    types = [mention_type(mention) for mention in cluster]
    proper, nominal = (
        [mention for mention, found in zip(cluster, types, strict=True) if found == wanted]
        for wanted in ("proper", "nominal")
    )
    if proper:
        names = {id(mention): _names(mention) for mention in proper}
        uses = Counter(names.values())
        votes = {name: sum(uses[other] for other in uses if other <= name) for name in uses}
        wordings = Counter(without_clitic(mention).text for mention in proper)

        def order(mention: Span) -> tuple[int, int, int, tuple[int, bool, int]]:
            name = names[id(mention)]
            return -votes[name], -len(name), -wordings[without_clitic(mention).text], _order(mention)

        return min(proper, key=order)
    if nominal:
        return min(nominal, key=_order)
    return min(cluster, key=lambda mention: (mention.start, mention.end))


def _order(mention: Span) -> tuple[int, bool, int]:
    """The sort key of mentions of one type, the longest first."""
    bare = without_clitic(mention)
    return -sum(not token.is_space for token in bare), len(bare) < len(mention), mention.start


def _names(mention: Span) -> frozenset[str]:
    """The capitalized words of a proper mention, in lower case, without "The" and the like; if there are none, all."""
    bare = without_clitic(mention)
    names = frozenset(token.lower_ for token in bare if token.text[:1].isupper() and not token.is_stop)
    return names or frozenset(token.lower_ for token in bare)
