"""Roles of one predicate that know of each other: attention over its likeliest arguments.

The role classifier sees one pair at a time. Here the likeliest arguments of a predicate, by their probability of having
any role, read each other by self-attention (Vaswani et al. 2017), and each may change its roles: a second agent becomes
an adjunct, a theme that was unsure becomes sure where nothing else is one. As spans are selected before, these are few,
and the step costs little.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .pairs import DISTANCES, Pairs

HEADS = 4
LAYERS = 2


class RoleRefiner(nn.Module):
    """Refine the roles of the likeliest arguments of each predicate.

    argument_width, predicate_width (int): Widths of the vectors of each side.
    roles (int): How many roles there are, the null role not counted.
    most (int): How many arguments of a predicate are refined at most.
    width (int): Width of attention, a multiple of HEADS.
    dropout (float): Dropout of attention.
    """

    def __init__(
        self, *, argument_width: int, predicate_width: int, roles: int, most: int, width: int, dropout: float
    ) -> None:
        super().__init__()
        self.most = most
        self.argument = nn.Linear(argument_width, width)
        self.predicate = nn.Linear(predicate_width, width, bias=False)
        self.distance = nn.Embedding(DISTANCES, width)
        self.roles = nn.Linear(1 + roles, width, bias=False)
        layer = nn.TransformerEncoderLayer(width, HEADS, 2 * width, dropout, batch_first=True, norm_first=True)
        self.attention = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.output = nn.Linear(width, 1 + roles)
        nn.init.normal_(self.distance.weight, std=0.02)
        nn.init.zeros_(self.output.weight)  # nothing is refined until it is learnt
        nn.init.zeros_(self.output.bias)

    def forward(
        self, log_roles: Tensor, arguments: Tensor, predicates: Tensor, pairs: Pairs, distance: Tensor
    ) -> Tensor:
        """Refine roles.

        log_roles (Tensor): Log probabilities of the roles of each pair, the null role first. Shape: (pairs, 1 + roles)
        arguments, predicates (Tensor): Vectors. Shapes: (arguments, argument_width), (predicates, predicate_width)
        pairs (Pairs): Which argument with which predicate.
        distance (Tensor): From `signed_distance`. Shape: (pairs,)
        RETURNS (Tensor): The same log probabilities, refined. Shape: (pairs, 1 + roles)
        """
        rows = likeliest_pairs(log_roles[:, 0].detach(), pairs.right, len(predicates), self.most)
        rows = rows[(rows >= 0).any(dim=1)]
        if not rows.numel():
            return log_roles
        is_pair = rows >= 0
        chosen = rows[is_pair]
        vectors = (
            self.argument(arguments)[pairs.left[chosen]]
            + self.predicate(predicates)[pairs.right[chosen]]
            + self.distance(distance[chosen])
            + self.roles(log_roles[chosen].exp())
        )
        padded = vectors.new_zeros(*rows.shape, vectors.shape[1]).masked_scatter(is_pair[:, :, None], vectors)
        read = self.attention(padded, src_key_padding_mask=~is_pair)
        refined = (log_roles[chosen] + self.output(read[is_pair])).log_softmax(dim=1)
        return log_roles.index_copy(0, chosen, refined)


def likeliest_pairs(log_null: Tensor, predicate: Tensor, predicates: int, most: int) -> Tensor:
    """The pairs of each predicate with the least probability of the null role.

    log_null (Tensor): Its logarithm, for each pair. Shape: (pairs,)
    predicate (Tensor): The predicate of each pair. Shape: (pairs,)
    predicates (int): How many predicates there are.
    most (int): How many pairs of a predicate are taken at most.
    RETURNS (Tensor): Numbers of pairs, by probability; -1 fills rows of predicates with fewer.
        Shape: (predicates, at most `most`)
    """
    order = torch.argsort(log_null, stable=True)
    order = order[torch.argsort(predicate[order], stable=True)]
    counts = torch.bincount(predicate, minlength=predicates)
    place = torch.arange(len(order), device=order.device) - (torch.cumsum(counts, 0) - counts)[predicate[order]]
    kept = place < most
    longest = int(counts.max().clamp(max=most)) if predicates else 0
    rows = order.new_full((predicates, longest), -1)
    rows[predicate[order[kept]], place[kept]] = order[kept]
    return rows
