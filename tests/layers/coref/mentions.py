"""Random mentions, and what is known of two of them, computed one pair at a time from the tokens."""

import math
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor

from spacy_span_selector.layers.coref.linker import Mentions
from spacy_span_selector.layers.coref.pair_features import MentionFacts, TokenFacts
from spacy_span_selector.layers.spans.features import DISTANCE_BUCKETS
from spacy_span_selector.layers.spans.layout import Spans

from ...token_facts import random_facts

VECTOR_WIDTH = 7
TOKENS = 8  # of each document


@dataclass(frozen=True)
class Case:
    """Mentions, and the tokens that they are spans of."""

    mentions: Mentions
    tokens: TokenFacts
    spans: list[tuple[int, int]]


def random_case(sizes: list[int], device: str = "cpu", *, weighted: bool = True, seed: int = 1) -> Case:
    """Mentions of documents of one size; they nest, cross, and share ends.

    sizes (list[int]): How many mentions each document has.
    """
    generator = torch.Generator().manual_seed(seed)
    spans: list[tuple[int, int]] = []
    for document, size in enumerate(sizes):
        possible = [(start, end) for start in range(TOKENS) for end in range(start, min(start + 4, TOKENS))]
        chosen = torch.randperm(len(possible), generator=generator)[:size].sort().values.tolist()
        spans += [(document * TOKENS + possible[i][0], document * TOKENS + possible[i][1]) for i in chosen]
    tokens = random_facts(len(sizes) * TOKENS, generator)
    starts, ends = torch.tensor(spans, dtype=torch.long).view(-1, 2).T
    weights = torch.rand(len(spans), generator=generator)
    mentions = Mentions(
        vectors=torch.randn(len(spans), VECTOR_WIDTH, generator=generator),
        scores=torch.randn(len(spans), generator=generator),
        document=starts // TOKENS,
        weights=weights if weighted else torch.ones_like(weights),
        facts=MentionFacts.read(tokens, Spans(starts, ends)),
    )
    return Case(moved(mentions, device), tokens, spans)


def moved(mentions: Mentions, device: str) -> Mentions:
    """The same mentions on a device."""
    facts = {field.name: getattr(mentions.facts, field.name).to(device) for field in fields(mentions.facts)}
    return Mentions(*(tensor.to(device) for tensor in mentions[:-1]), facts=replace(mentions.facts, **facts))


def some_of(mentions: Mentions, which: slice) -> Mentions:
    facts = {field.name: getattr(mentions.facts, field.name)[which] for field in fields(mentions.facts)}
    return Mentions(*(tensor[which] for tensor in mentions[:-1]), facts=replace(mentions.facts, **facts))


def distance_bucket(weights: Tensor, i: int, j: int) -> int:
    """The bucket of the distance of mention i and the earlier mention j."""
    between = sum(round(weight * 256) / 256 for weight in weights[j + 1 : i].tolist())
    return bucket_of(math.floor(1 + between + 0.5))


def bucket_of(distance: int) -> int:
    return sum(bound <= distance for bound in DISTANCE_BUCKETS)


def plain_feature(name: str, tokens: TokenFacts, mention: tuple[int, int], antecedent: tuple[int, int]) -> int:
    """A feature by its definition.

    mention, antecedent (tuple[int, int]): First and last token.
    """
    (start, end), (other_start, other_end) = mention, antecedent
    words, other_words = (tokens.words[i : k + 1].tolist() for i, k in (mention, antecedent))
    content, other_content = ([word for word in those if word % 3] for those in (words, other_words))
    if name == "words":
        return 2 if words == other_words else int(words[-1] == other_words[-1])
    if name == "nested":
        if other_end < start:
            return 0
        if other_start == start:
            return 2
        return 1 if other_end > end else 3 if other_end == end else 4
    if name == "content_words":
        shared = all(
            any(a & b for a in bits for b in other_bits)
            for bits, other_bits in (
                (tokens.content[start : end + 1, k].tolist(), tokens.content[other_start : other_end + 1, k].tolist())
                for k in (0, 1)
            )
        )
        return 0 if not content or not other_content else 2 if shared else 1
    if name == "kinds":
        if content and other_content:
            shared = plain_feature("content_words", tokens, mention, antecedent) == 2
            return 5 if words == other_words else 4 if shared else 3
        return 0 if content or other_content else 2 if words == other_words else 1
    if name == "quotation":
        quotation, other = int(tokens.quotation[start]), int(tokens.quotation[other_start])
        if quotation and other:
            return 4 if quotation == other else 3
        return 2 if quotation else int(other > 0)
    if name == "speaker":
        speaker, other = int(tokens.speaker[start]), int(tokens.speaker[other_start])
        return 0 if not speaker or not other else 2 if speaker == other else 1
    assert name == "sentences"
    return bucket_of(int(tokens.sentence[start]) - int(tokens.sentence[other_start]))
