from __future__ import annotations

import torch

from .counting import count


def test_operations_are_counted_and_views_are_not() -> None:
    x = torch.zeros(4, 4)
    assert count(lambda: (x.T[1:] + 1).relu()).operations == 2


def test_the_peak_is_of_tensors_alive_at_once() -> None:
    def one_after_the_other() -> None:
        for _ in range(5):
            torch.zeros(1000, 250)

    def all_at_once() -> list[torch.Tensor]:
        return [torch.zeros(1000, 250) for _ in range(5)]

    assert count(one_after_the_other).megabytes == 1.0
    assert count(all_at_once).megabytes == 5.0


def test_what_is_computed_in_place_or_was_there_before_takes_nothing() -> None:
    x = torch.zeros(1000, 250)
    assert count(lambda: x.add_(1).relu_()).megabytes == 0.0


def test_the_backward_pass_is_counted() -> None:
    x = torch.ones(1000, 250, requires_grad=True)
    forward = count(lambda: (x * x).sum())
    both = count(lambda: (x * x).sum().backward())
    assert both.operations > forward.operations
    assert both.megabytes >= 2.0 > forward.megabytes
