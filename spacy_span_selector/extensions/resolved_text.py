"""The extension attribute for the text with mentions replaced by the representative of their cluster:
`doc._.resolved_text`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spacy.tokens import Doc, Span, Token

from .clusters import doc_clusters
from .english import possessive
from .mention_types import is_pronominal, part_of_speech
from .replacements import Replacement, find_replacements

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
    """Whether a mention is replaced here: in a representative only pronouns are, up to a depth limit."""
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
    """Whether a mention is capitalised for its position: "The girl", but "I" and "Ann" only if a sentence starts."""
    first = mention[0]
    if not first.text[:1].isupper():
        return False
    return (first.lower_ != "i" and part_of_speech(first) in ("PRON", "DET")) or _starts_sentence(first)


def _loses_capital(first: Token) -> bool:
    """Whether the first word of a representative is lower-cased in other positions."""
    lowered = ("DET", "PRON", "NUM", "NOUN") if first.doc.lang_ == "en" else ("DET", "PRON", "NUM")
    return first.is_title and first.lower_ != "i" and part_of_speech(first) in lowered and _starts_sentence(first)


def _starts_sentence(token: Token) -> bool:
    """Whether a token is the first word of a sentence or of a quotation: by the sentence boundaries of the document,
    and by the preceding tokens, since boundaries may be missing."""
    while token.i > 0 and not token.is_sent_start:
        before = token.nbor(-1)
        if not (before.is_space or before.is_quote or before.is_left_punct):
            return before.text in SENTENCE_ENDS
        if (before.is_quote and not before.whitespace_) or before.text.count("\n") > 1:
            return True
        token = before
    return True
