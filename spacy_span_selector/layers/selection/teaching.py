"""The loss by what another network, the teacher, says of the same spans (Hinton, Vinyals and Dean 2015).

With q the probabilities of the teacher, it is the cross-entropy of each decision:

    L = - sum over spans s        [ sum over types t of q(s, t) log p(s, t) + (1 - q(s)) log (1 - p(s)) ]
        - sum over candidates s   w(s) sum over choices c of q(c | s) log p(c | s)

A choice is an antecedent or a role, and w(s) the greater one of p(s) and q(s), as constants: what neither selects has
nothing to choose. The spans are the candidates, all that the teacher holds for possible, and, so that p does not
saturate, as many at random as there are words.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ..spans.layout import SpanLayout
from .selectors import Selection

POSSIBLE = 0.02
"""The least probability of a span that the teacher holds for possible."""


def cross_entropy(probabilities: Tensor, log_own: Tensor) -> Tensor:
    """- sum of q log p, a scalar, in which what is impossible to the teacher counts nothing."""
    return -(probabilities * log_own.masked_fill(probabilities <= 0, 0.0)).sum()


def selection_loss(own: Selection, told: Selection, layout: SpanLayout, types: Sequence[int]) -> Tensor:
    """The loss of selection, and of types if spans have some.

    types (Sequence[int]): The number that the teacher gives each type.
    """
    valid = torch.nonzero(layout.valid()).squeeze(1)
    possible = valid[told.marginals.selected[valid].exp() > POSSIBLE]
    drawn = valid[torch.randint(len(valid), (len(layout.document),), device=valid.device)]
    flat = torch.cat([own.candidates, possible, drawn]).unique()
    selected = told.marginals.selected[flat].exp().clamp(max=1)
    loss = cross_entropy(selected, own.marginals.selected[flat])
    loss = loss + cross_entropy(1 - selected, own.marginals.unselected[flat])
    if own.types is None or told.types is None:
        return loss
    return loss + cross_entropy(selected * told.types[:, flat][list(types)].exp(), own.types[:, flat])


def weights_of_choices(own: Selection, told: Selection) -> Tensor:
    """w(s) of each candidate. Shape: (candidates,)"""
    both = (selection.marginals.selected[own.candidates] for selection in (own, told))
    return torch.maximum(*both).detach().exp()
