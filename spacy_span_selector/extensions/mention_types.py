"""The type of a mention, proper, nominal or pronominal, which is that of its head.

"the girl that Ann Lee met" is nominal although it contains a name. The head is the root if the document is parsed.
Otherwise it is the last noun or name before whatever follows the head of an English noun phrase: a preposition, a
relative clause, a comma, an "and". Tags determine the part of speech of a token; without tags, capitals and lists of
English words do.
"""

from __future__ import annotations

from typing import Literal

from spacy.tokens import Span, Token

from ..documents.visible import visible
from ..language import CAPITALISED_NAMES, CLITICS
from .english import PART_OF_SPEECH, PENN_TAGS, RELATIVES

MentionType = Literal["proper", "nominal", "pronominal", "other"]

HEADS = frozenset({"PROPN", "NOUN", "NUM", "SYM", "X"})
AFTER_HEAD = frozenset({"ADP", "SCONJ", "CCONJ", "VERB", "AUX", "PRON", "DET", "PUNCT"})
GRAMMATICAL = frozenset({"PRON", "DET", "ADP", "ADV", "PART", "CCONJ", "SCONJ", "PUNCT", "SPACE"})
RECIPROCALS = frozenset({("each", "other"), ("one", "another")})
NO_NOUN_PHRASE = frozenset({"VERB", "AUX", "ADV", "SCONJ", "PART", "INTJ", "PUNCT", "SPACE"})


def mention_type(mention: Span) -> MentionType:
    """Determine the type of a mention, white space apart.

    RETURNS (MentionType): "proper" if its head is a name; "pronominal" if it has only pronouns and other function words
        ("she", "all of them", "each other"); "other" if its head is a verb, an adverb or an interjection
        ("acquired", "there"); else "nominal" ("the girl", "those who left", "the poor").
    """
    if is_pronominal(mention):
        return "pronominal"
    part = part_of_speech(head_token(mention))
    if part == "PROPN":
        return "proper"
    return "other" if part in NO_NOUN_PHRASE else "nominal"


def is_pronominal(mention: Span) -> bool:
    """Check whether a mention has only pronouns and other function words."""
    parts = {part_of_speech(token) for token in mention}
    return is_reciprocal(mention) or (not parts.isdisjoint(("PRON", "DET")) and parts <= GRAMMATICAL)


def is_reciprocal(mention: Span) -> bool:
    """Check whether a mention is "each other" or "one another"."""
    return len(mention) == 2 and tuple(map(lower, mention)) in RECIPROCALS


def head_token(mention: Span) -> Token:
    """The head of a mention: the root of its parse, or else the token in the usual position of a noun phrase's head."""
    if mention[0].has_head():
        return mention.root
    found: Token | None = None
    for token in mention:
        part = part_of_speech(token)
        if found is not None and part in AFTER_HEAD:
            break
        if part in HEADS and not (part == "NUM" and found is not None):  # the head of "room 5" is "room"
            found = token
        elif found is None and part in ("PRON", "DET") and _is_modified(token, mention):
            return token
    if found is not None:
        return found
    return mention[0] if part_of_speech(mention[0]) == "PRON" else mention[-1]


def lower(token: Token) -> str:
    """A token in lower case, as it is read."""
    return visible(token.lower_)


def shown_text(span: Span) -> str:
    """The text of a span on one line, without what nobody sees, as it is shown and compared."""
    return " ".join(visible(span.text).split())


def has_plural_tag(noun: Token) -> bool:
    """Check whether a noun is tagged as a plural."""
    return noun.tag_ in ("NNS", "NNPS") or "Number=Plur" in noun.morph


def part_of_speech(token: Token) -> str:
    """The universal part of speech of a token: its tag, the equivalent of its Penn tag, or a guess from its form."""
    if token.pos or token.tag:
        return token.pos_ or PENN_TAGS.get(token.tag_, "X")
    if token.is_space:
        return "SPACE"
    word = lower(token)
    if word in CLITICS:
        return "PART"
    if token.is_punct:
        return "PUNCT"
    if token.like_num:
        return "NUM"
    if token.text not in CAPITALISED_NAMES and word in PART_OF_SPEECH:
        return PART_OF_SPEECH[word]
    return "PROPN" if visible(token.text)[:1].isupper() else "NOUN"


def without_space(mention: Span) -> Span:
    """A mention without white space in its first and last tokens, unless it has only white space."""
    words = [token.i for token in mention if not token.is_space]
    return mention.doc[words[0] : words[-1] + 1] if words else mention


def without_clitic(mention: Span) -> Span:
    """A mention without surrounding white space and without a possessive ending in its last token: "Ann" for "Ann's",
    "the girls" for "the girls'". An apostrophe that closes a quotation is not a possessive ending."""
    mention = without_space(mention)
    if len(mention) == 1 or not is_clitic(mention[-1]):
        return mention
    before = mention[:-1]
    return mention if any(token.text in ("'", "‘", "`") for token in before) else before


def is_clitic(token: Token) -> bool:
    """Check whether a token looks like a possessive ending and is not tagged as something else."""
    return lower(token) in CLITICS and part_of_speech(token) == "PART"


def _is_modified(token: Token, mention: Span) -> bool:
    """Check whether a pronoun has a complement in a mention: "those who left", "some of the girls"."""
    following = token.nbor() if token.i + 1 < mention.end else None
    return following is not None and (lower(following) in RELATIVES or part_of_speech(following) == "ADP")
