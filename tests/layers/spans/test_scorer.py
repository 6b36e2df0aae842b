import pytest
import torch
from torch import Tensor

from spacy_span_selector.layers.spans import computing
from spacy_span_selector.layers.spans import scorer as scorer_module
from spacy_span_selector.layers.spans.features import WIDTH_BUCKETS, bucket
from spacy_span_selector.layers.spans.layout import SpanLayout
from spacy_span_selector.layers.spans.scorer import SpanScorer, cut_into_windows, score_band

from ...layouts import every_span, layout_of, listed
from . import test_charts
from .test_charts import WAYS, exists, learnt, make_parts

WIDTH, HIDDEN = 6, 8
SENTENCES = [[5, 4], [], [9, 5, 1]]  # buckets of 1 x 9, 3 x 5 and 1 x 1


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way to score spans in turn, whatever the device."""
    monkeypatch.setattr(scorer_module, "score_spans", request.param)


def build(dropout: float = 0.0, seed: int = 0, bfloat16: bool = False) -> SpanScorer:
    torch.manual_seed(seed)
    sizes = {"width": WIDTH, "hidden_width": HIDDEN, "feature_width": 3, "scores": 2}
    return SpanScorer(**sizes, dropout=dropout, bfloat16=bfloat16)


def batch(device: str = "cpu", dtype: torch.dtype = torch.float32) -> tuple[Tensor, SpanLayout]:
    layout = layout_of(SENTENCES, torch.device(device))
    tokens = torch.randn(len(layout.document), WIDTH, generator=torch.Generator().manual_seed(1), dtype=dtype)
    return tokens.to(device).requires_grad_(), layout


def represent_plainly(scorer: SpanScorer, tokens: Tensor, start: int, end: int) -> Tensor:
    """The vector of one span, as Lee et al. (2017) define it."""
    members = tokens[start : end + 1]
    head = (scorer.attention(members).softmax(0) * members).sum(0)
    width = bucket(torch.tensor(end - start + 1, device=tokens.device), WIDTH_BUCKETS)
    return torch.cat([tokens[start], tokens[end], head, scorer.width_embedding(width)])


def score_plainly(scorer: SpanScorer, vectors: Tensor) -> Tensor:
    """A feed-forward net over concatenated span vectors. Shape: (spans, scores)"""
    weight = torch.cat([part.weight for part in (scorer.start, scorer.end, scorer.head, scorer.width)], dim=1)
    return scorer.output(torch.relu(vectors @ weight.T + scorer.start.bias))


@pytest.mark.parametrize(("training", "can"), [(False, True), (True, True), (False, False)])
def test_tokens_are_projected_in_bfloat16_at_prediction_where_the_device_can(
    training: bool, can: bool, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    monkeypatch.setattr(computing, "has_bfloat16", lambda device: can)
    tokens, layout = batch(device)
    exact, found = (build(bfloat16=k).to(device).train(training)(tokens, layout) for k in (False, True))
    valid = layout.valid()
    assert torch.equal(found[:, valid], exact[:, valid]) == (training or not can)
    torch.testing.assert_close(found[:, valid], exact[:, valid], atol=0.05, rtol=0.02)


def test_chosen_spans_have_the_scores_that_all_spans_have(device: str) -> None:
    scorer = build().to(device)
    tokens, layout = batch(device)
    flat = every_span(layout)
    some, every = scorer.score_some(tokens, *layout.locate(flat)), scorer(tokens, layout)
    torch.testing.assert_close(some, every[:, flat], atol=1e-5, rtol=1e-4)


def test_represent_concatenates_the_parts_of_each_span(device: str) -> None:
    scorer = build().to(device)
    tokens, layout = batch(device)
    starts, ends = layout.locate(every_span(layout))
    expected = [represent_plainly(scorer, tokens, *span) for span in listed(starts, ends)]
    torch.testing.assert_close(scorer.represent(tokens, starts, ends), torch.stack(expected))


@pytest.mark.parametrize("spans", [0, 5, 6])
def test_represent_is_the_same_at_prediction_some_spans_at_once(
    spans: int, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    monkeypatch.setattr(scorer_module, "SPANS_AT_ONCE", 3)
    scorer, (tokens, layout) = build().to(device), batch(device)
    starts, ends = (column[:spans] for column in layout.locate(every_span(layout)))
    expected = scorer.represent(tokens, starts, ends)
    with torch.no_grad():
        found = scorer.represent(tokens, starts, ends)
    torch.testing.assert_close(found, expected.detach())


@pytest.mark.parametrize("tokens_at_once", [1, 4, 40])
def test_represent_is_the_same_in_one_block_and_in_many(
    tokens_at_once: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    heads = scorer_module._heads

    def count_and_represent(*args: Tensor) -> Tensor:
        calls.append(args)
        return heads(*args)

    monkeypatch.setattr(scorer_module, "_heads", count_and_represent)
    scorer = build().to(device)
    tokens, layout = batch(device)
    starts, ends = layout.locate(every_span(layout))
    whole = scorer.represent(tokens, starts, ends)
    assert len(calls) == 1
    monkeypatch.setattr(scorer_module, "HEAD_TOKENS", tokens_at_once)
    found = scorer.represent(tokens, starts, ends)
    assert len(calls) > 3
    torch.testing.assert_close(found, whole)
    gradients = [torch.autograd.grad(vectors.tanh().sum(), tokens)[0] for vectors in (found, whole)]
    torch.testing.assert_close(*gradients)


BLOCKS = {  # elements held at once
    "single rows": 1,
    "single sentences": HIDDEN * 5 * 5,
    "whole buckets": HIDDEN * 9 * 9,
}


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("elements", BLOCKS.values(), ids=BLOCKS)
def test_scores_equal_the_concatenated_form(elements: int, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "ELEMENTS", {"cpu": elements, "cuda": elements})
    scorer = build().to(device)
    tokens, layout = batch(device)
    flat = every_span(layout)
    scores = scorer(tokens, layout)
    assert scores.shape == (2, layout.size)
    expected = score_plainly(scorer, scorer.represent(tokens, *layout.locate(flat)))
    torch.testing.assert_close(scores[:, flat].T, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("elements", BLOCKS.values(), ids=BLOCKS)
@pytest.mark.parametrize("kept", [0, 1 << 20], ids=["computed again", "kept"])
def test_gradients_equal_those_of_the_concatenated_form(
    elements: int, kept: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computing, "ELEMENTS", {"cpu": elements, "cuda": elements})
    monkeypatch.setattr(computing, "KEPT", kept)
    scorer = build().to(device).double()
    tokens, layout = batch(device, torch.float64)
    flat = every_span(layout)
    direction = torch.randn(len(flat), 2, dtype=torch.float64, generator=torch.Generator().manual_seed(2)).to(device)
    inputs = [tokens, *scorer.parameters()]
    found = torch.autograd.grad((scorer(tokens, layout)[:, flat].T * direction).sum(), inputs)
    plain = score_plainly(scorer, scorer.represent(tokens, *layout.locate(flat)))
    torch.testing.assert_close(found, torch.autograd.grad((plain * direction).sum(), inputs))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("spread", [1.0, 8.0])
def test_float32_keeps_its_precision_when_attention_is_sharp(spread: float, device: str) -> None:
    """Weights within e^16 of each other: differences of sums in float32 would have lost all digits."""
    scorer = build().to(device)
    layout = layout_of([[60]], torch.device(device))
    tokens = torch.rand(60, WIDTH, generator=torch.Generator().manual_seed(3)).to(device) * 2 - 1
    tokens.requires_grad_()
    with torch.no_grad():
        scorer.attention.weight.zero_()[0, 0] = spread
    flat = every_span(layout)
    scores = scorer(tokens, layout)[:, flat].T
    expected = score_plainly(scorer, scorer.represent(tokens, *layout.locate(flat)))
    torch.testing.assert_close(scores, expected, rtol=1e-5, atol=1e-5)
    (found,), (wanted,) = (torch.autograd.grad(form.sum(), tokens) for form in (scores, expected))
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-3)


@pytest.mark.usefixtures("way")
def test_far_from_the_greatest_logit_the_head_is_still_a_mean(device: str) -> None:
    """Tokens of equal logits, e^-120 of the weight of another token of their sentence."""
    scorer = build().to(device)
    layout = layout_of([[5]], torch.device(device))
    tokens = torch.randn(5, WIDTH, generator=torch.Generator().manual_seed(4)).to(device)
    with torch.no_grad():
        tokens[:, 0] = torch.tensor([60.0, -60.0, -60.0, -60.0, -60.0])
        scorer.attention.weight.zero_()[0, 0] = 1.0
        starts, ends = torch.tensor([[1, 4], [2, 3], [3, 3]], device=device).T
        expected = score_plainly(scorer, scorer.represent(tokens, starts, ends))
        found = scorer(tokens, layout)[:, layout.flat_index(starts, ends)].T
    torch.testing.assert_close(found, expected, rtol=1e-2, atol=1e-2)


@pytest.mark.usefixtures("way")
def test_extreme_attention_stays_finite(device: str) -> None:
    scorer = build().to(device)
    tokens, layout = batch(device)
    with torch.no_grad():
        tokens[:, 0] = torch.linspace(-60, 60, len(tokens))[torch.randperm(len(tokens))]
        scorer.attention.weight.zero_()[0, 0] = 1.0
    valid = layout.valid()
    scores = scorer(tokens, layout)[:, valid]
    gradients = torch.autograd.grad(scores.sum(), [tokens, *scorer.parameters()])
    assert torch.isfinite(scores).all()
    assert all(torch.isfinite(gradient).all() for gradient in gradients)


@pytest.mark.usefixtures("way")
def test_padding_has_finite_scores_and_no_influence(device: str) -> None:
    scorer = build().to(device)
    tokens, layout = batch(device)
    scores = scorer(tokens, layout)
    assert torch.isfinite(scores).all()
    # What is downstream gives padding the gradient 0, which times infinity would be NaN.
    gradients = torch.autograd.grad((scores * layout.valid()).sum(), [tokens, *scorer.parameters()])
    assert all(torch.isfinite(gradient).all() for gradient in gradients)
    alone = layout_of([[4]], torch.device(device))
    (second,) = (bucket.chart(scores[0])[2] for bucket in layout.buckets if bucket.lengths.tolist() == [5, 5, 4])
    inside = torch.ones(4, 4, dtype=torch.bool, device=device).triu()
    torch.testing.assert_close(second[:4, :4][inside], scorer(tokens[5:9], alone)[0].view(4, 4)[inside])


@pytest.mark.usefixtures("way")
def test_dropout_is_drawn_once_for_each_sentence() -> None:
    """Two sentences with the same tokens differ in training, all their spans by the same mask."""
    scorer = build(dropout=0.5).train()
    torch.manual_seed(4)
    with torch.no_grad():
        scorer.width.weight.zero_()  # tokens are all 0: now every span has the same hidden vector
        first, second = scorer(torch.zeros(6, WIDTH), layout_of([[3, 3]]))[0].view(2, 9)
    inside = torch.ones(3, 3, dtype=torch.bool).triu().flatten()
    assert len(set(first[inside].tolist())) == len(set(second[inside].tolist())) == 1
    assert first[0] != second[0]


@pytest.mark.usefixtures("way")
def test_dropout_of_the_parts_is_dropout_of_the_hidden_layer() -> None:
    """A score is a sum over the hidden layer, of which dropout keeps some entries, doubled."""
    scorer = build(dropout=0.5).eval()
    tokens, layout = batch()
    flat = layout.flat_index(torch.tensor([0]), torch.tensor([4]))  # a sentence of its own
    with torch.no_grad():
        scorer.output.bias.zero_()
        hidden = []
        for unit in torch.eye(HIDDEN):
            scorer.output.weight[0] = unit
            hidden.append(scorer(tokens, layout)[0, flat].item())
        scorer.output.weight[0] = 2.0 ** torch.arange(HIDDEN)  # so that each choice of entries has a sum of its own
        found = scorer.train()(tokens, layout)[0, flat]
    values = torch.tensor(hidden) * 2.0 ** torch.arange(HIDDEN)
    choices = torch.cartesian_prod(*[torch.tensor([0.0, 2.0])] * HIDDEN) @ values
    assert torch.isclose(choices, found, rtol=1e-5).any()


def test_no_sentences_have_no_scores_and_no_spans_no_vectors() -> None:
    scorer, none = build(), torch.tensor([], dtype=torch.long)
    assert scorer(torch.zeros(0, WIDTH), layout_of([[], []])).shape == (2, 0)
    assert scorer.represent(torch.zeros(3, WIDTH), none, none).shape == (0, scorer.vector_width)


def band_of(chart: torch.Tensor, most: int) -> torch.Tensor:
    """The narrow spans of a chart of all. Shape: (sentences, length, most, scores)"""
    count, length, _, scores = chart.shape
    band = chart.new_zeros(count, length, most, scores)
    for wider in range(min(most, length)):
        first = torch.arange(length - wider)
        band[:, : length - wider, wider] = chart[:, first, first + wider]
    return band


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("lengths", test_charts.SENTENCES.values(), ids=test_charts.SENTENCES)
@pytest.mark.parametrize("most", [1, 2, 3, 100])
@pytest.mark.parametrize("elements", [1, 10 * test_charts.HIDDEN, 1000 * test_charts.HIDDEN])
def test_scores_and_gradients_equal_those_of_a_whole_chart(
    lengths: list[int], most: int, elements: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = min(most, max(lengths))
    parts = make_parts(lengths, masked=True, device=device)
    whole = band_of(scorer_module.score_spans(parts), most)
    monkeypatch.setattr(computing, "ELEMENTS", {"cpu": elements, "cuda": elements})
    band = score_band(parts, most)
    assert band.shape == whole.shape
    inside = band_of(exists(parts.lengths)[..., None], most).squeeze(3)
    torch.testing.assert_close(band[inside], whole[inside])
    direction = torch.randn(band[inside].shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    gradients = [torch.autograd.grad((x[inside] * direction.to(device)).sum(), learnt(parts)) for x in (band, whole)]
    torch.testing.assert_close(*gradients)


def test_windows_overlap_by_a_span() -> None:
    parts = make_parts([9], masked=False)
    windows = cut_into_windows(parts, 4, 3)
    assert windows.start.shape == (3, 4, test_charts.HIDDEN)
    assert windows.end.shape == (3, 6, test_charts.HIDDEN)
    assert torch.equal(windows.end[0], parts.end[0, :6])
    assert torch.equal(windows.end[1, :5], parts.end[0, 4:9])
    assert torch.equal(windows.start[2, 0], parts.start[0, 8])
    assert (windows.weight > 0).all()
