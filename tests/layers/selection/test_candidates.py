import math

import pytest
import torch
from torch import Tensor

from spacy_span_selector.layers.selection.candidates import (
    AboveThreshold,
    CandidateStrategy,
    Decode,
    Decoding,
    Given,
    MostProbable,
    TopPerSentence,
    in_text_order,
)
from spacy_span_selector.layers.selection.selectors import (
    LaminarSelector,
    Selector,
    SigmoidSelector,
    StructuredSelector,
)
from spacy_span_selector.layers.spans.layout import SpanLayout
from spacy_span_selector.wcfg import best_spans, marginals

from ...layouts import every_span, layout_of, listed

SENTENCES = [[3, 8], [], [6, 1]]


def scored_batch(seed: int = 0) -> tuple[SpanLayout, Tensor, Tensor]:
    layout = layout_of(SENTENCES)
    scores = 3 * torch.randn(layout.size, generator=torch.Generator().manual_seed(seed)) - 1
    return layout, scores, StructuredSelector().marginals(scores, layout).selected


def located(layout: SpanLayout, flat: Tensor) -> list[tuple[int, int]]:
    return listed(*layout.locate(flat))


def decode_one_by_one(layout: SpanLayout, scores: Tensor, decoding: Decoding, threshold: float) -> set[tuple[int, int]]:
    """What the grammar's decoder keeps of each sentence on its own, by token rows."""
    spans = set()
    for bucket in layout.buckets:
        for sentence, length in enumerate(bucket.lengths.tolist()):
            chart, lengths = bucket.chart(scores)[sentence, :length, :length], torch.tensor([length])
            weights = chart[None] if decoding == "map" else marginals(chart[None], lengths) - threshold
            first = int(bucket.tokens[sentence, 0])
            spans |= {(first + start, first + end - 1) for start, end in best_spans(weights, lengths)[0]}
    return spans


@pytest.mark.parametrize(("decoding", "threshold"), [("map", 0.4), ("marginal", 0.05), ("marginal", 0.5)])
def test_decode_equals_the_grammar_sentence_by_sentence(decoding: Decoding, threshold: float) -> None:
    layout, scores, log_marginals = scored_batch()
    chosen = located(layout, Decode(decoding, threshold)(scores, log_marginals, layout))
    assert chosen == sorted(decode_one_by_one(layout, scores, decoding, threshold))
    assert len(chosen) > 1


def test_threshold_1_keeps_nothing() -> None:
    layout, scores, log_marginals = scored_batch()
    assert len(Decode("marginal", 1.0)(scores, log_marginals, layout)) == 0


def test_empty_batch_has_no_candidates() -> None:
    layout = layout_of([[], []])
    none = torch.zeros(0)
    for choose in (Decode("map", 0.5), MostProbable(0.5), AboveThreshold(0.5), TopPerSentence(0.5)):
        assert len(choose(none, none, layout)) == 0


def test_likely_spans_are_those_of_the_greatest_marginals() -> None:
    layout, scores, log_marginals = scored_batch()
    chosen = MostProbable(0.5)(scores, log_marginals, layout)
    ranked = sorted(every_span(layout).tolist(), key=lambda flat: -float(log_marginals[flat]))
    assert sorted(chosen.tolist()) == sorted(ranked[: int(0.5 * 18)])


def test_a_great_ratio_takes_every_span_and_no_padding() -> None:
    layout, scores, log_marginals = scored_batch()
    chosen = MostProbable(1000.0)(scores, log_marginals, layout)
    assert sorted(chosen.tolist()) == every_span(layout).tolist()


def test_forbidden_spans_are_not_likely() -> None:
    layout, scores, _ = scored_batch()
    scores = scores.masked_fill(layout.widths() > 2, -torch.inf)
    log_marginals = StructuredSelector().marginals(scores, layout).selected
    chosen = MostProbable(1000.0)(scores, log_marginals, layout)
    assert {end - start + 1 for start, end in located(layout, chosen)} == {1, 2}


def test_order_of_text_is_by_start_then_by_end() -> None:
    layout, _, _ = scored_batch()
    every = every_span(layout)
    shuffled = every[torch.randperm(len(every), generator=torch.Generator().manual_seed(0))]
    assert located(layout, in_text_order(shuffled, layout)) == sorted(located(layout, every))


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.5, 1.0])
def test_spans_above_the_threshold_are_kept_whether_they_cross_or_not(threshold: float) -> None:
    layout, scores, _ = scored_batch()
    log_marginals = SigmoidSelector().marginals(scores, layout).selected
    chosen = located(layout, AboveThreshold(threshold)(scores, log_marginals, layout))
    p = log_marginals.exp()
    every = every_span(layout).tolist()
    assert chosen == sorted(located(layout, torch.tensor([flat for flat in every if p[flat] > threshold]).long()))


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("most", [0.3, 1.0, 2.0, 100.0])
def test_no_more_spans_of_a_sentence_above_the_threshold_are_kept_than_allowed(
    most: float, threshold: float, device: str
) -> None:
    layout, scores, _ = scored_batch()
    p = SigmoidSelector().marginals(scores, layout).selected
    above = set(AboveThreshold(threshold)(scores, p, layout).tolist())
    highest = set(TopPerSentence(most)(p, p, layout).tolist())
    on_device = layout_of(SENTENCES, torch.device(device))
    chosen = AboveThreshold(threshold, most)(scores.to(device), p.to(device), on_device)
    assert set(chosen.tolist()) == above & highest
    assert located(on_device, chosen) == sorted(located(on_device, chosen))


@pytest.mark.parametrize("ratio", [0.0, 0.25, 0.5, 0.8, 1.5, 100.0])
def test_the_highest_scores_of_each_sentence_are_kept(ratio: float, device: str) -> None:
    layout, scores, _ = scored_batch()
    ranked: dict[int, list[int]] = {}
    for flat in sorted(every_span(layout).tolist(), key=lambda flat: -float(scores[flat])):
        start, _ = layout.locate(torch.tensor([flat]))
        ranked.setdefault(int(layout.sentence[start]), []).append(flat)
    lengths = dict(zip((0, 3, 11, 17), (3, 8, 6, 1), strict=True))
    expected = [flat for first, flats in ranked.items() for flat in flats[: math.ceil(ratio * lengths[first])]]
    on_device = layout_of(SENTENCES, torch.device(device))
    chosen = TopPerSentence(ratio)(scores.to(device), scores.to(device), on_device)
    assert sorted(chosen.tolist()) == sorted(expected)
    assert located(on_device, chosen) == sorted(located(on_device, chosen))


def test_forbidden_spans_are_not_among_the_highest() -> None:
    layout, scores, _ = scored_batch()
    scores = scores.masked_fill(layout.widths() > 2, -torch.inf)
    chosen = located(layout, TopPerSentence(100.0)(scores, scores, layout))
    assert len(chosen) == (3 + 2) + (8 + 7) + (6 + 5) + 1
    assert {end - start + 1 for start, end in chosen} == {1, 2}


def test_given_spans_take_the_place_of_what_a_strategy_chooses(device: str) -> None:
    layout, scores, _ = scored_batch()
    layout = layout_of(SENTENCES, torch.device(device))
    scores = scores.to(device)
    own = located(layout, TopPerSentence(0.8)(scores, scores, layout))
    spans = [(17, 17), (11, 14), (12, 16)]  # two of them cross
    flat = layout.flat_index(*torch.tensor(spans, device=device).T)
    choose = Given(flat, torch.tensor([False, False, True], device=device), TopPerSentence(0.8))
    assert located(layout, choose(scores, scores, layout)) == [(i, k) for i, k in own if i < 11] + sorted(spans)


def test_a_document_that_is_given_no_spans_has_none() -> None:
    layout, scores, _ = scored_batch()
    none = torch.zeros(0, dtype=torch.long)
    choose = Given(none, torch.tensor([True, False, False]), TopPerSentence(0.8))
    chosen = located(layout, choose(scores, scores, layout))
    assert chosen and all(start >= 11 for start, _ in chosen)
    everywhere = Given(none, torch.tensor([True, True, True]), TopPerSentence(0.8))
    assert everywhere(scores, scores, layout).tolist() == []


DECODES = [Decode("map", 0.4), Decode("marginal", 0.05), Decode("marginal", 0.0)]


@pytest.mark.parametrize("choose", [*DECODES, AboveThreshold(0.1), TopPerSentence(0.7), MostProbable(0.5)], ids=str)
@pytest.mark.parametrize("selector", [LaminarSelector(), SigmoidSelector()], ids=["laminar", "sigmoid"])
def test_bands_give_the_candidates_of_charts_without_wide_spans(choose: CandidateStrategy, selector: Selector) -> None:
    most = 3
    found = []
    for layout in (layout_of(SENTENCES), layout_of(SENTENCES, most=most)):
        starts, ends = torch.meshgrid(torch.arange(18), torch.arange(18), indexing="ij")
        same = (starts <= ends) & (layout.sentence[starts] == layout.sentence[ends]) & (ends - starts < most)
        starts, ends = starts[same], ends[same]
        scores = torch.full((layout.size,), -torch.inf)
        values = 3 * torch.randn(len(starts), generator=torch.Generator().manual_seed(3)) - 1
        scores[layout.flat_index(starts, ends)] = values
        marginals = selector.marginals(scores, layout)
        found.append(located(layout, choose(scores, marginals.selected, layout)))
    assert layout.in_long_sentence.any()
    assert found[0]
    assert found[0] == found[1]
