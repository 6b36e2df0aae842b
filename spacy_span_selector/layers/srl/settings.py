"""The settings of the SRL network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..selection.candidates import TopPerSentence
from ..selection.settings import NetworkSettings


@dataclass(frozen=True, kw_only=True)
class SrlSettings(NetworkSettings):
    """Sizes of the network; `hidden_width` is also that of the predicate tagger.

    pair_width (int): Width to which arguments and predicates are projected before they are paired.
    pair_hidden_width (int): Hidden layer of the role classifier.
    roleset_vectors (bool): Whether the role classifier knows the roleset of the predicate, by a vector for each.
    refined (int | None): How many of the likeliest arguments of a predicate read each other to refine their roles; none
        if None. Arguments that are tagged are not refined.
    refine_width (int): Width of the attention by which they do, a multiple of 4.
    """

    pair_width: int = 256
    pair_hidden_width: int = 512
    roleset_vectors: bool = False
    refined: int | None = None
    refine_width: int = 128
    network: ClassVar = "SRL"
    greedy_ratio: ClassVar = 0.8  # He et al. 2018
    pruning: ClassVar = TopPerSentence
    can_tag: ClassVar = True
