"""Dashes and underscores as tokens of their own, which books in plain text need.

spaCy splits `Tom--she`, but leaves `Tom.--She`, `Tom--"No` and `she--_Emma_` as one token, and a name within a token is
no mention. With these rules whatever spaCy splits off at the end of a word is also split off before a dash, and
whatever it splits off at the start of a word also after a dash.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from spacy.lang.char_classes import ALPHA_UPPER
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.util import compile_infix_regex, registry

BEFORE, AFTER = r"""[\w.,;:!?…)\]"”’'»]""", r"""["“„‘‚'«(\[]"""
"""The characters that a dash may follow; the marks that may stand between a dash and a word."""


@registry.callbacks("spacy_span_selector.split_dashes.v1")
def create_split_dashes() -> Callable[[Language], Language]:
    """Create the callback for `[nlp.after_creation]`: `split_dashes`."""
    return split_dashes


def split_dashes(nlp: Language) -> Language:
    """Make the tokenizer of a pipeline split dashes, and underscores around words, from words and punctuation.

    A dash is `—`, `–`, or two or more hyphens. Single hyphens stay as they are, and so does `--option` after a space.
    The rules are saved with the pipeline; calling this again adds nothing.

    RETURNS (Language): The same pipeline.
    RAISES (ValueError): If its tokenizer has no such rules, as those of Chinese and Japanese.
    """
    tokenizer = nlp.tokenizer
    if not isinstance(tokenizer, Tokenizer):
        raise ValueError(
            f"'spacy_span_selector.split_dashes.v1' can't add rules to the tokenizer of '{nlp.lang}', "
            f"{type(tokenizer).__name__}. Expected spaCy's own; remove the callback from [nlp.after_creation]."
        )
    rules = (nlp.Defaults.suffixes or (), nlp.Defaults.prefixes or ())
    closing, opening = (compile_infix_regex(pieces).pattern for pieces in rules)
    infixes = (
        rf"(?<={BEFORE})(?:-{{2,}}|[—–]+)(?={AFTER}{{0,3}}\w)",
        rf"(?:{closing})(?=[\W_]{{0,5}}(?:--|[—–]))",  # before a dash
        rf"(?:(?<=--)|(?<=[—–])|(?<=--{AFTER})|(?<=[—–]{AFTER}))(?:{opening})",  # after one
        r"(?<=[^\W_])_(?=['’-][^\W_])",  # "_Emma_'ll"
    )
    tokenizer.infix_finditer = _add("|".join(infixes), tokenizer.infix_finditer).finditer
    tokenizer.prefix_search = _add(rf"^-{{2,}}(?={AFTER}|[{ALPHA_UPPER}_])", tokenizer.prefix_search).search
    tokenizer.suffix_search = _add(rf"(?<={BEFORE})-{{2,}}$", tokenizer.suffix_search).search
    tokenizer.faster_heuristics = False  # finds the contraction in "no--don't", too
    return nlp


def _add(rules: str, method: Callable[..., object] | None) -> re.Pattern[str]:
    """The pattern whose method this is, with rules before its own unless it has them."""
    pattern: re.Pattern[str] | None = getattr(method, "__self__", None)
    own = "" if pattern is None else pattern.pattern
    return re.compile(own if rules in own else f"{rules}|{own}" if own else rules)
