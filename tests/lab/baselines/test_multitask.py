from types import SimpleNamespace
from typing import Any

import pytest
import torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry
from spacy.vocab import Vocab
from torch import Tensor

from lab.baselines import multitask
from lab.baselines.multitask import (
    CLASSES,
    NONE,
    NOUN_PHRASE,
    OTHER,
    GoldConstituents,
    MultitaskSelector,
    constituent_loss,
    gold_constituents,
    has_constituents,
)
from spacy_span_selector.annotation import get_clusters, set_constituents
from spacy_span_selector.examples.sentences import sentence_lengths
from spacy_span_selector.layers.selection.selectors import Marginals, Selection
from spacy_span_selector.layers.spans.layout import SpanLayout, Spans

from ...layouts import layout_of, listed
from ...pipeline.components import COREF, gold_docs, initialized, make_examples, make_nlp, train

VOCAB = Vocab()
WORDS = ["Ann", "saw", "her", "brother", ".", "He", "left", "."]

Constituents = list[tuple[int, int, str]]


def predicted_doc() -> Doc:
    return Doc(VOCAB, words=WORDS, sent_starts=[i in (0, 5) for i in range(8)])


def make_example(constituents: Constituents | None, words: list[str] = WORDS) -> Example:
    reference = Doc(VOCAB, words=words)
    if constituents is not None:
        set_constituents(reference, constituents)
    return Example(predicted_doc(), reference)


def find_gold(*examples: Example, max_width: int | None = None) -> GoldConstituents:
    lengths = sentence_lengths([example.predicted for example in examples], "coref")
    return gold_constituents(examples, lengths, max_width, torch.device("cpu"))


def classes_of(gold: GoldConstituents) -> dict[tuple[int, int], int]:
    """The class of each constituent, by token rows, end exclusive."""
    return {(start, end + 1): which for start, end, which in listed(gold.starts, gold.ends, gold.classes)}


def test_constituents_of_later_documents_follow_in_the_token_matrix() -> None:
    gold = find_gold(make_example([(0, 1, "NP")]), make_example(None), make_example([(1, 4, "VP"), (0, 5, "S")]))
    assert classes_of(gold) == {(0, 1): NOUN_PHRASE, (17, 20): OTHER, (16, 21): OTHER}
    assert gold.annotated.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("labels", "which"),
    [
        *((labels.split(), NOUN_PHRASE) for labels in ("NP S", "S NP", "VP NP S", "NP NP")),  # it beats other labels
        *(([label], NOUN_PHRASE) for label in ("NP", "NP-SBJ", "NP-SBJ-1", "NP=2")),  # functions are not looked at
        *(([label], OTHER) for label in ("NPX", "WHNP", "S-NP", "PP", "np", "", "-NONE-")),
    ],
)
def test_a_span_is_a_noun_phrase_or_another_constituent(labels: list[str], which: int) -> None:
    assert classes_of(find_gold(make_example([(2, 4, label) for label in labels]))) == {(2, 4): which}


def test_constituents_are_found_in_other_tokens() -> None:
    words = ["Ann", "saw", "her", "bro", "ther", ".", "He", "left", "."]
    reference = Doc(VOCAB, words=words, spaces=[True, True, True, False, False, True, True, False, False])
    set_constituents(reference, [(2, 5, "NP"), (1, 5, "VP"), (3, 4, "NP"), (6, 7, "NP")])
    spaces = [True, True, True, False, True, True, False, False]
    predicted = Doc(VOCAB, words=WORDS, spaces=spaces, sent_starts=[i in (0, 5) for i in range(8)])
    gold = find_gold(Example(predicted, reference))
    assert classes_of(gold) == {(2, 4): NOUN_PHRASE, (1, 4): OTHER, (5, 6): NOUN_PHRASE}


def test_constituents_across_sentences_and_too_wide_ones_are_left_out() -> None:
    example = make_example([(3, 6, "NP"), (0, 8, "S"), (5, 7, "S"), (0, 2, "NP")])
    assert classes_of(find_gold(example)) == {(5, 7): OTHER, (0, 2): NOUN_PHRASE}
    wide = make_example([(0, 5, "S"), (1, 4, "VP"), (2, 4, "NP")])
    assert classes_of(find_gold(wide, max_width=3)) == {(1, 4): OTHER, (2, 4): NOUN_PHRASE}


@pytest.mark.parametrize(("constituents", "has_some"), [(None, False), ([], False), ([(0, 1, "NP")], True)])
def test_a_document_has_constituents_if_there_is_one(constituents: Constituents | None, has_some: bool) -> None:
    example = make_example(constituents)
    assert has_constituents(example) == has_some
    assert find_gold(example).annotated.tolist() == [has_some]


SENTENCES = [[4, 3], [3], [5]]  # tokens 0-6, 7-9 and 10-14


def constituents_of(
    spans: list[tuple[int, int, int]], annotated: tuple[bool, ...], device: str = "cpu"
) -> GoldConstituents:
    starts, ends, classes = torch.tensor(spans, dtype=torch.long, device=device).view(-1, 3).T
    return GoldConstituents(starts, ends, classes, torch.tensor(annotated, device=device))


def make_scores(layout: SpanLayout, device: str = "cpu") -> Tensor:
    return torch.randn(CLASSES, layout.size, generator=torch.Generator().manual_seed(0)).to(device).requires_grad_()


def test_loss_is_the_cross_entropy_of_constituents_and_of_drawn_spans(
    monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    layout = layout_of(SENTENCES, torch.device(device))
    scores = make_scores(layout, device)
    spans = [(0, 3, OTHER), (0, 1, NOUN_PHRASE), (10, 14, OTHER)]
    drawn = layout.flat_index(*torch.tensor([[1, 2], [12, 13]], device=device).T)
    monkeypatch.setattr(multitask, "sample_spans", lambda *arguments: drawn)
    expected = 0.0
    for start, end, which in [*spans, (1, 2, NONE), (12, 13, NONE)]:
        flat = int(layout.row[start] + layout.place[end])
        expected -= float(scores.detach()[:, flat].log_softmax(0)[which])
    found = constituent_loss(scores, constituents_of(spans, (True, False, True), device), layout)
    assert found.item() == pytest.approx(expected, rel=1e-5)


def test_drawn_spans_are_no_constituents_and_lie_in_documents_that_have_some() -> None:
    layout = layout_of(SENTENCES)
    scores = make_scores(layout)
    spans = [(start, 9, OTHER) for start in (7, 8, 9)]
    gold = constituents_of(spans, (False, True, False))
    flat = layout.flat_index(gold.starts, gold.ends)
    drawn = set()
    for seed in range(30):
        torch.manual_seed(seed)
        (gradient,) = torch.autograd.grad(constituent_loss(scores, gold, layout), scores)
        drawn |= set(torch.nonzero(gradient.abs().sum(0)).squeeze(1).tolist()) - set(flat.tolist())
    starts, ends = layout.locate(torch.tensor(sorted(drawn)))
    assert {*listed(starts, ends)} == {(7, 7), (7, 8), (8, 8)}


def test_about_as_many_spans_are_drawn_as_there_are_constituents() -> None:
    """Though two thirds of the batch have none."""
    layout = layout_of([[12] * 5] * 3)
    spans = [(12 * sentence + start, 12 * sentence + 11, OTHER) for sentence in range(5) for start in range(8)]
    gold = constituents_of(spans, (True, False, False))
    scores = torch.zeros(CLASSES, layout.size)
    torch.manual_seed(0)
    per_span = torch.tensor(float(CLASSES)).log()
    terms = [float(constituent_loss(scores, gold, layout) / per_span) - len(spans) for _ in range(50)]
    assert sum(terms) / len(terms) == pytest.approx(len(spans), rel=0.1)


@pytest.mark.parametrize("sentences", [SENTENCES, [[], [], []]])
def test_documents_without_constituents_are_ignored(sentences: list[list[int]]) -> None:
    layout = layout_of(sentences)
    scores = make_scores(layout)
    loss = constituent_loss(scores, constituents_of([], (False, False, False)), layout)
    assert loss.item() == 0.0
    assert (torch.autograd.grad(loss, scores)[0] == 0).all()


def test_the_loss_is_weighed_and_counts_per_candidate() -> None:
    layout, gold = layout_of(SENTENCES), constituents_of([(7, 9, OTHER), (8, 9, OTHER)], (False, True, False))
    auxiliary, none = make_scores(layout), torch.zeros(layout.size)
    candidates = torch.tensor([0, 1, 2])
    selection = Selection(none, Marginals(none, none), auxiliary, candidates, Spans(candidates, candidates))
    output = SimpleNamespace(selection=selection, loss=lambda gold, layout: torch.tensor(2.0))
    torch.manual_seed(4)
    found = MultitaskSelector(weight=0.3).loss(output, None, gold, layout)
    torch.manual_seed(4)
    assert found.item() == pytest.approx(2.0 + 0.3 * constituent_loss(auxiliary, gold, layout).item() / 3)


def selector_block(**settings: Any) -> dict[str, Any]:
    return {"@misc": "lab.MultitaskSelector.v1", **settings}


def resolve(**settings: Any) -> Any:
    return registry.resolve({"selector": selector_block(**settings)})["selector"]


def test_the_selector_is_registered() -> None:
    assert resolve() == MultitaskSelector()
    assert resolve(ratio=0.3, weight=0.5) == MultitaskSelector(ratio=0.3, weight=0.5)


@pytest.mark.parametrize("weight", [-0.1, float("inf"), "0.5"])
def test_a_weight_that_is_no_number_from_0_is_an_error(weight: Any) -> None:
    with pytest.raises(ValueError, match=r"'weight' of .* it must be"):
        resolve(weight=weight)


def with_constituents(doc: Doc) -> Doc:
    """A document with its mentions and its sentences as constituents."""
    noun_phrases = [(start, end, "NP-SBJ") for cluster in get_clusters(doc) for start, end in cluster]
    set_constituents(doc, [*noun_phrases, *((sentence.start, sentence.end, "S") for sentence in doc.sents)])
    return doc


def initialized_pipeline(**settings: Any) -> tuple[Any, list[Example]]:
    nlp, _ = initialized(COREF)
    examples = make_examples(nlp, [with_constituents(doc) for doc in gold_docs(COREF, nlp)])
    torch.manual_seed(0)
    nlp = make_nlp(COREF, model={"selector": selector_block(ratio=1.0, **settings)}, singleton_threshold=0.4)
    nlp.initialize(lambda: examples)
    return nlp, examples


def test_a_pipeline_is_overfitted_and_predicts_without_constituents() -> None:
    nlp, examples = initialized_pipeline()
    train(nlp, examples, COREF.steps)
    doc = nlp(examples[0].reference.text)
    assert "constituents" not in doc.spans
    assert get_clusters(doc) == get_clusters(examples[0].reference)


def test_a_corpus_without_constituents_is_an_error() -> None:
    nlp = make_nlp(COREF, model={"selector": selector_block()})
    examples = make_examples(nlp, gold_docs(COREF, nlp))
    for example in examples:
        set_constituents(example.reference, [])
    with pytest.raises(ValueError, match=r"'structured_coref' found no constituent .*'constituents'.*OntoGUM"):
        nlp.initialize(lambda: examples)


def test_the_weight_of_the_second_task_can_be_set() -> None:
    losses = [train(*initialized_pipeline(weight=weight), steps=1)[0] for weight in (0.0, 0.1, 1.0)]
    assert losses[0] < losses[1] < losses[2]
