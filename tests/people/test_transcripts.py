from __future__ import annotations

from typing import Any

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_span_selector import doc_from_transcript
from spacy_span_selector.annotation import get_speakers
from spacy_span_selector.people.transcripts import read_turns

NLP = spacy.blank("en")
NLP.add_pipe("word_sentencizer")

MAIL = """From: Ann Lee <ann@example.org>
To: Bob
Subject: The key

See below. I'll ask Tom.

-----Original Message-----
From: bob@example.org
Sent: Monday

I lost
the key.
"""
REPLY = "No.\n\nOn Mon, 6 May 2024 at 10:12 AM Ann Lee <ann@example.org> wrote:\n> Did you\n> see him?\n\nYes!\n"
PLAY = "SCENE I. A room.\n\nHAMLET. [Aside.] To be,\n\nEnter OPHELIA.\n\nOPHELIA. My lord\n\nACT II\n\nA street\n"
SCREENPLAY = "INT. ROOM\n\nANN\n(quietly)\nWhere were\nyou?\n\nShe turns.\n\nBOB\nAt work\n"


def turns(text: str, kind: str | None = None) -> list[tuple[str, str]]:
    doc = doc_from_transcript(NLP, text, kind)
    assert doc.text == text
    return [(name, doc[start:end].text) for start, end, name in get_speakers(doc)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann:  Hi.\nDr.  Bob: Oh! [laughs] No\nyes", [("Ann", "Hi."), ("Dr. Bob", "Oh!"), ("Dr. Bob", "No\nyes")]),
        ("[12:03] Ann: hi\n12:04 <bob> [x] hi", [("Ann", "hi"), ("bob", "[x] hi")]),
        ("2024-05-01, 12:03 - Ann Lee: hi\n2024-05-01, 12:04 - Bob left\n2024-05-01, 12:04 - Tom: ok",
         [("Ann Lee", "hi"), ("Tom", "ok")]),
        (MAIL, [("Ann Lee", "See below. I'll ask Tom."), ("bob@example.org", "I lost\nthe key.")]),
        (REPLY, [("Ann Lee", "> Did you\n> see him?")]),
        (PLAY, [("HAMLET", "To be,"), ("OPHELIA", "My lord")]),
        (SCREENPLAY, [("ANN", "Where were\nyou?"), ("BOB", "At work")]),
        ("HAMLET: (aside) To be\nOPHELIA: My lord", [("HAMLET", "To be"), ("OPHELIA", "My lord")]),
    ],
)  # fmt: skip
def test_turns_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert turns(text) == expected


def test_the_kind_says_what_is_read() -> None:
    text = "One.\n\nTom: ok\n\n[12:03] Bob: yes"
    assert turns(text, "chat") == [("Bob", "yes")]
    assert turns(text, "dialogue") == [("Tom", "ok"), ("Tom", "Bob: yes")]


def test_labels_and_headers_are_sentences() -> None:
    doc = NLP(doc_from_transcript(NLP, "DR. NO: Go. Why?\nANN: no"))
    assert [sentence.text.strip() for sentence in doc.sents] == ["DR. NO:", "Go.", "Why?", "ANN:", "no"]
    doc = NLP(doc_from_transcript(NLP, MAIL))
    assert [sentence.text.strip() for sentence in doc.sents][:4] == [
        "From: Ann Lee <ann@example.org>", "To: Bob", "Subject: The key", "See below."
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("Ann left. She ran.", None, r"No turns of a dialogue, .* starting 'Ann left.*Expected lines such as 'Ann: Hi"),
        ("Ann: hi", "chat", r"No turns of chat were found .*give its turns to doc_from_turns"),
        ("", None, "No turns"),
        (
            "Ann: hi",
            "novel",
            "The kind of a transcript is 'novel'; expected one of chat, dialogue, email, play, or None",
        ),
        (None, None, "The text of a transcript is None; expected a string"),
        ("Ann: \ud800", None, "can't be split into words"),
    ],
)
def test_what_is_no_transcript_is_an_error(text: Any, kind: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        doc_from_transcript(NLP, text, kind)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from([*"\n\n  :.[]()<>é", "> ", "Ann", "BOB", "12:03", "From: ", "To: ", "On ", "wrote:", "Exit"]),
        max_size=30,
    ),
    st.sampled_from([None, "chat", "dialogue", "email", "play"]),
)  # fmt: skip
def test_turns_of_any_text_are_in_order_and_within_it(parts: list[str], kind: str | None) -> None:
    text = "".join(parts)
    labels, found = read_turns(text, kind)
    last = 0
    for turn in found:
        assert last <= turn.start <= turn.end <= len(text)
        assert all(turn.start <= start < end <= turn.end for start, end in turn.directions)
        assert turn.name == " ".join(turn.name.split())
        last = turn.end
    assert all(0 <= start < end <= len(text) for start, end in labels)
