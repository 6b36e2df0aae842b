from functools import partial

import pytest
import torch
from hypothesis import given, settings
from torch import Tensor

from spacy_span_selector.wcfg import TREES, log_marginals, log_partition, marginals
from spacy_span_selector.wcfg.trees import ArcChart, arcs_to_spans, spans_to_arcs

from .charts import charts, random_scores
from .reference import enumerate_selections


@settings(max_examples=60, deadline=None)
@given(charts(longest=7))
def test_equals_enumeration_of_all_selections(chart: tuple[Tensor, Tensor]) -> None:
    scores, lengths = chart
    log_selected, log_unselected = log_marginals(scores, lengths)
    for sentence, length in enumerate(lengths.tolist()):
        partition, expected = enumerate_selections(scores[sentence, :length, :length].numpy())
        probability = torch.zeros(scores.shape[1:], dtype=torch.float64)
        probability[:length, :length] = torch.from_numpy(expected)
        assert_close = partial(torch.testing.assert_close, rtol=1e-10, atol=1e-13)
        torch.testing.assert_close(log_partition(scores, lengths)[sentence].exp().item(), partition, rtol=1e-10, atol=0)
        assert_close(marginals(scores, lengths)[sentence], probability)
        assert_close(log_selected[sentence].exp(), probability)
        assert_close(log_unselected[sentence].exp(), 1 - probability)


def test_the_functions_of_the_package_are_those_of_this_grammar() -> None:
    assert (log_partition, marginals, log_marginals) == (TREES.log_partition, TREES.marginals, TREES.log_marginals)


@pytest.mark.filterwarnings("ignore:.*arg_constraints")
def test_agrees_with_torch_struct() -> None:
    torch_struct = pytest.importorskip("torch_struct")
    scores = random_scores(3, 10, 10, dtype=torch.float32)
    lengths = torch.tensor([10, 6, 2])
    nodes = torch_struct.TreeCRF(torch.nn.functional.softplus(scores)[..., None], lengths=lengths)
    expected = nodes.marginals[..., 0] * scores.sigmoid()
    torch.testing.assert_close(log_partition(scores, lengths), nodes.partition, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(marginals(scores, lengths), expected, rtol=1e-4, atol=1e-5)


def test_arcs_of_a_span_are_its_inside_and_its_outside(device: str) -> None:
    spans = torch.arange(2 * 4 * 4, device=device, dtype=torch.float32).view(2, 4, 4)
    arcs = spans_to_arcs(spans)
    for start in range(4):
        for end in range(start + 1, 5):
            width = end - start
            assert arcs[width, start].tolist() == spans[:, start, end - 1].tolist()
            assert arcs[5 - width, end % 5].tolist() == spans[:, start, end - 1].tolist()


def test_span_and_arc_maps_are_adjoint(device: str) -> None:
    spans = random_scores(3, 5, 5).to(device).triu()
    arcs = random_scores(6, 6, 3).to(device)
    arcs[0] = 0
    torch.testing.assert_close((spans_to_arcs(spans) * arcs).sum(), (spans * arcs_to_spans(arcs)).sum())


def test_splits_cover_each_arc_once(device: str) -> None:
    corners = 6
    # The value of an arc names it: its length and its first corner.
    names = torch.arange(corners * corners, device=device, dtype=torch.float32).view(corners, corners, 1)
    chart = ArcChart.zeros_like(names)
    for length in range(1, corners):
        chart.write(length, names[length])
    for length in range(2, corners):
        left, right = chart.splits(length)
        for first in range(corners):
            for part in range(1, length):
                assert left[part - 1, first] == names[part, first]
                assert right[part - 1, first] == names[length - part, (first + part) % corners]


def test_collect_is_adjoint_to_write(device: str) -> None:
    corners, batch, length = 5, 2, 3
    written = ArcChart.zeros_like(torch.zeros(corners, corners, batch, dtype=torch.float64, device=device))
    values = random_scores(corners, batch).to(device)
    written.write(length, values)
    gradients = ArcChart(torch.randn_like(written.by_first), torch.randn_like(written.by_last))
    product = (gradients.by_first * written.by_first).sum() + (gradients.by_last * written.by_last).sum()
    torch.testing.assert_close((gradients.collect(length) * values).sum(), product)
