"""What of a text is read: words, but neither emoji nor characters that nobody sees."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from unicodedata import category

import spacy
from spacy.tokenizer import Tokenizer

SHAPELESS = frozenset({"Cc", "Cf", "Mn"})

_NOT_LATIN = "[^\u0000-\u058f\u1e00-\u1fff]"
INVISIBLE = (
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe0e\ufe0f\ufeff]"
    f"|(?<!{_NOT_LATIN})[\u200b-\u200d]"
)
"""Characters that change no word. Joiners and spaces without width do, where letters join or words have no spaces: of
these, only those count that follow a Latin, Greek or Cyrillic letter, or none."""
_PICTURES = (
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2639-\u263b\u2648-\u2653\u267f\u2693\u26a1\u26aa"
    "\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e"
    "\u2753-\u2755\u2757\u2764\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f18e"
    "\U0001f191-\U0001f19a\U0001f1e6-\U0001f1ff\U0001f201-\U0001f265\U0001f300-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f7e0-\U0001f7f0\U0001f90c-\U0001f9ff\U0001fa70-\U0001faff"
)
"""Characters that are shown as pictures by themselves (Emoji_Presentation of Unicode), and faces and hearts."""
EMOJI = re.compile(
    f"(?:[{_PICTURES}]|[\u203c-\u2121\u2123-\u3299\U0001f170-\U0001f251][\ufe0f\U0001f3fb-\U0001f3ff]"
    "|[0-9#*]\ufe0f?\u20e3)(?:[\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
    f"|\u200d[\u2194-\u2bff{_PICTURES}])*"
)
"""An emoji: a picture, a symbol or a digit that is made one, with all that is joined to it. None are © and ™."""
HIDDEN = re.compile(f"(?P<emoji>{EMOJI.pattern})|\u20e3|{INVISIBLE}")
_PLACEHOLDER = "\ufffe"  # no character
Word = tuple[str, bool, str]
INNER_SPACE = re.compile(r"\S\s+\S")


def mask(text: str) -> str:
    """A text of the same length with blanks for emoji, and a placeholder for each character that nobody sees."""
    return HIDDEN.sub(lambda found: (" " if found["emoji"] else _PLACEHOLDER) * len(found[0]), text)


def unmask(masked: str) -> str:
    """What is read of a part of a masked text."""
    return masked.replace(_PLACEHOLDER, "")


@lru_cache(maxsize=1 << 13)  # most words come again
def visible(text: str) -> str:
    """What is read of a text, on one line; the text itself if all of it is."""
    return " ".join(unmask(mask(text)).split()) if not text.isascii() and HIDDEN.search(text) else text


def is_blank(text: str) -> bool:
    """Check whether there is nothing to read in a text."""
    return all(character.isspace() or category(character) in SHAPELESS for character in unmask(mask(text)))


@lru_cache(maxsize=1 << 12)
def split_words(text: str, language: str) -> tuple[Word, ...]:
    """The words that spaCy's tokenizer makes of a text, with whether a space follows each, and its norm; in languages
    that have other tokenizers, all of it is one word."""
    tokenizer = _tokenizer(language)
    if tokenizer is None:
        return ((text, False, text.lower()),)
    return tuple((token.text, bool(token.whitespace_), token.norm_) for token in tokenizer(text) if not token.is_space)


@cache
def _tokenizer(language: str) -> Tokenizer | None:
    try:
        tokenizer = spacy.blank(language or "xx").tokenizer
    except ImportError:  # a package that only some languages need
        return None
    return tokenizer if isinstance(tokenizer, Tokenizer) else None
