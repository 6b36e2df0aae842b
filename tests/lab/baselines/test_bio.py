import itertools
from pathlib import Path

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from lab.baselines.bio import (
    OUTSIDE,
    ArgumentTagger,
    NoSelector,
    TaggedArguments,
    begin_tag,
    choose_none,
    count_tags,
    decode_tags,
)
from lab.selections import select
from spacy_span_selector.layers.selection.sampling import Negatives
from spacy_span_selector.layers.spans.layout import Spans
from spacy_span_selector.layers.srl.arguments import FoundArgument, GoldFrames
from spacy_span_selector.layers.srl.roles import Pairs, SrlSettings

from ...frame_tables import nothing_known
from ...layers.srl.test_span_arguments import FRAMES, ROLES, SENTENCES, Frames, make_gold
from ...layouts import layout_of, listed
from ...pipeline.components import (
    SRL,
    annotate,
    component,
    from_disk,
    gold_docs,
    make_examples,
    make_nlp,
    network,
    sentenced,
    train,
)

WIDTH, PREDICATE_WIDTH = 6, 5
LAYOUT = layout_of(SENTENCES)
SENTENCE_OF = [(0, 4), (4, 7), (7, 10), (10, 15)]


def build(dropout: float = 0.0) -> ArgumentTagger:
    torch.manual_seed(0)
    widths = {"hidden_width": 7, "pair_width": 4, "pair_hidden_width": 6, "feature_width": 3, "max_span_width": None}
    sizes = SrlSettings(selector=NoSelector(), dropout=dropout, roleset_vectors=False, **widths)
    return ArgumentTagger(width=WIDTH, predicate_width=PREDICATE_WIDTH, roles=ROLES, rolesets=0, tags=0, settings=sizes)


def run(tagger: ArgumentTagger, predicates: Spans) -> TaggedArguments:
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randn(15, WIDTH, generator=generator).requires_grad_()
    vectors = torch.randn(len(predicates), PREDICATE_WIDTH, generator=generator)
    known = nothing_known(len(predicates), ROLES)
    return tagger(tokens, LAYOUT, predicates, vectors, known, choose_none)


def says(
    frames: Frames, scale: float = 20.0, seed: int | None = None, device: str = "cpu"
) -> tuple[TaggedArguments, GoldFrames]:
    """An output that is all but sure of these frames, or, with a seed, of nothing at all."""
    output = run(build(), make_gold(frames).predicates)
    wanted = torch.zeros(len(output.pairs.left), dtype=torch.long)
    for frame, (_, arguments) in enumerate(frames):
        for start, end, role in arguments:
            inside = (output.pairs.left == frame) & (start < output.pairs.right) & (output.pairs.right <= end)
            wanted[(output.pairs.left == frame) & (output.pairs.right == start)] = 1 + 2 * role
            wanted[inside] = 2 + 2 * role
    scores = scale * torch.nn.functional.one_hot(wanted, count_tags(ROLES)).float()
    if seed is not None:
        scores = torch.randn(scores.shape, generator=torch.Generator().manual_seed(seed))
    gold = make_gold(frames, device=device)
    pairs = Pairs(*(column.to(device) for column in output.pairs))
    return TaggedArguments(gold.predicates, pairs, scores.log_softmax(1).to(device)), gold


def loss_of(output: TaggedArguments, gold: GoldFrames) -> torch.Tensor:
    layout = layout_of(SENTENCES, gold.annotated.device)
    return output.loss(gold, layout, annotation="complete", negatives=Negatives(1.0))


def plain_loss(output: TaggedArguments, frames: Frames, documents: set[int]) -> float:
    """Predicate by predicate and token by token."""
    row = {pair: i for i, pair in enumerate(listed(*output.pairs))}
    log_tags = output.log_tags.tolist()
    loss = 0.0
    for frame, ((predicate, _), arguments) in enumerate(frames):
        if int(LAYOUT.document[predicate]) not in documents:
            continue
        (first, last) = next((first, last) for first, last in SENTENCE_OF if first <= predicate < last)
        for token in range(first, last):
            tag = 0
            for start, end, role in arguments:
                if start <= token <= end:
                    tag = int(begin_tag(torch.tensor(role))) + (token > start)
            loss -= log_tags[row[frame, token]][tag]
    return loss


def test_every_predicate_meets_every_token_of_its_sentence() -> None:
    output = run(build(), make_gold(FRAMES).predicates)
    pairs = listed(*output.pairs)
    assert pairs == [
        (i, token)
        for i, ((predicate, _), _) in enumerate(FRAMES)
        for first, last in SENTENCE_OF
        if first <= predicate < last
        for token in range(first, last)
    ]
    torch.testing.assert_close(output.log_tags.exp().sum(1), torch.ones(len(pairs)))


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_loss_equals_the_formula_token_by_token(seed: int | None, device: str) -> None:
    output, gold = says(FRAMES, seed=seed, device=device)
    assert loss_of(output, gold).item() == pytest.approx(plain_loss(output, FRAMES, {0, 1, 2}), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize(
    ("arguments", "learnt"),
    [
        ([(10, 12, 1), (12, 14, 2)], [(10, 12, 1)]),
        ([(10, 14, 1), (11, 12, 2), (13, 13, 0)], [(10, 14, 1)]),
        ([(10, 11, 1), (11, 13, 2), (13, 14, 0)], [(10, 11, 1), (13, 14, 0)]),
    ],
)
def test_of_arguments_that_overlap_the_first_is_learnt(
    arguments: list[tuple[int, int, int]], learnt: list[tuple[int, int, int]], device: str
) -> None:
    before: Frames = [((5, 5), [(4, 4, 0)])]
    apart: Frames = [*before, ((11, 11), learnt)]
    overlapping = make_gold([*before, ((11, 11), arguments)], device=device)
    output, gold = says(apart, device=device)
    assert torch.equal(output._gold_tags(overlapping), output._gold_tags(gold))
    assert loss_of(output, overlapping).item() == pytest.approx(0.0, abs=1e-4)
    assert [argument[1:4] for argument in output.decode()] == [(4, 4, 0), *learnt]


def test_documents_that_are_not_annotated_are_ignored() -> None:
    output, _ = says(FRAMES, seed=0)
    output.log_tags.requires_grad_()
    gold = make_gold(FRAMES, annotated=(False, False, True))
    loss = loss_of(output, gold)
    assert loss.item() == pytest.approx(plain_loss(output, FRAMES, {2}), rel=1e-5)
    (gradient,) = torch.autograd.grad(loss, output.log_tags)
    learnt = gradient.any(dim=1)
    assert set(LAYOUT.document[output.pairs.right[learnt]].tolist()) == {2}


def test_what_the_tags_say_is_decoded(device: str) -> None:
    output, _ = says(FRAMES, device=device)
    expected = [(frame, *argument) for frame, (_, arguments) in enumerate(FRAMES) for argument in arguments]
    found = output.decode()
    assert [argument[:4] for argument in found] == expected
    assert all(isinstance(argument, FoundArgument) and argument.score > 0.99 for argument in found)
    side_by_side: Frames = [((10, 10), [(11, 12, 1), (13, 14, 1)])]
    assert [argument[1:4] for argument in says(side_by_side)[0].decode()] == [(11, 12, 1), (13, 14, 1)]


def test_the_score_of_an_argument_is_the_mean_of_its_tags() -> None:
    sure, less_sure = (says([((11, 11), [(12, 13, 1)])], scale=scale)[0] for scale in (9.0, 3.0))
    log_tags = torch.where((sure.pairs.right == 13)[:, None], less_sure.log_tags, sure.log_tags)
    (argument,) = TaggedArguments(sure.predicates, sure.pairs, log_tags).decode()
    of_tags = log_tags.exp().amax(1)[(sure.pairs.right == 12) | (sure.pairs.right == 13)]
    assert argument.score == pytest.approx(float(of_tags.mean())) and of_tags[0] > of_tags[1]


def test_selected_spans_are_the_arguments_each_once() -> None:
    sure, _ = says(FRAMES, scale=9.0)
    less_sure, _ = says(FRAMES, scale=3.0)
    # (0, 0) is an argument of predicates 0 and 1.
    for unsure in (0, 1):
        log_tags = torch.where((sure.pairs.left == unsure)[:, None], less_sure.log_tags, sure.log_tags)
        output = TaggedArguments(sure.predicates, sure.pairs, log_tags)
        selected = output.selected()
        assert [span[:2] for span in selected] == [(0, 0), (2, 3), (3, 3), (10, 10), (13, 14)]
        scores = {argument.predicate: argument.score for argument in output.decode() if argument[1:3] == (0, 0)}
        assert selected[0][2] == scores[1 - unsure] > scores[unsure]


def test_no_predicates_have_no_arguments_but_a_gradient() -> None:
    gold = make_gold([])
    output = run(build(), gold.predicates)
    assert output.decode() == output.selected() == []
    loss = loss_of(output, gold)
    assert loss.item() == 0.0
    assert torch.autograd.grad(loss, output.tensors())[0].shape == (0, count_tags(ROLES))


def test_every_weight_has_a_finite_gradient() -> None:
    tagger, gold = build(dropout=0.3).train(), make_gold(FRAMES)
    loss_of(run(tagger, gold.predicates), gold).backward()
    for name, weight in tagger.named_parameters():
        assert weight.grad is not None and torch.isfinite(weight.grad).all(), name


def test_a_token_is_classified_like_a_span_of_one_word() -> None:
    tagger, predicates = build(), make_gold(FRAMES).predicates
    output = run(tagger, predicates)
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randn(15, WIDTH, generator=generator)
    vectors = torch.randn(len(predicates), PREDICATE_WIDTH, generator=generator)
    # Token 3 and the predicate at 1: one token in between, behind the predicate.
    (scores,) = tagger.tags(tokens, vectors, Pairs(torch.tensor([3]), torch.tensor([0])), torch.tensor([12]))
    torch.testing.assert_close(output.log_tags[3], scores.log_softmax(0))


def is_well_formed(tags: tuple[int, ...]) -> bool:
    """Whether each I-role, an even tag above 0, follows B-role or I-role."""
    return all(
        tag == OUTSIDE or tag % 2 == 1 or before in (tag, tag - 1)
        for before, tag in itertools.pairwise((OUTSIDE, *tags))
    )


def best_by_enumeration(log_tags: torch.Tensor) -> tuple[int, ...]:
    """The best well-formed sequence of tags. *Shape of log_tags:* `(length, tags)`"""
    length, tags = log_tags.shape
    sequences = filter(is_well_formed, itertools.product(range(tags), repeat=length))
    return max(sequences, key=lambda sequence: float(log_tags[range(length), sequence].sum()))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 2), st.integers(0, 99))
def test_no_well_formed_sequence_is_better(lengths: list[int], roles: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    log_tags = torch.randn(len(lengths), max(lengths), count_tags(roles), generator=generator).double().log_softmax(2)
    decoded = decode_tags(log_tags, torch.tensor(lengths))
    assert decoded.shape == log_tags.shape[:2]
    for row, length, found in zip(log_tags, lengths, decoded.tolist(), strict=True):
        assert tuple(found[:length]) == best_by_enumeration(row[:length])
        assert found[length:] == [OUTSIDE] * (max(lengths) - length)


@pytest.mark.parametrize(
    ("wanted", "found"), [([1, 2, 1, 2, 0], [1, 2, 1, 2, 0]), ([2, 4, 4], [3, 4, 4])], ids=["two spans", "inside first"]
)
def test_inside_cannot_come_first_nor_behind_another_role(wanted: list[int], found: list[int], device: str) -> None:
    scores = torch.nn.functional.one_hot(torch.tensor([wanted]), 5).float().to(device)
    decoded = decode_tags(scores, torch.tensor([len(wanted)], device=device))
    assert decoded.tolist() == [found] and decoded.device.type == device


@pytest.mark.parametrize("length", [1, 40])
def test_extreme_scores_stay_well_formed(length: int) -> None:
    log_tags = 1e4 * torch.randn(2, length, 7, generator=torch.Generator().manual_seed(1))
    for sequence in decode_tags(log_tags, torch.tensor([length, length])).tolist():
        assert is_well_formed(tuple(sequence))


def test_a_pipeline_is_overfitted_saved_and_loaded(tmp_path: Path) -> None:
    torch.manual_seed(0)
    nlp = make_nlp(SRL, model={**SRL.model, "@architectures": "lab.BioModel.v1", "max_span_width": 1})
    examples = make_examples(nlp, gold_docs(SRL, nlp))
    nlp.initialize(lambda: examples)
    train(nlp, examples, SRL.steps)
    scores = nlp.evaluate(examples)
    assert [scores[name] for name in SRL.scores] == [1.0] * len(SRL.scores)
    assert select(component(nlp), sentenced(nlp, SRL.texts[0])) is None  # no spans are scored
    before = annotate(nlp, SRL.texts)
    assert annotate(from_disk(nlp, tmp_path), SRL.texts) == before
    # New roles get tags.
    component(nlp).add_labels(SRL.parse(SRL.other_corpus, nlp))
    assert network(nlp).arguments.tags.labels == count_tags(len(component(nlp).labels))
    assert [groups for groups, _ in annotate(nlp, SRL.texts)] == [groups for groups, _ in before]
