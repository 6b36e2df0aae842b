from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch

from spacy_span_selector.layers.candidates import CandidateStrategy, Decode, LikelyAndGold
from spacy_span_selector.layers.coref import CorefHead, CorefOutput, CorefSettings
from spacy_span_selector.layers.gold import GoldMentions
from spacy_span_selector.layers.layout import SpanLayout
from spacy_span_selector.layers.linker import Linker, Links, Mentions

WIDTH = 6
SETTINGS = CorefSettings(
    hidden_width=8,
    linker_width=5,
    linker_hidden_width=7,
    feature_width=3,
    antecedents=4,
    match_words=True,
    dropout=0.0,
    max_span_width=None,
)
SENTENCES = [[4, 7], [], [5]]
NOTHING = torch.zeros(0, dtype=torch.long)
NO_GOLD = GoldMentions(NOTHING, NOTHING, NOTHING, torch.ones(3, dtype=torch.bool))
ALL_SPANS = LikelyAndGold(NO_GOLD, 1000.0, add_gold=False)


def build(settings: CorefSettings = SETTINGS) -> CorefHead:
    torch.manual_seed(0)
    return CorefHead(width=WIDTH, settings=settings)


def run(
    head: CorefHead,
    choose: CandidateStrategy,
    rows: slice = slice(None),
    sentences: Sequence[Sequence[int]] = SENTENCES,
) -> CorefOutput:
    generator = torch.Generator().manual_seed(1)
    tokens, words = torch.randn(16, WIDTH, generator=generator), torch.randint(5, (16,), generator=generator)
    return head(tokens[rows].requires_grad_(), words[rows], SpanLayout.build(sentences), choose)


def test_candidates_are_located_in_the_order_of_the_text() -> None:
    output = run(build(), Decode("marginal", 0.1))
    layout = SpanLayout.build(SENTENCES)
    spans = list(zip(output.starts.tolist(), output.ends.tolist(), strict=True))
    assert spans == sorted(spans) and spans
    assert torch.equal(layout.flat_index(output.starts, output.ends), output.candidates)


def test_linker_sees_the_documents_and_the_words_of_mentions(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Mentions] = []
    forward = Linker.forward

    def watch_and_link(linker: Linker, mentions: Mentions) -> Links:
        seen.append(mentions)
        return forward(linker, mentions)

    monkeypatch.setattr(Linker, "forward", watch_and_link)
    head = build().eval()
    tokens = torch.zeros(6, WIDTH)
    head(tokens, torch.tensor([1, 2, 3, 9, 2, 3]), SpanLayout.build([[3], [], [3]]), ALL_SPANS)
    (mentions,) = seen
    assert mentions.document.tolist() == [0] * 6 + [2] * 6
    assert mentions.last_word.tolist() == [1, 2, 3, 2, 3, 3, 9, 2, 3, 2, 3, 3]
    same = mentions.words[:6] == mentions.words[6:]
    assert same.tolist() == [False, False, False, True, True, True]


def test_a_batch_equals_its_documents_one_by_one() -> None:
    head = build().eval()
    together = run(head, Decode("marginal", 0.1))
    first = run(head, Decode("marginal", 0.1), slice(0, 11), [[4, 7]])
    second = run(head, Decode("marginal", 0.1), slice(11, 16), [[5]])
    assert together.starts.tolist() == [*first.starts.tolist(), *(second.starts + 11).tolist()]
    assert together.ends.tolist() == [*first.ends.tolist(), *(second.ends + 11).tolist()]
    for part, rows in ((first, slice(0, len(first.starts))), (second, slice(len(first.starts), None))):
        found = together.marginals.selected[together.candidates[rows]]
        torch.testing.assert_close(found, part.marginals.selected[part.candidates])
        links = together.links.scores[rows].logsumexp(1)
        torch.testing.assert_close(links, part.links.scores.logsumexp(1), rtol=1e-4, atol=1e-5)


def test_every_weight_and_token_has_a_finite_gradient() -> None:
    head = build(replace(SETTINGS, dropout=0.3)).train()
    generator = torch.Generator().manual_seed(2)
    tokens = torch.randn(16, WIDTH, generator=generator).requires_grad_()
    output = head(tokens, torch.arange(16), SpanLayout.build(SENTENCES), ALL_SPANS)
    links = output.links.scores[output.links.possible]
    (output.marginals.selected[output.candidates].sum() + links.tanh().sum()).backward()
    for name, weight in [("tokens", tokens), *head.named_parameters()]:
        assert weight.grad is not None and torch.isfinite(weight.grad).all(), name


@pytest.mark.parametrize(
    "choose", [ALL_SPANS, Decode("map", 0.0), Decode("marginal", 0.0)], ids=["all", "map", "marginal"]
)
def test_max_span_width_forbids_wider_spans(choose: CandidateStrategy) -> None:
    output = run(build(replace(SETTINGS, max_span_width=2)), choose)
    layout = SpanLayout.build(SENTENCES)
    assert (output.ends - output.starts + 1).max() == 2
    wide = layout.valid() & (layout.widths() > 2)
    assert (output.marginals.selected[wide].exp() == 0).all()
    torch.testing.assert_close(output.marginals.unselected[wide], torch.zeros(int(wide.sum())))


def test_no_candidates_have_no_links() -> None:
    output = run(build(), Decode("marginal", 1.0))
    assert len(output.candidates) == len(output.starts) == len(output.ends) == 0
    assert output.links.scores.shape == (0, 0)


def test_evaluation_ignores_dropout() -> None:
    dropped = build(replace(SETTINGS, dropout=0.5))
    expected = run(build(), ALL_SPANS)
    assert torch.equal(run(dropped.eval(), ALL_SPANS).links.scores, expected.links.scores)
    torch.manual_seed(0)
    assert not torch.equal(run(dropped.train(), ALL_SPANS).marginals.selected, expected.marginals.selected)


@pytest.mark.parametrize("dropout", [-0.1, 1.0])
def test_dropout_out_of_range_is_an_error(dropout: float) -> None:
    with pytest.raises(ValueError, match=rf"'dropout' .* is {dropout}; it must be from 0 to below 1"):
        replace(SETTINGS, dropout=dropout)


@pytest.mark.parametrize("name", ["hidden_width", "linker_width", "feature_width", "antecedents", "max_span_width"])
def test_sizes_below_1_are_errors(name: str) -> None:
    with pytest.raises(ValueError, match=f"'{name}' .* is 0; it must be at least 1"):
        CorefSettings(**{**vars(SETTINGS), name: 0})
