from typing import Any

import pytest
from spacy.tokens import Doc

from spacy_span_selector.annotation import get_clusters, get_frames, get_labelled_spans, get_quotations, get_speakers
from spacy_span_selector.tools.serving.corrections import correct, describe

from ...parsing import parse_one

BRACKETS = """=== the station
[[Her|ann] brother|tom] met [Dr. Bell|bell] at [a café].
> [ARG0 Her brother] [V=meet.03 met] [ARG1 Dr. Bell] [ARGM-LOC at a café].
[] [PERSON [PERSON Her] brother] met [PERSON Dr. Bell] at a café.
@Ann Lee: “Come,” said [Tom|tom] to [her|ann].
> “[V Come],” said Tom to her.
< [tom>ann “Come,”] said Tom to her.
"""
"""Her 0, Her brother 0-2, Dr. Bell 3-5, a café 6-8; Tom 14, her 16."""


@pytest.fixture
def doc() -> Doc:
    return parse_one(BRACKETS)


def sent(doc: Doc, **changes: Any) -> dict[str, Any]:
    found = describe(doc)
    clusters = [{key: cluster[key] for key in ("name", "mentions")} for cluster in found["clusters"]]
    return {"text": found["text"], "clusters": clusters, "frames": found["frames"], **changes}


def test_what_is_not_changed_stays(doc: Doc) -> None:
    assert correct(doc, sent(doc)) == BRACKETS


def test_what_is_written_is_what_was_sent(doc: Doc) -> None:
    clusters = [{"name": "x", "mentions": [[3, 5], [16, 17], [0, 1]]}, {"name": "", "mentions": [[0, 1]]}]
    frames = [{"predicate": [13, 14], "roleset": "say.01", "arguments": [[16, 17, "ARG2"], [14, 15, "ARG0"]]}]
    again = parse_one(correct(doc, sent(doc, clusters=clusters, frames=frames)))
    assert [token.text for token in again] == [token.text for token in doc]
    assert get_clusters(again) == [[(0, 1)], [(0, 1), (3, 5), (16, 17)]]
    (frame,) = get_frames(again)
    assert (frame.roleset, frame[:2], [tuple(a) for a in frame.arguments]) == (
        "say.01",
        (13, 14),
        [(14, 15, "ARG0"), (16, 17, "ARG2")],
    )
    assert get_labelled_spans(again) == get_labelled_spans(doc)
    assert get_speakers(again) == get_speakers(doc)


def test_speakers_follow_their_clusters(doc: Doc) -> None:
    clusters = [{"name": "tom", "mentions": [[0, 2]]}, {"name": "bell", "mentions": [[3, 5]]}]
    again = parse_one(correct(doc, sent(doc, clusters=clusters)))
    (quotation,) = get_quotations(again)
    assert (quotation.speaker, quotation.addressee) == ((0, 2), None)


def test_no_frames_are_none_and_a_document_without_annotation_stays_so() -> None:
    doc = parse_one("He ran.\n>")
    assert ">" in correct(doc, sent(doc))
    doc = parse_one("He ran.")
    assert ">" not in correct(doc, sent(doc))


def mention(*span: Any) -> dict[str, Any]:
    return {"clusters": [{"name": "x", "mentions": [list(span)]}]}


def frame(*arguments: Any, predicate: Any = (2, 3), roleset: Any = "") -> dict[str, Any]:
    return {"frames": [{"predicate": list(predicate), "roleset": roleset, "arguments": [*map(list, arguments)]}]}


HIM = {"name": "x", "mentions": [[0, 1]]}


@pytest.mark.parametrize(
    ("problem", "changes"),
    [
        ("The text itself is another one", [{"text": "x"}]),
        (
            r"no correction .*Expected `text`; `clusters` with `name` and `mentions`",
            [{"clusters": [[]]}, {"frames": [{}]}, frame((0, 1))],
        ),
        (
            r"clusters\[0\]\[1\] .* in the cluster already",
            [{"clusters": [{"name": "x", "mentions": [[0, 1], [0, 1]]}]}],
        ),
        (
            r"clusters\[0\]\[0\] is .*; expected two integers",
            [mention(0), mention(0, True), mention(0, 1.0), mention("0", "1")],
        ),
        (
            r"clusters\[0\]\[0\] is .* leaves the document; expected 0 <= start < end <= 18",
            [mention(-1, 1), mention(17, 19), mention(0, 10**30)],
        ),
        (r"clusters\[0\]\[0\] is \(1, 1\), which has no tokens", [mention(1, 1)]),
        (
            r"Left out mentions that cross the end of a sentence or another mention, .*: 1\..*'the station'",
            [mention(7, 10), {"clusters": [{"name": "x", "mentions": [[0, 3]]}, {"name": "y", "mentions": [[2, 5]]}]}],
        ),
        (
            r"Left out names of clusters that can't be typed, or are those of others: 1\.",
            [{"clusters": [{**HIM, "name": name}]} for name in ("a b", "x]")] + [{"clusters": [HIM, HIM]}],
        ),
        (r"names\[0\] is None; expected a string", [{"clusters": [{**HIM, "name": None}]}]),
        (r"frames\[0\].roleset is 1; expected a string", [frame(roleset=1)]),
        (
            r"Left out predicates, arguments and rolesets that .*: 1\.",
            [
                frame(predicate=(7, 10)),
                *(frame((0, 1, role)) for role in ("", "V", "V=x")),
                frame((14, 15, "ARG0")),
                frame((2, 4, "ARG0")),
                frame((3, 5, "ARG0"), (4, 5, "ARG1")),
            ],
        ),
    ],
)
def test_what_can_not_be_written_is_refused(problem: str, changes: list[dict[str, Any]]) -> None:
    for change in changes:
        doc = parse_one(BRACKETS)
        with pytest.raises(ValueError, match=problem):
            correct(doc, {**sent(doc), **change})


@pytest.mark.parametrize(
    ("character", "problem"), [("\0", "no text file can hold"), ("\ud800", "surrogates, which can't be saved")]
)
def test_what_no_file_can_hold_is_refused(doc: Doc, character: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        correct(doc, sent(doc, clusters=[{"name": character, "mentions": [[0, 1]]}]))
