from collections.abc import Mapping

import pytest
import torch
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.annotation import FRAME_PREFIX, PREDICATES_KEY, Argument, Frame, set_frames, set_title
from spacy_span_selector.examples.alignment import CROSSES_SENTENCES, EMPTY, MISALIGNED, TOO_WIDE
from spacy_span_selector.examples.gold_frames import (
    OTHER_SENTENCE,
    TOO_FAR,
    UNKNOWN_ROLE,
    UNKNOWN_ROLESET,
    UNSEEN_ROLESET,
    gold_frames,
)
from spacy_span_selector.examples.lost import LostSpans
from spacy_span_selector.examples.rolesets import RolesetCounts
from spacy_span_selector.examples.sentences import sentence_lengths
from spacy_span_selector.layers.spans import layout
from spacy_span_selector.layers.srl import roles
from spacy_span_selector.layers.srl.arguments import GoldFrames

VOCAB = Vocab()
WORDS = ["Ann", "saw", "her", "brother", ".", "He", "left", "."]
SENT_STARTS: list[bool | int | None] = [i in (0, 5) for i in range(8)]
ROLES = {"ARG0": 0, "ARG1": 1}
SAW = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 4, "ARG1")], "see.01")
LEFT = Frame(6, 7, [Argument(5, 6, "ARG0")], "leave.01")

Found = list[tuple[tuple[int, int], int, list[tuple[int, int, int]]]]
"""Predicates, each with the number of its roleset and its arguments."""


def make_example(
    frames: list[Frame] | None,
    *,
    words: list[str] = WORDS,
    spaces: list[bool] | None = None,
    prefix: str = FRAME_PREFIX,
    title: str = "the station",
) -> Example:
    reference = Doc(VOCAB, words=words, spaces=spaces)
    set_title(reference, title)
    if frames is not None:
        set_frames(reference, frames, prefix=prefix)
    return Example(Doc(VOCAB, words=WORDS, sent_starts=SENT_STARTS), reference)


def find_gold(
    *examples: Example,
    prefix: str = FRAME_PREFIX,
    roles: Mapping[str, int] = ROLES,
    seen: RolesetCounts | None = None,
    max_width: int | None = None,
    band_width: int | None = None,
) -> tuple[GoldFrames, LostSpans]:
    return gold_frames(
        examples,
        sentence_lengths([example.predicted for example in examples], "srl"),
        prefix=prefix,
        predicates_key=PREDICATES_KEY,
        roles=roles,
        rolesets={"leave.01": 0, "see.01": 1},
        seen=seen,
        max_width=max_width,
        band_width=band_width,
        device=torch.device("cpu"),
    )


def frames_of(gold: GoldFrames) -> Found:
    columns = gold.frames, gold.arguments.starts, gold.arguments.ends, gold.roles
    arguments = list(zip(*(column.tolist() for column in columns), strict=True))
    predicates = zip(gold.predicates.starts.tolist(), gold.predicates.ends.tolist(), strict=True)
    return [
        (predicate, roleset, [argument[1:] for argument in arguments if argument[0] == number])
        for number, (predicate, roleset) in enumerate(zip(predicates, gold.rolesets.tolist(), strict=True))
    ]


def test_predicates_have_their_rolesets_and_arguments_and_documents_rows_of_their_own() -> None:
    gold, lost = find_gold(make_example([LEFT, SAW]), make_example(None), make_example([LEFT]))
    expected = [((1, 1), 1, [(0, 0, 0), (2, 3, 1)]), ((6, 6), 0, [(5, 5, 0)]), ((22, 22), 0, [(21, 21, 0)])]
    assert frames_of(gold) == expected
    assert gold.annotated.tolist() == [True, False, True]
    assert not lost.counts


def test_a_span_may_be_an_argument_of_two_predicates_and_a_predicate_twice() -> None:
    frames = [Frame(1, 2, [Argument(0, 1, "ARG0")]), Frame(1, 2, [Argument(0, 1, "ARG1")]), Frame(1, 4, [])]
    gold, _ = find_gold(make_example(frames))
    assert frames_of(gold) == [((1, 1), -1, [(0, 0, 0)]), ((1, 1), -1, [(0, 0, 1)]), ((1, 3), -1, [])]


def test_predicates_are_sorted_whatever_the_number_of_their_group() -> None:
    example = make_example([])
    for number, (start, end) in enumerate([(6, 7), (1, 4), (1, 2)], start=1):
        example.reference.spans[f"srl_{number}"] = [Span(example.reference, start, end, "V")]
    assert [predicate for predicate, _, _ in frames_of(find_gold(example)[0])] == [(1, 1), (1, 3), (6, 6)]


def test_rolesets_that_cannot_be_learnt_are_counted_and_their_predicates_kept() -> None:
    frames = [SAW._replace(roleset="saw.99"), LEFT._replace(roleset="see.01"), SAW, SAW._replace(roleset=None)]
    gold, lost = find_gold(make_example(frames), seen={"left": {"leave.01": 2}, "saw": {"see.01": 1}})
    assert [predicate for predicate, _, _ in frames_of(gold)] == [(1, 1), (1, 1), (1, 1), (6, 6)]
    assert gold.rolesets.tolist() == [-1, 1, -1, 1]
    assert lost.counts == {UNKNOWN_ROLESET: 1, UNSEEN_ROLESET: 1}
    assert lost.first == {
        UNKNOWN_ROLESET: "'saw.99' of 'saw' in document 'the station'",
        UNSEEN_ROLESET: "'see.01' of 'left' in document 'the station'",
    }
    assert find_gold(make_example([SAW, LEFT]), seen={})[1].counts == {UNSEEN_ROLESET: 2}, "no word was ever seen"
    gold, lost = find_gold(make_example(frames), seen=None)
    assert gold.rolesets.tolist() == [-1, 1, -1, 1] and not lost.counts, "rolesets are not learnt"


def test_an_unknown_role_is_counted_and_the_rest_is_kept() -> None:
    gold, lost = find_gold(make_example([SAW, LEFT]), roles={"ARG1": 0})
    assert frames_of(gold) == [((1, 1), 1, [(2, 3, 0)]), ((6, 6), 0, [])]
    assert lost.counts == {UNKNOWN_ROLE: 2}
    assert lost.first == {UNKNOWN_ROLE: "ARG0 'Ann' in document 'the station'"}


def test_a_document_may_be_annotated_without_frames_or_not_annotated() -> None:
    other_text = make_example(None, words=["Eve", "left", "."])
    for examples, annotated in (([make_example([]), other_text], [True, False]), ([], [])):
        gold, lost = find_gold(*examples)
        assert gold.annotated.tolist() == annotated
        assert frames_of(gold) == [] and len(gold.frames) == len(gold.roles) == 0
        assert not lost.counts


def test_prefix_says_which_groups_are_frames() -> None:
    example = make_example([SAW], prefix="roles")
    set_frames(example.reference, [LEFT])
    assert frames_of(find_gold(example, prefix="roles")[0]) == [((1, 1), 1, [(0, 0, 0), (2, 3, 1)])]


def test_other_tokens_are_aligned() -> None:
    words = ["An", "n", "saw", "her", "brother", ".", "He", "left."]
    example = make_example(
        [Frame(2, 3, [Argument(0, 2, "ARG0"), Argument(3, 5, "ARG1")]), Frame(7, 8, [])], words=words
    )
    gold, lost = find_gold(example)
    assert frames_of(gold) == [((1, 1), -1, [(0, 0, 0), (2, 3, 1)]), ((6, 7), -1, [])]
    assert not lost.counts


def test_a_predicate_that_does_not_align_is_lost_with_its_arguments_and_an_argument_alone() -> None:
    frames = [Frame(2, 3, [Argument(0, 1, "ARG0"), Argument(0, 1, "ARG9")]), Frame(7, 8, [Argument(6, 7, "ARG0")])]
    gold, lost = find_gold(make_example(frames, words=["Ann", "s", "aw", *WORDS[2:]]))
    assert frames_of(gold) == [((6, 6), -1, [(5, 5, 0)])]
    assert lost.counts == {MISALIGNED: 1}
    assert lost.first == {MISALIGNED: "predicate 'aw' in document 'the station'"}
    frames = [Frame(2, 3, [Argument(1, 2, "ARG0"), Argument(3, 5, "ARG1")])]
    gold, lost = find_gold(make_example(frames, words=["A", "nn", *WORDS[1:]]))
    assert frames_of(gold) == [((1, 1), -1, [(2, 3, 1)])]
    assert lost.counts == {MISALIGNED: 1}
    assert lost.first == {MISALIGNED: "ARG0 'nn' in document 'the station'"}


def test_what_crosses_a_sentence_boundary_or_is_a_wide_argument_is_counted() -> None:
    frames = [Frame(1, 2, [Argument(2, 6, "ARG1"), Argument(0, 1, "ARG0")]), Frame(4, 7, [])]
    gold, lost = find_gold(make_example(frames))
    assert frames_of(gold) == [((1, 1), -1, [(0, 0, 0)])]
    assert lost.counts == {CROSSES_SENTENCES: 2}
    gold, lost = find_gold(make_example([SAW, Frame(0, 4, [])]), max_width=1)
    assert frames_of(gold) == [((0, 3), -1, []), ((1, 1), 1, [(0, 0, 0)])], "predicates may be wide"
    assert lost.counts == {TOO_WIDE: 1}


def test_an_argument_in_another_sentence_than_its_predicate_is_counted() -> None:
    frames = [
        SAW._replace(arguments=[*SAW.arguments, Argument(5, 6, "ARG1")]),
        LEFT._replace(arguments=[Argument(0, 1, "ARG1"), *LEFT.arguments]),
    ]
    gold, lost = find_gold(make_example(None), make_example(frames))
    assert frames_of(gold) == [((9, 9), 1, [(8, 8, 0), (10, 11, 1)]), ((14, 14), 0, [(13, 13, 0)])]
    assert lost.counts == {OTHER_SENTENCE: 2}
    assert lost.first == {OTHER_SENTENCE: "ARG1 'He' in document 'the station'"}


def test_spans_without_tokens_are_counted() -> None:
    example = make_example([SAW])
    reference = example.reference
    reference.spans["srl_2"] = SpanGroup(reference, spans=[Span(reference, 8, 8, "V"), reference[0:1]])
    reference.spans["srl_3"] = SpanGroup(reference, spans=[reference[6:7], Span(reference, 3, 3, "ARG0")])
    gold, lost = find_gold(example)
    assert frames_of(gold) == [((1, 1), 1, [(0, 0, 0), (2, 3, 1)]), ((6, 6), -1, [])]
    assert lost.counts == {EMPTY: 2}


def test_arguments_far_from_their_predicate_in_a_long_sentence_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roles, "GREATEST_DISTANCE", 1)
    example = make_example([Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(3, 4, "ARG1")])])
    for long in (False, True):
        monkeypatch.setattr(layout, "LEAST_LONG", 2 if long else 100)
        gold, lost = find_gold(example, band_width=2)
        assert len(gold.roles) == (1 if long else 2)
        assert lost.counts == ({TOO_FAR: 1} if long else {})
