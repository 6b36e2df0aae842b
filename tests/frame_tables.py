"""Frame tables for networks that are tested without a component."""

import torch

from spacy_span_selector.layers.srl.roles import NO_TAG, FrameTable, KnownRoles


def no_frames(roles: int, rolesets: int = 0, device: str | torch.device = "cpu") -> FrameTable:
    """Of no roleset is anything known, and any role may come twice."""
    tags = torch.full((rolesets, roles), NO_TAG, device=device)
    return FrameTable(tags, torch.zeros(roles, dtype=torch.bool, device=device), strict=False)


def nothing_known(predicates: int, roles: int, device: str | torch.device = "cpu") -> KnownRoles:
    """The same of predicates."""
    return no_frames(roles, device=device).look_up(torch.full((predicates,), -1, device=device))
