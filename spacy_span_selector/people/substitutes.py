"""Noun phrases that replace pronouns in a resolved text: short, definite, singular or plural."""

from __future__ import annotations

from spacy.tokens import Span, Token

from ..extensions.clusters import Cluster
from ..extensions.english import DEFINITE, INDEFINITE_PLURALS, PARTICIPLES, PLURAL_PRONOUNS, QUANTIFIERS, RELATIVES
from ..extensions.mention_types import has_plural_tag, head_token, mention_type, part_of_speech, without_clitic
from ..language import ABBREVIATIONS, language_words
from .clustering import read_forms

LONG, LONG_WITH_OF = 4, 6  # words up to which a noun phrase keeps its prepositional phrases; those with "of"
NOUNS = ("NOUN", "PROPN")
SHORTEST = 4  # letters of a word that is no participle: "king", "bed"
APPOSED = frozenset({",", ";", ":", "–", "—", "--"})


def substitute(cluster: Cluster) -> Span | None:
    """The noun phrase that replaces the pronouns of a cluster: its representative, without what would be long to say
    again.

    RETURNS (Span | None): None if it has no noun phrase, or one that means something else when it is said again, as
        "every driver" does.
    """
    representative = without_clitic(cluster.representative)
    if len(cluster) == 1 or mention_type(representative) not in ("proper", "nominal"):
        return None
    is_list = any(token.lower_ == "and" for token in representative) and _is_several(cluster)
    short = _short_form(representative, is_list=is_list)
    first, second = short[0].lower_, short[1].lower_ if len(short) > 1 else ""
    if first in QUANTIFIERS or (first in DEFINITE and (second == "of" or second in INDEFINITE_PLURALS)):
        return None
    is_title = second == "" and first.rstrip(".") in language_words(short.vocab, ABBREVIATIONS)  # "Mr." and Mrs. Lee
    return None if is_title else short


def is_plural(phrase: Span, cluster: Cluster) -> bool:
    """Check whether a noun phrase takes a plural verb."""
    head, is_article = head_token(phrase), phrase[0].lower_ == "the"
    if mention_type(phrase) == "proper" and is_article and phrase.text.endswith("s"):  # the Netherlands
        return True
    if head.tag or head.has_morph():
        return has_plural_tag(head) or " and " in phrase.text
    is_bare = mention_type(phrase) == "nominal" and part_of_speech(phrase[0]) == "NOUN"  # mice
    (form,) = read_forms(phrase.doc, [(phrase.start, phrase.end)])
    return form.evidence.endswith("plural") or (is_bare and _is_several(cluster))


def _is_several(cluster: Cluster) -> bool:
    return any(len(mention) == 1 and mention[0].lower_ in PLURAL_PRONOUNS for mention in cluster)


def _short_form(phrase: Span, *, is_list: bool) -> Span:
    """A noun phrase without the clauses, parentheses and appositions after its head, and if it is long, without
    prepositional phrases: "the girl" for "the girl that Ann met"."""
    head, doc, end = head_token(phrase).i, phrase.doc, phrase.end
    for token in phrase[1:]:
        if _is_participle(token) or (token.i > head and (_opens_clause(token) or (not is_list and _is_apposed(token)))):
            end = token.i
            break
    # "of" says which one is meant ("the king of Spain"), others rather where or with what: so "of" stays for longer.
    prepositions = [token for token in doc[head + 1 : end] if part_of_speech(token) == "ADP"]
    for is_of, longest in ((False, LONG), (True, LONG_WITH_OF)):
        cuts = [token.i for token in prepositions if (token.lower_ == "of") == is_of and token.i < end]
        if cuts and not is_list and end - phrase.start > longest:
            end = cuts[0]
    # A phrase that was cut may now end with what led over to the rest.
    while end < phrase.end and part_of_speech(doc[end - 1]) in ("PUNCT", "SPACE", "CCONJ", "ADP"):
        end -= 1
    return doc[phrase.start : end]


def _opens_clause(token: Token) -> bool:
    """Check whether a word within a noun phrase opens a clause, with or without "that", or a parenthesis."""
    part = part_of_speech(token)
    follows_noun = part_of_speech(token.nbor(-1)) in NOUNS
    is_clause = part in ("VERB", "AUX", "SCONJ") or (part in ("PRON", "ADV") and follows_noun)
    return is_clause or token.lower_ in RELATIVES or token.is_left_punct


def _is_participle(token: Token) -> bool:
    """Check whether a word of a noun phrase, without tags, is a participle behind its noun: "a man wearing a coat"."""
    if token.tag or token.pos or token.i + 1 == len(token.doc):
        return False
    before, following = part_of_speech(token.nbor(-1)), part_of_speech(token.nbor())
    if before not in NOUNS:
        return False
    if token.lower_ in PARTICIPLES:
        return following not in ("NOUN", "PUNCT")
    return len(token) > SHORTEST and token.lower_.endswith(("ing", "ed")) and following in ("DET", "PRON")


def _is_apposed(token: Token) -> bool:
    """Check whether a token is a comma or dash before an apposition, and not one between adjectives."""
    if token.text not in APPOSED or token.i + 1 == len(token.doc):
        return False
    return part_of_speech(token.nbor(-1)) == "PROPN" or part_of_speech(token.nbor()) not in ("NOUN", "ADJ")


def definite(phrase: str) -> str:
    """An English noun phrase when it is repeated: "the girl" for "a girl", "the two girls" for "two girls"."""
    first, space, rest = phrase.partition(" ")
    if space and first[0].isdigit():
        return f"the {phrase}"
    return f"{DEFINITE[first.lower()]}{space}{rest}" if space and first.lower() in DEFINITE else phrase
