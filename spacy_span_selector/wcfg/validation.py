"""Validation of the arguments that all functions of the grammar have in common."""

from __future__ import annotations

import torch
from torch import Tensor

GREATEST = 1 / 16  # the greatest log Z times the precision of its numbers: log q is then off by half at most


class ScoreError(ValueError):
    """A score is NaN, infinite, or too large to compute with."""


def validate(scores: Tensor, lengths: Tensor) -> None:
    """Raise a ValueError unless each sentence has a score for each first and last token, and a possible length."""
    if scores.ndim != 3 or scores.shape[1] != scores.shape[2]:
        raise ValueError(f"scores: expected shape (batch, n, n), one score per span, but got {tuple(scores.shape)}")
    _validate(scores, lengths)


def validate_band(scores: Tensor, lengths: Tensor) -> None:
    """Raise a ValueError unless each sentence has a score for each first token and width, and a possible length."""
    if scores.ndim != 3 or (scores.shape[1] and not scores.shape[2]):
        raise ValueError(
            f"scores: expected shape (batch, n, most), one score per narrow span, but got {tuple(scores.shape)}"
        )
    _validate(scores, lengths)


def _validate(scores: Tensor, lengths: Tensor) -> None:
    batch, tokens, _ = scores.shape
    if not scores.is_floating_point():
        raise ValueError(f"scores: expected a floating-point tensor, but got {scores.dtype}")
    if lengths.shape != (batch,):
        raise ValueError(f"lengths: expected shape ({batch},), one per sentence, but got {tuple(lengths.shape)}")
    if lengths.is_floating_point() or lengths.is_complex() or lengths.dtype == torch.bool:
        raise ValueError(f"lengths: expected an integer tensor, but got {lengths.dtype}")
    if batch and not (lengths.min() >= 0 and lengths.max() <= tokens):
        raise ValueError(
            f"lengths: expected 0 to {tokens} tokens, the size of the scores, but got "
            f"{int(lengths.min())} to {int(lengths.max())}"
        )


def check_sums(log_partition: Tensor, scores: Tensor) -> None:
    """Raise a ScoreError unless scores were finite, and not so large that marginals are nothing but rounding errors.

    No score is above log Z, and NaN and infinity make it NaN or infinite, so one number for each sentence is enough. In
    a band, errors are those of as many words as the widest span has, so log Z counts for these on average.

    scores (Tensor): 0 where there is no span. Shape: (batch, n, n) or (batch, n, most)
    """
    _, tokens, columns = scores.shape
    greatest = GREATEST / torch.finfo(log_partition.dtype).eps * max(1.0, tokens / columns)
    good = log_partition <= greatest
    if good.all():
        return
    sentence = int(torch.nonzero(~good)[0])
    wrong = torch.nonzero(scores[sentence].isnan() | (scores[sentence] == torch.inf))
    if len(wrong):
        place = (sentence, *wrong[0].tolist())
        raise ScoreError(
            f"scores[{', '.join(map(str, place))}] is {scores[place].item()}; expected a finite number, or -inf for a "
            "span that is forbidden"
        )
    raise ScoreError(
        f"scores[{sentence}] go up to {scores[sentence].max().item():.3g}, so that log Z is "
        f"{log_partition[sentence].item():.3g}; expected at most {greatest:.3g}, above which probabilities are "
        f"rounding errors of {log_partition.dtype}. Give smaller scores, or float64"
    )


def check_differentiated_once() -> None:
    """Raise a RuntimeError if the gradient that is computed is to be differentiated: marginals have no second one."""
    if torch.is_grad_enabled():
        raise RuntimeError("span marginals can be differentiated once only: call backward without create_graph=True")
