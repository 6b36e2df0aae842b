"""Frame tables for networks that are tested without a component."""

from __future__ import annotations

import torch

from spacy_span_selector.layers.srl.roleset_roles import NO_TAG, FrameTable, KnownRoles


def no_frames(roles: int, rolesets: int = 0) -> FrameTable:
    """Of no roleset is anything known, and any role may come twice."""
    tags = torch.full((rolesets, roles), NO_TAG)
    return FrameTable(tags, torch.zeros(roles, dtype=torch.bool), strict=False)


def nothing_known(predicates: int, roles: int, device: str | torch.device = "cpu") -> KnownRoles:
    """The same of predicates."""
    known = no_frames(roles).look_up(torch.full((predicates,), -1))
    return KnownRoles(known.rolesets.to(device), known.tags.to(device), known.unique.to(device), known.strict)
