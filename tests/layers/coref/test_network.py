from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest
import torch

from spacy_span_selector.layers.coref.linker import Mentions
from spacy_span_selector.layers.coref.loss import CorefOutput, GoldMentions
from spacy_span_selector.layers.coref.network import CorefHead, CorefRequest, CorefSettings
from spacy_span_selector.layers.coref.pair_features import FEATURE_NAMES, TokenFacts
from spacy_span_selector.layers.selection.candidates import CandidateStrategy, Decode, MostProbable
from spacy_span_selector.layers.selection.sampling import Annotation, Negatives
from spacy_span_selector.layers.selection.selectors import Selector, StructuredSelector

from ...layouts import layout_of, listed
from ...selectors import SELECTORS, WithTask
from ...token_facts import random_facts, words_only

WIDTH = 6
SETTINGS = CorefSettings(
    selector=StructuredSelector(),
    hidden_width=8,
    linker_width=5,
    linker_hidden_width=7,
    feature_width=3,
    antecedents=4,
    dropout=0.0,
    max_span_width=None,
    distance="mentions",
    pair_features=FEATURE_NAMES,
    speaker_dropout=0.0,
    bfloat16=False,
)
SENTENCES = [[4, 7], [], [5]]
ALL_SPANS = MostProbable(1000.0)
NAMES = ["structured", "laminar", "sigmoid", "with_task"]
CANDIDATES = MostProbable(3.0)


def build(settings: CorefSettings = SETTINGS, selector: str | None = None) -> CorefHead:
    torch.manual_seed(0)
    if selector is not None:
        settings = replace(settings, selector=make_selector(selector))
    return CorefHead(width=WIDTH, settings=settings)


def run(
    head: CorefHead,
    choose: CandidateStrategy,
    rows: slice = slice(None),
    sentences: Sequence[Sequence[int]] = SENTENCES,
    given: torch.Tensor | None = None,
) -> CorefOutput:
    generator = torch.Generator().manual_seed(1)
    tokens, facts = torch.randn(16, WIDTH, generator=generator), random_facts(16, generator)
    facts = TokenFacts(*(getattr(facts, field.name)[rows] for field in fields(facts)))
    return head(tokens[rows].requires_grad_(), layout_of(sentences), CorefRequest(facts, choose, given))


def watch_linker(head: CorefHead) -> list[Mentions]:
    """What the linker is going to be given."""
    seen: list[Mentions] = []
    head.linker.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    return seen


def seen_by_linker(head: CorefHead, given: torch.Tensor | None = None) -> tuple[Mentions, CorefOutput]:
    seen, output = watch_linker(head), run(head, ALL_SPANS, given=given)
    return seen[0], output


def test_candidates_are_located_in_the_order_of_the_text() -> None:
    output = run(build(), Decode("marginal", 0.1))
    layout = layout_of(SENTENCES)
    spans = output.selection.spans
    assert listed(spans) == sorted(listed(spans)) and len(spans)
    assert torch.equal(layout.flat_index(spans.starts, spans.ends), output.selection.candidates)


def test_linker_sees_the_documents_and_the_words_of_mentions() -> None:
    head = build().eval()
    seen = watch_linker(head)
    tokens = torch.zeros(6, WIDTH)
    head(tokens, layout_of([[3], [], [3]]), CorefRequest(words_only(torch.tensor([1, 2, 3, 9, 2, 3])), ALL_SPANS))
    (mentions,) = seen
    assert mentions.document.tolist() == [0] * 6 + [2] * 6
    assert mentions.facts.last_word.tolist() == [1, 2, 3, 2, 3, 3, 9, 2, 3, 2, 3, 3]
    same = mentions.facts.words[:6] == mentions.facts.words[6:]
    assert same.tolist() == [False, False, False, True, True, True]


def test_a_batch_equals_its_documents_one_by_one() -> None:
    head = build().eval()
    together = run(head, Decode("marginal", 0.1))
    first = run(head, Decode("marginal", 0.1), slice(0, 11), [[4, 7]])
    second = run(head, Decode("marginal", 0.1), slice(11, 16), [[5]])
    spans, count = together.selection.spans, len(first.selection.spans)
    for part, rows, offset in ((first, slice(0, count), 0), (second, slice(count, None), 11)):
        selection = part.selection
        assert spans.starts[rows].tolist() == (selection.spans.starts + offset).tolist()
        assert spans.ends[rows].tolist() == (selection.spans.ends + offset).tolist()
        found = together.selection.marginals.selected[together.selection.candidates[rows]]
        torch.testing.assert_close(found, selection.marginals.selected[selection.candidates])
        links = together.links.scores[rows].logsumexp(1)
        torch.testing.assert_close(links, part.links.scores.logsumexp(1), rtol=1e-4, atol=1e-5)


def make_gold() -> GoldMentions:
    """Two clusters of the first document, and one of the last."""
    starts, ends, clusters = torch.tensor([(0, 0, 0), (2, 3, 0), (4, 5, 0), (1, 3, 1), (11, 12, 2), (14, 14, 2)]).T
    return GoldMentions(starts, ends, clusters, torch.ones(3, dtype=torch.bool))


def make_selector(name: str) -> Selector:
    return WithTask() if name == "with_task" else SELECTORS[name]()


def training_loss(output: CorefOutput, selector: str, annotation: Annotation) -> torch.Tensor:
    torch.manual_seed(7)
    settings = {"annotation": annotation, "negatives": Negatives(1.0)}
    return make_selector(selector).loss(output, make_gold(), None, layout_of(SENTENCES), **settings)


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("selector", NAMES)
def test_every_weight_and_token_has_a_finite_gradient(selector: str, annotation: Annotation) -> None:
    head = build(replace(SETTINGS, dropout=0.3), selector).train()
    tokens = torch.randn(16, WIDTH, generator=torch.Generator().manual_seed(2)).requires_grad_()
    request = CorefRequest(random_facts(16, torch.Generator()), CANDIDATES)
    training_loss(head(tokens, layout_of(SENTENCES), request), selector, annotation).backward()
    for name, weight in [("tokens", tokens), *head.named_parameters()]:
        assert weight.grad is not None and torch.isfinite(weight.grad).all(), name
        assert weight.grad.abs().max() > 0, name


@pytest.mark.parametrize("max_span_width", [None, 3])
@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("selector", NAMES)
def test_gradients_through_the_tensors_of_the_output_are_those_of_the_loss(
    selector: str, annotation: Annotation, max_span_width: int | None
) -> None:
    """None of the tensors is computed from another, whose gradient would then count twice."""
    settings = replace(SETTINGS, max_span_width=max_span_width)
    plain, by_tensors = build(settings, selector), build(settings, selector)
    training_loss(run(plain, CANDIDATES), selector, annotation).backward()
    output = run(by_tensors, CANDIDATES)
    tensors = output.tensors()
    gradients = torch.autograd.grad(training_loss(output, selector, annotation), tensors, materialize_grads=True)
    torch.autograd.backward(tensors, gradients)
    for (name, weight), expected in zip(by_tensors.named_parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(weight.grad, expected.grad, rtol=1e-4, atol=1e-6, msg=name)


@pytest.mark.parametrize("selector", NAMES)
def test_spans_are_ranked_by_the_mention_score_where_there_is_one_score(selector: str) -> None:
    mentions, output = seen_by_linker(build(selector=selector).eval())
    same = torch.equal(output.selection.scores[output.selection.candidates], mentions.scores)
    assert same == (selector == "with_task")


def test_a_selector_with_a_task_of_its_own_has_scores_for_it() -> None:
    outputs = {name: run(build(selector=name), ALL_SPANS).selection.auxiliary for name in NAMES}
    size = layout_of(SENTENCES).size
    assert {name: scores.shape for name, scores in outputs.items()} == {
        name: (2 if name == "with_task" else 0, size) for name in NAMES
    }


@pytest.mark.parametrize(
    "choose", [ALL_SPANS, Decode("map", 0.0), Decode("marginal", 0.0)], ids=["all", "map", "marginal"]
)
def test_max_span_width_forbids_wider_spans(choose: CandidateStrategy) -> None:
    output = run(build(replace(SETTINGS, max_span_width=2)), choose)
    layout = layout_of(SENTENCES)
    assert (output.selection.spans.ends - output.selection.spans.starts + 1).max() == 2
    wide = layout.valid() & (layout.widths() > 2)
    assert (output.selection.marginals.selected[wide].exp() == 0).all()
    torch.testing.assert_close(output.selection.marginals.unselected[wide], torch.zeros(int(wide.sum())))


def test_no_candidates_have_no_links() -> None:
    output = run(build(), Decode("marginal", 1.0))
    assert len(output.selection.candidates) == len(output.selection.spans) == 0
    assert output.links.scores.shape == (0, 0)


@pytest.mark.parametrize("selector", NAMES)
def test_evaluation_ignores_dropout(selector: str) -> None:
    dropped = build(replace(SETTINGS, dropout=0.5), selector)
    expected = run(build(selector=selector).eval(), ALL_SPANS)
    assert torch.equal(run(dropped.eval(), ALL_SPANS).links.scores, expected.links.scores)
    torch.manual_seed(0)
    found = run(dropped.train(), ALL_SPANS)
    assert not torch.equal(found.selection.scores, expected.selection.scores)
    assert not torch.equal(found.links.scores, expected.links.scores)


@pytest.mark.parametrize("name", ["hidden_width", "linker_width", "feature_width", "antecedents", "max_span_width"])
def test_sizes_below_1_are_errors(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        replace(SETTINGS, **{name: 0})


def speaker_influence(head: CorefHead, sentences: Sequence[Sequence[int]] = SENTENCES) -> list[bool]:
    """Whether the scores of the links of each document change with the speakers of its tokens."""
    layout = layout_of(sentences)
    count = len(layout.document)
    tokens = torch.randn(count, WIDTH, generator=torch.Generator().manual_seed(1))
    facts = words_only(torch.arange(count))
    scores = []
    for speaker in (facts.speaker, 1 + torch.arange(count, dtype=torch.int32) % 2):
        torch.manual_seed(3)
        output = head(tokens, layout, CorefRequest(replace(facts, speaker=speaker), ALL_SPANS))
        scores.append(output.links.scores)
    document = layout.document[output.selection.spans.starts]
    return [not torch.equal(*(each[document == number] for each in scores)) for number in document.unique()]


@pytest.mark.parametrize("training", [True, False])
def test_the_linker_is_told_speakers_but_in_training_with_speaker_dropout(training: bool) -> None:
    settings = replace(SETTINGS, pair_features=["speaker"])
    dropped = build(replace(settings, speaker_dropout=1 - 1e-9)).train(training)
    assert speaker_influence(build(settings).train(training)) == [True, True]
    assert speaker_influence(dropped) == [not training] * 2


def test_speaker_dropout_leaves_whole_documents_out() -> None:
    head = build(replace(SETTINGS, pair_features=["speaker"], speaker_dropout=0.5)).train()
    told = speaker_influence(head, [[4]] * 20)
    assert 0 < sum(told) < 20
    seen = watch_linker(head)
    speaker_influence(head, [[4]] * 20)
    known = seen[-1].facts.speaker > 0
    assert [known[seen[-1].document == number].unique().tolist() for number in range(20)] == [[each] for each in told]


def test_speaker_dropout_of_a_batch_with_more_documents_than_tokens() -> None:
    head = build(replace(SETTINGS, speaker_dropout=0.5)).train()
    output = run(head, ALL_SPANS, slice(0, 2), [[], [], [], [2]])
    assert len(output.selection.spans) == 3


@pytest.mark.parametrize("selector", NAMES)
def test_expected_mentions_count_in_distances(selector: str) -> None:
    mentions, output = seen_by_linker(build(selector=selector))
    p = output.selection.marginals.selected[output.selection.candidates].exp()
    torch.testing.assert_close(mentions.weights, p)
    assert not mentions.weights.requires_grad


def test_all_candidates_may_count_the_same() -> None:
    mentions, _ = seen_by_linker(build(replace(SETTINGS, distance="candidates")))
    assert (mentions.weights == 1).all()


def test_given_mentions_count_in_full() -> None:
    mentions, output = seen_by_linker(build(), given=torch.tensor([False, False, True]))
    p = output.selection.marginals.selected[output.selection.candidates].exp()
    first, last = mentions.document == 0, mentions.document == 2
    torch.testing.assert_close(mentions.weights[first], p[first])
    assert (mentions.weights[last] == 1).all() and last.any() and (p[last] < 1).all()


@pytest.mark.parametrize("name", FEATURE_NAMES)
def test_the_linker_has_the_features_of_the_settings_and_no_others(name: str) -> None:
    names = {key for key, _ in build(replace(SETTINGS, pair_features=[name])).linker.named_parameters()}
    others = {key for key, _ in build(replace(SETTINGS, pair_features=())).linker.named_parameters()}
    added = {"short_words": {"word.weight"}, "kinds": set()}.get(name, {f"coarse_pairs.{name}", f"pairs.{name}"})
    assert names - others == added


@pytest.mark.parametrize("names", [["gender"], ["nested", "nested"], "nested"])
def test_features_that_are_not_known_or_come_twice_are_errors(names: Any) -> None:
    with pytest.raises(ValueError, match="pair_features"):
        replace(SETTINGS, pair_features=names)


def test_a_distance_that_is_not_known_is_an_error() -> None:
    distance: Any = "tokens"
    with pytest.raises(ValueError, match=r"'candidates' or 'mentions'"):
        replace(SETTINGS, distance=distance)
