import math
from dataclasses import dataclass, replace

import pytest
import torch

from spacy_span_selector.layers.coref.linker import Linker, Mentions
from spacy_span_selector.layers.coref.loss import CorefOutput, GoldMentions
from spacy_span_selector.layers.coref.pair_features import MentionFacts
from spacy_span_selector.layers.selection.candidates import CandidateStrategy, MostProbable
from spacy_span_selector.layers.selection.sampling import Annotation, Negatives, sample_spans
from spacy_span_selector.layers.selection.selectors import (
    GoldTypes,
    Selection,
    Selector,
    SigmoidSelector,
    StructuredSelector,
)
from spacy_span_selector.layers.spans.layout import SpanLayout, Spans

from ...layouts import layout_of, listed
from ...selectors import MostProbableAndGold
from ...token_facts import words_only

STRUCTURED = StructuredSelector()

Clusters = list[list[tuple[int, int]]]

SENTENCES = [[4, 3], [3], [5]]  # tokens 0-6, 7-9 and 10-14
CLUSTERS: Clusters = [[(0, 0), (2, 3), (4, 4), (6, 6)], [(1, 3), (5, 6)], [(0, 3)], [(10, 11), (12, 12), (14, 14)]]


@dataclass
class Case:
    """A batch and the output of a random network."""

    output: CorefOutput
    gold: GoldMentions
    layout: SpanLayout
    scores: torch.Tensor
    selector: Selector


def make_case(
    *,
    seed: int = 0,
    clusters: Clusters = CLUSTERS,
    annotated: tuple[bool, ...] = (True, True, True),
    antecedents: int = 50,
    add_gold: bool = True,
    ratio: float = 0.6,
    scale: float = 1.0,
    selector: Selector = STRUCTURED,
    choose: CandidateStrategy | None = None,
    types: int = 0,
) -> Case:
    """A random case."""
    torch.manual_seed(seed)
    layout = layout_of(SENTENCES)
    mentions = [mention for cluster in clusters for mention in cluster]
    starts, ends = torch.tensor(mentions, dtype=torch.long).view(-1, 2).T
    numbers = torch.tensor([number for number, cluster in enumerate(clusters) for _ in cluster], dtype=torch.long)
    gold = GoldMentions(starts, ends, numbers, torch.tensor(annotated))
    scores = (scale * torch.randn(layout.size)).requires_grad_()
    marginals = selector.marginals(scores, layout)
    probable = MostProbableAndGold(gold, ratio) if add_gold else MostProbable(ratio)
    candidates = (choose or probable)(scores, marginals.selected, layout)
    first, last = layout.locate(candidates)
    sizes = {"vector_width": 4, "width": 4, "hidden_width": 4, "antecedents": antecedents}
    linker = Linker(**sizes, pair_features=(), dropout=0.0)
    facts = MentionFacts.read(words_only(torch.zeros_like(layout.document)), Spans(first, last))
    vectors, mention_scores = torch.randn(len(first), 4), scale * torch.randn(len(first))
    links = linker(Mentions(vectors, mention_scores, layout.document[first], torch.ones(len(first)), facts))
    shares = torch.randn(types, layout.size).log_softmax(0) if types else None
    nothing = scores.new_zeros(0, layout.size)
    selection = Selection(scores, marginals, nothing, candidates, Spans(first, last), shares)
    if types:  # of each mention one or two may be right, of the documents one declares two, one all, one none
        of_mentions = (torch.arange(types) - numbers[:, None]) % types < 1 + numbers[:, None] % 2
        declared = torch.arange(types) < torch.tensor([[2], [types], [0]])
        gold = replace(gold, types=GoldTypes(of_mentions, declared))
    return Case(CorefOutput(selection, links), gold, layout, scores, selector)


def plain_loss(case: Case, annotation: Annotation) -> float:
    """The objective span by span, without the sampled spans."""
    p = case.output.selection.marginals.selected.double().exp().tolist()
    gold_flat = case.gold.flat_index(case.layout).tolist()
    cluster_of = dict(zip(gold_flat, case.gold.clusters.tolist(), strict=True))
    loss = -sum(math.log(p[span] * share_of(case, span, row)) for row, span in enumerate(gold_flat))
    candidates = case.output.selection.candidates.tolist()
    for i, span in enumerate(candidates):
        weights = {
            candidates[j]: math.exp(score)
            for j, possible, score in zip(*(column[i].tolist() for column in case.output.links), strict=True)
            if possible
        }
        total = 1.0 + sum(weights.values())
        cluster = cluster_of.get(span)
        if cluster is not None:
            right = [weight for other, weight in weights.items() if cluster_of.get(other) == cluster]
            if right:
                loss -= math.log(sum(right) / total)
            elif cluster not in [cluster_of.get(other) for other in candidates[:i]]:
                loss -= math.log(1 / total)
        elif case.gold.annotated[case.layout.document[case.output.selection.spans.starts[i]]]:
            declared = share_declared(case, case.output.selection.spans.starts[i], span)
            unlinked = p[span] * declared / total if annotation == "partial" else 0.0
            apart = (total - sum(weight for other, weight in weights.items() if other in cluster_of)) / total
            loss -= math.log(unlinked + 1 - p[span] * declared) + p[span] * (1 - declared) * math.log(apart)
    in_annotated = case.gold.annotated[case.layout.document[case.output.selection.spans.starts]]
    return loss / int(in_annotated.sum())


def share_of(case: Case, span: int, row: int) -> float:
    """How probable the types are that a gold mention may have."""
    types, allowed = case.output.selection.types, case.gold.types.of_spans
    return 1.0 if types is None or allowed is None else float(types[allowed[row], span].exp().sum())


def share_declared(case: Case, token: torch.Tensor, span: int) -> float:
    """How probable the types are that the document of a span is annotated for."""
    types, declared = case.output.selection.types, case.gold.types.declared
    own = None if declared is None else declared[case.layout.document[token]]
    return 1.0 if types is None or own is None else float(types[own, span].exp().sum())


def loss_of(case: Case, annotation: Annotation = "complete", negatives: float = 0.0) -> torch.Tensor:
    settings = {"annotation": annotation, "negatives": Negatives(negatives)}
    return case.selector.loss(case.output, case.gold, None, case.layout, **settings)


CASES = {
    "all antecedents": {},
    "gold antecedents pruned": {"antecedents": 1},
    "gold spans missed": {"add_gold": False},
    "many candidates": {"ratio": 100.0},
    "documents not annotated": {"clusters": CLUSTERS[:3], "annotated": (True, False, False)},
    "annotated without clusters": {"clusters": CLUSTERS[:3], "annotated": (True, False, True)},
    "sigmoid": {"selector": SigmoidSelector()},
    "types": {"types": 3},
    "types, gold spans missed": {"types": 4, "add_gold": False},
}


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("seed", range(3))
def test_loss_equals_the_formula_span_by_span(seed: int, case: dict, annotation: Annotation) -> None:
    made = make_case(seed=seed, **case)
    assert loss_of(made, annotation).item() == pytest.approx(plain_loss(made, annotation), rel=1e-4)


def test_a_case_with_pruned_gold_antecedents_occurs() -> None:
    """What the parametrisation above is meant to cover is really there."""
    case = make_case(antecedents=1)
    gold_flat = case.gold.flat_index(case.layout)
    cluster_of = dict(zip(gold_flat.tolist(), case.gold.clusters.tolist(), strict=True))
    clusters = [cluster_of.get(span) for span in case.output.selection.candidates.tolist()]
    lost = [
        i
        for i, cluster in enumerate(clusters)
        if cluster is not None and cluster in clusters[:i] and clusters[case.output.links.antecedents[i, 0]] != cluster
    ]
    assert lost


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_gradients_are_finite(scale: float, annotation: Annotation) -> None:
    case = make_case(scale=scale, antecedents=3)
    loss = loss_of(case, annotation, negatives=2.0)
    (gradient,) = torch.autograd.grad(loss, case.scores)
    assert torch.isfinite(loss) and torch.isfinite(gradient).all()
    assert (gradient[~case.layout.valid()] == 0).all()


def test_documents_that_are_not_annotated_are_ignored() -> None:
    case = make_case(clusters=CLUSTERS[:3], annotated=(True, False, False), ratio=100.0)
    (gradient,) = torch.autograd.grad(loss_of(case, negatives=50.0), case.scores)
    starts, ends = case.layout.locate(torch.nonzero(gradient).squeeze(1))
    assert set(case.layout.document[starts].tolist()) == set(case.layout.document[ends].tolist()) == {0}


def test_a_batch_without_annotation_has_no_loss() -> None:
    case = make_case(clusters=[], annotated=(False, False, False), ratio=1.0)
    loss = loss_of(case, negatives=1.0)
    assert loss.item() == 0.0
    assert (torch.autograd.grad(loss, case.scores)[0] == 0).all()


def test_a_batch_without_candidates_has_a_finite_loss() -> None:
    case = make_case(clusters=[], ratio=0.0)
    assert loss_of(case).item() == 0.0
    assert math.isfinite(loss_of(case, negatives=1.0).item())


def test_sampled_spans_are_added_as_unselected() -> None:
    case = make_case()
    cluster_of_span = torch.full((case.layout.size,), -1)
    cluster_of_span[case.gold.flat_index(case.layout)] = case.gold.clusters
    torch.manual_seed(5)
    sampled = sample_spans(cluster_of_span < 0, case.gold.annotated, case.layout, 0.5)
    torch.manual_seed(5)
    found = loss_of(case, negatives=0.5) - loss_of(case)
    expected = -case.output.selection.marginals.unselected[sampled].sum() / len(case.output.selection.candidates)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


def test_mentions_know_where_they_lie() -> None:
    case = make_case()
    found = listed(*case.layout.locate(case.gold.flat_index(case.layout)))
    assert found == [mention for cluster in CLUSTERS for mention in cluster]
