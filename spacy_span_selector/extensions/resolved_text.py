"""The extension attribute for the text with mentions replaced by the representative of their cluster:
`doc._.resolved_text`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from .clusters import Cluster, doc_clusters
from .english import CONTRACTIONS, PLURAL_PRONOUNS, POSSESSIVES, REFLEXIVES, RELATIVES, possessive
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
    """Check whether a mention is not replaced: see `resolved_text`."""
    if mention.start < representative.end and representative.start < mention.end:
        return True
    if is_pronominal(mention):
        return _is_bound(mention) or _is_foreign_possessive(mention) or _is_glued(mention)
    return mention_type(mention) == "other" or _shortens(without_clitic(mention), representative) or _is_glued(mention)


def _is_bound(mention: Span) -> bool:
    """Check whether a pronoun is bound within its clause: a reflexive, reciprocal or relative one."""
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
    """Check whether a mention is a possessive pronoun of a language other than English."""
    return mention.doc.lang_ != "en" and "Poss=Yes" in mention[0].morph


def _is_glued(mention: Span) -> bool:
    """Check whether a mention is part of an English word: the 's of "let's", the "me" of "gimme"."""
    doc, text = mention.doc, mention.text
    before = doc[mention.start - 1].text_with_ws[-1:] if mention.start > 0 else ""
    after = doc[mention.end].text[:1] if mention.end < len(doc) and not mention[-1].whitespace_ else ""
    starts_inside = before.isalnum() and (text[:1].isalnum() or text.startswith(("'", "’")))
    return doc.lang_ == "en" and (starts_inside or (text[-1:].isalnum() and after.isalnum()))


def _shortens(mention: Span, representative: Span) -> bool:
    """Check whether the words of a mention are in the representative, as "Ann" is in "Ann Lee"."""
    words, longer = [token.lower_ for token in mention], [token.lower_ for token in representative]
    return any(longer[i : i + len(words)] == words for i in range(len(longer) - len(words) + 1))


def _ending(mention: Span, *, is_nested: bool) -> tuple[bool, int, str]:
    """Read what follows an English mention: is it possessive, where its tokens end, and the contracted verb."""
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
    """Check whether a mention is a pronoun like "his"; for "her" the tag decides or the next word."""
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
    """Check whether a noun phrase is plural: by the tag of its head or, without tags, by a pronoun of its cluster."""
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


DEEPEST = 3  # "its tail" may become "Ann's brother's dog's tail", via "his dog" and "her brother"
SENTENCE_ENDS = frozenset({".", "!", "?"})


def resolved_text(doc: Doc, prefix: str | None = None) -> str:
    """The text of a document with mentions replaced by the representative mention of their cluster.

    A mention stays if it is the representative, overlaps it or shortens it ("Ann" for "Ann Lee"); if it is not a noun
    phrase ("acquired", "there"); if it is bound within its clause ("herself", "who", "each other"). All mentions stay
    if the representative is a pronoun or not a noun phrase. Among overlapping mentions, the outermost one that can be
    replaced is replaced. Pronouns in inserted text are replaced in turn. English possessives and capitals at the start
    of a sentence are kept. Other words and white space stay as they are.

    doc (Doc): The document.
    prefix (str | None): Where its clusters are, as for `doc_clusters`.
    """
    text = doc.text
    return _write(doc[:], text, find_replacements(doc_clusters(doc, prefix)), ()) + text[doc[:].end_char :]


def _write(stretch: Span, text: str, replacements: Mapping[int, Sequence[Replacement]], within: tuple[int, ...]) -> str:
    """The text of a stretch with mentions replaced.

    stretch (Span): The document, or a representative to be inserted.
    text (str): The text of the document.
    replacements (Mapping[int, Sequence[Replacement]]): By their first token, the widest first.
    within (tuple[int, ...]): The clusters whose representatives are being inserted; their mentions stay, so that no
        representative is inserted into itself.
    """
    copied, end = stretch.start_char, stretch.end_char
    pieces: list[str] = []
    for i in range(stretch.start, stretch.end):
        for replacement in replacements.get(i, ()):
            mention = replacement.mention
            if mention.start_char >= copied and replacement.end <= stretch.end and _applies(replacement, within):
                inserted = _insert(replacement, text, replacements, within)
                if _is_capitalised(mention) and not (within and i == stretch.start):
                    inserted = inserted[:1].upper() + inserted[1:]
                pieces += [text[copied : mention.start_char], inserted]
                last = stretch.doc[replacement.end - 1]
                copied = last.idx + len(last)
    pieces.append(text[copied:end])
    if within and pieces[0] and _loses_capital(stretch[0]):
        pieces[0] = pieces[0][0].lower() + pieces[0][1:]
    return "".join(pieces)


def _applies(replacement: Replacement, within: tuple[int, ...]) -> bool:
    """Check whether a mention is replaced here: in a representative only pronouns are, up to a depth limit."""
    if not within:
        return True
    return len(within) < DEEPEST and replacement.cluster not in within and is_pronominal(replacement.mention)


def _insert(
    replacement: Replacement, text: str, replacements: Mapping[int, Sequence[Replacement]], within: tuple[int, ...]
) -> str:
    """The text that replaces a mention in the middle of a sentence."""
    inserted = _write(replacement.substitute, text, replacements, (*within, replacement.cluster))
    inserted = " ".join(inserted.split())
    if replacement.is_possessive:
        inserted = possessive(inserted, plural=replacement.is_plural)
    return f"{inserted} {replacement.verb}" if replacement.verb else inserted


def _is_capitalised(mention: Span) -> bool:
    """Check whether a mention is capitalised for its position, as "I" and "Ann" are only where a sentence starts."""
    first = mention[0]
    if not first.text[:1].isupper():
        return False
    return (first.lower_ != "i" and part_of_speech(first) in ("PRON", "DET")) or _starts_sentence(first)


def _loses_capital(first: Token) -> bool:
    """Check whether the first word of a representative is lower-cased in other positions."""
    lowered = ("DET", "PRON", "NUM", "NOUN") if first.doc.lang_ == "en" else ("DET", "PRON", "NUM")
    return first.is_title and first.lower_ != "i" and part_of_speech(first) in lowered and _starts_sentence(first)


def _starts_sentence(token: Token) -> bool:
    """Check whether a token is the first word of a sentence or of a quotation.

    Boundaries of sentences may be missing, so the preceding tokens count, too.
    """
    while token.i > 0 and not token.is_sent_start:
        before = token.nbor(-1)
        if not (before.is_space or before.is_quote or before.is_left_punct):
            return before.text in SENTENCE_ENDS
        if (before.is_quote and not before.whitespace_) or before.text.count("\n") > 1:
            return True
        token = before
    return True
