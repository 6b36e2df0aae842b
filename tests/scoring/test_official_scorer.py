"""Figures of the official scorer, version 8.01, for predictions made from gold clusters by `perturbation`.

Each is what `perl scorer.pl METRIC KEY RESPONSE none` prints for the documents as `write_conll2012` writes them: the
numerator and the denominator of recall, then those of precision. Without singletons, they are left out of both files.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc
from spacy.training import Example

from spacy_span_selector.annotation import get_clusters, set_clusters
from spacy_span_selector.scoring.coref import score_coref
from spacy_span_selector.tools.formats.bracketed import read_bracketed
from spacy_span_selector.tools.formats.litbank import read_litbank, read_litbank_fold
from spacy_span_selector.tools.formats.ontogum import read_ontogum, read_ontogum_splits

from ..corpora import LITBANK, ONTOGUM, needs
from .perturbation import perturb, repeat

DEMO = Path(__file__).parents[2] / "assets/demo/test.txt"

Fractions = dict[str, tuple[float, float, float, float]]

DEMO_ALL = {
    "muc": (231, 325, 231, 278),
    "b3": (376.605006105006, 554, 396.795238095238, 487),
    "ceaf": (160.766405881028, 229, 160.766405881028, 209),
    "ment": (455, 554, 455, 487),
}
DEMO_WITHOUT_SINGLETONS = {
    "muc": (231, 325, 231, 278),
    "b3": (265.238339438339, 434, 286.485714285714, 382),
    "ceaf": (68.2664058810276, 109, 68.2664058810276, 104),
    "ment": (329, 434, 329, 382),
}
DEMO_REPEATED = {
    "muc": (227, 325, 227, 283),
    "b3": (372.605006105006, 554, 382.649134199134, 487),
    "ceaf": (155.180832712179, 229, 155.180832712179, 204),
    "ment": (455, 554, 455, 487),
}
LITBANK_ALL = {
    "muc": (1620, 2025, 1620, 2032),
    "b3": (1962.54182097142, 2832, 2040.375222986, 2748),
    "ceaf": (514.178237750994, 807, 514.178237750994, 716),
    "ment": (2324, 2832, 2324, 2748),
}
LITBANK_WITHOUT_SINGLETONS = {
    "muc": (1620, 2025, 1620, 2032),
    "b3": (1502.54182097142, 2267, 1687.67304324086, 2427),
    "ceaf": (161.744904417661, 242, 161.744904417661, 395),
    "ment": (1852, 2267, 1852, 2427),
}
ONTOGUM_ALL = {
    "muc": (1994, 2723, 1994, 2677),
    "b3": (2381.114735324, 3581, 2357.61919075395, 3510),
    "ceaf": (566.10450102331, 858, 566.10450102331, 833),
    "ment": (2897, 3581, 2897, 3510),
}
ONTOGUM_WITHOUT_SINGLETONS = {
    "muc": (1994, 2723, 1994, 2677),
    "b3": (2324.29806865734, 3580, 2237.61919075395, 3379),
    "ceaf": (507.671167689976, 857, 507.671167689976, 702),
    "ment": (2777, 3580, 2777, 3379),
}


def predict(docs: Sequence[Doc]) -> list[Example]:
    """The documents with predictions made from their own clusters."""
    examples = []
    for seed, gold in enumerate(docs):
        words, spaces = [token.text for token in gold], [bool(token.whitespace_) for token in gold]
        predicted = Doc(gold.vocab, words=words, spaces=spaces)
        set_clusters(predicted, perturb(get_clusters(gold), len(gold), seed))
        examples.append(Example(predicted, gold))
    return examples


def check_scores(examples: Sequence[Example], expected: Fractions, *, keep_singletons: bool) -> None:
    scores = score_coref(examples, keep_singletons=keep_singletons)
    for metric, (found, findable, right, answered) in expected.items():
        assert scores[f"coref_{metric}_r"] == pytest.approx(found / findable, rel=1e-10), metric
        assert scores[f"coref_{metric}_p"] == pytest.approx(right / answered, rel=1e-10), metric


@pytest.fixture
def demo() -> list[Example]:
    return predict(read_bracketed(DEMO, English()))


@pytest.fixture(scope="module")
def litbank() -> list[Example]:
    return predict(read_litbank(LITBANK, names=read_litbank_fold(LITBANK, 0)["test"]))


@pytest.fixture(scope="module")
def ontogum() -> list[Example]:
    return predict(read_ontogum(ONTOGUM, names=read_ontogum_splits(ONTOGUM)["test"]))


@pytest.mark.parametrize(
    "corpus, keep_singletons, expected",
    [
        ("demo", True, DEMO_ALL),
        ("demo", False, DEMO_WITHOUT_SINGLETONS),
        pytest.param("litbank", True, LITBANK_ALL, marks=[pytest.mark.slow, needs(LITBANK)]),
        pytest.param("litbank", False, LITBANK_WITHOUT_SINGLETONS, marks=[pytest.mark.slow, needs(LITBANK)]),
        pytest.param("ontogum", True, ONTOGUM_ALL, marks=[pytest.mark.slow, needs(ONTOGUM)]),
        pytest.param("ontogum", False, ONTOGUM_WITHOUT_SINGLETONS, marks=[pytest.mark.slow, needs(ONTOGUM)]),
    ],
)
def test_scores_are_the_official_ones(
    corpus: str, keep_singletons: bool, expected: Fractions, request: pytest.FixtureRequest
) -> None:
    check_scores(request.getfixturevalue(corpus), expected, keep_singletons=keep_singletons)


def test_gold_mentions_predicted_twice_score_as_in_the_official_scorer(demo: list[Example]) -> None:
    for example in demo[:10]:  # for more repeated mentions the official scorer refuses to score
        clusters = repeat(get_clusters(example.predicted), get_clusters(example.reference))
        set_clusters(example.predicted, clusters)
    check_scores(demo, DEMO_REPEATED, keep_singletons=True)
