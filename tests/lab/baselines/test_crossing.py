import math
from types import SimpleNamespace

import pytest
import torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from lab.baselines.crossing import CrossingSelector, crossing_spans, gold_spans
from spacy_span_selector.annotation import set_clusters, set_frames
from spacy_span_selector.annotation.frames import Argument, Frame
from spacy_span_selector.layers.selection.selectors import Selection
from spacy_span_selector.layers.spans.layout import SpanLayout, Spans

from ...layouts import layout_of, listed


def cross(first: tuple[int, int], second: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted((first, second))
    return a < c <= b < d


@pytest.mark.parametrize("most", [None, 3])
@pytest.mark.parametrize("seed", range(8))
def test_the_crossing_spans_are_those_that_cross_a_gold_one(seed: int, most: int | None) -> None:
    lengths = [6, 1, 4, 7]
    layout = layout_of([lengths], most=most)
    generator = torch.Generator().manual_seed(seed)
    sentences = [range(sum(lengths[:k]), sum(lengths[: k + 1])) for k in range(len(lengths))]
    every = [(i, j) for own in sentences for i in own for j in own if i <= j and (most is None or j - i < most)]
    gold = [every[i] for i in torch.randperm(len(every), generator=generator)[: 3 * seed]] + [(0, 0)]
    starts, ends = torch.tensor(gold, dtype=torch.long).view(-1, 2).T
    found = layout.locate(crossing_spans(Spans(starts, ends), layout))
    assert {*listed(*found)} == {span for span in every if any(cross(span, other) for other in gold)}


def test_arguments_and_mentions_of_all_documents_are_read() -> None:
    vocab = Vocab()
    examples = []
    for number in range(2):
        reference = Doc(vocab, words=["Ann", "saw", "her", "brother", "."])
        if number:
            set_frames(reference, [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 4, "ARG1")])])
        else:
            set_clusters(reference, [[(0, 1), (2, 3)]])
        examples.append(Example(Doc(vocab, words=[token.text for token in reference]), reference))
    spans = gold_spans(examples, [[5]] * 2, None, torch.device("cpu"))
    assert listed(spans) == [(0, 0), (2, 2), (5, 5), (7, 8)]


def test_the_loss_is_that_of_all_crossing_spans_per_token() -> None:
    layout: SpanLayout = layout_of([[3]])
    selector = CrossingSelector(weight=0.5)
    marginals = selector.marginals(torch.zeros(layout.size), layout)
    nothing = torch.zeros(0, dtype=torch.long)
    selection = Selection(torch.zeros(layout.size), marginals, torch.zeros(0), nothing, Spans(nothing, nothing))
    output = SimpleNamespace(selection=selection, loss=lambda gold, layout: torch.tensor(2.0))
    gold = Spans(torch.tensor([0]), torch.tensor([1]))  # of three tokens, only the last two cross the first two
    assert float(selector.loss(output, None, gold, layout)) - 2.0 == pytest.approx(0.5 * math.log(2) / 3)


@pytest.mark.parametrize("weight", [-1.0, math.inf])
def test_a_weight_is_a_finite_number_from_0(weight: float) -> None:
    with pytest.raises(ValueError, match="'weight' of the crossing selector"):
        CrossingSelector(weight=weight)
