from collections.abc import Sequence

import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.annotation import CLUSTER_PREFIX, Mention, set_annotates, set_clusters, set_mentions
from spacy_span_selector.scoring.coref import score_coref

from ..spans import put_spans

VOCAB = Vocab()
ANN, SHE, BOB, HE = (0, 1), (3, 4), (5, 6), (8, 9)
WORDS = ["Ann", "slept", ".", "She", "snored", "Bob", "woke", ",", "he", "left"]


def make_doc(clusters: Sequence[Sequence[Mention]], words: Sequence[str] = WORDS, prefix: str = CLUSTER_PREFIX) -> Doc:
    doc = Doc(VOCAB, words=list(words))
    set_clusters(doc, clusters, prefix=prefix)
    return doc


def make_example(gold: Sequence[Sequence[Mention]], predicted: Sequence[Sequence[Mention]]) -> Example:
    return Example(make_doc(predicted), make_doc(gold))


def test_perfect_prediction_scores_one() -> None:
    scores = score_coref([make_example([[ANN, SHE], [BOB, HE]], [[ANN, SHE], [BOB, HE]])])
    assert {name: score for name, score in scores.items() if score != 1.0} == {"coref_density": 0.4}


def test_scores_of_a_partly_right_prediction() -> None:
    scores = score_coref([make_example([[ANN, SHE], [BOB, HE]], [[ANN, SHE, HE]])])
    expected = {"muc_r": 1 / 2, "muc_p": 1 / 2, "ment_r": 3 / 4, "ment_p": 1.0}
    expected |= {"lea_r": 2 / 4, "lea_p": (3 * 1 / 3) / 3}
    expected |= {"b3_r": (2 * 1 + 1 / 2) / 4, "b3_p": (2 * 2 / 3 + 1 / 3) / 3, "ceaf_r": (4 / 5) / 2, "ceaf_p": 4 / 5}
    expected |= {"r": (1 / 2 + 5 / 8 + 2 / 5) / 3, "p": (1 / 2 + 5 / 9 + 4 / 5) / 3}
    assert {name: scores[f"coref_{name}"] for name in expected} == pytest.approx(expected)


def test_documents_are_summed_before_dividing() -> None:
    examples = [make_example([[ANN, SHE]], [[ANN, SHE]]), make_example([[ANN, SHE, BOB, HE]], [[ANN, SHE]])]
    scores = score_coref(examples)
    assert (scores["coref_muc_r"], scores["coref_muc_p"]) == pytest.approx((2 / 4, 2 / 2))


def test_mentions_match_by_character_across_tokenisations() -> None:
    gold = make_doc([[(0, 2), (3, 4)]], ["New", "York", "loves", "itself"])
    predicted = make_doc([[(0, 1), (2, 3)]], ["New York", "loves", "itself"])
    assert score_coref([Example(predicted, gold)])["coref_f"] == 1.0


def test_reference_annotated_as_free_of_clusters_costs_precision() -> None:
    scores = score_coref([make_example([[ANN, SHE]], [[ANN, SHE]]), make_example([], [[BOB, HE]])])
    assert (scores["coref_muc_p"], scores["coref_muc_r"]) == (0.5, 1.0)


def test_prediction_without_clusters_and_empty_document_score_zero() -> None:
    for example in (make_example([[ANN, SHE]], []), Example(Doc(VOCAB), make_doc([], []))):
        assert set(score_coref([example]).values()) == {0.0}


def test_density_counts_selected_spans_where_the_prediction_has_them() -> None:
    example = make_example([[ANN, SHE]], [[ANN, SHE]])
    assert score_coref([example])["coref_density"] == pytest.approx(2 / 10)
    set_mentions(example.predicted, [ANN, SHE, BOB], [0.9, 0.9, 0.6])
    assert score_coref([example])["coref_density"] == pytest.approx(3 / 10)


def test_the_keys_are_those_it_is_given() -> None:
    example = Example(make_doc([[ANN, SHE]], prefix="gold"), make_doc([[ANN, SHE]], prefix="gold"))
    set_clusters(example.predicted, [[BOB, HE]])
    set_mentions(example.predicted, [ANN], [0.9], key="spans")
    scores = score_coref([example], prefix="gold", mentions_key="spans")
    assert (scores["coref_f"], scores["coref_density"]) == (1.0, 0.1)


@pytest.mark.parametrize("place", [0, 4, 10])
def test_spans_without_tokens_do_not_count(place: int) -> None:
    example = make_example([[ANN, SHE], [BOB, HE]], [[ANN, SHE, HE]])
    expected = score_coref([example])
    put_spans(example.reference, f"{CLUSTER_PREFIX}_3", (place, place), (place, place))
    put_spans(example.predicted, f"{CLUSTER_PREFIX}_1", ANN, SHE, (place, place), HE)
    put_spans(example.predicted, f"{CLUSTER_PREFIX}_2", (place, place))
    assert score_coref([example]) == expected
    put_spans(example.predicted, "coref_mentions", ANN, SHE, (place, place), HE)
    assert score_coref([example]) == expected


def declaring(kinds: list[str], annotates: list[str]) -> Example:
    """Gold has two people, one of them predicted, beside a cluster of each of some types."""
    words = [*WORDS, "it", "itself"]
    gold, predicted = make_doc([], words), make_doc([], words)
    set_clusters(gold, [[ANN, SHE], [BOB, HE]], entity_types=["PER", "PER"])
    clusters = [[ANN, SHE], *([(10, 11), (11, 12)] for _ in kinds)]
    set_clusters(predicted, clusters, entity_types=["PER", *kinds])
    set_annotates(gold, annotates)
    return Example(predicted, gold)


def test_clusters_of_types_that_a_reference_is_not_annotated_for_do_not_count() -> None:
    without, with_things = declaring([], ["PER"]), declaring(["OBJECT"], ["PER"])
    assert {**score_coref([with_things]), "coref_density": 0} == {**score_coref([without]), "coref_density": 0}
    assert score_coref([with_things])["coref_ment_p"] == 1.0


@pytest.mark.parametrize(("kind", "annotates"), [("", ["PER"]), ("OBJECT", ["PER", "VEH|OBJECT"])])
def test_clusters_of_unknown_and_of_declared_types_count(kind: str, annotates: list[str]) -> None:
    assert score_coref([declaring([kind], annotates)])["coref_ment_p"] == 0.5
