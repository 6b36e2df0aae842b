from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc
from torch import Tensor

from spacy_span_selector.experiments.selection import SETTINGS, select_spans
from spacy_span_selector.layers.selection.candidates import AboveThreshold, CandidateStrategy, Decode, TopPerSentence
from spacy_span_selector.layers.selection.selectors import GreedySelector, SpanSelector, StructuredSelector
from spacy_span_selector.layers.spans.layout import SpanLayout

WORDS = ["Ann", "saw", "Bob", ".", "He", "left"]
LENGTHS = [4, 2]


@dataclass
class FakePipe:
    """Scores spans as told: by (first, last) token, the others low."""

    strategy: CandidateStrategy
    known: dict[tuple[int, int], float]
    has_probabilities: bool = True

    @property
    def selector(self) -> SpanSelector:
        return StructuredSelector() if self.has_probabilities else GreedySelector(0.4)

    def prediction_strategy(self) -> CandidateStrategy:
        return self.strategy

    def predict(self, docs: list[Doc], *, choose: CandidateStrategy) -> None:
        layout = SpanLayout.build([LENGTHS])
        probabilities = torch.full((layout.size,), 0.001)
        for (first, last), probability in self.known.items():
            probabilities[layout.flat_index(torch.tensor([first]), torch.tensor([last]))] = probability
        scores = probabilities.logit()
        log_marginals = probabilities.log() if self.has_probabilities else scores
        self.chosen: Tensor = choose(scores, log_marginals, layout)


@pytest.fixture
def doc() -> Doc:
    return Doc(spacy.blank("en").vocab, words=WORDS)


def kept(doc: Doc, pipe: Any) -> dict[tuple[str, float], set[str]]:
    selection = select_spans(doc, pipe)
    assert selection is not None
    return {
        (name, value): {doc.char_span(*characters).text for characters in spans}
        for name, value, spans in selection.at_other_settings()
    }


def test_a_threshold_is_varied(doc: Doc):
    by_setting = kept(doc, FakePipe(AboveThreshold(0.4), {(0, 0): 0.95, (2, 2): 0.45, (4, 4): 0.15}))
    assert list(by_setting) == [("threshold", value) for value in SETTINGS["threshold"]]
    assert by_setting["threshold", 0.1] == {"Ann", "Bob", "He"}
    assert by_setting["threshold", 0.3] == {"Ann", "Bob"}
    assert by_setting["threshold", 0.5] == {"Ann"}


def test_a_ratio_is_varied(doc: Doc):
    by_setting = kept(doc, FakePipe(TopPerSentence(0.35), {(0, 0): 0.9, (2, 2): 0.8, (4, 4): 0.7}, False))
    assert by_setting["ratio", 0.35] == {"Ann", "Bob", "He"}  # the pipeline's own
    assert by_setting["ratio", 0.25] == {"Ann", "He"}
    assert by_setting["ratio", 0.5] == {"Ann", "Bob", "He"}


def test_the_best_tree_is_varied_by_threshold(doc: Doc):
    by_setting = kept(doc, FakePipe(Decode("map", 0.4), {(0, 0): 0.95, (2, 2): 0.3}))
    assert by_setting["threshold", 0.2] == {"Ann", "Bob"}
    assert by_setting["threshold", 0.4] == {"Ann"}


def test_the_component_chooses_as_it_would(doc: Doc):
    pipe = FakePipe(AboveThreshold(0.4), {(0, 0): 0.95})
    select_spans(doc, pipe)
    assert len(pipe.chosen) == 1


def test_probabilities_of_all_spans_with_the_gold_ones(doc: Doc):
    selection = select_spans(doc, FakePipe(AboveThreshold(0.4), {(0, 0): 0.95, (2, 2): 0.45}))
    assert selection is not None and selection.is_probability
    gold = [(doc[0].idx, doc[0].idx + 3), (0, 2), (doc[3].idx, doc[4].idx + 2)]  # no token, then over a sentence's end
    probabilities, is_gold = selection.probabilities(gold)
    assert len(probabilities) == 10 + 3
    assert probabilities[is_gold].tolist() == pytest.approx([0.95])


def test_scores_are_no_probabilities(doc: Doc):
    selection = select_spans(doc, FakePipe(TopPerSentence(0.5), {(0, 0): 0.9}, has_probabilities=False))
    assert selection is not None and not selection.is_probability


def test_sentences_have_their_probabilities(doc: Doc):
    selection = select_spans(doc, FakePipe(AboveThreshold(0.4), {(2, 3): 0.95, (4, 5): 0.45}))
    assert selection is not None
    (first, weights), (second, other) = selection.sentences()
    assert (first, second) == (0, 4)
    assert weights.shape == (4, 4) and weights[2, 3] == pytest.approx(0.95) and not np.tril(weights, -1).any()
    assert other[0, 1] == pytest.approx(0.45)


class Tagger(FakePipe):
    def predict(self, docs: list[Doc], *, choose: CandidateStrategy) -> None:
        """Never asks for a choice of spans."""


def test_a_component_that_scores_no_spans_selects_none(doc: Doc):
    assert select_spans(doc, Tagger(AboveThreshold(0.4), {})) is None
