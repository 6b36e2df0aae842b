import pytest
import torch

from spacy_span_selector.layers.coref.pair_features import (
    FEATURE_NAMES,
    KINDS,
    PAIR_FEATURES,
    SAME_WORDS,
    WORD_ROWS,
    MentionFacts,
    PairFeature,
)
from spacy_span_selector.layers.spans.layout import Spans

from ...token_facts import random_facts
from .mentions import plain_feature, random_case

ALL = {**PAIR_FEATURES, "words": SAME_WORDS, "kinds": KINDS}
SIZES = [12, 0, 20, 1]


@pytest.mark.parametrize("name", ALL)
def test_features_equal_their_definitions_pair_by_pair(name: str, device: str) -> None:
    seen: set[int] = set()
    for seed in range(3):
        case = random_case(SIZES, device, seed=seed)
        document, order = case.mentions.document, torch.arange(sum(SIZES), device=device)
        found = ALL[name].compare(case.mentions.facts, order[:, None], order)
        for i, mention in enumerate(case.spans):
            for j, antecedent in enumerate(case.spans[:i]):
                if document[i] == document[j]:
                    expected = plain_feature(name, case.tokens, mention, antecedent)
                    assert found[i, j] == expected, (mention, antecedent)
                    seen.add(expected)
    reached = 6 if name == "sentences" else ALL[name].values  # the documents are short
    assert seen == set(range(reached))


@pytest.mark.parametrize("feature", ALL.values(), ids=ALL)
def test_features_of_pairs_that_are_none_are_in_the_table(feature: PairFeature) -> None:
    facts, order = random_case(SIZES).mentions.facts, torch.arange(sum(SIZES))
    found = feature.compare(facts, order[:, None], order)
    assert found.dtype == torch.uint8
    assert found.max() < feature.values


def test_one_word_mentions_are_told_apart_by_their_word() -> None:
    tokens = random_facts(50, torch.Generator().manual_seed(0))
    starts = torch.arange(49)
    alone, together = (MentionFacts.read(tokens, Spans(starts, starts + width)).short_word for width in (0, 1))
    assert (together == 0).all()
    assert ((alone > 0) & (alone < WORD_ROWS)).all()
    same_word = tokens.words[:49, None] == tokens.words[:49]
    assert torch.equal(alone[:, None] == alone, same_word)


def test_no_mentions_have_no_facts() -> None:
    none = torch.zeros(0, dtype=torch.long)
    facts = MentionFacts.read(random_facts(5, torch.Generator()), Spans(none, none))
    assert facts.words.shape == facts.short_word.shape == (0,) and facts.content.shape == (0, 2)


def test_names_are_unique() -> None:
    assert len(set(FEATURE_NAMES)) == len(FEATURE_NAMES) == len(PAIR_FEATURES) + 2
