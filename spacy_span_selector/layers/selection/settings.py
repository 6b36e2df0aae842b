"""The settings that the networks of both components share."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from numbers import Real
from typing import ClassVar

from .candidates import Pruning
from .selectors import Selector, StructuredSelector, check_selector


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """Sizes of a network that selects spans. Every number is checked to be at least 1 and finite, or a dropout below 1.

    selector (Selector): How spans are selected. What its config leaves to the task is filled in here.
    hidden_width (int): Hidden layer of the span scorer.
    feature_width (int): Width of the embedding of span widths.
    dropout (float): Dropout in the network and on the token vectors that it reads.
    max_span_width (int | None): Longest span that can be selected, in tokens. No limit if None; then long sentences
        cost the cube of their length.
    network (str): What messages call the network.
    greedy_ratio, pruning (float, Pruning): How the greedy selector prunes in this task.
    can_tag, can_learn_constituents (bool): Which selectors the network can use; see `check_selector`.
    """

    selector: Selector = field(default_factory=StructuredSelector)
    hidden_width: int = 512
    feature_width: int = 20
    dropout: float = 0.3
    max_span_width: int | None = None
    network: ClassVar[str]
    greedy_ratio: ClassVar[float]
    pruning: ClassVar[Pruning]
    can_tag: ClassVar[bool] = False
    can_learn_constituents: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_selector(self.selector, self.network, tags=self.can_tag, constituents=self.can_learn_constituents)
        completed = self.selector.for_task(ratio=self.greedy_ratio, pruning=self.pruning)
        object.__setattr__(self, "selector", completed)
        for name, value in vars(self).items():
            if not isinstance(value, Real) or isinstance(value, bool):
                continue
            if name.endswith("dropout"):
                if not 0 <= float(value) < 1:
                    raise ValueError(f"'{name}' of the {self.network} model is {value}; it must be from 0 to below 1.")
            elif not 1 <= float(value) < inf:
                raise ValueError(f"'{name}' of the {self.network} model is {value}; it must be at least 1, and finite.")

    @property
    def band_width(self) -> int | None:
        """The greatest number of tokens of a span in a sentence of any length; None if long ones have to be cut."""
        return self.max_span_width if self.selector.takes_bands else None
