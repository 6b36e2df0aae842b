from typing import Any

import pytest
import torch
from pydantic.dataclasses import dataclass

from spacy_span_selector.layers.selection import network
from spacy_span_selector.layers.selection.candidates import AboveThreshold, CandidateStrategy, Decode
from spacy_span_selector.layers.selection.selectors import LaminarSelector
from spacy_span_selector.layers.spans.layout import MOST_ENTRIES
from spacy_span_selector.signatures import CHECKED

from ...layouts import layout_of

SENTENCES = [[12, 3, 7, 1], [9, 9, 20], [4, 6]]


class LaminarWithTask(LaminarSelector):
    """Has two scores for a task of its own."""

    auxiliary_scores = 2


def select(choose: CandidateStrategy, max_span_width: int | None = None) -> network.Candidates:
    """Select spans of sentences, of which long ones are bands if the width is limited, at prediction."""
    torch.manual_seed(0)
    sizes = {"hidden_width": 16, "feature_width": 4, "max_span_width": max_span_width}
    head = network.SelectingHead()
    head.settings = network.NetworkSettings(selector=LaminarWithTask(), bfloat16=False, **sizes)
    head.span_scorer = network.make_span_scorer(head.settings, 8).eval()
    layout = layout_of(SENTENCES, most=max_span_width)
    tokens = 3 * torch.randn(len(layout.row), 8)
    with torch.inference_mode():
        return head.select(tokens, layout, choose)


@pytest.mark.parametrize("choose", [Decode("marginal", 0.4), Decode("map", 0.5), AboveThreshold(0.4)])
@pytest.mark.parametrize("max_span_width", [None, 5])
def test_blocks_select_what_is_selected_at_once(
    choose: CandidateStrategy, max_span_width: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = select(lambda scores, log_p, layout: choose(scores, log_p, layout), max_span_width)
    monkeypatch.setitem(MOST_ENTRIES, "cpu", 100)
    blocks = select(choose, max_span_width)
    flat = whole.selection.candidates
    assert len(blocks.selection.scores) == len(flat) > 10
    assert torch.equal(blocks.selection.spans.starts, whole.selection.spans.starts)
    assert torch.equal(blocks.selection.spans.ends, whole.selection.spans.ends)
    assert torch.equal(blocks.selection.candidates, torch.arange(len(flat)))
    pairs = [
        (blocks.vectors, whole.vectors),
        (blocks.scores, whole.scores),
        (blocks.selection.auxiliary, whole.selection.auxiliary[:, flat]),
        (blocks.selection.scores, whole.selection.scores[flat]),
        (blocks.selection.marginals.selected, whole.selection.marginals.selected[flat]),
    ]
    for found, expected in pairs:
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_nothing_is_kept_of_other_spans_at_prediction() -> None:
    found = select(Decode("marginal", 0.4)).selection
    assert found.scores.shape == found.marginals.selected.shape == found.candidates.shape
    assert not len(found.marginals.unselected)


def test_all_scores_are_kept_for_a_strategy_that_may_need_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MOST_ENTRIES, "cpu", 100)
    decode = Decode("marginal", 0.4)
    found = select(lambda scores, log_p, layout: decode(scores, log_p, layout))
    assert len(found.selection.scores) == layout_of(SENTENCES).size


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Settings(network.NetworkSettings):
    """The settings of some network, with a dropout and a number of its own."""

    word_dropout: network.Dropout = 0.0
    layers: network.Size = 1


@pytest.mark.parametrize("name", ["dropout", "word_dropout"])
@pytest.mark.parametrize("value", [-0.1, 1.0, 2, float("nan")])
def test_a_dropout_out_of_range_is_an_error(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=rf"\n{name}\n  Input should be "):
        Settings(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 0.0, 0.5, 0.999])
def test_every_dropout_may_be_from_0_to_below_1(value: float) -> None:
    settings = Settings(dropout=value, word_dropout=value)
    assert (settings.dropout, settings.word_dropout) == (value, value)


@pytest.mark.parametrize("value", [0, float("nan"), float("inf")])
def test_any_other_number_below_1_or_not_finite_is_an_error(value: Any) -> None:
    with pytest.raises(ValueError, match=r"\nlayers\n  Input should be "):
        Settings(layers=value)


def test_what_is_no_selector_is_an_error() -> None:
    selector: Any = "sigmoid"
    with pytest.raises(ValueError, match=r"\nselector\n  Input should be an instance of Selector"):
        Settings(selector=selector)


def test_rows_are_copied_and_new_ones_filled_with_a_number_or_a_row() -> None:
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    taken = network.take_rows(weight, [1, network.NEW, 0], 7.0)
    assert taken.tolist() == [[3.0, 4.0], [7.0, 7.0], [1.0, 2.0]]
    assert taken.requires_grad and taken.is_leaf
    assert network.take_rows(weight, [network.NEW, 0], weight[-1]).tolist() == [[3.0, 4.0], [1.0, 2.0]]
    assert network.take_rows(torch.tensor([1.0, 2.0]), [0, 1, network.NEW], -5.0).tolist() == [1.0, 2.0, -5.0]
