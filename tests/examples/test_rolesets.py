from __future__ import annotations

import math

import pytest
import torch
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Frame, set_frames
from spacy_span_selector.annotation.lexicon import Lexicon
from spacy_span_selector.examples.rolesets import (
    LookUpSenses,
    RolesetCounts,
    add_lexicon,
    count_rolesets,
    number_rolesets,
)
from spacy_span_selector.layers.spans.layout import Spans

VOCAB = Vocab()


def make_doc(words: list[str], lemmas: list[str] | None = None, rolesets: dict[int, str | None] | None = None) -> Doc:
    """A document whose tokens with a roleset, None among them, are predicates."""
    doc = Doc(VOCAB, words=words, lemmas=lemmas)
    set_frames(doc, [Frame(i, i + 1, [], roleset) for i, roleset in (rolesets or {}).items()])
    return doc


def look_up(docs: list[Doc], counts: RolesetCounts, predicates: list[tuple[int, int]]) -> list[dict[str, float]]:
    """How often the form or lemma of each predicate was seen with each roleset."""
    starts, ends = torch.tensor(predicates, dtype=torch.long).view(-1, 2).T
    numbers = number_rolesets(counts, {})
    pairs, log_counts = LookUpSenses(docs, counts, numbers)(Spans(starts, ends))
    found: list[dict[str, float]] = [{} for _ in predicates]
    for predicate, number, count in zip(pairs.left.tolist(), pairs.right.tolist(), log_counts.tolist(), strict=True):
        found[predicate][list(numbers)[number]] = round(math.exp(count), 4)
    assert pairs.left.tolist() == sorted(pairs.left.tolist())
    return found


COUNTS = {"left": {"depart.01": 1, "leave.02": 3}, "leave": {"leave.02": 2}, "took off": {"take_off.07": 1}}


def test_forms_and_lemmas_are_counted() -> None:
    docs = [
        make_doc(
            ["Left", "left", "leaves"], ["leave", "leave", "leave"], {0: "leave.02", 1: "depart.01", 2: "leave.02"}
        ),
        make_doc(["left", "runs"], rolesets={0: "leave.02", 1: None}),
    ]
    assert count_rolesets(docs, "srl") == {
        "leave": {"depart.01": 1, "leave.02": 2},
        "leaves": {"leave.02": 1},
        "left": {"depart.01": 1, "leave.02": 2},
    }


def test_a_form_that_is_its_lemma_is_counted_once() -> None:
    assert count_rolesets([make_doc(["leave"], ["leave"], {0: "leave.02"})], "srl") == {"leave": {"leave.02": 1}}


def test_predicates_of_several_words_are_counted_whole() -> None:
    doc = Doc(VOCAB, words=["took", "off"], lemmas=["take", "off"])
    set_frames(doc, [Frame(0, 2, [], "take_off.07")], prefix="roles")
    assert count_rolesets([doc], "roles") == {"take off": {"take_off.07": 1}, "took off": {"take_off.07": 1}}
    assert count_rolesets([doc], "srl") == {}


def test_numbers_are_alphabetical() -> None:
    assert number_rolesets(COUNTS, {}) == {"depart.01": 0, "leave.02": 1, "take_off.07": 2}


def test_the_form_is_looked_up_before_the_lemma() -> None:
    doc = make_doc(["LEFT", "leaving", "leaving"], ["leave", "leave", "Leave"])
    assert look_up([doc], COUNTS, [(0, 0), (1, 1), (2, 2)]) == [
        {"depart.01": 1, "leave.02": 3},
        {"leave.02": 2},
        {"leave.02": 2},
    ]


def test_what_was_never_seen_has_no_rolesets() -> None:
    doc = make_doc(["ran", "left"])
    assert look_up([doc], COUNTS, [(0, 0), (1, 1)]) == [{}, {"depart.01": 1, "leave.02": 3}]


@pytest.mark.parametrize("lemmas", [None, ["", "", ""]])
def test_words_without_lemmas_are_looked_up_by_their_form(lemmas: list[str] | None) -> None:
    doc = make_doc(["went", "took", "off"], lemmas)
    assert look_up([doc], {**COUNTS, "": {"void.01": 1}}, [(0, 0), (1, 2)]) == [{}, {"take_off.07": 1}]


def test_what_a_form_may_be_a_form_of_is_looked_up_last() -> None:
    doc = make_doc(["leaving", "leaving"], ["", "left"])
    assert look_up([doc], COUNTS, [(0, 0), (1, 1)]) == [{"leave.02": 2}, {"depart.01": 1, "leave.02": 3}]


LEXICON: Lexicon = {
    name: {"name": "", "words": words, "roles": {}}
    for name, words in {"leave.09": ["leave"], "depart.01": ["depart"], "go_off.01": ["go off", "depart"]}.items()
}


def test_rolesets_of_the_lexicon_come_after_those_that_were_seen() -> None:
    assert [*number_rolesets(COUNTS, LEXICON)] == ["depart.01", "leave.02", "take_off.07", "go_off.01", "leave.09"]


def test_only_words_that_were_never_seen_have_the_rolesets_of_the_lexicon() -> None:
    assert add_lexicon(COUNTS, LEXICON) == {
        **COUNTS,
        "depart": {"depart.01": 1, "go_off.01": 1},
        "go off": {"go_off.01": 1},
    }


def test_predicates_of_a_batch_are_found_in_their_documents() -> None:
    docs = [make_doc(["Ann", "left"]), Doc(VOCAB), make_doc(["took", "off"]), make_doc(["leave"])]
    assert look_up(docs, COUNTS, [(1, 1), (2, 3), (4, 4)]) == [
        {"depart.01": 1, "leave.02": 3},
        {"take_off.07": 1},
        {"leave.02": 2},
    ]


def test_no_predicates_have_no_rolesets() -> None:
    assert look_up([make_doc(["left"])], COUNTS, []) == []
    assert look_up([make_doc(["left"])], {}, [(0, 0)]) == [{}]
