import math
from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
import torch

from spacy_span_selector.layers.selection.candidates import AboveThreshold, Decoding
from spacy_span_selector.layers.selection.network import NEW_BIAS
from spacy_span_selector.layers.selection.sampling import Annotation, Negatives
from spacy_span_selector.layers.selection.selectors import (
    LaminarSelector,
    Selection,
    Selector,
    SigmoidSelector,
    StructuredSelector,
)
from spacy_span_selector.layers.spancat.network import (
    FoundLabels,
    GoldLabels,
    SpancatHead,
    SpancatOutput,
    SpancatRequest,
    SpancatSettings,
)
from spacy_span_selector.layers.spans.layout import SpanLayout, Spans

from ...layouts import every_span, layout_of, listed, spans_at
from ...selectors import SELECTORS

SENTENCES = [[4, 3], [3], [5]]  # tokens 0-6, 7-9 and 10-14
GOLD = {(0, 3): [1, 0, 1], (0, 1): [0, 1, 0], (5, 6): [1, 0, 0], (10, 10): [0, 0, 1]}
"""First and last token of each gold span, and which labels it has."""
ANNOTATED = [True, False, True]
LABELS = 3
WIDTH = 6

Labelled = tuple[int, int, int]
"""First and last token of a span, and its label."""


def select(selector: Selector, layout: SpanLayout, *, candidates: int | None = None, seed: int = 0) -> Selection:
    """Spans with random scores, of which the most probable are candidates; by default all of them."""
    torch.manual_seed(seed)
    scores = 2 * torch.randn(layout.size)
    marginals = selector.marginals(scores, layout)
    flat = every_span(layout)
    if candidates is not None:
        flat = flat[marginals.selected[flat].topk(candidates).indices].sort().values
    return Selection(scores, marginals, scores.new_zeros(0, layout.size), flat, Spans(*layout.locate(flat)))


def negative_log_likelihood(output: SpancatOutput, layout: SpanLayout, others: Sequence[tuple[int, int]]) -> float:
    """The objective of the docstring: gold spans with their labels, and other spans that are not selected."""
    total = 0.0
    for row, ((start, end), labels) in enumerate(GOLD.items()):
        at = int(layout.flat_index(torch.tensor([start]), torch.tensor([end])))
        total -= float(output.selection.marginals.selected[at])
        for label, is_right in enumerate(labels):
            q = 1 / (1 + math.exp(-float(output.labels[row, label])))
            total -= math.log(q if is_right else 1 - q)
    for start, end in others:
        at = int(layout.flat_index(torch.tensor([start]), torch.tensor([end])))
        total -= float(output.selection.marginals.unselected[at])
    return total


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("per_token", [0.0, 2.0])
@pytest.mark.parametrize("selector", [StructuredSelector(), LaminarSelector(), SigmoidSelector()])
def test_loss_is_that_of_the_formula(selector: Selector, annotation: Annotation, per_token: float) -> None:
    layout = layout_of(SENTENCES)
    selection = select(selector, layout, candidates=12)
    output = SpancatOutput(selection, torch.randn(len(GOLD), LABELS))
    gold = GoldLabels(spans_at(GOLD), torch.tensor([*GOLD.values()]).float(), torch.tensor(ANNOTATED))
    torch.manual_seed(1)
    loss = output.loss(gold, layout, annotation=annotation, negatives=Negatives(per_token))
    torch.manual_seed(1)
    gold_flat = layout.flat_index(gold.spans.starts, gold.spans.ends)
    is_gold = torch.zeros(layout.size, dtype=torch.bool).index_fill(0, gold_flat, True)
    sampled = Negatives(per_token).draw(is_gold, gold_flat, gold.annotated, layout)
    others = listed(*layout.locate(sampled))
    learnt = [span for span in listed(selection.spans) if not 7 <= span[0] <= 9]  # the second document is not annotated
    if annotation == "complete":
        others += [span for span in learnt if span not in GOLD]
    assert bool(per_token) == bool(len(sampled)) and 0 < len(learnt) < 12
    assert float(loss) == pytest.approx(negative_log_likelihood(output, layout, others) / len(learnt), rel=1e-4)


def test_labels_that_exclude_each_other_are_types_of_the_selector() -> None:
    layout = layout_of(SENTENCES)
    selection = select(LaminarSelector(), layout, candidates=12)
    shares = torch.randn(LABELS, layout.size).log_softmax(0)
    output = SpancatOutput(selection._replace(types=shares), None)
    declared = torch.tensor([[True, True, False], [False, False, True], [True, False, False]])
    labels = torch.tensor([*GOLD.values()]).float()
    gold = GoldLabels(spans_at(GOLD), labels, torch.tensor(ANNOTATED), declared)
    p, total = selection.marginals.selected.exp(), 0.0
    for (start, end), has in zip(GOLD, labels > 0, strict=True):
        at = int(layout.flat_index(torch.tensor([start]), torch.tensor([end])))
        total -= math.log(float(p[at] * shares[has, at].exp().sum()))
    learnt = [(at, span) for at, span in zip(selection.candidates.tolist(), listed(selection.spans), strict=True)]
    learnt = [(at, span) for at, span in learnt if not 7 <= span[0] <= 9]  # the second document is not annotated
    for at, span in learnt:
        if span not in GOLD:
            known = declared[0 if span[0] < 7 else 2]
            total -= math.log(1 - float(p[at] * shares[known, at].exp().sum()))
    loss = output.loss(gold, layout, annotation="complete", negatives=Negatives(0.0))
    assert float(loss) == pytest.approx(total / len(learnt), rel=1e-4)


SPANS = [(start, end) for start in range(3) for end in range(start, 3)]
SETS = [
    chosen
    for size in range(2 * len(SPANS) + 1)
    for chosen in combinations([(*span, label) for span in SPANS for label in range(2)], size)
]
"""All sets of labelled spans of three tokens, with two labels."""


def cross(spans: Sequence[Labelled]) -> bool:
    return any(a < c <= b < d for a, b, _ in spans for c, d, _ in spans)


NON_CROSSING = [chosen for chosen in SETS if not cross(chosen)]


def expected_gain(output: SpancatOutput, threshold: float) -> Callable[[Sequence[Labelled]], float]:
    """How many labelled spans of a set are right, as can be expected, each of them costing the threshold."""
    p = output.selection.marginals.selected[output.selection.candidates].double().exp()
    gains = p[:, None] * output.labels.double().sigmoid() - threshold
    of_span = dict(zip(listed(output.selection.spans), gains.tolist(), strict=True))
    return lambda chosen: sum(of_span[start, end][label] for start, end, label in chosen)


def log_probability(output: SpancatOutput) -> Callable[[Sequence[Labelled]], float]:
    """The log probability of a set of labelled spans, up to a constant: of its spans, and of each of their labels."""
    scores = output.selection.scores[output.selection.candidates].tolist()
    q = dict(zip(listed(output.selection.spans), output.labels.double().sigmoid().tolist(), strict=True))
    of_span = dict(zip(q, scores, strict=True))

    def of_set(chosen: Sequence[Labelled]) -> float:
        spans = {row[:2] for row in chosen}
        labels = [q[span][i] if (*span, i) in chosen else 1 - q[span][i] for span in spans for i in range(2)]
        return sum(of_span[span] for span in spans) + sum(map(math.log, labels))

    return of_set


def found(labels: FoundLabels) -> list[Labelled]:
    return listed(*labels[:3])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("decoding", ["marginal", "map"])
@pytest.mark.parametrize("selector", [LaminarSelector(), SigmoidSelector(non_crossing=True), SigmoidSelector()])
def test_the_best_of_all_sets_is_found(selector: Selector, decoding: Decoding, seed: int) -> None:
    layout = layout_of([[3]])
    selection = select(selector, layout, seed=seed)
    output = SpancatOutput(selection, 2 * torch.randn(6, 2))
    worth = log_probability(output) if decoding == "map" else expected_gain(output, 0.2)
    best = max(SETS if selector.spans_may_cross else NON_CROSSING, key=worth)
    decoded = output.decode(selector, decoding, 0.2)
    assert found(decoded) == sorted(best)


def test_decoding_finds_nested_spans_and_several_labels() -> None:
    """So that the test above is about something."""
    outputs = []
    for seed in range(6):
        selection = select(LaminarSelector(), layout_of([[3]]), seed=seed)
        outputs.append(
            found(SpancatOutput(selection, 2 * torch.randn(6, 2)).decode(LaminarSelector(), "marginal", 0.2))
        )
    assert any(len({row[:2] for row in rows}) < len(rows) for rows in outputs)
    assert any(a[0] <= b[0] and b[1] <= a[1] for rows in outputs for a in rows for b in rows if a[:2] != b[:2])


@pytest.mark.parametrize("name", SELECTORS)
def test_scores_are_the_probabilities_of_span_and_label(name: str) -> None:
    selector = SELECTORS[name]()
    selection = select(selector, layout_of([[4]]))
    output = SpancatOutput(selection, torch.randn(10, LABELS))
    decoded = output.decode(selector, "marginal", 0.1)
    assert len(decoded.scores)
    rows, p = listed(selection.spans), selection.probabilities().tolist()
    for start, end, label, score in listed(*decoded):
        row = rows.index((start, end))
        assert score == pytest.approx(p[row] * float(output.labels[row, label].sigmoid()), rel=1e-4)
        assert score > 0.1


@pytest.mark.parametrize("decoding", ["marginal", "map"])
def test_nothing_is_found_without_spans_or_labels(decoding: Decoding) -> None:
    layout = layout_of([[3]])
    selection = select(LaminarSelector(), layout)
    none = select(LaminarSelector(), layout, candidates=0)
    for output in (SpancatOutput(selection, torch.zeros(6, 0)), SpancatOutput(none, torch.zeros(0, 2))):
        assert found(output.decode(LaminarSelector(), decoding, 0.0)) == []


def build(name: str = "laminar") -> SpancatHead:
    torch.manual_seed(0)
    selector = SELECTORS[name]()
    settings = SpancatSettings(
        selector=selector, hidden_width=8, label_hidden_width=7, feature_width=3, dropout=0.0, max_span_width=None
    )
    return SpancatHead(width=WIDTH, labels=LABELS, settings=settings).eval()


@pytest.mark.parametrize("name", SELECTORS)
def test_requested_spans_are_labelled_as_selected_ones(name: str) -> None:
    head, layout = build(name), layout_of(SENTENCES)
    tokens = torch.randn(15, WIDTH)
    choose = AboveThreshold(0.0)
    with torch.no_grad():
        every = head(tokens, layout, SpancatRequest(choose))
        some = head(tokens, layout, SpancatRequest(choose, spans_at(GOLD)))
    spans = listed(every.selection.spans)
    expected = every.labels[[spans.index(span) for span in GOLD]]
    assert some.labels.shape == (len(GOLD), LABELS)
    torch.testing.assert_close(some.labels, expected, rtol=1e-4, atol=1e-5)


def test_more_labels_leave_the_others_as_they_are() -> None:
    head, layout = build(), layout_of(SENTENCES)
    tokens = torch.randn(15, WIDTH)
    request = SpancatRequest(AboveThreshold(0.0))
    with torch.no_grad():
        before = head(tokens, layout, request).labels
        head.grow(LABELS + 2)
        after = head(tokens, layout, request).labels
    assert head.sizes["labels"] == LABELS + 2
    torch.testing.assert_close(after[:, :LABELS], before, rtol=0, atol=1e-6)
    assert (after[:, LABELS:] == NEW_BIAS).all()
    assert max(torch.sigmoid(after[:, LABELS:]).flatten()) < 0.01
