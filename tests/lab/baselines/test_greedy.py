import math
from typing import Any

import numpy as np
import pytest
import torch
from spacy.util import registry
from torch import Tensor

from lab.baselines import greedy
from lab.baselines.greedy import GreedySelector, TopNonCrossing, greedy_spans
from spacy_span_selector.layers.selection.candidates import TopPerSentence
from spacy_span_selector.layers.selection.sampling import Annotation, Negatives
from spacy_span_selector.layers.spans.layout import SpanLayout
from spacy_span_selector.layers.srl.network import SrlOutput
from spacy_span_selector.layers.srl.predicates import RolesetScores, Senses
from spacy_span_selector.layers.srl.roles import Pairs

from ...layers.coref.test_loss import CLUSTERS, Case, loss_of
from ...layers.coref.test_loss import make_case as coref_case
from ...layers.selection.test_candidates import SENTENCES, located, scored_batch
from ...layers.srl.test_span_arguments import make_case as srl_case
from ...layouts import layout_of, listed
from ...pipeline.components import COREF, SPANCAT, SRL, initialized, selected, train
from ...pipeline.components import Case as Component

GREEDY = GreedySelector()


def block(**settings: Any) -> dict[str, Any]:
    return {"@misc": "lab.GreedySelector.v1", **settings}


def resolve(**settings: Any) -> Any:
    return registry.resolve({"selector": block(**settings)})["selector"]


def test_the_selector_is_registered() -> None:
    assert resolve() == GreedySelector()
    assert resolve(ratio=0.8, spans_may_cross=True) == GreedySelector(0.8, spans_may_cross=True)


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("nan"), float("inf"), "0.5"])
def test_a_ratio_that_is_no_number_above_0_is_an_error(ratio: Any) -> None:
    with pytest.raises(ValueError, match=r"'ratio' of .* it must be"):
        resolve(ratio=ratio)


def one_by_one(spans: list[tuple[int, int]], wanted: int) -> list[int]:
    """Greedy pruning by definition: take spans in order, skipping those that cross one already taken."""
    kept: list[int] = []
    for rank, (i, k) in enumerate(spans):
        crosses = any(a < i <= b < k or i < a <= k < b for a, b in (spans[other] for other in kept))
        if not crosses and len(kept) < wanted:
            kept.append(rank)
    return kept


def ranking(tokens: int, generator: np.random.Generator) -> list[tuple[int, int]]:
    """Every span of a sentence, in random order."""
    spans = [(start, end) for start in range(tokens) for end in range(start, tokens)]
    return [spans[i] for i in generator.permutation(len(spans))]


def columns(spans: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    table = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


@pytest.mark.parametrize("at_once", [1, 7, 256])
@pytest.mark.parametrize("wanted", [0, 1, 5, 17, 1000])
def test_equals_greedy_pruning_span_by_span(at_once: int, wanted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greedy, "BLOCK", at_once)
    generator = np.random.default_rng(wanted)
    for tokens in (1, 2, 3, 6, 12, 25):
        spans = ranking(tokens, generator)
        assert greedy_spans(*columns(spans), wanted).tolist() == one_by_one(spans, wanted)


def test_every_other_span_of_a_chain_of_crossing_spans_is_kept() -> None:
    spans = [(i, i + 1) for i in range(600)]
    assert greedy_spans(*columns(spans), 1000).tolist() == list(range(0, 600, 2))
    assert greedy_spans(*columns([]), 3).tolist() == []


def greedy_one_by_one(layout: SpanLayout, scores: Tensor, ratio: float, tokens: dict[int, int]) -> list[int]:
    """The rule itself: document by document, best span first, pass over those that cross one that was taken.

    tokens (dict[int, int]): How many tokens each document has in its sentences.
    """
    taken: dict[int, list[tuple[int, int, int]]] = {}
    for flat in sorted(torch.nonzero(layout.valid()).squeeze(1).tolist(), key=lambda flat: -float(scores[flat])):
        start, end = (int(place) for place in layout.locate(torch.tensor([flat])))
        document = int(layout.document[start])
        others = taken.setdefault(document, [])
        crosses = any(i < start <= k < end or start < i <= end < k for i, k, _ in others)
        if not crosses and scores[flat] > -torch.inf and len(others) < math.ceil(ratio * tokens[document]):
            others.append((start, end, flat))
    return [flat for others in taken.values() for *_, flat in others]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ratio", [0.05, 0.25, 0.4, 0.8, 100.0])
def test_the_highest_scores_of_each_document_that_do_not_cross_are_kept(ratio: float, seed: int, device: str) -> None:
    layout, scores, _ = scored_batch(seed)
    expected = greedy_one_by_one(layout, scores, ratio, {0: 11, 2: 7})
    on_device = layout_of(SENTENCES, torch.device(device))
    chosen = TopNonCrossing(ratio)(scores.to(device), scores.to(device), on_device)
    assert sorted(chosen.tolist()) == sorted(expected)
    assert located(on_device, chosen) == sorted(located(on_device, chosen))


def test_a_document_keeps_its_own_number_of_spans_from_any_sentence() -> None:
    layout = layout_of([[4, 4], [5], [], [2]])
    scores = torch.randn(layout.size, generator=torch.Generator().manual_seed(0))
    starts, _ = layout.locate(torch.arange(layout.size))
    scores = scores + 100.0 * layout.document[starts] + 100.0 * (starts >= 4)
    starts, _ = layout.locate(TopNonCrossing(0.4)(scores, scores, layout))
    assert torch.bincount(layout.document[starts]).tolist() == [4, 2, 0, 1]  # of 3.2, 2.0 and 0.8
    assert (starts >= 4).all()


def test_forbidden_spans_are_not_kept_by_greedy_pruning() -> None:
    layout, scores, _ = scored_batch()
    scores = scores.masked_fill(layout.widths() > 2, -torch.inf)
    chosen = located(layout, TopNonCrossing(100.0)(scores, scores, layout))
    assert {end - start + 1 for start, end in chosen} == {1, 2}
    assert len(chosen) >= 18
    none = torch.zeros(0)
    for sentences in ([], [[]], [[], []]):
        assert TopNonCrossing(0.4)(none, none, layout_of(sentences)).tolist() == []


def plain_greedy_loss(case: Case, annotation: Annotation) -> float:
    """L3 candidate by candidate and antecedent by antecedent, and what complete annotation adds."""
    scores = case.scores.detach().double().tolist()
    gold_flat = case.gold.flat_index(case.layout).tolist()
    cluster_of = dict(zip(gold_flat, case.gold.clusters.tolist(), strict=True))
    candidates, loss, learnt = case.output.selection.candidates.tolist(), 0.0, 0
    for i, span in enumerate(candidates):
        if not case.gold.annotated[case.layout.document[case.output.selection.spans.starts[i]]]:
            continue
        learnt += 1
        total, right = 1.0, 0.0
        for j, possible, score in zip(*(column[i].tolist() for column in case.output.links), strict=True):
            if possible:
                total += math.exp(score)
                if span in cluster_of and cluster_of.get(candidates[j]) == cluster_of[span]:
                    right += math.exp(score)
        loss -= math.log((right or 1.0) / total)
        if annotation == "complete" and span not in cluster_of:
            loss += math.log(1 + math.exp(scores[span]))
    if annotation == "complete":
        loss += sum(math.log(1 + math.exp(-scores[span])) for span in gold_flat)
    return loss / learnt


def make_case(ratio: float = 0.6, **settings: Any) -> Case:
    """A random case whose candidates are those of greedy pruning."""
    return coref_case(selector=GREEDY, choose=TopNonCrossing(ratio), ratio=ratio, **settings)


CASES: dict[str, dict[str, Any]] = {
    "all antecedents": {},
    "gold antecedents pruned": {"antecedents": 1},
    "few candidates": {"ratio": 0.2},
    "many candidates": {"ratio": 100.0},
    "documents not annotated": {"clusters": CLUSTERS[:3], "annotated": (True, False, False)},
    "annotated without clusters": {"clusters": CLUSTERS[:3], "annotated": (True, False, True)},
}


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("seed", range(3))
def test_greedy_loss_equals_the_formula_pair_by_pair(seed: int, case: dict[str, Any], annotation: Annotation) -> None:
    made = make_case(seed=seed, **case)
    assert loss_of(made, annotation).item() == pytest.approx(plain_greedy_loss(made, annotation), rel=1e-4)


def test_greedy_knows_neither_negatives_nor_with_partial_annotation_mentions() -> None:
    case = make_case()
    assert loss_of(case, negatives=5.0).item() == loss_of(case).item()
    (gradient,) = torch.autograd.grad(loss_of(case, "partial"), case.scores, allow_unused=True)
    assert gradient is None
    assert loss_of(make_case(clusters=[], annotated=(False,) * 3)).item() == 0.0


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("ratio", [0.6, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_of_roles_is_that_of_every_pair(seed: int, ratio: float, annotation: Annotation) -> None:
    case = srl_case(seed=seed, selector=GREEDY, choose=TopPerSentence(ratio), annotated=(True, True, False))
    arguments, gold = case.output, case.gold
    tokens = torch.full((15, 3), 1 / 3).log()
    none = torch.zeros(0, dtype=torch.long)
    rolesets = RolesetScores(Senses(Pairs(none, none), torch.zeros(0)), torch.zeros(0), len(gold.predicates))
    output = SrlOutput(tokens, gold.predicates, rolesets, arguments)
    settings: dict[str, Any] = {"annotation": annotation, "negatives": Negatives(5.0)}
    found = GREEDY.loss(output, gold, None, case.layout, **settings).item()
    roles = {(*row[:3],): row[3] + 1 for row in listed(gold.arguments, gold.frames, gold.roles)}
    spans = listed(arguments.selection.spans)
    expected = 10 * math.log(3)  # predicates of the two annotated documents
    for left, right, row in listed(*arguments.pairs, arguments.log_roles):
        if spans[left][0] < 10:
            expected -= row[roles.get((*spans[left], right), 0)]
    assert found == pytest.approx(expected / 10, rel=1e-5)


@pytest.mark.parametrize(
    ("case", "ratio", "settings"), [(COREF, 1.0, {"singleton_threshold": 0.4}), (SRL, 4.0, {}), (SPANCAT, 1.0, {})]
)
def test_a_pipeline_is_overfitted(case: Component, ratio: float, settings: dict[str, Any]) -> None:
    selector = block(ratio=ratio, spans_may_cross=case is SRL)
    nlp, examples = initialized(case, model={"selector": selector}, **settings)
    train(nlp, examples, steps=case.steps)
    assert nlp.evaluate(examples)[case.scores[0]] == 1.0


@pytest.mark.parametrize("ratio", [0.2, 0.5, 1.0])
def test_a_number_of_spans_per_word_is_kept_that_do_not_cross(ratio: float) -> None:
    nlp, examples = initialized(COREF, model={"selector": block(ratio=ratio)})
    for doc in nlp.pipe([example.text for example in examples]):
        spans = selected(COREF, doc)
        assert len(spans) == math.ceil(ratio * len(doc))
        assert not any(a < c < b < d for a, b in spans for c, d in spans)
