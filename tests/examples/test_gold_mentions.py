from __future__ import annotations

import itertools

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    CLUSTER_PREFIX,
    MENTIONS_KEY,
    Mention,
    set_clusters,
    set_speaker_markers,
    set_title,
)
from spacy_span_selector.examples.alignment import CROSSES_SENTENCES, EMPTY, HOLDS_MARKER, MISALIGNED, TOO_WIDE
from spacy_span_selector.examples.gold_mentions import REPEATED, gold_mentions
from spacy_span_selector.examples.lost import LostSpans
from spacy_span_selector.examples.sentences import sentence_runs
from spacy_span_selector.layers.coref.gold import GoldMentions

Clusters = list[list[Mention]]

VOCAB = Vocab()
WORDS = ["Ann", "saw", "her", "brother", ".", "He", "left", "."]
SENT_STARTS: list[bool | int | None] = [i in (0, 5) for i in range(8)]


def make_example(
    clusters: Clusters | None, *, words: list[str] = WORDS, predicted: Doc | None = None, title: str = "the station"
) -> Example:
    reference = Doc(VOCAB, words=words)
    set_title(reference, title)
    if clusters is not None:
        set_clusters(reference, clusters)
    return Example(predicted or Doc(VOCAB, words=WORDS, sent_starts=SENT_STARTS), reference)


def find_gold(
    *examples: Example, prefix: str = CLUSTER_PREFIX, max_width: int | None = None
) -> tuple[GoldMentions, LostSpans]:
    lengths = sentence_runs([example.predicted for example in examples], "coref")
    return gold_mentions(
        examples, lengths, prefix=prefix, mentions_key=MENTIONS_KEY, max_width=max_width, device=torch.device("cpu")
    )


def clusters_of(gold: GoldMentions) -> set[frozenset[Mention]]:
    """The clusters as token rows, end exclusive."""
    members: dict[int, set[Mention]] = {}
    for start, end, cluster in zip(gold.starts.tolist(), gold.ends.tolist(), gold.clusters.tolist(), strict=True):
        members.setdefault(cluster, set()).add((start, end + 1))
    return {frozenset(cluster) for cluster in members.values()}


def test_mentions_keep_their_clusters() -> None:
    gold, lost = find_gold(make_example([[(0, 1), (2, 3)], [(2, 4), (5, 6)]]))
    assert clusters_of(gold) == {frozenset({(0, 1), (2, 3)}), frozenset({(2, 4), (5, 6)})}
    assert not lost.counts


def test_documents_have_rows_and_clusters_of_their_own() -> None:
    gold, _ = find_gold(make_example([[(0, 1), (2, 3)]]), make_example(None), make_example([[(0, 1), (5, 6)]]))
    assert clusters_of(gold) == {frozenset({(0, 1), (2, 3)}), frozenset({(16, 17), (21, 22)})}
    assert gold.annotated.tolist() == [True, False, True]


def test_a_document_may_be_annotated_without_clusters() -> None:
    gold, _ = find_gold(make_example([]))
    assert gold.annotated.tolist() == [True]
    assert len(gold.starts) == len(gold.clusters) == 0


def test_prefix_says_which_groups_are_clusters() -> None:
    example = make_example([[(0, 1)]])
    set_clusters(example.reference, [[(5, 6)]], prefix="people")
    assert clusters_of(find_gold(example, prefix="people")[0]) == {frozenset({(5, 6)})}


@pytest.mark.parametrize(
    ("words", "mention", "expected"),
    [
        (["Ann", "saw", "her", "bro", "ther", ".", "He", "left", "."], (2, 5), (2, 4)),
        (["Ann", "saw", "her", "brother", ".", "He", "left."], (5, 6), (5, 6)),
        (["An", "n", "saw", "her", "brother", ".", "He", "left", "."], (0, 2), (0, 1)),
    ],
)
def test_other_tokens_are_aligned(words: list[str], mention: Mention, expected: Mention) -> None:
    gold, lost = find_gold(make_example([[mention]], words=words))
    assert clusters_of(gold) == {frozenset({expected})}
    assert not lost.counts


@st.composite
def tokenised_twice(draw: st.DrawFn) -> tuple[Doc, Doc]:
    """The same text cut into tokens in two ways, in one sentence."""
    text = draw(st.text("ab ", min_size=1, max_size=10)).strip() or "a"
    text = " ".join(text.split())
    docs = []
    for _ in range(2):
        words, spaces = [], []
        for part in text.split(" "):
            cuts = sorted(draw(st.sets(st.integers(1, max(1, len(part) - 1)))) | {0, len(part)})
            words += [part[begin:end] for begin, end in itertools.pairwise(cuts)]
            spaces += [False] * (len(cuts) - 2) + [True]
        spaces[-1] = False
        docs.append(Doc(VOCAB, words=words, spaces=spaces, sent_starts=[i == 0 for i in range(len(words))]))
    return docs[0], docs[1]


@settings(deadline=None)
@given(tokenised_twice())
def test_alignment_agrees_with_characters(docs: tuple[Doc, Doc]) -> None:
    predicted, reference = docs
    spans = [reference[i:j] for i in range(len(reference)) for j in range(i + 1, len(reference) + 1)]
    set_clusters(reference, [[(span.start, span.end) for span in spans]])
    gold, lost = find_gold(Example(predicted, reference))
    by_characters = [predicted.char_span(span.start_char, span.end_char) for span in spans]
    expected = {(span.start, span.end) for span in by_characters if span is not None}
    assert clusters_of(gold) == ({frozenset(expected)} if expected else set())
    assert lost.counts[MISALIGNED] == by_characters.count(None)


def test_whitespace_tokens_do_not_shift_mentions() -> None:
    words, spaces = ["Ann", "  ", "saw", "\n", "Bob"], [True, False, True, False, False]
    predicted = Doc(VOCAB, words=words, spaces=spaces, sent_starts=[True, False, False, False, False])
    reference = Doc(VOCAB, words=words, spaces=spaces)
    set_clusters(reference, [[(0, 1), (4, 5)]])
    gold, lost = find_gold(Example(predicted, reference))
    assert clusters_of(gold) == {frozenset({(0, 1), (4, 5)})}
    assert not lost.counts


def test_what_does_not_align_is_counted() -> None:
    example = make_example([[(0, 1), (5, 7)]], words=["Ann", "saw", "her", "brother", ".", "H", "e", "left", "."])
    parts = make_example([[(0, 1), (5, 6), (6, 7)]], words=["Ann", "saw", "her", "brother", ".", "H", "e", "left", "."])
    gold, lost = find_gold(example, parts)
    assert clusters_of(gold) == {frozenset({(0, 1), (5, 6)}), frozenset({(8, 9)})}
    assert lost.counts == {MISALIGNED: 2}
    assert lost.first == {MISALIGNED: "'H' in document 'the station'"}


def test_what_crosses_a_sentence_boundary_is_counted() -> None:
    gold, lost = find_gold(make_example([[(0, 1), (3, 6)], [(0, 8)]]))
    assert clusters_of(gold) == {frozenset({(0, 1)})}
    assert lost.counts == {CROSSES_SENTENCES: 2}


def test_what_holds_a_marker_is_counted_and_the_rest_keeps_its_rows() -> None:
    examples = [make_example([[(0, 1), (2, 3)], [(2, 4), (5, 6)]]) for _ in range(2)]
    for example in examples:
        set_speaker_markers(example.predicted, [(3, 4)])
    gold, lost = find_gold(*examples)
    assert clusters_of(gold) == {
        frozenset(mentions) for mentions in [{(0, 1), (2, 3)}, {(5, 6)}, {(8, 9), (10, 11)}, {(13, 14)}]
    }
    assert lost.counts == {HOLDS_MARKER: 2}


def test_a_mention_in_two_clusters_stays_in_the_first() -> None:
    gold, lost = find_gold(make_example([[(0, 1), (2, 3)], [(2, 3), (5, 6)]]))
    assert clusters_of(gold) == {frozenset({(0, 1), (2, 3)}), frozenset({(5, 6)})}
    assert lost.counts == {REPEATED: 1}


def test_what_is_wider_than_the_model_can_select_is_counted() -> None:
    gold, lost = find_gold(make_example([[(0, 1), (2, 4)], [(0, 3)]]), max_width=2)
    assert clusters_of(gold) == {frozenset({(0, 1), (2, 4)})}
    assert lost.counts == {TOO_WIDE: 1}


def test_a_mention_without_tokens_is_counted() -> None:
    example = make_example([[(0, 1)]])
    example.reference.spans[f"{CLUSTER_PREFIX}_2"] = [Span(example.reference, i, i) for i in (0, 3, 8)]
    gold, lost = find_gold(example)
    assert clusters_of(gold) == {frozenset({(0, 1)})}
    assert lost.counts == {EMPTY: 3}


def test_texts_that_differ_are_an_error_that_names_the_document() -> None:
    example = make_example([[(0, 1)]], words=["Eve", "left", "."])
    with pytest.raises(
        ValueError, match=r"document 'the station'.* 'Eve left \. ', the prediction 'Ann saw .*same text"
    ):
        find_gold(example)


def test_texts_that_differ_without_annotation_are_left_alone() -> None:
    gold, _ = find_gold(make_example(None, words=["Eve", "left", "."]))
    assert gold.annotated.tolist() == [False]


def test_no_examples_have_no_gold() -> None:
    gold, lost = find_gold()
    assert len(gold.starts) == len(gold.ends) == len(gold.clusters) == len(gold.annotated) == 0
    assert not lost.counts
