"""The band against the whole chart whose wide spans are forbidden, and against enumeration."""

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck
from torch.nn.functional import logsigmoid

from spacy_span_selector.wcfg import LAMINAR, LAMINAR_BAND, band_charts

from ..guards.counting import count
from .charts import random_scores
from .reference import enumerate_sets


def whole(band: Tensor) -> Tensor:
    """The scores of all spans: those of a band, and -inf for wider ones. Shape: (batch, n, n)"""
    batch, tokens, most = band.shape
    scores = band.new_full((batch, tokens, tokens), -torch.inf)
    for wider in range(min(most, tokens)):
        first = torch.arange(tokens - wider)
        scores[:, first, first + wider] = band[:, : tokens - wider, wider]
    return scores


def narrow(chart: Tensor, most: int) -> Tensor:
    """What a chart of all spans has for those of a band; 0 where there is none. Shape: (batch, n, most)"""
    batch, tokens, _ = chart.shape
    band = chart.new_zeros(batch, tokens, most)
    for wider in range(min(most, tokens)):
        first = torch.arange(tokens - wider)
        band[:, : tokens - wider, wider] = chart[:, first, first + wider]
    return band


def inside(lengths: Tensor, tokens: int, most: int) -> Tensor:
    """Where a band has a span. Shape: (batch, n, most)"""
    last = torch.arange(tokens)[:, None] + torch.arange(most)
    return last < lengths[:, None, None]


@st.composite
def bands(draw: st.DrawFn, longest: int, greatest: float = 12.0) -> tuple[Tensor, Tensor]:
    """A batch of one to three sentences, some spans forbidden, with NaN outside the sentences."""
    lengths = torch.tensor(draw(st.lists(st.integers(0, longest), min_size=1, max_size=3)))
    tokens, most = max(1, int(lengths.max())) + draw(st.integers(0, 1)), draw(st.integers(1, longest + 1))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    scores = greatest * (2 * torch.rand(len(lengths), tokens, most, generator=generator, dtype=torch.float64) - 1)
    scores[torch.rand(scores.shape, generator=generator) < draw(st.sampled_from([0.0, 0.2, 0.7]))] = -torch.inf
    return scores.masked_fill(~inside(lengths, tokens, most), torch.nan), lengths


@settings(max_examples=60, deadline=None)
@given(bands(longest=5))
def test_equals_enumeration_of_all_sets_of_narrow_spans(drawn: tuple[Tensor, Tensor]) -> None:
    scores, lengths = drawn
    _, _, most = scores.shape
    found = [*LAMINAR_BAND.log_marginals(scores, lengths)]
    partition = LAMINAR_BAND.log_partition(scores, lengths)
    for sentence, length in enumerate(lengths.tolist()):
        if length:
            expected = enumerate_sets(whole(scores[sentence : sentence + 1, :length])[0].numpy())
            assert partition[sentence].item() == pytest.approx(expected[0], rel=1e-10)
            exists = inside(lengths[sentence : sentence + 1], length, most)[0]
            for values, logarithms in zip(found, expected[1:], strict=True):
                own = values[sentence, :length][exists].exp()
                wanted = narrow(torch.from_numpy(logarithms)[None], most)[0][exists].exp()
                torch.testing.assert_close(own, wanted, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("terms", [1, 50, 1 << 18])
@pytest.mark.parametrize("most", [1, 2, 3, 7, 12, 13, 20])
@pytest.mark.parametrize("lengths", [[12], [12, 3, 0, 7, 1]])
def test_values_and_gradients_equal_those_of_the_whole_chart(
    lengths: list[int], most: int, terms: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(band_charts, "TERMS", terms)
    sizes = torch.tensor(lengths, device=device)
    scores = random_scores(len(lengths), 12, most, scale=2.0)
    scores[:, 2, min(2, most - 1)] = -torch.inf
    direction = random_scores(4, len(lengths), 12, most, seed=1).to(device)
    exists = inside(sizes.cpu(), 12, most).to(device)

    def run(band: bool) -> tuple[list[Tensor], Tensor]:
        own = scores.to(device).requires_grad_()
        grammar, given_scores = (LAMINAR_BAND, own) if band else (LAMINAR, whole(own))
        charts = [grammar.marginals(given_scores, sizes), *grammar.log_marginals(given_scores, sizes)]
        if not band:
            charts = [narrow(chart, most) for chart in charts]
        charts = [chart.masked_fill(~exists, 0.0) for chart in charts]
        partition = grammar.log_partition(given_scores, sizes)
        terms = [(chart.clamp(min=-1e6) * d).sum() for chart, d in zip(charts, direction, strict=False)]
        loss = torch.stack([*terms, (partition * direction[3, :, 0, 0]).sum()]).sum()
        return [partition, *charts], torch.autograd.grad(loss, own)[0]

    torch.testing.assert_close(run(band=True), run(band=False))


@pytest.mark.parametrize(("lengths", "most"), [([1], 1), ([2], 5), ([6], 3), ([5, 1, 3, 2], 2), ([4, 4], 4)])
def test_gradients_equal_finite_differences(lengths: list[int], most: int, device: str) -> None:
    many = max(lengths) > 2  # a random combination of these gradients is compared, not each, which takes long
    sizes = torch.tensor(lengths, device=device)
    scores = random_scores(len(lengths), max(lengths), most).to(device).requires_grad_()
    grammar = LAMINAR_BAND
    assert gradcheck(lambda x: grammar.log_partition(x, sizes), scores, fast_mode=many)
    assert gradgradcheck(lambda x: grammar.log_partition(x, sizes), scores, fast_mode=many)
    assert gradcheck(lambda x: grammar.marginals(x, sizes), scores, fast_mode=many)
    assert gradcheck(lambda x: tuple(y[y.isfinite()] for y in grammar.log_marginals(x, sizes)), scores, fast_mode=many)


@pytest.mark.parametrize("seed", range(5))
def test_huge_scores_equal_those_of_the_whole_chart(seed: int, device: str) -> None:
    scores = random_scores(2, 30, 6, seed=seed, scale=1e4)
    lengths = torch.tensor([30, 11])
    given_scores = scores.to(device).requires_grad_()
    log_selected, log_unselected = LAMINAR_BAND.log_marginals(given_scores, lengths)
    expected = [narrow(chart, 6) for chart in LAMINAR.log_marginals(whole(scores), lengths)]
    exists = inside(lengths, 30, 6)
    torch.testing.assert_close(log_selected.cpu()[exists], expected[0][exists])
    torch.testing.assert_close(log_unselected.exp().cpu()[exists], expected[1][exists].exp(), rtol=0, atol=1e-9)
    loss = log_selected[exists.to(device)].sum() + log_unselected.sum()
    assert torch.autograd.grad(loss, given_scores)[0].isfinite().all()


@pytest.mark.parametrize("garbage", [torch.nan, torch.inf, -torch.inf, 1e30])
def test_values_outside_the_sentence_are_never_read(garbage: float, device: str) -> None:
    clean, lengths = random_scores(2, 7, 4).to(device), torch.tensor([7, 3])
    outside = ~inside(lengths, 7, 4).to(device)
    dirty = clean.masked_fill(outside, garbage).requires_grad_()
    found = LAMINAR_BAND.log_marginals(dirty, lengths)
    assert torch.equal(LAMINAR_BAND.log_partition(dirty, lengths), LAMINAR_BAND.log_partition(clean, lengths))
    assert (found[0][outside] == -torch.inf).all()
    assert not found[1][outside].any()
    for chart in (LAMINAR_BAND.marginals(dirty, lengths), found[1]):
        (gradient,) = torch.autograd.grad(chart.sum(), dirty)
        assert gradient.isfinite().all()
        assert not gradient[outside].any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("score", [-1e4, -40.0, 0.0, 12.0, 40.0, 1e4])
@pytest.mark.parametrize(("start", "width"), [(0, 30), (700, 40), (1500, 3), (1999, 1)])
def test_a_span_without_rivals_has_the_sigmoid_of_its_score_in_a_long_sentence(
    start: int, width: int, score: float, dtype: torch.dtype, device: str
) -> None:
    tokens, most = 2000, 48
    scores = random_scores(1, tokens, most, scale=3.0, dtype=dtype) - 4
    first = torch.arange(tokens)[:, None]
    end, own_end = first + torch.arange(1, most + 1), start + width
    from_left, from_right = (first < start) & (start < end) & (end < own_end), (start < first) & (first < own_end)
    scores = scores.masked_fill(from_left | (from_right & (own_end < end)), -torch.inf)
    scores[0, start, width - 1] = score
    found = [
        x[0, start, width - 1].cpu() for x in LAMINAR_BAND.log_marginals(scores.to(device), torch.tensor([tokens]))
    ]
    own = torch.tensor(score, dtype=dtype)
    torch.testing.assert_close(found, [logsigmoid(own), logsigmoid(-own)])


def test_single_precision_is_as_good_in_a_long_sentence_as_in_a_short_one(device: str) -> None:
    scores = random_scores(1, 2000, 32, scale=3.0) - 4
    exact = LAMINAR_BAND.marginals(scores, torch.tensor([2000]))
    single = LAMINAR_BAND.marginals(scores.float().to(device), torch.tensor([2000]))
    assert (single.cpu() - exact).abs().max() < 5e-5


@pytest.mark.parametrize(
    ("shape", "length", "message"),
    [
        ((3, 4), 3, r"scores: expected shape \(batch, n, most\)"),
        ((1, 4, 0), 3, r"scores: expected shape \(batch, n, most\)"),
        ((1, 4, 2), 5, "lengths: expected 0 to 4 tokens"),
    ],
)
def test_bad_arguments_are_named(shape: tuple[int, ...], length: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LAMINAR_BAND.marginals(torch.zeros(shape), torch.full(shape[:1], length))


def test_memory_and_operations_grow_with_the_sentence() -> None:
    """The chain takes a few operations for each word, a sweep for each width."""

    def step(tokens: int) -> None:
        scores = random_scores(1, tokens, 8, dtype=torch.float32).requires_grad_()
        LAMINAR_BAND.marginals(scores, torch.tensor([tokens])).square().sum().backward()

    short, long = count(lambda: step(500)), count(lambda: step(1000))
    assert long.megabytes <= 2.1 * short.megabytes
    assert long.operations <= 2.1 * short.operations
