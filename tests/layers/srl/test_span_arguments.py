import itertools
import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from spacy_span_selector.layers.selection.candidates import CandidateStrategy, Decode, MostProbable
from spacy_span_selector.layers.selection.sampling import Annotation, Negatives, sample_spans
from spacy_span_selector.layers.selection.selectors import Selection, Selector, SigmoidSelector, StructuredSelector
from spacy_span_selector.layers.spans.layout import SpanLayout, Spans
from spacy_span_selector.layers.srl.arguments import FoundArgument, GoldFrames
from spacy_span_selector.layers.srl.roles import (
    ABSENT,
    NO_TAG,
    KnownRoles,
    Pairs,
    SrlSettings,
    arguments_with_predicates,
)
from spacy_span_selector.layers.srl.span_arguments import (
    SpanArgumentFinder,
    SpanArguments,
    heaviest_disjoint,
    heaviest_labelled,
)

from ...frame_tables import nothing_known
from ...layouts import layout_of, listed
from ...selectors import MostProbableAndGold

STRUCTURED, SIGMOID = StructuredSelector(), SigmoidSelector()

Frames = list[tuple[tuple[int, int], list[tuple[int, int, int]]]]
"""Predicates, each with its arguments: start, end and role."""

SENTENCES = [[4, 3], [3], [5]]  # tokens 0-6, 7-9 and 10-14
FRAMES: Frames = [
    ((1, 1), [(0, 0, 0), (2, 3, 1)]),
    ((2, 2), [(0, 0, 2), (3, 3, 0)]),  # (0, 0) is an argument of two predicates
    ((2, 2), []),  # two predicates on one span
    ((11, 12), [(10, 10, 1), (13, 14, 2)]),
]
ROLES = 3


@dataclass
class Case:
    """A batch and the output of a random network."""

    output: SpanArguments
    gold: GoldFrames
    layout: SpanLayout
    scores: torch.Tensor


def make_gold(
    frames: Frames,
    annotated: tuple[bool, ...] = (True, True, True),
    device: str = "cpu",
    complete: tuple[bool, ...] | None = None,
) -> GoldFrames:
    predicates = torch.tensor([predicate for predicate, _ in frames], dtype=torch.long, device=device).view(-1, 2).T
    rows = [(*argument, frame) for frame, (_, arguments) in enumerate(frames) for argument in arguments]
    columns = torch.tensor(rows, dtype=torch.long, device=device).view(-1, 4).T.contiguous()
    return GoldFrames(
        predicates=Spans(predicates[0], predicates[1]),
        rolesets=torch.full((len(frames),), -1, device=device),
        arguments=Spans(columns[0], columns[1]),
        frames=columns[3],
        roles=columns[2],
        annotated=torch.tensor(annotated, device=device),
        complete=torch.tensor(complete or annotated, device=device),
    )


def make_case(
    *,
    seed: int = 0,
    frames: Frames = FRAMES,
    annotated: tuple[bool, ...] = (True, True, True),
    complete: tuple[bool, ...] | None = None,
    selector: Selector = STRUCTURED,
    add_gold: bool = True,
    ratio: float = 0.6,
    scale: float = 1.0,
    device: str = "cpu",
    choose: CandidateStrategy | None = None,
) -> Case:
    torch.manual_seed(seed)
    layout = layout_of(SENTENCES, torch.device(device))
    gold = make_gold(frames, annotated, device, complete)
    scores = (scale * torch.randn(layout.size)).to(device).requires_grad_()
    marginals = selector.marginals(scores, layout)
    probable = MostProbableAndGold(gold, ratio) if add_gold else MostProbable(ratio)
    candidates = (choose or probable)(scores, marginals.selected, layout)
    spans = Spans(*layout.locate(candidates))
    pairs = arguments_with_predicates(spans, gold.predicates, layout)
    role_scores = scale * torch.randn(len(pairs.left), 1 + ROLES).to(device) + scores[candidates[pairs.left], None]
    log_roles = role_scores.log_softmax(1)
    selection = Selection(scores, marginals, scores.new_zeros(0, layout.size), candidates, spans)
    known = nothing_known(len(gold.predicates), ROLES, device)
    return Case(SpanArguments(selection, gold.predicates, pairs, log_roles, known), gold, layout, scores)


def plain_loss(case: Case, annotation: Annotation) -> float:
    """The objective span by span and predicate by predicate, without the sampled spans."""
    output, gold = case.output, case.gold
    rows = listed(gold.arguments, gold.frames, gold.roles)
    roles = {(start, end, frame): role + 1 for start, end, frame, role in rows}
    gold_spans = {(start, end) for start, end, _ in roles}
    log_p = output.selection.marginals.selected.double().tolist()
    starts, ends = torch.tensor(sorted(gold_spans), dtype=torch.long, device=case.scores.device).view(-1, 2).T
    flat = case.layout.flat_index(starts, ends)
    loss = -sum(log_p[i] for i in flat.tolist())
    pairs = listed(*output.pairs, output.log_roles)
    for i, (start, end, number) in enumerate(listed(output.selection.spans, output.selection.candidates)):
        if not gold.annotated[case.layout.document[start]]:
            continue
        of_span = {predicate: log_roles for candidate, predicate, log_roles in pairs if candidate == i}
        right = {predicate: row[roles.get((start, end, predicate), 0)] for predicate, row in of_span.items()}
        if (start, end) in gold_spans:
            loss -= sum(right.values())
        elif annotation == "complete" and gold.complete[case.layout.document[start]]:
            p = math.exp(log_p[number])
            loss -= math.log(1 - p) + p * sum(right.values())
        else:
            p = math.exp(log_p[number])
            loss -= sum(math.log(p * math.exp(null) + 1 - p) for null in right.values())
    return loss


def loss_of(case: Case, annotation: Annotation = "complete", negatives: float = 0.0) -> torch.Tensor:
    return case.output.loss(case.gold, case.layout, annotation=annotation, negatives=Negatives(negatives))


CASES: dict[str, dict[str, Any]] = {
    "structured": {},
    "sigmoid": {"selector": SIGMOID},
    "gold spans missed": {"add_gold": False},
    "many candidates": {"ratio": 100.0},
    "documents not annotated": {"frames": FRAMES[:3], "annotated": (True, False, False), "ratio": 2.0},
    "annotated without frames": {"frames": FRAMES[:3], "annotated": (True, False, True), "ratio": 2.0},
    "predicates without arguments": {"frames": [((1, 1), []), ((8, 8), [])]},
    "documents with some of their frames": {"complete": (True, False, False)},
}


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("seed", range(3))
def test_loss_equals_the_formula_span_by_span(
    seed: int, case: dict[str, Any], annotation: Annotation, device: str
) -> None:
    made = make_case(seed=seed, device=device, **case)
    assert loss_of(made, annotation).item() == pytest.approx(plain_loss(made, annotation), rel=1e-4)


def test_with_complete_annotation_selection_gets_no_gradient_from_roles() -> None:
    case = make_case()
    (complete,) = torch.autograd.grad(loss_of(case), case.output.selection.marginals.selected, retain_graph=True)
    expected = torch.zeros_like(complete)
    expected[case.gold.flat_index(case.layout).unique()] = -1.0
    assert torch.equal(complete, expected)
    assert loss_of(case, "complete") > loss_of(case, "partial")
    (partial,) = torch.autograd.grad(loss_of(case, "partial"), case.output.selection.marginals.selected)
    assert not torch.equal(partial, expected)


def test_sampled_spans_are_added_as_unselected() -> None:
    case = make_case()
    pool = torch.ones(case.layout.size, dtype=torch.bool)
    pool[case.gold.flat_index(case.layout)] = False
    torch.manual_seed(5)
    sampled = sample_spans(pool, case.gold.annotated, case.layout, 0.5)
    torch.manual_seed(5)
    found = loss_of(case, negatives=0.5) - loss_of(case)
    torch.testing.assert_close(found, -case.output.selection.marginals.unselected[sampled].sum(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("selector", [STRUCTURED, SIGMOID])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_gradients_are_finite(scale: float, selector: Selector, annotation: Annotation, device: str) -> None:
    case = make_case(scale=scale, selector=selector, device=device)
    loss = loss_of(case, annotation, negatives=2.0)
    (gradient,) = torch.autograd.grad(loss, case.scores)
    assert torch.isfinite(loss) and torch.isfinite(gradient).all()
    assert (gradient[~case.layout.valid()] == 0).all()


@pytest.mark.parametrize("selector", [STRUCTURED, SIGMOID])
def test_documents_that_are_not_annotated_are_ignored(selector: Selector) -> None:
    case = make_case(frames=FRAMES[:3], annotated=(True, False, False), ratio=100.0, selector=selector)
    (gradient,) = torch.autograd.grad(loss_of(case, negatives=50.0), case.scores)
    starts, ends = case.layout.locate(torch.nonzero(gradient).squeeze(1))
    assert set(case.layout.document[starts].tolist()) == set(case.layout.document[ends].tolist()) == {0}


def best_by_enumeration(case: Case, predicate: int) -> float:
    """The weight of the heaviest of all sets of candidates that do not overlap."""
    output = case.output
    pairs = [i for i, of in enumerate(output.pairs.right.tolist()) if of == predicate]
    spans = listed(output.selection.spans)
    weights = {
        spans[int(output.pairs.left[i])]: float((output.log_roles[i, 1:].max() - output.log_roles[i, 0]).detach())
        for i in pairs
    }
    return heaviest_by_enumeration([*weights], [[(0, weight)] for weight in weights.values()])


@pytest.mark.parametrize("seed", range(5))
def test_decoded_arguments_are_the_heaviest_that_do_not_overlap(seed: int, device: str) -> None:
    case = make_case(seed=seed, ratio=1.2, scale=2.0, device=device)
    output = case.output
    found = output.decode()
    assert found == sorted(found)
    row_of = {pair: i for i, pair in enumerate(listed(*output.pairs))}
    spans = listed(output.selection.spans)
    for predicate in range(len(output.predicates)):
        arguments = [argument for argument in found if argument.predicate == predicate]
        assert all(one.end < other.start for one, other in itertools.pairwise(arguments))
        rows = [output.log_roles[row_of[spans.index((a.start, a.end)), predicate]].detach() for a in arguments]
        weight = sum(float(row[1:].max() - row[0]) for row in rows)
        assert weight == pytest.approx(best_by_enumeration(case, predicate))
        for argument, row in zip(arguments, rows, strict=True):
            assert argument.role == int(row[1:].argmax())
            assert argument.score == pytest.approx(float(row[1 + argument.role].exp()))


def test_nothing_is_decoded_where_null_is_more_probable() -> None:
    case = make_case()
    null = torch.cat([torch.full((len(case.output.log_roles), 1), 9.0), case.output.log_roles[:, 1:]], dim=1)
    assert replace(case.output, log_roles=null.log_softmax(1)).decode() == []
    assert case.output.decode()


def test_one_span_may_be_an_argument_of_two_predicates() -> None:
    case = make_case(frames=FRAMES[:2], ratio=0.0)
    roles = torch.full_like(case.output.log_roles, -5.0)
    roles[:, 0] = -1.0
    both = (case.output.selection.spans.starts[case.output.pairs.left] == 0).nonzero().squeeze(1)
    roles[both[0], 1], roles[both[1], 3] = 0.0, 0.0
    assert [found[:4] for found in replace(case.output, log_roles=roles).decode()] == [(0, 0, 0, 0), (1, 0, 0, 2)]
    assert isinstance(case.output.decode()[0], FoundArgument)


def test_selected_spans_have_their_marginals() -> None:
    output = make_case().output
    expected = output.selection.marginals.selected[output.selection.candidates].exp()
    assert output.selected() == sorted(listed(output.selection.spans, expected))


# The network

WIDTH, PREDICATE_WIDTH = 6, 5
EVERY = MostProbable(1000.0)
PREDICATES = Spans(torch.tensor([1, 5, 11]), torch.tensor([1, 6, 12]))


def build(
    selector: Selector = STRUCTURED, max_span_width: int | None = None, dropout: float = 0.0
) -> SpanArgumentFinder:
    torch.manual_seed(0)
    sizes = {"hidden_width": 7, "pair_width": 4, "pair_hidden_width": 6, "feature_width": 3}
    settings = SrlSettings(selector=selector, dropout=dropout, max_span_width=max_span_width, **sizes)
    labels = {"roles": ROLES, "rolesets": 0, "tags": 0}
    return SpanArgumentFinder(width=WIDTH, predicate_width=PREDICATE_WIDTH, settings=settings, **labels)


def run(finder: SpanArgumentFinder, choose: Any = EVERY, predicates: Spans = PREDICATES) -> SpanArguments:
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randn(15, WIDTH, generator=generator).requires_grad_()
    vectors = torch.randn(3, PREDICATE_WIDTH, generator=generator)[: len(predicates)].requires_grad_()
    known = nothing_known(len(predicates), ROLES)
    return finder(tokens, layout_of(SENTENCES), predicates, vectors, known, choose)


def test_every_candidate_meets_every_predicate_of_its_sentence() -> None:
    output = run(build())
    starts, predicates = output.selection.spans.starts, output.predicates.starts
    met = set(listed(starts[output.pairs.left], predicates[output.pairs.right]))
    sentences = [(0, 4), (4, 7), (7, 10), (10, 15)]
    assert met == {
        (start, predicate)
        for first, last in sentences
        for start in range(first, last)
        for predicate in (1, 5, 11)
        if first <= predicate < last
    }


def test_null_scores_0_and_the_span_score_counts_for_every_role() -> None:
    finder = build()
    for layer in (finder.roles.output, finder.span_scorer.output):
        torch.nn.init.zeros_(layer.weight)
    torch.nn.init.constant_(finder.roles.output.bias, 0.5)
    with torch.no_grad():
        finder.span_scorer.output.bias.copy_(torch.tensor([9.0, 2.0]))
    expected = torch.tensor([0.0, 2.5, 2.5, 2.5]).log_softmax(0)
    output = run(finder)
    torch.testing.assert_close(output.log_roles, expected.expand_as(output.log_roles))
    assert (output.selection.probabilities() > 0.2).all()  # of the other score


@pytest.mark.parametrize("selector", [STRUCTURED, SIGMOID])
def test_every_weight_has_a_finite_gradient(selector: Selector) -> None:
    finder = build(selector, dropout=0.3).train()
    case = make_case()
    output = run(finder, predicates=case.gold.predicates.take(torch.tensor([0, 1, 3])))
    sum(tensor[torch.isfinite(tensor)].tanh().sum() for tensor in output.tensors()).backward()
    for name, weight in finder.named_parameters():
        assert weight.grad is not None and torch.isfinite(weight.grad).all(), name


@pytest.mark.parametrize("selector", [STRUCTURED, SIGMOID])
def test_max_span_width_forbids_wider_spans(selector: Selector) -> None:
    output = run(build(selector, max_span_width=2), EVERY)
    assert (output.selection.spans.ends - output.selection.spans.starts + 1).unique().tolist() == [1, 2]


@pytest.mark.parametrize("selector", [STRUCTURED, SIGMOID])
def test_no_predicates_leave_the_selection(selector: Selector) -> None:
    none = torch.zeros(0, dtype=torch.long)
    output = run(build(selector), predicates=Spans(none, none))
    assert output.log_roles.shape == (0, 1 + ROLES) and output.log_roles.requires_grad
    assert output.decode() == []
    assert len(output.selected()) == len(output.selection.candidates) > 0


def test_no_candidates_have_no_arguments() -> None:
    output = run(build(), Decode("marginal", 1.0))
    assert output.decode() == output.selected() == []
    assert output.log_roles.shape == (0, 1 + ROLES)


# What is known of roles


def decoded(
    log_roles: list[list[float]], unique: list[int], absent: list[int], *, strict: bool = True
) -> list[tuple[int, int, int]]:
    """The arguments of one predicate with these log probabilities, of tokens 0 to 3."""
    case = make_case(frames=[((1, 1), [])])
    tokens = torch.arange(len(log_roles))
    flat = case.layout.flat_index(tokens, tokens)
    selection = case.output.selection._replace(candidates=flat, spans=Spans(tokens, tokens))
    tags = torch.tensor([[ABSENT if role in absent else NO_TAG for role in range(ROLES)]])
    mark = torch.tensor([role in unique for role in range(ROLES)])
    known = KnownRoles(torch.tensor([0]), tags, mark, strict)
    pairs = Pairs(tokens, torch.zeros_like(tokens))
    output = SpanArguments(selection, case.gold.predicates, pairs, torch.tensor(log_roles), known)
    return [(found.start, found.role, round(found.score, 3)) for found in output.decode()]


LOG_ROLES = [[math.log(p) for p in row] for row in [[0.1, 0.5, 0.3, 0.1], [0.2, 0.6, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7]]]


def test_a_role_may_come_twice_unless_it_is_unique() -> None:
    assert decoded(LOG_ROLES, [], []) == [(0, 0, 0.5), (1, 0, 0.6), (2, 2, 0.7)]
    assert decoded(LOG_ROLES, [2], []) == [(0, 0, 0.5), (1, 0, 0.6), (2, 2, 0.7)]


def test_of_two_spans_with_a_unique_role_one_gets_its_next_best_role() -> None:
    assert decoded(LOG_ROLES, [0], []) == [(0, 1, 0.3), (1, 0, 0.6), (2, 2, 0.7)]


def test_no_role_is_given_that_a_strict_frame_lacks() -> None:
    assert decoded(LOG_ROLES, [], [0]) == [(0, 1, 0.3), (2, 2, 0.7)]
    assert decoded(LOG_ROLES, [], [0], strict=False) == decoded(LOG_ROLES, [], [])


def test_no_other_span_of_such_a_document_is_sampled() -> None:
    whole, part = (make_case(complete=complete) for complete in [(True,) * 3, (False,) * 3])
    assert float(loss_of(part, negatives=5.0)) == pytest.approx(float(loss_of(part)))
    assert float(loss_of(whole, negatives=5.0)) > float(loss_of(whole))


def test_an_argument_of_two_predicates_is_there_twice() -> None:
    gold, layout = make_gold(FRAMES), layout_of(SENTENCES)
    flat = gold.flat_index(layout)
    assert listed(*layout.locate(flat)) == listed(gold.arguments)
    assert flat[0] == flat[2]


# The heaviest intervals

Interval = tuple[int, int]

drawn_intervals = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 4), st.floats(-2, 5, allow_nan=False)).map(
        lambda drawn: ((drawn[0], drawn[0] + drawn[1]), drawn[2])
    ),
    max_size=8,
)


def overlap(one: Interval, other: Interval) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def heaviest_by_enumeration(
    intervals: list[Interval], choices: list[list[tuple[int, float]]], unique: Collection[int] = ()
) -> float:
    """The weight of the heaviest of all ways to label some intervals of which no two overlap."""
    best = 0.0
    for labels in itertools.product(*([None, *options] for options in choices)):
        chosen = [(i, option) for i, option in enumerate(labels) if option]
        once = [label for _, (label, _) in chosen if label in unique]
        disjoint = not any(overlap(intervals[i], intervals[j]) for (i, _), (j, _) in itertools.combinations(chosen, 2))
        if disjoint and len({*once}) == len(once):
            best = max(best, sum(weight for _, (_, weight) in chosen))
    return best


@settings(deadline=None)
@given(drawn_intervals)
def test_no_disjoint_set_is_heavier(drawn: list[tuple[Interval, float]]) -> None:
    intervals, weights = [interval for interval, _ in drawn], [weight for _, weight in drawn]
    chosen = heaviest_disjoint(intervals, weights)
    assert chosen == sorted(set(chosen))
    assert not any(overlap(intervals[i], intervals[j]) for i, j in itertools.combinations(chosen, 2))
    assert sum(weights[i] for i in chosen) == pytest.approx(
        heaviest_by_enumeration(intervals, [[(0, weight)] for weight in weights])
    )
    assert all(weights[i] > 0 for i in chosen)


@pytest.mark.parametrize(
    ("intervals", "weights", "chosen"),
    [
        ([(0, 5), (2, 3), (4, 9)], [2.0, 1.5, 1.0], [1, 2]),
        ([(0, 5), (2, 3), (4, 9)], [3.0, 1.5, 1.0], [0]),
        ([(0, 2), (2, 3)], [1.0, 2.0], [1]),  # ends are inclusive
        ([(0, 1), (2, 3)], [1.0, 2.0], [0, 1]),
        ([(1, 2), (0, 1)], [1.0, 1.0], [1]),  # of equally heavy sets the later end is left out
        ([(0, 1), (0, 1)], [1.0, 1.0], [0]),
        ([(0, 0), (1, 1)], [0.0, -1.0], []),
    ],
)
def test_disjoint_intervals(intervals: list[Interval], weights: list[float], chosen: list[int]) -> None:
    assert heaviest_disjoint(intervals, weights) == chosen


drawn_choices = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.integers(0, 2),
        st.lists(st.tuples(st.integers(0, 3), st.floats(0.01, 5)), max_size=3, unique_by=lambda choice: choice[0]),
    ),
    max_size=5,
)


@settings(deadline=None)
@given(drawn_choices, st.sets(st.integers(0, 3)))
def test_no_labels_are_heavier(drawn: list[tuple[int, int, list[tuple[int, float]]]], unique: set[int]) -> None:
    intervals, choices = [(start, start + more) for start, more, _ in drawn], [options for _, _, options in drawn]
    chosen = heaviest_labelled(intervals, choices, unique)
    assert [i for i, _ in chosen] == sorted({i for i, _ in chosen})
    assert not any(overlap(intervals[i], intervals[j]) for (i, _), (j, _) in itertools.combinations(chosen, 2))
    once = [label for _, label in chosen if label in unique]
    assert len({*once}) == len(once)
    weight = sum(dict(choices[i])[label] for i, label in chosen)
    assert weight == pytest.approx(heaviest_by_enumeration(intervals, choices, unique))


def test_a_unique_label_goes_where_the_other_interval_has_no_good_second_choice() -> None:
    intervals, choices = [(0, 0), (1, 1)], [[(0, 3.0), (1, 2.5)], [(0, 2.9), (1, 1.0)]]
    assert heaviest_labelled(intervals, choices, {0}) == [(0, 1), (1, 0)]
    assert heaviest_labelled(intervals, choices, set()) == [(0, 0), (1, 0)]
