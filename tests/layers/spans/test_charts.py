"""Both ways against each other, and against finite differences."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from spacy_span_selector.layers.spans import charts, computing
from spacy_span_selector.layers.spans.charts import SpanParts, attention_weights, score_diagonals, score_rows
from spacy_span_selector.layers.spans.features import WIDTH_BUCKETS

HIDDEN, SCORES = 5, 3
WAYS = (score_diagonals, score_rows)
SENTENCES = {
    "one token": [1],
    "one sentence": [7],
    "equal lengths": [4, 4, 4],
    "a block of shorter ones": [9, 9, 7, 7],
    "every width bucket": [70, 55],
}


def make_parts(
    lengths: list[int], *, masked: bool, device: str = "cpu", dtype: torch.dtype = torch.float64
) -> SpanParts:
    generator = torch.Generator().manual_seed(sum(lengths))

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=dtype).to(device)

    count, length = len(lengths), max(lengths)
    sizes = torch.tensor(lengths, device=device)
    weight = attention_weights(3 * random(count, length), torch.arange(length, device=device) >= sizes[:, None])
    start, end, weighted = (random(count, length, HIDDEN) for _ in range(3))
    mask = torch.ones(count, 1, HIDDEN).to(weight)
    if masked:
        mask = mask.cpu().bernoulli(generator=generator, p=0.5).mul(2).to(weight)
    learnt = (start, end, weight, weighted * weight, random(len(WIDTH_BUCKETS) + 1, HIDDEN), random(SCORES, HIDDEN))
    start, end, weight, weighted, widths, output = (column.detach().requires_grad_() for column in learnt)
    return SpanParts(start, end, weight, weighted, widths, mask, output, sizes)


def learnt(parts: SpanParts) -> list[torch.Tensor]:
    return [column for column in parts if column.requires_grad]


def exists(lengths: torch.Tensor) -> torch.Tensor:
    places = torch.arange(int(lengths.max()), device=lengths.device)
    return (places[:, None] <= places) & (places < lengths[:, None, None])


@pytest.mark.parametrize("lengths", SENTENCES.values(), ids=SENTENCES)
@pytest.mark.parametrize("sentences_at_once", [1, 2, 10])
@pytest.mark.parametrize("masked", [False, True])
def test_scores_and_gradients_equal_those_of_rows(
    lengths: list[int], sentences_at_once: int, masked: bool, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    elements = sentences_at_once * max(lengths) * HIDDEN
    monkeypatch.setattr(computing, "ELEMENTS", {"cpu": elements, "cuda": elements})
    parts = make_parts(lengths, masked=masked, device=device)
    inside = exists(parts.lengths)
    forms = [score(parts)[inside] for score in WAYS]
    torch.testing.assert_close(*forms)
    direction = torch.randn(forms[0].shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64).to(device)
    gradients = [torch.autograd.grad((form * direction).sum(), learnt(parts)) for form in forms]
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("score", WAYS)
@pytest.mark.parametrize("lengths", SENTENCES.values(), ids=SENTENCES)
@pytest.mark.parametrize("most", [1, 2, 3, 100])
@pytest.mark.parametrize("elements", [1, 10 * HIDDEN, 1000 * HIDDEN])
def test_narrow_spans_have_the_same_scores_if_no_others_are_scored(
    score: Callable[..., torch.Tensor],
    lengths: list[int],
    most: int,
    elements: int,
    device: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(computing, "ELEMENTS", {"cpu": elements, "cuda": elements})
    parts = make_parts(lengths, masked=True, device=device)
    inside = exists(parts.lengths).tril(most - 1)
    forms = [score(parts, limit)[inside] for limit in (most, None)]
    torch.testing.assert_close(*forms)
    direction = torch.randn(forms[0].shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64).to(device)
    gradients = [torch.autograd.grad((form * direction).sum(), learnt(parts)) for form in forms]
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("most", [1, 5, 30])
def test_wide_spans_are_not_computed(most: int) -> None:
    runs = charts._runs(torch.tensor([20, 10]), most)
    assert [diagonal.width for run in runs for diagonal in run.diagonals] == list(range(1, min(most, 20) + 1))


def test_gradients_equal_finite_differences() -> None:
    parts = make_parts([4, 3], masked=True)
    inside = exists(parts.lengths)

    def scores(*columns: torch.Tensor) -> torch.Tensor:
        *others, output = columns
        return score_diagonals(SpanParts(*others, parts.mask, output, parts.lengths))[inside]

    assert torch.autograd.gradcheck(scores, learnt(parts))


def test_a_second_derivative_is_refused() -> None:
    parts = make_parts([3], masked=False)
    with pytest.raises(RuntimeError, match="once only"):
        torch.autograd.grad(score_diagonals(parts).sum(), parts.start, create_graph=True)


@pytest.mark.parametrize("longest", [1, 2, 10, 64, 1000])
def test_runs_have_every_width_once_and_hold_few_sums(longest: int) -> None:
    runs = charts._runs(torch.tensor([longest, 1]))
    assert [diagonal.width for run in runs for diagonal in run.diagonals] == list(range(1, longest + 1))
    assert max(len(run.diagonals) for run in runs) <= longest**0.5 + 1
    assert len(runs) <= longest**0.5 + len(WIDTH_BUCKETS) + 1


def test_sentences_that_are_too_short_take_no_part() -> None:
    *_, last = (diagonal for run in charts._runs(torch.tensor([5, 5, 4, 2])) for diagonal in run.diagonals)
    assert last.width == 5
    assert last.firsts == (slice(2), slice(1))
    assert last.lasts == (slice(2), slice(4, 5))


@pytest.mark.parametrize(
    ("elements", "expected"),
    [(1, 15), (HIDDEN * 5 * 2, 3 * 3), (HIDDEN * 5 * 5, 3), (HIDDEN * 5 * 10, 2), (HIDDEN * 5 * 15, 1)],
    ids=["single rows", "two rows", "single sentences", "two sentences", "all"],
)
def test_blocks_are_no_larger_than_asked_for(elements: int, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three sentences of five tokens."""
    monkeypatch.setattr(computing, "ELEMENTS", {"cpu": elements, "cuda": elements})
    calls: list[Any] = []
    score_block = charts._score_rows

    def count_and_score(*args: Any) -> torch.Tensor:
        calls.append(args)
        return score_block(*args)

    monkeypatch.setattr(charts, "_score_rows", count_and_score)
    assert score_rows(make_parts([5, 5, 5], masked=True)).shape == (3, 5, 5, SCORES)
    assert len(calls) == expected
