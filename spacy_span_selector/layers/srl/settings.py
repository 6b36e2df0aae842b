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
    max_argument_distance (int | None): Greatest distance of an argument from the first token of its predicate, in
        tokens; not used by the tagger. No limit if None; then the pairs cost the square of the length of a sentence.
    """

    pair_width: int = 256
    pair_hidden_width: int = 512
    max_argument_distance: int | None = None
    network: ClassVar = "SRL"
    greedy_ratio: ClassVar = 0.8  # He et al. 2018
    pruning: ClassVar = TopPerSentence
    can_tag: ClassVar = True

    @property
    def band_width(self) -> int | None:
        return None if self.max_argument_distance is None else super().band_width
