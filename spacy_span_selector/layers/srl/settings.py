"""The settings of the SRL network."""

from __future__ import annotations

from pydantic.dataclasses import dataclass

from ...signatures import CHECKED
from ..selection.settings import NetworkSettings, Size


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class SrlSettings(NetworkSettings):
    """Sizes of the network; `hidden_width` is also that of the predicate tagger.

    pair_width (int): Width to which arguments and predicates are projected before they are paired.
    pair_hidden_width (int): Hidden layer of the role classifier.
    roleset_vectors (bool): Whether the role classifier knows the roleset of the predicate, by a vector for each.
    """

    pair_width: Size = 256
    pair_hidden_width: Size = 512
    roleset_vectors: bool = True
