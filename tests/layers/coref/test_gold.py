from __future__ import annotations

import torch

from spacy_span_selector.layers.coref.gold import GoldMentions

from ...layouts import layout_of

LAYOUT = layout_of([[4, 2], [3]])
STARTS, ENDS = torch.tensor([0, 5, 6]), torch.tensor([2, 5, 8])
ANNOTATED = torch.tensor([True, True])


def test_mentions_know_where_they_lie() -> None:
    gold = GoldMentions(STARTS, ENDS, torch.tensor([0, 0, 1]), ANNOTATED)
    assert torch.equal(torch.stack(LAYOUT.locate(gold.flat_index(LAYOUT))), torch.stack([STARTS, ENDS]))
