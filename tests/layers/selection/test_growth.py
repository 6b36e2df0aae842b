from __future__ import annotations

import torch

from spacy_span_selector.layers.selection.network import NEW, take_rows


def test_rows_are_copied_and_new_ones_filled() -> None:
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    taken = take_rows(weight, [1, NEW, 0], 7.0)
    assert taken.tolist() == [[3.0, 4.0], [7.0, 7.0], [1.0, 2.0]]
    assert taken.requires_grad and taken.is_leaf


def test_new_rows_may_be_like_another_one() -> None:
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert take_rows(weight, [NEW, 0], weight[-1]).tolist() == [[3.0, 4.0], [1.0, 2.0]]


def test_vectors_without_columns_are_rows_of_numbers() -> None:
    assert take_rows(torch.tensor([1.0, 2.0]), [0, 1, NEW], -5.0).tolist() == [1.0, 2.0, -5.0]
