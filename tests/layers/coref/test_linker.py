from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from spacy_span_selector.layers.coref import linker as linker_module
from spacy_span_selector.layers.coref.linker import Linker, Links, Mentions, Positions
from spacy_span_selector.layers.coref.pair_features import FEATURE_NAMES, KINDS, PAIR_FEATURES
from spacy_span_selector.layers.spans import computing

from .mentions import VECTOR_WIDTH, Case, bucket_of, distance_bucket, plain_feature, random_case, some_of

WIDTH, HIDDEN = 5, 6
SIZES = [4, 0, 9, 1]  # mentions of each document


def build(**changes: Any) -> Linker:
    torch.manual_seed(0)
    sizes = {"vector_width": VECTOR_WIDTH, "width": WIDTH, "hidden_width": HIDDEN, "antecedents": 50}
    linker = Linker(**{**sizes, "pair_features": FEATURE_NAMES, "dropout": 0.0, **changes})
    for feature in (linker.coarse_distance, linker.coarse_match, linker.distance, linker.match):
        torch.nn.init.normal_(feature.weight)  # some start at 0, which would hide mistakes
    for table in (*linker.coarse_pairs.values(), *linker.pairs.values()):
        torch.nn.init.normal_(table)
    if linker.word is not None:
        torch.nn.init.normal_(linker.word.weight)
    return linker


def random_mentions(sizes: list[int], device: str = "cpu") -> Mentions:
    return random_case(sizes, device).mentions


def pair_scores(linker: Linker, case: Case, i: int, j: int) -> tuple[Tensor, Tensor]:
    """The coarse and the fine score of a pair by the definition: concatenate, then a feed-forward net."""
    mentions = case.mentions
    mention, antecedent = linker.project(mentions.vectors[i]), linker.project(mentions.vectors[j])
    if linker.word is not None:
        rows = (0 if start < end else int(1 + case.tokens.words[start] % 2047) for start, end in case.spans)
        word = torch.stack([linker.word.weight[row] for row in rows])
        mention, antecedent = mention + word[i], antecedent + word[j]
    distance = distance_bucket(mentions.weights, i, j)
    match = plain_feature("words", case.tokens, case.spans[i], case.spans[j])
    features = {name: plain_feature(name, case.tokens, case.spans[i], case.spans[j]) for name in linker.pairs}
    coarse = (
        linker.coarse(mention) @ antecedent
        + linker.coarse_distance.weight[distance, 0]
        + linker.coarse_match.weight[match, 0]
        + sum(linker.coarse_pairs[name][value, 0] for name, value in features.items())
        + mentions.scores[i]
        + mentions.scores[j]
    )
    weight = torch.cat([part.weight for part in (linker.mention, linker.antecedent, linker.product)], dim=1)
    hidden = weight @ torch.cat([mention, antecedent, mention * antecedent]) + linker.mention.bias
    hidden = hidden + linker.distance.weight[distance] + linker.match.weight[match]
    hidden = hidden + sum(linker.pairs[name][value] for name, value in features.items())
    kind = plain_feature("kinds", case.tokens, case.spans[i], case.spans[j]) if linker.has_kinds else 0
    return coarse, linker.output(torch.relu(hidden))[kind]


def pairs(links: Links) -> dict[tuple[int, int], Tensor]:
    """The score of each pair that was kept."""
    return {
        (mention, int(links.antecedents[mention, column])): links.scores[mention, column]
        for mention, column in torch.nonzero(links.possible).tolist()
    }


def are_close(some: dict[tuple[int, int], Tensor], every: dict[tuple[int, int], Tensor]) -> bool:
    return all(torch.isclose(score, every[pair], atol=1e-6) for pair, score in some.items())


def earlier_pairs(sizes: list[int]) -> set[tuple[int, int]]:
    """Every mention with every earlier mention of its document."""
    found: set[tuple[int, int]] = set()
    first = 0
    for size in sizes:
        found |= {(first + i, first + j) for i in range(size) for j in range(i)}
        first += size
    return found


@pytest.mark.parametrize("pair_features", [(), FEATURE_NAMES, *((name,) for name in FEATURE_NAMES)], ids=str)
def test_scores_equal_the_concatenated_form(pair_features: Sequence[str], device: str) -> None:
    linker = build(pair_features=pair_features).to(device)
    case = random_case(SIZES, device)
    scores = pairs(linker(case.mentions))
    assert scores.keys() == earlier_pairs(SIZES)
    expected = torch.stack([torch.stack(pair_scores(linker, case, *pair)).sum() for pair in scores])
    torch.testing.assert_close(torch.stack(list(scores.values())), expected, rtol=1e-5, atol=1e-5)


def test_gradients_equal_those_of_the_concatenated_form(device: str) -> None:
    linker = build().to(device)
    case = random_case(SIZES, device)
    inputs = [case.mentions.vectors.requires_grad_(), case.mentions.scores.requires_grad_(), *linker.parameters()]
    scores = pairs(linker(case.mentions))
    found = torch.autograd.grad(torch.stack(list(scores.values())).tanh().sum(), inputs)
    plain = torch.stack([torch.stack(pair_scores(linker, case, *pair)).sum() for pair in scores])
    torch.testing.assert_close(found, torch.autograd.grad(plain.tanh().sum(), inputs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("reach", [None, 3])
def test_pruning_keeps_the_greatest_coarse_scores_within_the_reach(reach: int | None, device: str) -> None:
    kept, case = 2, random_case(SIZES, device)
    linker = build(antecedents=kept).to(device)
    expected: set[tuple[int, int]] = set()
    for mention in range(sum(SIZES)):
        near = [(i, j) for i, j in earlier_pairs(SIZES) if i == mention and i - j <= (reach or i)]
        expected |= set(sorted(near, key=lambda pair: pair_scores(linker, case, *pair)[0].item())[-kept:])
    links = linker(case.mentions, reach)
    assert links.scores.shape == (sum(SIZES), kept)
    assert pairs(links).keys() == expected
    assert are_close(pairs(links), pairs(build().to(device)(case.mentions)))


@pytest.mark.parametrize("reach", [1, 2, 5, 100])
def test_antecedents_are_no_further_than_the_reach(reach: int, device: str) -> None:
    linker = build().to(device)
    mentions = random_mentions(SIZES, device)
    found = pairs(linker(mentions, reach))
    assert found.keys() == {(i, j) for i, j in earlier_pairs(SIZES) if i - j <= reach}
    assert are_close(found, pairs(linker(mentions)))


def test_impossible_antecedents_score_minus_infinity() -> None:
    links = build()(random_mentions(SIZES))
    assert torch.equal(torch.isneginf(links.scores), ~links.possible)


def test_a_batch_equals_its_documents_one_by_one() -> None:
    linker, mentions = build(antecedents=3), random_mentions(SIZES)
    together = pairs(linker(mentions))
    one_by_one: dict[tuple[int, int], Tensor] = {}
    first = 0
    for size in SIZES:
        alone = some_of(mentions, slice(first, first + size))
        one_by_one |= {(first + i, first + j): score for (i, j), score in pairs(linker(alone)).items()}
        first += size
    assert together.keys() == one_by_one.keys() and are_close(together, one_by_one)


@pytest.mark.parametrize("reach", [None, 4])
@pytest.mark.parametrize(
    ("rows", "columns", "fine_elements"),
    [(1, 1, 1), (3, 2, HIDDEN * 3 * 2), (5, 3, 1 << 19), (2, 100, 1 << 19), (100, 1, 1)],
)
def test_block_sizes_change_nothing(
    rows: int, columns: int, fine_elements: int, reach: int | None, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    linker = build(antecedents=3).to(device)
    mentions = random_mentions(SIZES, device)
    expected = pairs(linker(mentions, reach))
    monkeypatch.setattr(linker_module, "COARSE_ROWS", rows)
    monkeypatch.setattr(linker_module, "COARSE_COLUMNS", columns)
    monkeypatch.setattr(computing, "ELEMENTS", {"cpu": fine_elements, "cuda": fine_elements})
    found = pairs(linker(mentions, reach))
    assert found.keys() == expected.keys() and are_close(found, expected)


@pytest.mark.parametrize("sizes", [[], [0, 0], [1], [1, 1, 1]])
def test_mentions_without_antecedents(sizes: list[int]) -> None:
    links = build()(random_mentions(sizes))
    assert links.antecedents.shape == links.possible.shape == links.scores.shape == (sum(sizes), 0)


def test_features_start_as_small_noise_and_their_coarse_scores_at_0() -> None:
    arguments = {"vector_width": 3, "width": 50, "hidden_width": 200, "antecedents": 5}
    linker = Linker(**arguments, pair_features=FEATURE_NAMES, dropout=0.0)
    assert linker.coarse_pairs.keys() == linker.pairs.keys() == PAIR_FEATURES.keys()
    assert all((table == 0).all() for table in linker.coarse_pairs.values())
    assert linker.word is not None
    for table in (*linker.pairs.values(), linker.word.weight):
        assert table.std().item() == pytest.approx(0.02, rel=0.15)


def test_each_kind_of_pair_has_output_weights_of_its_own() -> None:
    assert build(pair_features=("kinds",)).output.out_features == 6
    assert build(pair_features=()).output.out_features == 1


def test_the_order_of_names_changes_nothing() -> None:
    mentions = random_mentions(SIZES)
    orders = FEATURE_NAMES, FEATURE_NAMES[::-1]
    assert torch.equal(*(build(pair_features=names)(mentions).scores for names in orders))


@pytest.mark.parametrize("most", [1, 40, 1 << 20])
def test_the_number_of_combined_features_changes_nothing(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    linker, mentions = build(antecedents=3), random_mentions(SIZES)
    expected = pairs(linker(mentions))
    monkeypatch.setattr(linker_module, "COMBINATIONS", most)
    monkeypatch.setattr(linker_module, "COARSE_COMBINATIONS", most)
    found = pairs(linker(mentions))
    assert found.keys() == expected.keys() and are_close(found, expected)


@pytest.mark.parametrize("name", FEATURE_NAMES)
def test_a_feature_alone_is_learnt(name: str) -> None:
    """Vectors, distances and words are all the same: nothing else tells right antecedents from others."""
    good = {"nested": 2, "content_words": 2, "quotation": 4, "speaker": 2, "sentences": 0, "kinds": 5}.get(name)

    def difference(features: Sequence[str]) -> float:
        """How many more of the right antecedents than of the others are linked in the last case."""
        linker = build(pair_features=features)
        optimizer = torch.optim.Adam(linker.parameters(), lr=0.05)
        for seed in range(40):
            case = random_case([24], seed=seed)
            alike = {name: torch.ones_like(getattr(case.mentions, name)) for name in ("vectors", "scores")}
            no_words = torch.zeros_like(case.mentions.facts.words)
            facts = replace(case.mentions.facts, words=no_words, last_word=no_words)
            mentions = case.mentions._replace(**alike, weights=torch.zeros_like(case.mentions.weights), facts=facts)
            links = linker(mentions)
            if good is None:  # one-word mentions of one half of the words are linked to each other
                chosen = (mentions.facts.short_word > 0) & (case.tokens.words[mentions.facts.starts.long()] % 2 == 0)
                right = chosen[:, None] & chosen[links.antecedents]
            else:
                order = torch.arange(24)[:, None]
                compare = KINDS.compare if name == "kinds" else PAIR_FEATURES[name].compare
                right = compare(mentions.facts, order, links.antecedents) == good
            scores, right = links.scores[links.possible], right[links.possible]
            loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, right.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return (scores > 0)[right].float().mean().item() - (scores > 0)[~right].float().mean().item()

    assert difference([name]) > 0.95
    assert difference([]) == 0.0


@pytest.mark.parametrize(("training", "can"), [(False, True), (True, True), (False, False)])
def test_pairs_are_multiplied_in_bfloat16_at_prediction_where_the_device_can(
    training: bool, can: bool, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    monkeypatch.setattr(computing, "has_bfloat16", lambda device: can)
    mentions = random_mentions(SIZES, device)
    exact, found = (build(bfloat16=k).to(device).train(training)(mentions) for k in (False, True))
    assert torch.equal(found.antecedents, exact.antecedents) and found.scores.dtype == torch.float32
    assert torch.equal(found.scores, exact.scores) == (training or not can)
    torch.testing.assert_close(found.scores, exact.scores, atol=0.05, rtol=0.02)


def test_the_linker_has_dropout_in_training_only() -> None:
    mentions, linker = random_mentions(SIZES), build(dropout=0.5)
    torch.testing.assert_close(linker.eval()(mentions).scores, build()(mentions).scores)
    assert not torch.equal(linker.train()(mentions).scores, build()(mentions).scores)


def distances(weights: torch.Tensor) -> torch.Tensor:
    order = torch.arange(len(weights), device=weights.device)
    return Positions.of(weights).distance(order[:, None], order)


def test_mentions_that_count_in_full_are_as_far_as_steps(device: str) -> None:
    found = distances(torch.ones(80, device=device))
    assert all(found[i, j] == bucket_of(i - j) for i in range(80) for j in range(i))


@pytest.mark.parametrize("seed", range(3))
def test_distance_is_one_more_than_the_weight_between(seed: int, device: str) -> None:
    weights = torch.rand(60, generator=torch.Generator().manual_seed(seed)) ** 2
    found = distances(weights.to(device))
    assert all(found[i, j] == distance_bucket(weights, i, j) for i in range(60) for j in range(i))
    assert found.unique().tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


def test_mentions_that_count_nothing_are_not_between_others() -> None:
    weights = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    assert distances(weights)[5, :3].tolist() == [bucket_of(2), bucket_of(2), bucket_of(1)]


def test_distances_do_not_depend_on_what_is_before() -> None:
    weights = torch.rand(50, generator=torch.Generator().manual_seed(0))
    before = torch.rand(1000, generator=torch.Generator().manual_seed(1))
    together = distances(torch.cat([before, weights]))[1000:, 1000:]
    assert torch.equal(together.tril(-1), distances(weights).tril(-1))
