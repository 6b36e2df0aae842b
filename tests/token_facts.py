"""Facts of tokens as tests need them."""

import torch
from torch import Tensor

from spacy_span_selector.layers.coref.pair_features import TokenFacts


def words_only(words: Tensor) -> TokenFacts:
    """The facts of words of which nothing else is known: one sentence, no quotation, no speaker, no content words."""
    unknown = torch.zeros(len(words), dtype=torch.int32, device=words.device)
    content = torch.zeros(len(words), 2, dtype=torch.long, device=words.device)
    return TokenFacts(words, content, unknown, unknown, unknown)


def random_facts(tokens: int, generator: torch.Generator) -> TokenFacts:
    """Facts of which each is often the same for two tokens, and often another."""

    def draw(values: int) -> Tensor:
        return torch.randint(values, (tokens,), generator=generator)

    words = draw(9) * 7919 - 20000  # identifiers of words may be below 0
    bits = torch.stack([torch.ones_like(words) << (words * 5 % 64), torch.ones_like(words) << (words * 11 % 64)], dim=1)
    sentence = (draw(3) == 0).cumsum(0).int()
    return TokenFacts(words, bits * (words % 3 > 0)[:, None], sentence, draw(4).int(), draw(3).int())
