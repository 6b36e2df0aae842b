"""Features of a pair of mentions that the linker sees beside their vectors, each a small whole number.

A feature is computed from facts of the two mentions, and these from facts of tokens, which come from the document. A
new one is a function here, its line in `PAIR_FEATURES` and, if it needs a new fact, a field that
`examples/token_facts.py` fills.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from ..spans.features import DISTANCE_BUCKETS, bucket_counts, span_hashes, union_of_bits
from ..spans.layout import Spans

SHORT_WORDS = "short_words"
"""A feature of one mention: which word it is, if it is one word."""

PAIR_KINDS = "kinds"
"""Not a feature that is added up: which of several output layers scores a pair."""

WORD_ROWS = 2048
"""The numbers of words of one-word mentions; 0 is any longer mention."""


@dataclass(frozen=True)
class TokenFacts:
    """The facts about each token of a batch that features are computed from. Numbers count within a document.

    words (Tensor): An identifier of the word. Shape: (tokens,)
    content (Tensor): Bits of the word, none for function words and punctuation; two words have the same ones by chance
        once in 4,096 times. Shape: (tokens, 2)
    sentence (Tensor): The number of the sentence. Shape: (tokens,)
    quotation (Tensor): The number of the quotation; 0 outside of quotations. Shape: (tokens,)
    speaker (Tensor): The number of the speaker; 0 if unknown. Shape: (tokens,)
    """

    words: Tensor
    content: Tensor
    sentence: Tensor
    quotation: Tensor
    speaker: Tensor


@dataclass(frozen=True)
class MentionFacts:
    """The facts about each mention of a batch that features are computed from. By start, then by end.

    starts, ends (Tensor): First and last token. Shape: (mentions,)
    words, last_word (Tensor): A number for the word sequence, and for its last word. Shape: (mentions,)
    short_word (Tensor): A number below `WORD_ROWS` for the word of a one-word mention; 0 for others. Shape: (mentions,)
    content (Tensor): The bits of all content words. Shape: (mentions, 2)
    sentence, quotation, speaker (Tensor): Those of the first token. Shape: (mentions,)
    """

    starts: Tensor
    ends: Tensor
    words: Tensor
    last_word: Tensor
    short_word: Tensor
    content: Tensor
    sentence: Tensor
    quotation: Tensor
    speaker: Tensor

    @classmethod
    def read(cls, tokens: TokenFacts, spans: Spans) -> MentionFacts:
        """The facts of the mentions that are some spans."""
        starts, ends = spans.starts, spans.ends
        is_short = starts == ends
        return cls(
            starts=starts,
            ends=ends,
            words=span_hashes(tokens.words, starts, ends),
            last_word=tokens.words[ends],
            short_word=(1 + tokens.words[starts] % (WORD_ROWS - 1)) * is_short,
            content=union_of_bits(tokens.content, starts, ends),
            sentence=tokens.sentence[starts],
            quotation=tokens.quotation[starts],
            speaker=tokens.speaker[starts],
        )


Compare = Callable[[MentionFacts, Tensor, Tensor], Tensor]
"""Computes a feature of pairs: from facts, mentions and antecedents by index, which are broadcast, small numbers of the
type uint8. Where an antecedent is none, since it comes later, any number that the feature may be will do."""


class PairFeature(NamedTuple):
    """A feature of a mention and an antecedent: a number below `values`."""

    values: int
    compare: Compare


def same_words(facts: MentionFacts, mention: Tensor, antecedent: Tensor) -> Tensor:
    """2: the same words; 1: the same last word; 0: neither."""
    last_word = facts.last_word[mention] == facts.last_word[antecedent]
    return (facts.words[mention] == facts.words[antecedent]).byte() + last_word


def nested(facts: MentionFacts, mention: Tensor, antecedent: Tensor) -> Tensor:
    """0: they share no token; 1: one contains the other; 2: and they start together; 3: end together; 4: they cross."""
    overlap = facts.ends[antecedent] >= facts.starts[mention]
    start_together = facts.starts[antecedent] == facts.starts[mention]
    end_together = facts.ends[antecedent] == facts.ends[mention]
    cross = (facts.ends[antecedent] < facts.ends[mention]) & ~start_together
    return overlap * (1 + start_together.byte() + 2 * end_together.byte() + 3 * cross.byte())


def content_words(facts: MentionFacts, mention: Tensor, antecedent: Tensor) -> Tensor:
    """2: they share a content word; 1: both have content words, others; 0: one has none, such as a pronoun."""
    has_some = facts.content.any(dim=1)
    first, second = facts.content.unbind(dim=1)
    shared = ((first[mention] & first[antecedent]) != 0) & ((second[mention] & second[antecedent]) != 0)
    return (has_some[mention] & has_some[antecedent]).byte() + shared


def kind(facts: MentionFacts, mention: Tensor, antecedent: Tensor) -> Tensor:
    """0: a noun and a pronoun, which here is any mention without content words; two pronouns, 1: others, 2: the same
    words; two nouns, 3: no content word is shared, 4: one is, 5: the same words. Source: Otmazgin, Cattan and Goldberg
    (2023), "LingMess: Linguistically Informed Multi Expert Scorers for Coreference Resolution", section 3."""
    has_some = facts.content.any(dim=1)
    is_noun, other_is_noun = has_some[mention], has_some[antecedent]
    same = facts.words[mention] == facts.words[antecedent]
    nouns = (is_noun & other_is_noun) * (2 + content_words(facts, mention, antecedent) + same.byte())
    return nouns + ~(is_noun | other_is_noun) * (1 + same.byte())


def quotation(facts: MentionFacts, mention: Tensor, antecedent: Tensor) -> Tensor:
    """0: both outside quotations; 1: only the antecedent in one; 2: only the mention; 3: in two; 4: in the same."""
    inside = facts.quotation > 0
    same = (facts.quotation[mention] == facts.quotation[antecedent]) & inside[antecedent]
    return 2 * inside[mention].byte() + inside[antecedent] + same


def speaker(facts: MentionFacts, mention: Tensor, antecedent: Tensor) -> Tensor:
    """2: the same speaker; 1: different ones; 0: at least one of them is unknown."""
    known = facts.speaker > 0
    same = facts.speaker[mention] == facts.speaker[antecedent]
    return (known[mention] & known[antecedent]) * (1 + same.byte())


def sentences(facts: MentionFacts, mention: Tensor, antecedent: Tensor) -> Tensor:
    """The number of sentences from the antecedent to the mention, in the buckets of distances."""
    return bucket_counts(facts.sentence[mention] - facts.sentence[antecedent], DISTANCE_BUCKETS).byte()


SAME_WORDS = PairFeature(3, same_words)
KINDS = PairFeature(6, kind)

PAIR_FEATURES = {
    "nested": PairFeature(5, nested),
    "content_words": PairFeature(3, content_words),
    "quotation": PairFeature(5, quotation),
    "speaker": PairFeature(3, speaker),
    "sentences": PairFeature(len(DISTANCE_BUCKETS) + 1, sentences),
}
"""The features that may be chosen, by name."""

FEATURE_NAMES = (*PAIR_FEATURES, SHORT_WORDS, PAIR_KINDS)
