from __future__ import annotations

import pytest
import torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_constituents, set_speaker_markers
from spacy_span_selector.examples.gold_constituents import gold_constituents, has_constituents
from spacy_span_selector.examples.sentences import sentence_runs
from spacy_span_selector.layers.coref.constituents import NOUN_PHRASE, OTHER, GoldConstituents

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
    lengths = sentence_runs([example.predicted for example in examples], "coref")
    return gold_constituents(examples, lengths, max_width, torch.device("cpu"))


def classes_of(gold: GoldConstituents) -> dict[tuple[int, int], int]:
    """The class of each constituent, by token rows, end exclusive."""
    rows = zip(gold.starts.tolist(), gold.ends.tolist(), gold.classes.tolist(), strict=True)
    return {(start, end + 1): which for start, end, which in rows}


def test_constituents_of_later_documents_follow_in_the_token_matrix() -> None:
    gold = find_gold(make_example([(0, 1, "NP")]), make_example(None), make_example([(1, 4, "VP"), (0, 5, "S")]))
    assert classes_of(gold) == {(0, 1): NOUN_PHRASE, (17, 20): OTHER, (16, 21): OTHER}
    assert gold.annotated.tolist() == [True, False, True]


@pytest.mark.parametrize("labels", [("NP", "S"), ("S", "NP"), ("VP", "NP", "S"), ("NP", "NP")])
def test_a_noun_phrase_beats_another_label_on_the_same_span(labels: tuple[str, ...]) -> None:
    gold = find_gold(make_example([(2, 4, label) for label in labels]))
    assert classes_of(gold) == {(2, 4): NOUN_PHRASE}


@pytest.mark.parametrize(
    ("label", "which"),
    [("NP", NOUN_PHRASE), ("NP-SBJ", NOUN_PHRASE), ("NP-SBJ-1", NOUN_PHRASE), ("NP=2", NOUN_PHRASE)]
    + [(label, OTHER) for label in ("NPX", "WHNP", "S-NP", "PP", "np", "", "-NONE-")],
)
def test_functions_and_indices_are_not_looked_at(label: str, which: int) -> None:
    assert classes_of(find_gold(make_example([(2, 4, label)]))) == {(2, 4): which}


def test_constituents_are_found_in_other_tokens() -> None:
    words = ["Ann", "saw", "her", "bro", "ther", ".", "He", "left", "."]
    reference = Doc(VOCAB, words=words, spaces=[True, True, True, False, False, True, True, False, False])
    set_constituents(reference, [(2, 5, "NP"), (1, 5, "VP"), (3, 4, "NP"), (6, 7, "NP")])
    spaces = [True, True, True, False, True, True, False, False]
    predicted = Doc(VOCAB, words=WORDS, spaces=spaces, sent_starts=[i in (0, 5) for i in range(8)])
    gold = find_gold(Example(predicted, reference))
    assert classes_of(gold) == {(2, 4): NOUN_PHRASE, (1, 4): OTHER, (5, 6): NOUN_PHRASE}


def test_constituents_across_sentences_or_markers_are_left_out() -> None:
    example = make_example([(3, 6, "NP"), (0, 8, "S"), (5, 7, "S"), (0, 2, "NP")])
    set_speaker_markers(example.predicted, [(0, 1)])
    assert classes_of(find_gold(example)) == {(5, 7): OTHER}


@pytest.mark.parametrize(("constituents", "has_some"), [(None, False), ([], False), ([(0, 1, "NP")], True)])
def test_a_document_has_constituents_if_there_is_one(constituents: Constituents | None, has_some: bool) -> None:
    example = make_example(constituents)
    assert has_constituents(example) == has_some
    assert find_gold(example).annotated.tolist() == [has_some]


def test_constituents_that_are_too_wide_are_left_out() -> None:
    example = make_example([(0, 5, "S"), (1, 4, "VP"), (2, 4, "NP")])
    assert classes_of(find_gold(example, max_width=3)) == {(1, 4): OTHER, (2, 4): NOUN_PHRASE}
