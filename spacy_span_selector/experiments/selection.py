"""What a selector would keep at other settings, and how probable it finds each span."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.tokens import Doc
from torch import Tensor

from ..layers.selection.candidates import CandidateStrategy
from ..layers.selection.selectors import GreedySelector
from ..layers.spans.layout import SpanLayout
from ..pipeline.structured_coref import StructuredCoref
from ..pipeline.structured_srl import StructuredSrl
from .spans import Characters

SETTINGS: dict[str, tuple[float, ...]] = {
    "threshold": (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "ratio": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
}
"""The setting of each kind of strategy that decides how many spans are kept, and values to try beside its own."""


class ScoredSpans:
    """A strategy that remembers what it was given, and leaves the choice to another.

    strategy (CandidateStrategy): The other one.
    """

    def __init__(self, strategy: CandidateStrategy) -> None:
        self.strategy = strategy
        self.given: tuple[Tensor, Tensor, SpanLayout] | None = None

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
        self.given = scores, log_marginals, layout
        return self.strategy(scores, log_marginals, layout)


@dataclass(frozen=True)
class DocSelection:
    """What a selector says of the spans of a document.

    doc (Doc): The document.
    scores, log_marginals (Tensor): As a `CandidateStrategy` takes them. Shape: (layout.size,)
    layout (SpanLayout): The sentences of the document.
    strategy (CandidateStrategy): What chooses spans at prediction.
    is_probability (bool): Whether the marginals are that, or scores again.
    """

    doc: Doc
    scores: Tensor
    log_marginals: Tensor
    layout: SpanLayout
    strategy: CandidateStrategy
    is_probability: bool

    def at_other_settings(self) -> Iterator[tuple[str, float, set[Characters]]]:
        """Name and value of each setting to try, and the spans that would be kept."""
        for name, values in SETTINGS.items():
            if hasattr(self.strategy, name):
                for value in sorted({*values, getattr(self.strategy, name)}):
                    changes: dict[str, Any] = {name: value}
                    if hasattr(self.strategy, "decoding"):
                        changes["decoding"] = "marginal"  # the other one knows no threshold
                    strategy: CandidateStrategy = replace(cast(Any, self.strategy), **changes)
                    flat = strategy(self.scores, self.log_marginals, self.layout)
                    yield name, value, self._characters(flat)

    def probabilities(self, gold: Collection[Characters]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The probability of every span, and whether it is gold. Shape of both: (spans,)"""
        valid = self.layout.valid()
        is_gold = torch.zeros_like(valid)
        is_gold[self._flat_index(gold)] = True
        return self.log_marginals[valid].double().exp().cpu().numpy(), is_gold[valid].cpu().numpy()

    def sentences(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """The first token of each sentence, and the probability of each of its spans, 0 without probabilities.

        Shape: (tokens, tokens), by first and last token.
        """
        in_sentence = (self.layout.row < self.layout.size).tolist()
        for number, tokens in groupby(range(len(self.doc)), key=self.layout.sentence.tolist().__getitem__):
            rows = torch.tensor(list(tokens), device=self.layout.row.device)
            if in_sentence[number]:
                flat = self.layout.row[rows][:, None] + self.layout.place[rows]
                log_marginals = self.log_marginals[flat].double().triu().cpu().numpy()
                yield number, np.triu(np.exp(log_marginals)) if self.is_probability else np.zeros_like(log_marginals)

    def _characters(self, flat: Tensor) -> set[Characters]:
        starts, ends = self.layout.locate(flat)
        doc = self.doc
        rows = zip(starts.tolist(), ends.tolist(), strict=True)
        return {(doc[start].idx, doc[end].idx + len(doc[end])) for start, end in rows}

    def _flat_index(self, spans: Collection[Characters]) -> Tensor:
        """The flat index of spans; without those that are none of the layout's."""
        starts = {token.idx: token.i for token in self.doc}
        ends = {token.idx + len(token): token.i for token in self.doc}
        sentence = self.layout.sentence.tolist()
        rows = [(starts[start], ends[end]) for start, end in spans if start in starts and end in ends]
        rows = [(start, end) for start, end in rows if start <= end and sentence[start] == sentence[end]]
        tensor = torch.tensor(rows, dtype=torch.long, device=self.layout.row.device).view(-1, 2)
        return self.layout.flat_index(tensor[:, 0], tensor[:, 1])


def select_spans(doc: Doc, pipe: StructuredCoref | StructuredSrl) -> DocSelection | None:
    """Let the network of a component score the spans of a document that the pipeline has annotated.

    doc (Doc): The document, with what the component's tok2vec has left on it.
    pipe (StructuredCoref | StructuredSrl): The component.
    RETURNS (DocSelection | None): None if it scores no spans: it has no tokens, or the component tags them.
    """
    scored = ScoredSpans(pipe.prediction_strategy())
    pipe.predict([doc], choose=scored)
    if scored.given is None:
        return None
    scores, log_marginals, layout = scored.given
    is_probability = not isinstance(pipe.selector, GreedySelector)  # its network gives scores in their place
    return DocSelection(doc, scores, log_marginals, layout, scored.strategy, is_probability)
