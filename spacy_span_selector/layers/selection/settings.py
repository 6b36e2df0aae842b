"""The settings that the networks of both components share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from ...signatures import CHECKED
from .selectors import LaminarSelector, Selector

Size = Annotated[int, Field(ge=1)]
Dropout = Annotated[float, Field(ge=0, lt=1)]


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class NetworkSettings:
    """Sizes of a network that selects spans.

    selector (Selector): How spans are selected.
    hidden_width (int): Hidden layer of the span scorer.
    feature_width (int): Width of the embedding of span widths.
    dropout (float): Dropout in the network and on the token vectors that it reads.
    max_span_width (int | None): Longest span that can be selected, in words. No limit if None; then long sentences
        cost the cube of their length, and are cut.
    bfloat16 (bool): Whether spans are projected, and pairs of them scored, in bfloat16 at prediction, where the device
        has instructions for it.
    """

    selector: Selector = LaminarSelector()
    hidden_width: Size = 512
    feature_width: Size = 20
    dropout: Dropout = 0.3
    max_span_width: Size | None = 256
    bfloat16: bool = True

    @property
    def band_width(self) -> int | None:
        """The greatest number of tokens of a span in a sentence of any length; None if long ones have to be cut."""
        return self.max_span_width if self.selector.takes_bands else None
