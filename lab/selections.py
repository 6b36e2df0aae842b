"""The selection of a document: the spans that are kept, those that would be, and how probable each is.

A component keeps the scores of the selected spans only. Here its network runs once more to show those of all spans.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc, Token
from torch import Tensor

from spacy_span_selector.annotation import describe_doc
from spacy_span_selector.documents.cleaned import CleanDoc
from spacy_span_selector.layers.selection.candidates import CandidateStrategy
from spacy_span_selector.layers.selection.selectors import Selection, Selector
from spacy_span_selector.layers.spans.layout import SpanLayout
from spacy_span_selector.models.torch_head import DOCS_READER

from .baselines.greedy import GreedySelector

Characters = tuple[int, int]
"""A span as character offsets, which do not depend on tokenization: start inclusive, end exclusive."""


@dataclass(frozen=True)
class DocSelection:
    """The selection of one document, with the scores of all of its spans.

    cleaned (CleanDoc): The document. Token offsets are those of `cleaned.doc`, which has no white space.
    selection (Selection): Output of the network.
    layout (SpanLayout): The sentences of the document.
    selector (Selector): The selector of the component.
    threshold (float): The threshold of the component.
    """

    cleaned: CleanDoc
    selection: Selection
    layout: SpanLayout
    selector: Selector
    threshold: float

    @property
    def has_probabilities(self) -> bool:
        """Whether the selector learns how probable spans are."""
        return not isinstance(self.selector, GreedySelector)

    def at_other_settings(
        self, settings: Mapping[str, Collection[float]]
    ) -> Iterator[tuple[str, float, set[Characters]]]:
        """Vary the setting that decides how many spans are kept.

        settings (Mapping[str, Collection[float]]): Values to try beside its own, by name of the setting.
        YIELDS (tuple[str, float, set[Characters]]): Name and value of the setting, and the spans that would be kept.
        """
        greedy = self.selector if isinstance(self.selector, GreedySelector) else None
        name, own_value = ("threshold", self.threshold) if greedy is None else ("ratio", greedy.ratio)
        for value in sorted({*settings.get(name, ()), own_value}):
            selector = self.selector if greedy is None else replace(greedy, ratio=value)
            choose = selector.prediction_strategy("marginal", value)
            flat = choose(self.selection.scores, self.selection.marginals.selected, self.layout)
            yield name, value, self._characters(flat)

    def probabilities(self, gold: Collection[Characters]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The probability of every span, and whether it is gold. Shapes: (spans,)

        gold (Collection[Characters]): The gold spans.
        """
        valid = self.layout.valid()
        is_gold = torch.zeros_like(valid)
        is_gold[self._flat_index(gold)] = True
        log_p = self.selection.marginals.selected[valid]
        return log_p.double().exp().cpu().numpy(), is_gold[valid].cpu().numpy()

    def spans(self) -> list[tuple[int, int, float | None]]:
        """The selected spans as token offsets, end exclusive, with their probabilities, None without these."""
        starts, ends = self.selection.spans.starts.tolist(), self.selection.spans.ends.tolist()
        p = self.selection.probabilities().tolist() if self.has_probabilities else [None] * len(ends)
        return [(start, end + 1, score) for start, end, score in zip(starts, ends, p, strict=True)]

    def sentences(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """The first token of each sentence, and the probability of each of its spans by first and last token, 0 where
        the selector has no probabilities. Shape: (tokens, tokens)

        A sentence whose wide spans are not scored is left out, with a warning.
        """
        in_long = self.layout.in_long_sentence.tolist()
        for first, tokens in groupby(range(len(self.cleaned.doc)), key=self.layout.sentence.tolist().__getitem__):
            rows = torch.tensor(list(tokens), device=self.layout.row.device)
            if in_long[first]:
                start = self.cleaned.doc[first : first + min(8, len(rows))].text
                warnings.warn(
                    f"A sentence of {len(rows)} words has no table of all its spans: from {start!r} in "
                    f"{describe_doc(self.cleaned.source)}. Cut it into shorter ones.",
                    stacklevel=2,
                )
            else:
                flat = self.layout.row[rows][:, None] + self.layout.place[rows]
                log_p = self.selection.marginals.selected[flat].double().triu().cpu().numpy()
                yield first, np.triu(np.exp(log_p)) * self.has_probabilities

    def _characters(self, flat: Tensor) -> set[Characters]:
        starts, ends = self.layout.locate(flat)
        tokens = self._tokens()
        rows = zip(starts.tolist(), ends.tolist(), strict=True)
        return {(tokens[start].idx, tokens[end].idx + len(tokens[end])) for start, end in rows}

    def _tokens(self) -> list[Token]:
        """The words as tokens of the document as it is."""
        return [self.cleaned.source[place] for place in self.cleaned.places.tolist()]

    def _flat_index(self, spans: Collection[Characters]) -> Tensor:
        """The flat index of spans; spans that are not in the layout, or not scored, are left out."""
        tokens = self._tokens()
        starts = {token.idx: row for row, token in enumerate(tokens)}
        ends = {token.idx + len(token): row for row, token in enumerate(tokens)}
        sentence = self.layout.sentence.tolist()
        rows = [(starts[start], ends[end]) for start, end in spans if start in starts and end in ends]
        rows = [(start, end) for start, end in rows if start <= end and sentence[start] == sentence[end]]
        first, last = torch.tensor(rows, dtype=torch.long, device=self.layout.row.device).view(-1, 2).unbind(1)
        scored = self.layout.has_index(first, last)
        return self.layout.flat_index(first[scored], last[scored])


@dataclass(frozen=True)
class AllAtOnce:
    """Choose as another strategy does, with the scores of all spans of a batch at hand.

    choose (CandidateStrategy): The other strategy.
    """

    choose: CandidateStrategy

    def __call__(self, scores: Tensor, log_marginals: Tensor, layout: SpanLayout) -> Tensor:
        return self.choose(scores, log_marginals, layout)


def select(pipe: Any, doc: Doc) -> DocSelection | None:
    """What the selector of a component makes of the spans of a document; None if none are scored.

    pipe (SelectorPipe): The component.
    doc (Doc): The document, with sentence boundaries; it is not modified.
    """
    given = pipe.model.attrs[DOCS_READER].read([doc])
    if not given.layout.size:
        return None
    request = replace(given.request, choose=AllAtOnce(given.request.choose))
    selection = pipe.model.predict(replace(given, request=request)).selection
    if not len(selection.scores):
        return None
    return DocSelection(given.docs[0], selection, given.layout, pipe.selector, pipe.threshold)


def annotate_with_selections(
    nlp: Language, docs: Iterable[Doc], components: Collection[str]
) -> Iterator[tuple[Doc, dict[str, DocSelection]]]:
    """Annotate documents and keep the selections of spans.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): The documents.
    components (Collection[str]): Names of the components whose selections are wanted.
    YIELDS (tuple[Doc, dict[str, DocSelection]]): Each document, annotated, and the selection of each component that
        scores spans.
    """
    first = min(map(nlp.pipe_names.index, components))
    for doc in nlp.pipe(docs, batch_size=nlp.batch_size, disable=nlp.pipe_names[first:]):
        selections: dict[str, DocSelection] = {}
        for name, pipe in nlp.pipeline[first:]:
            selection = select(pipe, doc) if name in components else None
            if selection is not None:
                selections[name] = selection
            doc = pipe(doc)
        yield doc, selections
