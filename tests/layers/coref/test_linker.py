from __future__ import annotations

import pytest
import torch
from torch import Tensor

from spacy_span_selector.layers.coref import linker as linker_module
from spacy_span_selector.layers.coref.linker import Linker, Links, Mentions
from spacy_span_selector.layers.spans import blocks

VECTOR_WIDTH, WIDTH, HIDDEN = 7, 5, 6
SIZES = [4, 0, 9, 1]  # mentions of each document
DISTANCES = [0, 1, 2, 3, 4, 5, 5, 5, 6]  # bucket of each distance: Lee et al. (2017)


def build(
    *, antecedents: int = 50, match_words: bool = True, max_distance: int | None = None, dropout: float = 0.0
) -> Linker:
    torch.manual_seed(0)
    linker = Linker(
        vector_width=VECTOR_WIDTH,
        width=WIDTH,
        hidden_width=HIDDEN,
        antecedents=antecedents,
        match_words=match_words,
        max_distance=max_distance,
        dropout=dropout,
    )
    for feature in (linker.coarse_distance, linker.coarse_match, linker.distance, linker.match):
        torch.nn.init.normal_(feature.weight)  # some start at 0, which would hide mistakes
    return linker


def random_mentions(sizes: list[int], device: str = "cpu") -> Mentions:
    count, generator = sum(sizes), torch.Generator().manual_seed(1)
    words = torch.randint(5, (count,), generator=generator)
    mentions = Mentions(
        vectors=torch.randn(count, VECTOR_WIDTH, generator=generator),
        scores=torch.randn(count, generator=generator),
        document=torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes, dtype=torch.long)),
        words=words,
        last_word=words % 3,
    )
    return Mentions(*(tensor.to(device) for tensor in mentions))


def pair_scores(linker: Linker, mentions: Mentions, i: int, j: int) -> tuple[Tensor, Tensor]:
    """The coarse and the fine score of a pair by the definition: concatenate, then a feed-forward net."""
    mention, antecedent = linker.project(mentions.vectors[i]), linker.project(mentions.vectors[j])
    distance = DISTANCES[i - j]
    same = int(mentions.words[i] == mentions.words[j]) + int(mentions.last_word[i] == mentions.last_word[j])
    match = same if linker.match_words else 0
    coarse = (
        linker.coarse(mention) @ antecedent
        + linker.coarse_distance.weight[distance, 0]
        + linker.coarse_match.weight[match, 0]
        + mentions.scores[i]
        + mentions.scores[j]
    )
    weight = torch.cat([part.weight for part in (linker.mention, linker.antecedent, linker.product)], dim=1)
    hidden = weight @ torch.cat([mention, antecedent, mention * antecedent]) + linker.mention.bias
    hidden = hidden + linker.distance.weight[distance] + linker.match.weight[match]
    return coarse, linker.output(torch.relu(hidden))[0]


def pairs(links: Links) -> dict[tuple[int, int], Tensor]:
    """The score of each pair that was kept."""
    return {
        (mention, int(links.antecedents[mention, column])): links.scores[mention, column]
        for mention, column in torch.nonzero(links.possible).tolist()
    }


def earlier_pairs(sizes: list[int]) -> set[tuple[int, int]]:
    """Every mention with every earlier mention of its document."""
    found: set[tuple[int, int]] = set()
    first = 0
    for size in sizes:
        found |= {(first + i, first + j) for i in range(size) for j in range(i)}
        first += size
    return found


@pytest.mark.parametrize("match_words", [True, False])
def test_scores_equal_the_concatenated_form(match_words: bool, device: str) -> None:
    linker = build(match_words=match_words).to(device)
    mentions = random_mentions(SIZES, device)
    scores = pairs(linker(mentions))
    assert scores.keys() == earlier_pairs(SIZES)
    expected = torch.stack([torch.stack(pair_scores(linker, mentions, *pair)).sum() for pair in scores])
    torch.testing.assert_close(torch.stack(list(scores.values())), expected, rtol=1e-5, atol=1e-5)


def test_gradients_equal_those_of_the_concatenated_form(device: str) -> None:
    linker = build().to(device)
    mentions = random_mentions(SIZES, device)
    inputs = [mentions.vectors.requires_grad_(), mentions.scores.requires_grad_(), *linker.parameters()]
    scores = pairs(linker(mentions))
    found = torch.autograd.grad(torch.stack(list(scores.values())).tanh().sum(), inputs)
    plain = torch.stack([torch.stack(pair_scores(linker, mentions, *pair)).sum() for pair in scores])
    torch.testing.assert_close(found, torch.autograd.grad(plain.tanh().sum(), inputs), rtol=1e-4, atol=1e-5)


def test_pruning_keeps_the_greatest_coarse_scores(device: str) -> None:
    kept = 3
    linker = build(antecedents=kept).to(device)
    mentions = random_mentions(SIZES, device)
    expected: set[tuple[int, int]] = set()
    for mention in range(sum(SIZES)):
        ranked = sorted(
            (pair for pair in earlier_pairs(SIZES) if pair[0] == mention),
            key=lambda pair: pair_scores(linker, mentions, *pair)[0].item(),
        )
        expected |= set(ranked[-kept:])
    links = linker(mentions)
    assert links.scores.shape == (sum(SIZES), kept)
    assert pairs(links).keys() == expected


def test_pruned_pairs_score_the_same() -> None:
    mentions = random_mentions(SIZES)
    everything, pruned = pairs(build()(mentions)), pairs(build(antecedents=2)(mentions))
    assert all(torch.isclose(score, everything[pair], atol=1e-6) for pair, score in pruned.items())


@pytest.mark.parametrize("max_distance", [1, 2, 5, 100])
def test_antecedents_are_no_further_than_the_greatest_distance(max_distance: int, device: str) -> None:
    linker = build(max_distance=max_distance).to(device)
    mentions = random_mentions(SIZES, device)
    found = pairs(linker(mentions))
    assert found.keys() == {(i, j) for i, j in earlier_pairs(SIZES) if i - j <= max_distance}
    anywhere = pairs(build().to(device)(mentions))
    assert all(torch.isclose(score, anywhere[pair], atol=1e-6) for pair, score in found.items())


def test_the_best_antecedents_within_the_greatest_distance_are_kept() -> None:
    linker, mentions = build(antecedents=2, max_distance=3), random_mentions(SIZES)
    expected: set[tuple[int, int]] = set()
    for mention in range(sum(SIZES)):
        near = [(i, j) for i, j in earlier_pairs(SIZES) if i == mention and i - j <= 3]
        expected |= set(sorted(near, key=lambda pair: pair_scores(linker, mentions, *pair)[0].item())[-2:])
    assert pairs(linker(mentions)).keys() == expected


def test_impossible_antecedents_score_minus_infinity() -> None:
    links = build()(random_mentions(SIZES))
    assert torch.equal(torch.isneginf(links.scores), ~links.possible)


def test_a_batch_equals_its_documents_one_by_one() -> None:
    linker, mentions = build(antecedents=3), random_mentions(SIZES)
    together = pairs(linker(mentions))
    one_by_one: dict[tuple[int, int], Tensor] = {}
    first = 0
    for size in SIZES:
        alone = Mentions(*(tensor[first : first + size] for tensor in mentions))
        one_by_one |= {(first + i, first + j): score for (i, j), score in pairs(linker(alone)).items()}
        first += size
    assert together.keys() == one_by_one.keys()
    assert all(torch.isclose(score, one_by_one[pair], atol=1e-6) for pair, score in together.items())


@pytest.mark.parametrize("max_distance", [None, 4])
@pytest.mark.parametrize(
    ("rows", "columns", "fine_elements"),
    [(1, 1, 1), (3, 2, HIDDEN * 3 * 2), (5, 3, 1 << 19), (2, 100, 1 << 19), (100, 1, 1)],
)
def test_block_sizes_change_nothing(
    rows: int, columns: int, fine_elements: int, max_distance: int | None, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    linker = build(antecedents=3, max_distance=max_distance).to(device)
    mentions = random_mentions(SIZES, device)
    expected = pairs(linker(mentions))
    monkeypatch.setattr(linker_module, "COARSE_ROWS", rows)
    monkeypatch.setattr(linker_module, "COARSE_COLUMNS", columns)
    monkeypatch.setattr(blocks, "ELEMENTS", {"cpu": fine_elements, "cuda": fine_elements})
    found = pairs(linker(mentions))
    assert found.keys() == expected.keys()
    assert all(torch.isclose(score, expected[pair], atol=1e-6) for pair, score in found.items())


@pytest.mark.parametrize("sizes", [[], [0, 0], [1], [1, 1, 1]])
def test_mentions_without_antecedents(sizes: list[int]) -> None:
    links = build()(random_mentions(sizes))
    assert links.antecedents.shape == links.possible.shape == links.scores.shape == (sum(sizes), 0)


def test_match_words_off_ignores_words() -> None:
    linker, mentions = build(match_words=False), random_mentions(SIZES)
    other = mentions._replace(words=torch.zeros_like(mentions.words), last_word=torch.zeros_like(mentions.words))
    assert torch.equal(linker(mentions).scores, linker(other).scores)
    assert not torch.equal(build()(mentions).scores, build()(other).scores)


def test_evaluation_is_deterministic_and_without_dropout() -> None:
    mentions = random_mentions(SIZES)
    linker = build(dropout=0.5).eval()
    assert torch.equal(linker(mentions).scores, linker(mentions).scores)
    assert torch.equal(linker(mentions).scores, build(dropout=0.0)(mentions).scores)
    torch.manual_seed(0)
    assert not torch.equal(linker.train()(mentions).scores, linker.eval()(mentions).scores)
