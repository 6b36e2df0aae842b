"""The settings of the SRL network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..selection.candidates import Pruning, TopPerSentence
from ..selection.settings import NetworkSettings


@dataclass(frozen=True, kw_only=True)
class SrlSettings(NetworkSettings):
    """Sizes of the network; `hidden_width` is also that of the predicate tagger.

    pair_width (int): Width to which arguments and predicates are projected before they are paired.
    pair_hidden_width (int): Hidden layer of the role classifier.
    roleset_vectors (bool): Whether the role classifier knows the roleset of the predicate, by a vector for each.
    """

    pair_width: int = 256
    pair_hidden_width: int = 512
    roleset_vectors: bool = False
    network: ClassVar[str] = "SRL"
    greedy_ratio: ClassVar[float] = 0.8  # He et al. 2018
    pruning: ClassVar[Pruning] = TopPerSentence
    can_tag: ClassVar[bool] = True
