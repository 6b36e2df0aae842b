from __future__ import annotations

from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import get_clusters, get_frames, get_labelled_spans, get_quotations, get_speakers
from spacy_span_selector.tools.formats.bracketed import parse_bracketed, write_bracketed

pytest.importorskip("starlette", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")

from spacy_span_selector.tools.serving.corrections import CorrectionError, correct, describe

NLP = spacy.blank("en")
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
    (doc,) = parse_bracketed(BRACKETS, NLP)
    return doc


def sent(doc: Doc, **changes: Any) -> dict[str, Any]:
    found = describe(doc)
    clusters = [{key: cluster[key] for key in ("name", "mentions")} for cluster in found["clusters"]]
    return {"text": found["text"], "clusters": clusters, "frames": found["frames"], **changes}


def test_what_is_not_changed_stays(doc: Doc) -> None:
    assert correct(doc, sent(doc)) == BRACKETS


def test_what_is_written_is_what_was_sent(doc: Doc) -> None:
    clusters = [{"name": "x", "mentions": [[3, 5], [16, 17], [0, 1]]}, {"name": "", "mentions": [[0, 1]]}]
    frames = [{"predicate": [13, 14], "roleset": "say.01", "arguments": [[16, 17, "ARG2"], [14, 15, "ARG0"]]}]
    (again,) = parse_bracketed(correct(doc, sent(doc, clusters=clusters, frames=frames)), NLP)
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
    (again,) = parse_bracketed(correct(doc, sent(doc, clusters=clusters)), NLP)
    (quotation,) = get_quotations(again)
    assert (quotation.speaker, quotation.addressee) == ((0, 2), None)


def test_no_frames_are_none_and_a_document_without_annotation_stays_so() -> None:
    (doc,) = parse_bracketed("He ran.\n>", NLP)
    assert ">" in correct(doc, sent(doc))
    (doc,) = parse_bracketed("He ran.", NLP)
    assert ">" not in correct(doc, sent(doc))


def mention(*span: Any) -> dict[str, Any]:
    return {"clusters": [{"name": "x", "mentions": [list(span)]}]}


def frame(*arguments: Any, predicate: Any = (2, 3), roleset: Any = "") -> dict[str, Any]:
    return {"frames": [{"predicate": list(predicate), "roleset": roleset, "arguments": [*map(list, arguments)]}]}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"text": "x"}, "The text itself is another one"),
        ({"more": 1}, "the correction: found .*'more'.*, expected fields clusters, frames, text"),
        ({"clusters": {}}, "clusters: found {}, expected a list"),
        ({"clusters": [[]]}, r"clusters\[0\]: found \[\], expected fields mentions, name"),
        ({"clusters": [{"name": "x", "mentions": []}]}, r"clusters\[0\].mentions: found \[\], expected mentions"),
        ({"clusters": [{"name": "x", "mentions": [[0, 1], [0, 1]]}]}, "mentions, each once"),
        (mention(0), r"clusters\[0\].mentions\[0\]: found \[0\], expected two token offsets"),
        (mention(0, True), "expected two token offsets"),
        (mention(0, 1.0), "expected two token offsets"),
        (mention("0", "1"), "expected two token offsets"),
        (mention(-1, 1), "expected some of the tokens 0 to 18"),
        (mention(1, 1), "expected some of the tokens"),
        (mention(17, 19), "expected some of the tokens"),
        (mention(0, 10**30), "expected some of the tokens"),
        (mention(7, 10), "expected words of one sentence, and 'café. “' are of several"),
        (
            {"clusters": [{"name": "a b", "mentions": [[0, 1]]}]},
            r"clusters\[0\].name: found 'a b', expected .* without",
        ),
        ({"clusters": [{"name": "x]", "mentions": [[0, 1]]}]}, "without white space, brackets"),
        ({"clusters": [{"name": None, "mentions": [[0, 1]]}]}, "found None, expected at most 200 characters"),
        ({"clusters": [{"name": "x" * 201, "mentions": [[0, 1]]}]}, r"found 'x+…, expected at most 200 characters"),
        (
            {"clusters": [{"name": "x", "mentions": [[0, 1]]}, {"name": "x", "mentions": [[3, 4]]}]},
            r"clusters\[1\].name: found 'x', expected a name that no other cluster has",
        ),
        (
            {"clusters": [{"name": "x", "mentions": [[0, 3]]}, {"name": "y", "mentions": [[2, 5]]}]},
            "mentions that do not cross, and 'met Dr. Bell' crosses 'Her brother met'",
        ),
        (frame(predicate=(7, 10)), r"frames\[0\].predicate: .* one sentence"),
        (frame(roleset=1), r"frames\[0\].roleset: found 1"),
        (frame((0, 1)), r"frames\[0\].arguments\[0\]: found \[0, 1\], expected two token offsets and a role"),
        (frame((0, 1, "")), "found '', expected at most"),
        (frame((0, 1, "V")), "found 'V', expected the role of an argument"),
        (frame((0, 1, "V=x")), "expected the role of an argument"),
        (frame((14, 15, "ARG0")), "expected words of the sentence of its predicate"),
        (frame((2, 4, "ARG0")), "expected words that are in no other part of its frame, and 'met Dr.' are"),
        (frame((3, 5, "ARG0"), (4, 5, "ARG1")), r"frames\[0\].arguments\[1\]: .* no other part of its frame"),
    ],
)
def test_what_can_not_be_written_is_named_with_its_place(doc: Doc, changes: dict[str, Any], problem: str) -> None:
    posted = {**sent(doc), **changes}
    with pytest.raises(CorrectionError, match=problem):
        correct(doc, posted)
    assert write_bracketed([doc]) == BRACKETS


@pytest.mark.parametrize(
    ("character", "problem"), [("\0", "no text file can hold"), ("\ud800", "surrogates, which can't be saved")]
)
def test_what_no_file_can_hold_is_refused(doc: Doc, character: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        correct(doc, sent(doc, clusters=[{"name": character, "mentions": [[0, 1]]}]))
