"""What a component knows of rolesets: from the corpus it was trained on, and from a lexicon."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from ..annotation.lexicon import Lexicon
from ..layers.srl.roleset_roles import ABSENT, NO_TAG, FrameTable
from .rolesets import RolesetCounts, add_lexicon, number_rolesets

CORE_ROLE = re.compile(r"(?:[RC]-)*(ARG[0-9A])(?:-.*)?")
"""A role that frames define, a reference to it or a continuation of it."""
RAREST_TAG = 10
"""How many roles of the lexicon share a function tag at least: what is learnt of rarer ones helps nobody."""


@dataclass(frozen=True)
class KnownRolesets:
    """Rolesets by number.

    seen_counts (RolesetCounts): How often each form and lemma was seen with each roleset.
    lexicon (Lexicon): What is known of rolesets, seen or not.
    labels (Sequence[str]): The roles of the component.
    """

    seen_counts: RolesetCounts
    lexicon: Lexicon
    labels: Sequence[str]

    @cached_property
    def counts(self) -> RolesetCounts:
        """Which rolesets each form and lemma may have, with counts."""
        return add_lexicon(self.seen_counts, self.lexicon)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each roleset; those that were seen come first."""
        return number_rolesets(self.seen_counts, self.lexicon)

    @cached_property
    def seen(self) -> int:
        """How many rolesets were seen."""
        return len(number_rolesets(self.seen_counts, {}))

    @property
    def tags(self) -> int:
        """How many function tags there are, ABSENT among them; 0 without a lexicon."""
        return 1 + len(self._tag_numbers) if self.lexicon else 0

    def frame_table(self, device: torch.device, unique_roles: Sequence[str], *, strict: bool) -> FrameTable:
        """The frames of all rolesets as tensors.

        device (torch.device): Where they go.
        unique_roles (Sequence[str]): The roles that a predicate has at most once.
        strict (bool): Whether a role is not given to a predicate whose frame lacks it.
        """
        unique = torch.tensor([label in unique_roles for label in self.labels], dtype=torch.bool, device=device)
        if device not in self._tables:
            self._tables[device] = self._table.to(device)
        return FrameTable(self._tables[device], unique, strict)

    def describe(self, roleset: str | None, roles: Iterable[str]) -> tuple[str | None, dict[str, str] | None]:
        """What a roleset means, and what some of its roles are, as far as the lexicon knows.

        roleset (str | None): The roleset.
        roles (Iterable[str]): Roles, references and continuations among them.
        """
        entry = self.lexicon.get(roleset or "")
        if entry is None:
            return None, None
        texts = {}
        for role in roles:
            core = CORE_ROLE.fullmatch(role)
            known = entry["roles"].get(core[1]) if core else None
            if known and known["description"]:
                texts[role] = known["description"]
        return entry["name"] or None, texts or None

    @cached_property
    def _tag_numbers(self) -> dict[str, int]:
        uses = Counter(role["tag"] for entry in self.lexicon.values() for role in entry["roles"].values())
        frequent = sorted(tag for tag, count in uses.items() if tag and count >= RAREST_TAG)
        return {tag: ABSENT + i for i, tag in enumerate(frequent, start=1)}

    @cached_property
    def _tables(self) -> dict[torch.device, Tensor]:
        """The table on each device that asked for it. It is large, so it is not copied for each batch."""
        return {}

    @cached_property
    def _table(self) -> Tensor:
        core = [match and match[1] for match in map(CORE_ROLE.fullmatch, self.labels)]
        rows = []
        for roleset in self.numbers:
            roles = self.lexicon[roleset]["roles"] if roleset in self.lexicon else None
            tags = {label: self._tag_numbers.get(role["tag"], NO_TAG) for label, role in (roles or {}).items()}
            other = NO_TAG if roles is None else ABSENT
            rows.append([NO_TAG if label is None else tags.get(label, other) for label in core])
        return torch.tensor(rows, dtype=torch.long).view(len(rows), len(core))
