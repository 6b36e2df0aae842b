import itertools

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import CLUSTER_PREFIX, GIVEN_MENTIONS_KEY, MENTIONS_KEY, Mention
from spacy_span_selector.documents.cleaned import clean_docs
from spacy_span_selector.examples.alignment import CROSSES_SENTENCES, EMPTY, MISALIGNED, TOO_WIDE
from spacy_span_selector.examples.gold_mentions import REPEATED, TOO_WIDE_HERE, given_mentions, gold_mentions
from spacy_span_selector.examples.lost import LostSpans
from spacy_span_selector.examples.sentences import sentence_lengths
from spacy_span_selector.layers.coref.loss import GoldMentions
from spacy_span_selector.layers.selection.candidates import AboveThreshold
from spacy_span_selector.layers.spans import layout
from spacy_span_selector.layers.spans.layout import SpanLayout

Clusters = list[list[Mention]]

VOCAB = Vocab()
WORDS = ["Ann", "saw", "her", "brother", ".", "He", "left", "."]
SENT_STARTS: list[bool | int | None] = [i in (0, 5) for i in range(8)]


def make_example(
    clusters: Clusters | None, *, words: list[str] = WORDS, predicted: Doc | None = None, title: str = "the station"
) -> Example:
    reference = Doc(VOCAB, words=words)
    annotation.set_title(reference, title)
    if clusters is not None:
        annotation.set_clusters(reference, clusters)
    return Example(predicted or Doc(VOCAB, words=WORDS, sent_starts=SENT_STARTS), reference)


def find_gold(
    *examples: Example,
    prefix: str = CLUSTER_PREFIX,
    max_width: int | None = None,
    types: dict[str, int] | None = None,
) -> tuple[GoldMentions, LostSpans]:
    lengths = sentence_lengths([example.predicted for example in examples], "coref")
    keys, device = {"prefix": prefix, "mentions_key": MENTIONS_KEY}, torch.device("cpu")
    return gold_mentions(examples, lengths, **keys, types=types or {}, max_width=max_width, device=device)


def clusters_of(gold: GoldMentions) -> set[frozenset[Mention]]:
    """The clusters as token rows, end exclusive."""
    members: dict[int, set[Mention]] = {}
    for start, end, cluster in zip(gold.starts.tolist(), gold.ends.tolist(), gold.clusters.tolist(), strict=True):
        members.setdefault(cluster, set()).add((start, end + 1))
    return {frozenset(cluster) for cluster in members.values()}


def test_mentions_keep_their_clusters_and_documents_have_rows_of_their_own() -> None:
    several = make_example([[(0, 1), (2, 3)], [(2, 4), (5, 6)]])
    gold, lost = find_gold(several, make_example(None), make_example([[(0, 1), (5, 6)]]))
    assert clusters_of(gold) == {*map(frozenset, ([(0, 1), (2, 3)], [(2, 4), (5, 6)], [(16, 17), (21, 22)]))}
    assert gold.annotated.tolist() == [True, False, True]
    assert not lost.counts


def test_a_document_may_be_annotated_without_clusters_or_not_annotated() -> None:
    other_text = make_example(None, words=["Eve", "left", "."])
    for examples, annotated in (([make_example([]), other_text], [True, False]), ([], [])):
        gold, lost = find_gold(*examples)
        assert gold.annotated.tolist() == annotated
        assert len(gold.starts) == len(gold.ends) == len(gold.clusters) == 0
        assert not lost.counts


def test_prefix_says_which_groups_are_clusters() -> None:
    example = make_example([[(0, 1)]])
    annotation.set_clusters(example.reference, [[(5, 6)]], prefix="people")
    assert clusters_of(find_gold(example, prefix="people")[0]) == {frozenset({(5, 6)})}


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
    annotation.set_clusters(reference, [[(span.start, span.end) for span in spans]])
    gold, lost = find_gold(Example(predicted, reference))
    by_characters = [predicted.char_span(span.start_char, span.end_char) for span in spans]
    expected = {(span.start, span.end) for span in by_characters if span is not None}
    assert clusters_of(gold) == ({frozenset(expected)} if expected else set())
    assert lost.counts[MISALIGNED] == by_characters.count(None)


def test_whitespace_tokens_do_not_shift_mentions() -> None:
    words, spaces = ["Ann", "  ", "saw", "\n", "Bob"], [True, False, True, False, False]
    predicted = Doc(VOCAB, words=words, spaces=spaces, sent_starts=[True, False, False, False, False])
    reference = Doc(VOCAB, words=words, spaces=spaces)
    annotation.set_clusters(reference, [[(0, 1), (4, 5)]])
    gold, lost = find_gold(Example(predicted, reference))
    assert clusters_of(gold) == {frozenset({(0, 1), (4, 5)})}
    assert not lost.counts


def test_what_does_not_align_is_counted() -> None:
    words = ["Ann", "saw", "her", "brother", ".", "H", "e", "left", "."]
    whole, parts = ([[(0, 1), (5, 7)]], [[(0, 1), (5, 6), (6, 7)]])
    gold, lost = find_gold(make_example(whole, words=words), make_example(parts, words=words))
    assert clusters_of(gold) == {frozenset({(0, 1), (5, 6)}), frozenset({(8, 9)})}
    assert lost.counts == {MISALIGNED: 2}
    assert lost.first == {MISALIGNED: "'H' in document 'the station'"}


@pytest.mark.parametrize(
    ("clusters", "max_width", "kept", "counts"),
    [
        ([[(0, 1), (3, 6)], [(0, 8)]], None, [[(0, 1)]], {CROSSES_SENTENCES: 2}),
        ([[(0, 1), (2, 3)], [(2, 3), (5, 6)]], None, [[(0, 1), (2, 3)], [(5, 6)]], {REPEATED: 1}),
        ([[(0, 1), (2, 4)], [(0, 3)]], 2, [[(0, 1), (2, 4)]], {TOO_WIDE: 1}),
    ],
)
def test_what_cannot_be_learnt_is_counted(
    clusters: Clusters, max_width: int | None, kept: Clusters, counts: dict[str, int]
) -> None:
    gold, lost = find_gold(make_example(clusters), max_width=max_width)
    assert clusters_of(gold) == {*map(frozenset, kept)}
    assert lost.counts == counts


def test_a_mention_without_tokens_is_counted() -> None:
    example = make_example([[(0, 1)]])
    example.reference.spans[f"{CLUSTER_PREFIX}_2"] = [Span(example.reference, i, i) for i in (0, 3, 8)]
    gold, lost = find_gold(example)
    assert clusters_of(gold) == {frozenset({(0, 1)})}
    assert lost.counts == {EMPTY: 3}


ONE_WORD = AboveThreshold(0.5)
"""With the probabilities below, it chooses the first token of each sentence."""


def make_doc(given: list[tuple[int, int]] | None, key: str = GIVEN_MENTIONS_KEY) -> Doc:
    doc = Doc(VOCAB, words=WORDS, sent_starts=[i in (0, 5) for i in range(8)])
    annotation.set_title(doc, "the station")
    if given is not None:
        doc.spans[key] = SpanGroup(doc, name=key, spans=[Span(doc, start, end) for start, end in given])
    return doc


def chosen(
    *docs: Doc, key: str = GIVEN_MENTIONS_KEY, most: int | None = None
) -> tuple[list[tuple[int, int]], LostSpans]:
    """The spans that are linked, as rows of the token matrix, end exclusive, and what is left out."""
    built = SpanLayout.build(sentence_lengths(docs, "coref"), None, most)
    starts, ends = built.locate(torch.arange(built.size))
    first_words = (starts == ends) & (built.place[starts] == 0) & built.valid()
    strategy, lost = given_mentions(clean_docs(docs), built, key, ONE_WORD)
    starts, ends = built.locate(strategy(torch.zeros(built.size), first_words.float().log(), built))
    return list(zip(starts.tolist(), (ends + 1).tolist(), strict=True)), lost


@pytest.mark.parametrize(
    "given", [[], [(2, 4), (2, 3), (1, 3)], [(2, 4), (0, 1), (2, 4)]], ids=["none", "some", "twice"]
)
def test_only_given_mentions_are_linked(given: list[tuple[int, int]]) -> None:
    assert chosen(make_doc(given)) == (sorted({*given}), LostSpans())
    assert chosen(make_doc(given, key="entities"), key="entities")[0] == sorted({*given})


def test_other_documents_of_the_batch_are_not_affected() -> None:
    found, _ = chosen(make_doc(None), make_doc([(6, 7)]), make_doc([]), make_doc(None))
    assert found == [(0, 1), (5, 6), (14, 15), (24, 25), (29, 30)]


def test_without_given_mentions_the_strategy_is_the_same() -> None:
    docs = [make_doc(None), make_doc([(0, 1)], key="entities")]
    built = SpanLayout.build(sentence_lengths(docs, "coref"))
    assert given_mentions(clean_docs(docs), built, GIVEN_MENTIONS_KEY, ONE_WORD) == (ONE_WORD, LostSpans())


def test_spans_that_cannot_be_linked_are_left_out_and_counted() -> None:
    doc = make_doc([(2, 4), (3, 6), (4, 6), (8, 8), (0, 8)])
    found, lost = chosen(make_doc(None), doc)
    assert found == [(0, 1), (5, 6), (10, 12)]
    assert lost.counts == {CROSSES_SENTENCES: 3, EMPTY: 1}
    assert lost.first[CROSSES_SENTENCES] == "'brother . He' in document 'the station'"


def test_mentions_that_a_long_sentence_has_no_score_for_are_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(layout, "LEAST_LONG", 4)
    found, lost = chosen(make_doc([(0, 1), (0, 3), (5, 8)]), most=2)
    assert found == [(0, 1), (5, 8)]  # the second sentence has three words
    assert lost.counts == {TOO_WIDE_HERE: 1}
    assert lost.first[TOO_WIDE_HERE] == "'Ann saw her' in document 'the station'"


def test_a_mention_may_have_the_types_of_its_cluster_that_are_known_and_any_if_none_is() -> None:
    example = make_example([[(0, 1)], [(3, 4)], [(5, 6)]])
    annotation.set_clusters(example.reference, [[(0, 1)], [(3, 4)], [(5, 6)]], entity_types=["PER", "LOC|GPE", ""])
    annotation.set_annotates(example.reference, ["LOC|FAC"])
    gold, _ = find_gold(example, types={"PER": 0, "LOC": 1})
    assert gold.types.of_spans is not None and gold.types.declared is not None
    assert gold.types.of_spans.tolist() == [[True, False], [False, True], [True, True]]
    assert gold.types.declared.tolist() == [[False, True]]


def test_documents_that_say_nothing_are_annotated_for_every_type() -> None:
    gold, _ = find_gold(make_example([[(0, 1)]]), types={"PER": 0})
    assert gold.types.declared is None
