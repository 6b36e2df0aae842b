from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch

from spacy_span_selector.layers.selection.candidates import AboveThreshold, CandidateStrategy, MostProbable
from spacy_span_selector.layers.selection.sampling import Annotation, Negatives
from spacy_span_selector.layers.selection.selectors import StructuredSelector
from spacy_span_selector.layers.spans.layout import Spans
from spacy_span_selector.layers.srl import span_arguments
from spacy_span_selector.layers.srl.network import SrlHead, SrlOutput, SrlRequest
from spacy_span_selector.layers.srl.predicates import FindPredicates, Senses, predicate_tags
from spacy_span_selector.layers.srl.roles import Pairs, SrlSettings
from spacy_span_selector.layers.srl.span_arguments import SpanArguments

from ...frame_tables import no_frames
from ...layouts import layout_of
from ...selectors import SELECTORS, MostProbableAndGold
from .test_span_arguments import FRAMES, ROLES, SENTENCES, make_gold

WIDTH, ROLESETS = 6, 4
SIZES = {"hidden_width": 8, "pair_width": 5, "pair_hidden_width": 7, "feature_width": 3, "max_span_width": None}
SETTINGS = SrlSettings(selector=StructuredSelector(), dropout=0.0, roleset_vectors=False, bfloat16=False, **SIZES)
NAMES = ["structured", "laminar", "sigmoid"]
ABOVE = AboveThreshold(0.1)


def build(selector: str = "structured", dropout: float = 0.0) -> SrlHead:
    torch.manual_seed(0)
    settings = replace(SETTINGS, selector=SELECTORS[selector](), dropout=dropout)
    head = SrlHead(width=WIDTH, roles=ROLES, rolesets=ROLESETS, settings=settings)
    torch.nn.init.normal_(head.rolesets.rolesets.weight)  # starts at 0
    return head


def two_senses(predicates: Spans) -> Senses:
    """Each predicate may have the rolesets 1 and 2."""
    count = len(predicates)
    pairs = Pairs(torch.arange(count).repeat_interleave(2), torch.tensor([1, 2]).repeat(count))
    return Senses(pairs, torch.zeros(2 * count))


def given(predicates: Spans, documents: int = 3) -> FindPredicates:
    return FindPredicates(predicates, closed=torch.ones(documents, dtype=torch.bool))


def run(
    head: SrlHead,
    choose: CandidateStrategy,
    find: FindPredicates,
    rows: slice = slice(None),
    sentences: Sequence[Sequence[int]] = SENTENCES,
) -> SrlOutput:
    tokens = torch.randn(15, WIDTH, generator=torch.Generator().manual_seed(1))
    layout = layout_of(sentences)
    return head(tokens[rows].requires_grad_(), layout, SrlRequest(find, two_senses, no_frames(ROLES, ROLESETS), choose))


@pytest.mark.parametrize("selector", NAMES)
def test_a_batch_equals_its_documents_one_by_one(selector: str) -> None:
    head = build(selector).eval()
    none = torch.zeros(0, dtype=torch.long)
    choose, nothing = ABOVE, Spans(none, none)
    free = torch.zeros(1, dtype=torch.bool)
    together = run(head, choose, FindPredicates(nothing, torch.zeros(3, dtype=torch.bool)))
    assert len(together.predicates) > 1
    starts, arguments, rolesets = [], [], []
    for rows, lengths in ((slice(0, 7), [[4, 3]]), (slice(7, 10), [[3]]), (slice(10, 15), [[5]])):
        alone = run(head, choose, FindPredicates(nothing, free), rows, lengths)
        arguments += [
            (found.predicate + len(starts), found.start + rows.start, found.end + rows.start, found.role)
            for found in alone.arguments.decode()
        ]
        starts += (alone.predicates.starts + rows.start).tolist()
        rolesets += alone.rolesets.decode().tolist()
        torch.testing.assert_close(together.log_tags[rows], alone.log_tags)
    assert together.predicates.starts.tolist() == starts
    assert [found[:4] for found in together.arguments.decode()] == arguments
    assert together.rolesets.decode().tolist() == rolesets
    assert arguments


@pytest.mark.parametrize("selector", NAMES)
def test_pairs_have_the_same_roles_in_blocks(selector: str, monkeypatch: pytest.MonkeyPatch) -> None:
    head = build(selector).eval()
    find = FindPredicates(Spans(*torch.tensor([[1, 2, 5, 11, 13]] * 2)), closed=torch.ones(3, dtype=torch.bool))
    outputs = []
    for at_once in (1000, 3):
        monkeypatch.setattr(span_arguments, "PAIRS_AT_ONCE", at_once)
        with torch.no_grad():
            outputs.append(run(head, ABOVE, find).arguments)
    whole, blocks = outputs
    assert isinstance(whole, SpanArguments) and isinstance(blocks, SpanArguments)
    assert len(whole.log_roles) > 9
    torch.testing.assert_close(blocks.log_roles, whole.log_roles)


def test_predicates_are_the_given_ones() -> None:
    predicates = make_gold(FRAMES).predicates
    output = run(build(), ABOVE, given(predicates))
    assert output.predicates.starts.tolist() == predicates.starts.tolist() == [1, 2, 2, 11]
    assert output.rolesets.predicates == 4


def test_a_predicate_is_its_first_and_its_last_token() -> None:
    head = build().eval()
    seen: list[torch.Tensor] = []
    head.rolesets.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    run(head, ABOVE, given(Spans(torch.tensor([1, 11]), torch.tensor([1, 12]))))
    tokens = torch.randn(15, WIDTH, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(seen[0], torch.cat([tokens[[1, 11]], tokens[[1, 12]]], dim=1))


@pytest.mark.parametrize("selector", NAMES)
@pytest.mark.parametrize("annotation", ["complete", "partial"])
def test_loss_is_that_of_predicates_rolesets_and_arguments_per_annotated_token(
    selector: str, annotation: Annotation
) -> None:
    gold = replace(make_gold(FRAMES, annotated=(True, False, True)), rolesets=torch.tensor([1, -1, 2, 3]))
    layout = layout_of(SENTENCES)
    output = run(build(selector), MostProbable(0.8), given(gold.predicates))
    tags = predicate_tags(gold.predicates, 15).tolist()
    predicates = -sum(row[tags[i]] for i, row in enumerate(output.log_tags.tolist()) if not 7 <= i < 10)
    senses = output.rolesets.log_p.tolist()
    rolesets = -senses[0] - senses[5]  # roleset 1 of the first, 2 of the third; nothing says 3 of the last
    arguments = output.arguments.loss(gold, layout, annotation=annotation, negatives=Negatives(0.0)).item()
    found = output.loss(gold, layout, annotation=annotation, negatives=Negatives(0.0)).item()
    assert found == pytest.approx((predicates + rolesets + arguments) / 12, rel=1e-5)


@pytest.mark.parametrize("selector", NAMES)
@pytest.mark.parametrize("annotation", ["complete", "partial"])
def test_a_batch_without_annotation_has_no_loss(selector: str, annotation: Annotation) -> None:
    gold = make_gold([], annotated=(False, False, False))
    output = run(build(selector), MostProbable(0.8), given(gold.predicates))
    loss = output.loss(gold, layout_of(SENTENCES), annotation=annotation, negatives=Negatives(1.0))
    assert loss.item() == 0.0
    for gradient in torch.autograd.grad(loss, output.tensors(), materialize_grads=True):
        assert (gradient == 0).all()


@pytest.mark.parametrize("selector", NAMES)
def test_every_weight_has_a_finite_gradient(selector: str, device: str) -> None:
    on_device = torch.device(device)
    gold = replace(make_gold(FRAMES, device=device), rolesets=torch.tensor([1, 2, 2, 1], device=device))

    def senses(predicates: Spans) -> Senses:
        (left, right), log_counts = two_senses(predicates)
        return Senses(Pairs(left.to(device), right.to(device)), log_counts.to(device))

    choose = MostProbableAndGold(gold, 0.8)
    head = build(selector, 0.3).to(device).train()
    tokens = torch.randn(15, WIDTH, generator=torch.Generator().manual_seed(2)).to(device).requires_grad_()
    layout = layout_of(SENTENCES, on_device)
    find = FindPredicates(gold.predicates, closed=torch.ones(3, dtype=torch.bool, device=device))
    output = head(tokens, layout, SrlRequest(find, senses, no_frames(ROLES, ROLESETS, device), choose))
    output.loss(gold, layout, annotation="complete", negatives=Negatives(1.0)).backward()
    for name, weight in [("tokens", tokens), *head.named_parameters()]:
        assert weight.grad is not None and torch.isfinite(weight.grad).all(), name
    assert all(0 <= score <= 1 for _, _, score in output.arguments.selected())
    assert {found.predicate for found in output.arguments.decode()} <= set(range(4))


@pytest.mark.parametrize("selector", NAMES)
def test_evaluation_is_without_dropout(selector: str) -> None:
    find, choose = given(make_gold(FRAMES).predicates), MostProbable(2.0)
    expected = run(build(selector), choose, find)
    dropped = build(selector, 0.5)
    for found, wanted in zip(run(dropped.eval(), choose, find).tensors(), expected.tensors(), strict=True):
        assert torch.equal(found, wanted)
    torch.manual_seed(0)
    for found, wanted in zip(run(dropped.train(), choose, find).tensors(), expected.tensors(), strict=True):
        assert not torch.equal(found, wanted)


@pytest.mark.parametrize(("name", "value"), [*((name, 0) for name in SIZES), ("dropout", -0.1), ("dropout", 1.0)])
def test_sizes_out_of_range_are_errors(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        replace(SETTINGS, **{name: value})


def test_documents_with_some_of_their_frames_teach_nothing_of_which_words_are_predicates() -> None:
    gold = make_gold(FRAMES, complete=(True, False, True))
    output = run(build(), ABOVE, given(gold.predicates))
    output.log_tags.retain_grad()
    output.loss(gold, layout_of(SENTENCES), annotation="complete", negatives=Negatives(0.0)).backward()
    assert output.log_tags.grad is not None
    assert output.log_tags.grad.any(dim=1).tolist() == [True] * 7 + [False] * 3 + [True] * 5
