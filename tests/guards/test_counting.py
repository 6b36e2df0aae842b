import torch

from .counting import count


def test_operations_are_counted_and_views_are_not() -> None:
    x = torch.zeros(4, 4)
    assert count(lambda: (x.T[1:] + 1).relu()).operations == 2


def test_the_peak_is_of_tensors_alive_at_once_that_were_made_by_the_call() -> None:
    x = torch.zeros(1000, 250, requires_grad=True)
    assert count(lambda: [torch.zeros(1000, 250).add_(x.detach()).sum() for _ in range(5)]).megabytes < 1.1
    assert count(lambda: [torch.zeros(1000, 250) for _ in range(5)]).megabytes == 5.0
    assert count(lambda: (x * x).sum().backward()).megabytes >= 2.0
