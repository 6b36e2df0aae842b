import re

import pytest

from spacy_span_selector.annotation import Argument, Frame
from spacy_span_selector.tools.formats.ewt import Skeleton, parse_skeletons
from spacy_span_selector.tools.formats.reports import Report

NAME = "google/ewt/email/00/tale.xml"

TALE = f"""{NAME}  0  0  [WORD]   PRP  (TOP(S(NP*)     -          -       (ARG0*)        *
{NAME}  0  1  [WORD]    MD         (VP*     -          -   (ARGM-MOD*)        *
{NAME}  0  2  [WORD]    VB         (VP*   give  give_up.08         (V*        *
{NAME}  0  3  [WORD]    RP       (PRT*)     -          -            *)        *
{NAME}  0  4  [WORD]  PRP$         (NP*     -          -       (ARG1*   (ARG0*)
{NAME}  0  5  [WORD]    NN       *)))))  call     call.02          *)      (V*)

{NAME}  1  0  [WORD]    UH   (TOP(INTJ*))   -          -
"""


def replace_row(number: int, row: str) -> str:
    lines = TALE.split("\n")
    lines[number - 1] = f"{NAME} {row}"
    return "\n".join(lines)


def read(text: str) -> list[Skeleton]:
    """The sentences of a text without faults."""
    report = Report()
    skeletons = parse_skeletons(text, "a.gold_skel", report)
    assert not report.findings
    return skeletons


def test_tags_trees_rolesets_and_frames_are_read():
    first, second = read(TALE)
    assert first.tags == ["PRP", "MD", "VB", "RP", "PRP$", "NN"]
    assert first.rolesets == [None, None, "give_up.08", None, None, "call.02"]
    assert first.constituents == [
        (0, 6, "TOP"),
        (0, 6, "S"),
        (0, 1, "NP"),
        (1, 6, "VP"),
        (2, 6, "VP"),
        (3, 4, "PRT"),
        (4, 6, "NP"),
    ]
    assert first.frames == [
        Frame(2, 4, [Argument(0, 1, "ARG0"), Argument(1, 2, "ARGM-MOD"), Argument(4, 6, "ARG1")], "give_up.08"),
        Frame(5, 6, [Argument(4, 5, "ARG0")], "call.02"),
    ]
    assert second.tags == ["UH"]
    assert second.frames == []


def test_a_predicate_that_is_listed_for_two_tokens_is_kept_once():
    rows = [
        f"{NAME} 0 0 [WORD] VBD * step sidestep.01 (V*) (V*)",
        f"{NAME} 0 1 [WORD] NN * - - (ARG1*) (ARG1*)",
        f"{NAME} 0 2 [WORD] RB * step sidestep.01 (C-V*) (C-V*)",
    ]
    (skeleton,) = read("\n".join(rows))
    assert skeleton.frames == [Frame(0, 1, [Argument(1, 2, "ARG1"), Argument(2, 3, "C-V")], "sidestep.01")]
    assert skeleton.rolesets == ["sidestep.01", None, "sidestep.01"]


def test_two_rolesets_on_one_span_are_two_frames():
    rows = [f"{NAME} 0 0 [WORD] VB * - go.01 (V* (V*", f"{NAME} 0 1 [WORD] VB * - get.01 *) *)"]
    (skeleton,) = read("\n".join(rows))
    assert skeleton.frames == [Frame(0, 2, [], "go.01"), Frame(0, 2, [], "get.01")]


@pytest.mark.parametrize(
    ("number", "row", "message"),
    [
        (1, "0 0 [WORD] PRP", "a.gold_skel:1: found 5 columns, expected 8"),
        (2, "0 1 [WORD] MD (VP* - - *", "a.gold_skel:2: found 9 columns, expected 10"),
        (2, "0 2 [WORD] VB (VP* - - * *", "a.gold_skel:2: found sentence 0, token 2, expected sentence 0, token 1"),
        (8, "2 0 [WORD] UH * - -", "a.gold_skel:8: found sentence 2, token 0, expected sentence 1, token 0"),
        (8, "1 0 [WORD] UH * wow wow.01", "a.gold_skel:8: the sentence that starts here has 1 rolesets and 0 columns"),
    ],
)
def test_malformed_files_are_named_with_the_line(number: int, row: str, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_skeletons(replace_row(number, row), "a.gold_skel", Report())


def read_damaged(number: int, row: str) -> tuple[Skeleton, str]:
    """The first sentence with another row, and what was left out of it."""
    report = Report()
    skeleton, _ = parse_skeletons(replace_row(number, row), "a.gold_skel", report)
    (cases,) = report.findings.values()
    return skeleton, cases[0]


def test_a_bracket_without_a_partner_costs_its_argument_alone():
    skeleton, case = read_damaged(6, "0 5 [WORD] NN *))))) call call.02 * (V*)")
    assert case.startswith("a.gold_skel:5: a span `(ARG1` opens here and is never closed")
    assert skeleton.frames == [
        Frame(2, 4, [Argument(0, 1, "ARG0"), Argument(1, 2, "ARGM-MOD")], "give_up.08"),
        Frame(5, 6, [Argument(4, 5, "ARG0")], "call.02"),
    ]


def test_a_predicate_that_cannot_be_read_costs_its_frame_alone():
    skeleton, case = read_damaged(6, "0 5 [WORD] NN *))))) call call.02 *) *")
    assert case == "a.gold_skel:6: found 0 spans `(V*)` in the column of call.02, expected one."
    assert [frame.roleset for frame in skeleton.frames] == ["give_up.08"]
    assert len(skeleton.constituents) == 7


def test_a_parse_that_cannot_be_read_costs_no_frame():
    skeleton, case = read_damaged(6, "0 5 [WORD] NN *)))) call call.02 *) (V*)")
    assert case.startswith("a.gold_skel:1: a span `(TOP` opens here and is never closed")
    assert skeleton.constituents == []
    assert len(skeleton.frames) == 2
