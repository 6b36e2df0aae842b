from __future__ import annotations

import pytest
import torch

from spacy_span_selector.layers.selection.candidates import AboveThreshold, CandidateStrategy, Decode
from spacy_span_selector.layers.selection.network import Candidates, NetworkSettings, SelectingHead, make_span_scorer
from spacy_span_selector.layers.selection.selectors import LaminarSelector
from spacy_span_selector.layers.spans.layout import MOST_ENTRIES

from ...layouts import layout_of

SENTENCES = [[12, 3, 7, 1], [9, 9, 20], [4, 6]]


class LaminarWithTask(LaminarSelector):
    """Has two scores for a task of its own."""

    auxiliary_scores = 2


def select(choose: CandidateStrategy, max_span_width: int | None = None) -> Candidates:
    """Select spans of sentences, of which long ones are bands if the width is limited, at prediction."""
    torch.manual_seed(0)
    sizes = {"hidden_width": 16, "feature_width": 4, "max_span_width": max_span_width}
    head = SelectingHead()
    head.settings = NetworkSettings(selector=LaminarWithTask(), bfloat16=False, **sizes)
    head.span_scorer = make_span_scorer(head.settings, 8).eval()
    layout = layout_of(SENTENCES, most=max_span_width)
    tokens = 3 * torch.randn(len(layout.row), 8)
    with torch.inference_mode():
        return head.select(tokens, layout, choose)


@pytest.mark.parametrize("choose", [Decode("marginal", 0.4), Decode("map", 0.5), AboveThreshold(0.4)])
@pytest.mark.parametrize("max_span_width", [None, 5])
def test_blocks_select_what_is_selected_at_once(
    choose: CandidateStrategy, max_span_width: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = select(choose, max_span_width)
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
        (blocks.selection.marginals.unselected, whole.selection.marginals.unselected[flat]),
    ]
    for found, expected in pairs:
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_all_scores_are_kept_for_a_strategy_that_may_need_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MOST_ENTRIES, "cpu", 100)
    decode = Decode("marginal", 0.4)
    found = select(lambda scores, log_p, layout: decode(scores, log_p, layout))
    assert len(found.selection.scores) == layout_of(SENTENCES).size
