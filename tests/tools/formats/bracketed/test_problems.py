from __future__ import annotations

import pytest
from spacy.language import Language

from spacy_span_selector.annotation import get_frames
from spacy_span_selector.tools.formats.bracketed import Lenient, parse_bracketed

BAD = """text before
=== a
[Ann met [Tom|tom].
@Bob I left.
> [V left]
[Be]lls and [sh]ips rang.
> [ARG0 Bells] and ships [V rang.
> [ARG1 Bells and ships] [V=ring.01 rang].
===
] here
=== a
[Ann|ann] saw [Ann|ann].
"""


def collect(nlp: Language, text: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """The line and the message of each error and each doubt."""
    problems = Lenient()
    parse_bracketed(text, nlp, problems=problems)
    errors = [(error.line, error.message) for error in problems.errors]
    return errors, [(doubt.line, doubt.message) for doubt in problems.doubts]


def test_every_error_is_collected(nlp: Language) -> None:
    errors, _ = collect(nlp, BAD)
    expected = {
        1: ["text before the first heading"],
        3: ["a mention that is not closed"],
        4: ["a speaker without a colon"],
        6: ["a mention ends inside the token 'Bells'", "a mention ends inside the token 'ships'"],
        7: ["`[V` is not closed"],
        9: ["a heading without a name"],
        10: ["`]` outside a mention"],
        11: ["a second document named 'a'"],
    }
    found = sorted((line, message) for line, message in errors)
    assert [line for line, _ in found] == [line for line, messages in expected.items() for _ in messages]
    assert all(message.startswith(tuple(expected[line])) for line, message in found)


def test_what_is_good_is_read(nlp: Language) -> None:
    docs = parse_bracketed(BAD, nlp, problems=Lenient())
    assert [doc.text for doc in docs] == ["text before", "Bells and ships rang.", "", "Ann saw Ann."]
    assert [frame.roleset for frame in get_frames(docs[1])] == ["ring.01"]


def test_the_first_error_stops_a_strict_reader(nlp: Language) -> None:
    with pytest.raises(ValueError, match=r"^text:3:1: a mention that is not closed"):
        parse_bracketed(BAD.removeprefix("text before\n").replace("=== a", "\n=== a", 1), nlp)
    with pytest.raises(ValueError, match=r"^text:1:1: text before the first heading"):
        parse_bracketed(BAD, nlp)


FRAME_AS_SENTENCE = """=== a
Ann met Tom.
[ARG0 Ann] [V=meet.03 met] [ARG1 Tom].
> [ARG0 Ann] met [ARG1 Tom].
"""


def test_a_frame_without_its_sign_is_an_error_only_where_all_are_collected(nlp: Language) -> None:
    strict = FRAME_AS_SENTENCE.partition("> ")[0]
    assert parse_bracketed(strict, nlp)[0].text == "Ann met Tom. ARG0 Ann V=meet.03 met ARG1 Tom."
    errors, _ = collect(nlp, FRAME_AS_SENTENCE)
    assert [(line, message.partition(".")[0]) for line, message in errors] == [
        (3, "the words of line 2 again, with a predicate in brackets, but without `>`"),
        (4, "a frame without a predicate"),
    ]


def test_a_sentence_that_is_said_again_is_no_frame(nlp: Language) -> None:
    assert collect(nlp, "[A cat] met [a dog].\n[A cat] met [a dog].\n") == ([], [])


def test_a_name_used_once_is_doubtful(nlp: Language) -> None:
    errors, doubts = collect(nlp, "[Dr. Bell|bell] met [Tom].\n[He|bell] left [Bell|bel].\n")
    assert errors == []
    assert doubts == [
        (
            2,
            "the name 'bel' is used only once in its document. Did you mean 'bell'? Write `[words]` for a mention of "
            "what is mentioned once.",
        )
    ]


def test_names_are_those_of_a_document(nlp: Language) -> None:
    _, doubts = collect(nlp, "=== a\n[Ann|ann] left.\n=== b\n[Ann|ann] came.\n")
    assert [line for line, _ in doubts] == [2, 4]


def test_a_mention_that_another_one_keeps_open_is_said_to_be_open(nlp: Language) -> None:
    ((_, message),) = collect(nlp, "[Tom|tom met [Dr. Bell|bell].")[0]
    assert "Close the mention with `]` after its name." in message
