"""Spans as tags of tokens: B-role, I-role and O, and the best sequence of tags that is well formed.

Tag 0 is O; role r has the tags 1 + 2 r for its first token and 2 + 2 r for the others.
"""

from __future__ import annotations

import torch
from torch import Tensor

OUTSIDE = 0


def begin_tag(role: Tensor) -> Tensor:
    """The tag of the first token of a role; that of the others is one greater."""
    return 1 + 2 * role


def count_tags(roles: int) -> int:
    """The number of tags for a number of roles."""
    return 1 + 2 * roles


def encode_tags(starts: Tensor, ends: Tensor, roles: Tensor, length: int) -> Tensor:
    """The tags of spans. Where spans overlap, the first in the list has the tokens.

    starts, ends, roles (Tensor): First and last place of each span, and its role. Shape: (spans,)
    length (int): How many places there are.
    RETURNS (Tensor): O outside of every span. Shape: (length,)
    """
    tags = [OUTSIDE] * length
    for start, end, tag in zip(starts.tolist(), ends.tolist(), begin_tag(roles).tolist(), strict=True):
        if not any(tags[start : end + 1]):
            tags[start : end + 1] = [tag] + [tag + 1] * (end - start)
    return torch.tensor(tags, dtype=torch.long, device=starts.device)


def decode_tags(log_tags: Tensor, lengths: Tensor) -> Tensor:
    """The most probable well-formed tags: I-role only behind B-role or I-role (He et al. 2017).

    The Viterbi algorithm; as O and B-role may follow anything, it takes `length` x `tags` steps a sequence.

    log_tags (Tensor): Log probabilities. Shape: (sequences, length, tags)
    lengths (Tensor): Number of tokens of each sequence, at least 1. Shape: (sequences,)
    RETURNS (Tensor): Tags, O behind the end. Shape: (sequences, length)
    """
    _, length, tags = log_tags.shape
    every = torch.arange(tags, device=log_tags.device)
    is_inside = (every > OUTSIDE) & (every % 2 == 0)
    score = log_tags[:, 0].masked_fill(is_inside, -torch.inf)
    previous = []
    for place in range(1, length):
        best, best_tag = score.max(dim=1, keepdim=True)
        before, before_tag = best.repeat(1, tags), best_tag.repeat(1, tags)
        first, inside = score[:, 1::2], score[:, 2::2]
        before[:, 2::2] = torch.maximum(first, inside)
        before_tag[:, 2::2] = torch.where(inside > first, every[2::2], every[1::2])
        going = (place < lengths)[:, None]
        previous.append(torch.where(going, before_tag, every))
        score = torch.where(going, before + log_tags[:, place], score)
    tag = score.argmax(dim=1)
    decoded = [tag]
    for step in reversed(previous):
        tag = step.gather(1, tag[:, None]).squeeze(1)
        decoded.append(tag)
    sequence = torch.stack(decoded[::-1], dim=1)
    places = torch.arange(length, device=lengths.device)
    return sequence.masked_fill(places >= lengths[:, None], OUTSIDE)
