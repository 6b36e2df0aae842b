"""Which mentions the resolved text replaces, and how the words around them change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spacy.tokens import Span, Token

from .clusters import Cluster
from .english import CONTRACTIONS, PLURAL_PRONOUNS, POSSESSIVES, REFLEXIVES, RELATIVES
from .mention_types import (
    has_plural_tag,
    head_token,
    is_clitic,
    is_pronominal,
    is_reciprocal,
    mention_type,
    part_of_speech,
    without_clitic,
    without_space,
)


class Replacement(NamedTuple):
    """A mention to replace.

    mention (Span): The mention.
    end (int): End of the replaced tokens, exclusive: the mention and a possessive ending or contracted verb after it.
    cluster (int): Index of its cluster.
    substitute (Span): The span to insert instead, without a possessive ending.
    is_possessive (bool): Whether the substitute gets a possessive ending.
    is_plural (bool): Whether the substitute is plural.
    verb (str): The contracted verb in full, or "".
    """

    mention: Span
    end: int
    cluster: int
    substitute: Span
    is_possessive: bool
    is_plural: bool
    verb: str


def find_replacements(clusters: Sequence[Cluster]) -> dict[int, list[Replacement]]:
    """The mentions to replace by their first token, widest first, including overlapping ones."""
    trimmed = [[without_space(mention) for mention in cluster] for cluster in clusters]
    widest: dict[int, int] = {}  # end of the widest mention that starts at a token
    for mention in (mention for mentions in trimmed for mention in mentions):
        widest[mention.start] = max(mention.end, widest.get(mention.start, 0))
    found: dict[int, list[Replacement]] = {}
    for index, (cluster, mentions) in enumerate(zip(clusters, trimmed, strict=True)):
        representative = cluster.representative
        substitute = without_clitic(representative)
        if len(cluster) == 1 or mention_type(substitute) not in ("proper", "nominal"):
            continue
        is_plural, core = _is_plural(substitute, cluster), _before_clause(substitute)
        for mention in mentions:
            if not _stays(mention, representative):
                is_possessive, end, verb = _ending(mention, is_nested=widest[mention.start] > mention.end)
                shown = core if is_possessive else substitute
                replacement = Replacement(mention, end, index, shown, is_possessive, is_plural, verb)
                found.setdefault(mention.start, []).append(replacement)
    for replacements in found.values():
        replacements.sort(key=lambda replacement: -replacement.mention.end)
    return found


def _stays(mention: Span, representative: Span) -> bool:
    """Whether a mention is not replaced: see `resolved_text`."""
    if mention.start < representative.end and representative.start < mention.end:
        return True
    if is_pronominal(mention):
        return _is_bound(mention) or _is_foreign_possessive(mention) or _is_glued(mention)
    return mention_type(mention) == "other" or _shortens(without_clitic(mention), representative) or _is_glued(mention)


def _is_bound(mention: Span) -> bool:
    """Whether a pronoun is bound within its clause: a reflexive, reciprocal or relative one."""
    first = mention[0]
    return is_reciprocal(mention) or (
        len(mention) == 1
        and (
            first.lower_ in REFLEXIVES
            or first.lower_ in RELATIVES
            or first.tag_ == "WDT"
            or "PronType=Rel" in first.morph
        )
    )


def _is_foreign_possessive(mention: Span) -> bool:
    """Whether a mention is a possessive pronoun of a language other than English."""
    return mention.doc.lang_ != "en" and "Poss=Yes" in mention[0].morph


def _is_glued(mention: Span) -> bool:
    """Whether a mention is part of an English word: the 's of "let's", the "me" of "gimme"."""
    doc, text = mention.doc, mention.text
    before = doc[mention.start - 1].text_with_ws[-1:] if mention.start > 0 else ""
    after = doc[mention.end].text[:1] if mention.end < len(doc) and not mention[-1].whitespace_ else ""
    starts_inside = before.isalnum() and (text[:1].isalnum() or text.startswith(("'", "’")))
    return doc.lang_ == "en" and (starts_inside or (text[-1:].isalnum() and after.isalnum()))


def _shortens(mention: Span, representative: Span) -> bool:
    """Whether the words of a mention are in the representative, as "Ann" is in "Ann Lee"."""
    words, longer = [token.lower_ for token in mention], [token.lower_ for token in representative]
    return any(longer[i : i + len(words)] == words for i in range(len(longer) - len(words) + 1))


def _ending(mention: Span, *, is_nested: bool) -> tuple[bool, int, str]:
    """Whether a mention is an English possessive, the end of the replaced tokens, and the contracted verb after it."""
    doc, end = mention.doc, mention.end
    if doc.lang_ != "en":
        return False, end, ""
    if without_clitic(mention).end < end or _is_possessive_pronoun(mention, is_nested):
        return True, end, ""
    if end == len(doc):
        return False, end, ""
    following = doc[end]
    if following.lower_ in CONTRACTIONS:
        return False, end + 1, CONTRACTIONS[following.lower_]
    if is_clitic(following) and (following.tag_ == "POS" or not (following.tag or is_pronominal(mention))):
        return True, end + 1, ""
    return False, end, ""


def _is_possessive_pronoun(mention: Span, is_nested: bool) -> bool:
    """Whether a mention is a pronoun like "his"; "her" is decided by its tag or, without tags, by the next word."""
    first = mention[0]
    if len(mention) != 1 or first.lower_ != "her":
        return len(mention) == 1 and first.lower_ in POSSESSIVES
    if first.tag or first.has_morph():
        return first.tag_ == "PRP$" or "Poss=Yes" in first.morph
    following = next((token for token in mention.doc[mention.end : mention.end + 2] if not token.is_space), None)
    return is_nested or (
        following is not None
        and (following.lower_ == "own" or part_of_speech(following) in ("NOUN", "PROPN", "NUM", "ADJ"))
    )


def _is_plural(substitute: Span, cluster: Cluster) -> bool:
    """Whether a noun phrase is plural: by the tag of its head or, without tags, by a pronoun of its cluster."""
    head = head_token(substitute)
    if head.tag or head.has_morph():
        return has_plural_tag(head)
    return any(len(mention) == 1 and mention[0].lower_ in PLURAL_PRONOUNS for mention in cluster)


def _before_clause(substitute: Span) -> Span:
    """A noun phrase up to a clause or parenthesis after its head, which a possessive ending cannot follow:
    "the girl" for "the girl that Ann met"."""
    head = head_token(substitute)
    end = next((token.i for token in substitute if token.i > head.i and _opens_clause(token)), substitute.end)
    while part_of_speech(substitute.doc[end - 1]) in ("PUNCT", "SPACE", "CCONJ"):
        end -= 1
    return substitute.doc[substitute.start : end]


def _opens_clause(token: Token) -> bool:
    return (
        part_of_speech(token) in ("VERB", "AUX", "SCONJ")
        or token.lower_ in RELATIVES
        or token.lower_ in ("that", "whose")
        or token.is_left_punct
    )
