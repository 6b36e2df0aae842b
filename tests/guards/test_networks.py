"""Guards against networks that grow slow or hungry: what they take for a fixed input, which no machine changes.

The limits are what was counted when they were set, by the words behind them, and a quarter more. A change that needs
more has to say so here.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch

from spacy_span_selector.layers.coref import linker
from spacy_span_selector.layers.coref.loss import GoldMentions
from spacy_span_selector.layers.coref.network import CorefHead, CorefRequest, CorefSettings
from spacy_span_selector.layers.selection.candidates import Decode, MostProbable
from spacy_span_selector.layers.selection.sampling import Negatives
from spacy_span_selector.layers.selection.selectors import LaminarSelector, StructuredSelector
from spacy_span_selector.layers.spans import computing
from spacy_span_selector.layers.spans.layout import SpanLayout, Spans
from spacy_span_selector.layers.srl.arguments import GoldFrames
from spacy_span_selector.layers.srl.network import SrlHead, SrlRequest
from spacy_span_selector.layers.srl.predicates import FindPredicates, Senses
from spacy_span_selector.layers.srl.roles import Pairs, SrlSettings

from ..frame_tables import no_frames
from ..layouts import layout_of
from ..token_facts import words_only
from .counting import Count, count

Network = Callable[[list[int], bool], None]

HEADROOM = 1.25
WIDTH, HIDDEN, PAIR_WIDTH, ROLES = 64, 128, 64, 20
SENTENCES = [40, 31, 25, 25, 17, 12, 12, 8, 5, 5] * 4  # 720 tokens
SHARED: dict[str, Any] = {"hidden_width": HIDDEN, "feature_width": 20, "dropout": 0.3, "max_span_width": None}
SHARED["selector"] = StructuredSelector()
COREF = CorefSettings(linker_width=PAIR_WIDTH, linker_hidden_width=HIDDEN, antecedents=50, **SHARED)
SRL = SrlSettings(pair_width=PAIR_WIDTH, pair_hidden_width=HIDDEN, **SHARED)


def one_token_spans(layout: SpanLayout, every: int) -> torch.Tensor:
    return torch.arange(0, len(layout.document), every)


def gold_mentions(layout: SpanLayout) -> GoldMentions:
    """Every fifth token, in three clusters."""
    tokens = one_token_spans(layout, 5)
    return GoldMentions(tokens, tokens, tokens % 3, torch.ones(1, dtype=torch.bool))


def gold_frames(layout: SpanLayout) -> GoldFrames:
    """Every eighth token is a predicate, and itself its argument."""
    tokens = one_token_spans(layout, 8)
    spans, order = Spans(tokens, tokens), torch.arange(len(tokens))
    every = torch.ones(1, dtype=torch.bool)
    return GoldFrames(spans, torch.full_like(tokens, -1), spans, order, order % ROLES, every, every)


def no_senses(predicates: Spans) -> Senses:
    none = torch.zeros(0, dtype=torch.long)
    return Senses(Pairs(none, none), torch.zeros(0))


def limited(settings: CorefSettings | SrlSettings, most: int | None) -> Any:
    """The settings with a greatest width of spans, which structured selection has no use for in long sentences."""
    return settings if most is None else replace(settings, max_span_width=most, selector=LaminarSelector())


def coref(sentences: list[int], training: bool, most: int | None = None) -> None:
    torch.manual_seed(0)
    head = CorefHead(width=WIDTH, settings=limited(COREF, most)).train(training)
    layout = layout_of([sentences], most=most)
    gold, tokens = gold_mentions(layout), torch.randn(sum(sentences), WIDTH, requires_grad=training)
    choose = MostProbable(0.4) if training else Decode("marginal", 0.2)
    with torch.set_grad_enabled(training):
        output = head(tokens, layout, CorefRequest(words_only(torch.arange(sum(sentences)) % 50), choose))
        if training:
            output.loss(gold, layout, annotation="complete", negatives=Negatives(1.0)).backward()


def srl(sentences: list[int], training: bool, most: int | None = None) -> None:
    torch.manual_seed(0)
    head = SrlHead(width=WIDTH, roles=ROLES, rolesets=0, settings=limited(SRL, most)).train(training)
    layout = layout_of([sentences], most=most)
    gold, tokens = gold_frames(layout), torch.randn(sum(sentences), WIDTH, requires_grad=training)
    choose = MostProbable(0.4) if training else Decode("marginal", 0.2)
    find = FindPredicates(gold.predicates, closed=torch.ones(1, dtype=torch.bool))
    with torch.set_grad_enabled(training):
        output = head(tokens, layout, SrlRequest(find, no_senses, no_frames(ROLES), choose))
        if training:
            output.loss(gold, layout, annotation="complete", negatives=Negatives(1.0)).backward()


@pytest.mark.parametrize(
    ("network", "training", "counted"),
    [
        pytest.param(coref, False, Count(3693, 12.6), id="coref predicts"),
        pytest.param(coref, True, Count(8799, 24.5), id="coref learns"),
        pytest.param(srl, False, Count(3385, 6.4), id="srl predicts"),
        pytest.param(srl, True, Count(8668, 9.6), id="srl learns"),
    ],
)
def test_a_document_takes_no_more_than_it_did(network: Network, training: bool, counted: Count) -> None:
    found = count(partial(network, SENTENCES, training))
    assert found.operations <= HEADROOM * counted.operations
    assert found.megabytes <= HEADROOM * counted.megabytes


@pytest.mark.parametrize("network", [coref, srl])
@pytest.mark.parametrize("training", [False, True], ids=["predicts", "learns"])
def test_memory_grows_no_faster_than_the_document(
    network: Network, training: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linker, "COARSE_ROWS", 64)  # as many mentions are compared at once in both documents
    monkeypatch.setattr(linker, "COARSE_COLUMNS", 256)
    short, long = (count(partial(network, times * SENTENCES, training)).megabytes for times in (1, 4))
    assert long <= 4 * short


@pytest.mark.parametrize("network", [coref, srl])
@pytest.mark.parametrize("training", [False, True], ids=["predicts", "learns"])
def test_more_sentences_of_the_same_lengths_take_hardly_more_operations(
    network: Network, training: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many blocks, one of each kind: a block more takes operations for each feature, and holds many sentences."""
    monkeypatch.setattr(linker, "COARSE_ROWS", 1 << 20)
    monkeypatch.setattr(linker, "COARSE_COLUMNS", 1 << 20)
    monkeypatch.setitem(computing.ELEMENTS, "cpu", 1 << 40)
    short, long = (count(partial(network, times * SENTENCES, training)).operations for times in (1, 4))
    assert long <= 1.05 * short


def test_a_long_sentence_takes_memory_like_its_chart() -> None:
    """A number for each pair of 500 tokens is 1 MB; the hidden layer of all spans would be 64 MB, its gradient, too."""
    assert count(partial(coref, [500], True)).megabytes <= HEADROOM * 38.3


@pytest.mark.parametrize("network", [coref, srl])
@pytest.mark.parametrize("training", [False, True], ids=["predicts", "learns"])
def test_a_long_sentence_takes_memory_like_its_length_if_spans_have_a_greatest_width(
    network: Callable[..., None], training: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linker, "COARSE_ROWS", 16)
    monkeypatch.setattr(linker, "COARSE_COLUMNS", 64)
    short, long = (count(partial(network, [tokens], training, most=8)).megabytes for tokens in (250, 1000))
    assert long <= 4.2 * short
