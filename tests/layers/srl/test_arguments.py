from __future__ import annotations

import torch

from spacy_span_selector.layers.spans.layout import Spans
from spacy_span_selector.layers.srl.arguments import GoldFrames

from ...layouts import layout_of

LAYOUT = layout_of([[4, 2], [3]])
STARTS, ENDS = torch.tensor([0, 5, 6, 6]), torch.tensor([2, 5, 8, 8])
ANNOTATED = torch.tensor([True, True])


def test_an_argument_of_two_predicates_is_there_twice() -> None:
    predicates = Spans(torch.tensor([3, 7, 8]), torch.tensor([3, 7, 8]))
    none = torch.full((3,), -1)
    frames, roles = torch.tensor([0, 0, 1, 2]), torch.tensor([0, 1, 0, 2])
    gold = GoldFrames(predicates, none, Spans(STARTS, ENDS), frames, roles, ANNOTATED, ANNOTATED)
    flat = gold.flat_index(LAYOUT)
    assert torch.equal(torch.stack(LAYOUT.locate(flat)), torch.stack([STARTS, ENDS]))
    assert flat[2] == flat[3]
