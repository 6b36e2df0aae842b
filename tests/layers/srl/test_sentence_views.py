from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from spacy_span_selector.layers.spans import blocks, precision
from spacy_span_selector.layers.spans.layout import SpanLayout, Spans
from spacy_span_selector.layers.srl import sentence_views
from spacy_span_selector.layers.srl.pairs import Pairs, arguments_with_predicates, signed_distance
from spacy_span_selector.layers.srl.sentence_views import SentenceViews
from spacy_span_selector.layers.srl.settings import HEAD_WIDTH

from ...layouts import layout_of

TOKEN_WIDTH, PREDICATE_WIDTH, WIDTH = 6, 5, 2 * HEAD_WIDTH
LENGTHS = [[3, 7], [1, 7, -2, 5]]
PREDICATES = [(0, 0), (4, 4), (4, 5), (9, 9), (12, 12), (22, 24)]  # none in the sentence of one token
ARGUMENTS = [(0, 1), (2, 2), (3, 9), (5, 5), (5, 8), (10, 10), (11, 17), (20, 20), (21, 24)]


def build(bfloat16: bool = False) -> SentenceViews:
    torch.manual_seed(0)
    widths = {"token_width": TOKEN_WIDTH, "predicate_width": PREDICATE_WIDTH, "width": WIDTH}
    return SentenceViews(**widths, dropout=0.1, bfloat16=bfloat16).eval()


def spans_of(*spans: tuple[int, int], device: str = "cpu") -> Spans:
    starts, ends = torch.tensor(spans, dtype=torch.long, device=device).view(-1, 2).T.contiguous()
    return Spans(starts, ends)


def batch(
    device: str = "cpu", arguments: list[tuple[int, int]] = ARGUMENTS, predicates: list[tuple[int, int]] = PREDICATES
) -> tuple[Tensor, SpanLayout, Spans, Spans, Pairs, Tensor]:
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randn(25, TOKEN_WIDTH, generator=generator).to(device)
    vectors = torch.randn(len(predicates), PREDICATE_WIDTH, generator=generator).to(device)
    layout = layout_of(LENGTHS, torch.device(device))
    left, right = spans_of(*arguments, device=device), spans_of(*predicates, device=device)
    return tokens, layout, left, right, arguments_with_predicates(left, right, layout), vectors


def look_plainly(layer: SentenceViews, tokens: Tensor, predicate: tuple[int, int], vector: Tensor) -> Tensor:
    """What a predicate sees, by the formulas of a transformer.

    tokens (Tensor): The tokens of its sentence.
    predicate (tuple[int, int]): Its first and last token, from the first of the sentence.
    """
    rows = torch.arange(len(tokens), device=tokens.device)
    far = signed_distance(Spans(rows, rows), spans_of(predicate, device=str(tokens.device)))
    seen = layer.token(tokens) + layer.predicate(vector) + layer.distance(far)
    read = layer.before(seen)
    keys, values = layer.key_and_value(read).split(WIDTH, dim=1)
    heads = [part.split(HEAD_WIDTH, dim=1) for part in (layer.query(read), keys, values)]
    heard = [
        (query @ key.T / math.sqrt(HEAD_WIDTH)).softmax(dim=1) @ value for query, key, value in zip(*heads, strict=True)
    ]
    seen = seen + layer.heard(torch.cat(heard, dim=1))
    return layer.after(seen + layer.feed_forward(seen))


def test_each_predicate_sees_its_own_sentence_without_padding(device: str) -> None:
    layer = build().to(device)
    tokens, layout, arguments, predicates, pairs, vectors = batch(device)
    found = layer(tokens, layout, arguments, predicates, pairs, vectors)
    sentences = {0: (0, 3), 3: (3, 10), 11: (11, 18), 20: (20, 25)}
    assert len(found) == len(pairs.left) == 14
    for view, argument, predicate in zip(found, pairs.left.tolist(), pairs.right.tolist(), strict=True):
        begin, end = sentences[int(layout.sentence[PREDICATES[predicate][0]])]
        start, last = PREDICATES[predicate]
        seen = look_plainly(layer, tokens[begin:end], (start - begin, last - begin), vectors[predicate])
        expected = seen[torch.tensor(ARGUMENTS[argument]) - begin].flatten()
        torch.testing.assert_close(view, expected, rtol=1e-4, atol=1e-5)


def test_a_predicate_of_a_long_sentence_sees_what_is_near(monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    """Of an argument that goes on, it sees the last token that is near."""
    monkeypatch.setattr(sentence_views, "FARTHEST", 2)
    layer = build().to(device)
    tokens, *rest, vectors = batch(device, [(3, 9), (5, 8)], [(5, 5)])
    found = layer(tokens, *rest, vectors)
    seen = look_plainly(layer, tokens[3:8], (2, 2), vectors[0])  # of tokens 3 to 9
    expected = torch.stack([seen[[0, 4]].flatten(), seen[[2, 4]].flatten()])
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_predicates_looked_at_one_after_the_other_see_the_same(monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    layer = build().to(device)
    whole = layer(*batch(device))
    monkeypatch.setattr(blocks, "ELEMENTS", {"cpu": 1, "cuda": 1})
    torch.testing.assert_close(layer(*batch(device)), whole, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("arguments", "predicates"), [([], PREDICATES), (ARGUMENTS, []), ([(10, 10)], [(0, 0)])])
def test_no_pairs_have_no_views(arguments: list[tuple[int, int]], predicates: list[tuple[int, int]]) -> None:
    assert build()(*batch("cpu", arguments, predicates)).shape == (0, 2 * WIDTH)


def test_all_weights_are_learnt() -> None:
    layer = build().train()
    views = layer(*batch())
    (views * torch.randn_like(views)).sum().backward()
    without = [name for name, weight in layer.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert without == []


@pytest.mark.parametrize(("training", "can"), [(False, True), (True, True), (False, False)])
def test_views_are_computed_in_bfloat16_at_prediction_where_the_device_can(
    training: bool, can: bool, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    monkeypatch.setattr(precision, "has_bfloat16", lambda device: can)
    exact, found = (build(k).to(device) for k in (False, True))
    for layer in (exact, found):
        layer.training = training  # of the layer alone, so that nothing drops out
    seen = [layer(*batch(device)) for layer in (exact, found)]
    assert seen[1].dtype == torch.float32 and torch.equal(*seen) is (training or not can)
    torch.testing.assert_close(*seen, rtol=0.1, atol=0.1)
