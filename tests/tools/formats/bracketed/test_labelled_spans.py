from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import (
    get_labelled_spans,
    has_clusters_annotated,
    has_labelled_spans_annotated,
    set_labelled_spans,
)
from spacy_span_selector.tools.formats.bracketed import Lenient, parse_bracketed, write_bracketed

from .helpers import assert_error, parse_one

NLP = spacy.blank("en")
STATION = """=== the station
[Her brother|tom] saw [Dr. Bell|bell] at [the station café].
> [ARG0 Her brother] [V saw] [ARG1 Dr. Bell] at the station café.
[] [PERSON [PERSON Her] brother] saw [PERSON [TITLE Dr.] Bell] at [FACILITY [PLACE the station café]].
@Ann Lee: [He|tom] liked [it].
[] [PERSON He] liked it.
Not a word.
"""


def texts(doc: Doc) -> list[tuple[str, str]]:
    return [(doc[start:end].text, label) for start, end, label in get_labelled_spans(doc)]


def test_labelled_spans_nest_and_may_have_several_labels() -> None:
    assert texts(parse_one(STATION, NLP)) == [
        ("Her", "PERSON"),
        ("Her brother", "PERSON"),
        ("Dr.", "TITLE"),
        ("Dr. Bell", "PERSON"),
        ("the station café", "FACILITY"),
        ("the station café", "PLACE"),
        ("He", "PERSON"),
    ]


def test_what_is_written_reads_back() -> None:
    assert write_bracketed([parse_one(STATION, NLP)]) == STATION


def test_spans_that_cross_are_in_different_lines() -> None:
    text = "=== document 1\na b c d\n[] [X a b] [X c d]\n[] a [Y [Z b] c] d\n"
    doc = parse_one(text, NLP)
    assert get_labelled_spans(doc) == [(0, 2, "X"), (1, 2, "Z"), (1, 3, "Y"), (2, 4, "X")]
    (again,) = parse_bracketed(write_bracketed([doc]), NLP)
    assert get_labelled_spans(again) == get_labelled_spans(doc)


def test_a_bare_sign_says_that_there_are_no_labelled_spans() -> None:
    text = "=== document 1\nAnn left.\n[]\n"
    doc = parse_one(text, NLP)
    assert has_labelled_spans_annotated(doc) and get_labelled_spans(doc) == []
    assert write_bracketed([doc]) == text
    assert not has_labelled_spans_annotated(parse_one("Ann left.", NLP))


def test_labelled_spans_alone_are_no_coreference() -> None:
    assert not has_clusters_annotated(parse_one("Ann left.\n[] [PERSON Ann] left.", NLP))
    assert has_clusters_annotated(parse_one("[Ann] left.\n[] [PERSON Ann] left.", NLP))


def test_brackets_that_are_text_stay_text() -> None:
    text = "=== document 1\n\\[\\] Ann\n[] \\[\\] [PERSON Ann]\n"
    doc = parse_one(text, NLP)
    assert doc.text == "[] Ann"
    assert write_bracketed([doc]) == text


@pytest.mark.parametrize(
    ("line", "column", "found", "cure"),
    [
        ("[] [PERSON Anna] left.", 12, "found 'Anna' where the sentence in line 1 has 'Ann'", "write `\\[\\]`"),
        ("[] [PERSON Ann left.", 4, "`[PERSON` is not closed", "Add `]`"),
        ("[] [PERSON Ann]] left.", 16, "`]` outside", "write `\\]`"),
        ("[] [PERSON] Ann left.", 4, "`[PERSON` without words", "Write `[ROLE words]`"),
        ("[] [ Ann] left.", 4, "a bracket without a role", "Write `[LABEL words]`"),
        ("[] [PERSON Ann|ann] left.", 15, "`|` in a line of labelled spans", "remove it"),
        ("[] [PERSON A]nn left.", 13, "a labelled span ends inside the token 'Ann'", "Move the bracket"),
        ("[] [X [X Ann]] left.", 4, "'Ann' is marked twice as 'X'", "Remove one pair"),
    ],
)
def test_errors_have_a_place_and_a_cure(line: str, column: int, found: str, cure: str) -> None:
    assert_error(NLP, f"Ann left.\n{line}", f"2:{column}", found, cure)


def test_a_line_of_labelled_spans_needs_a_sentence() -> None:
    found = "a line of labelled spans without a sentence above it"
    assert_error(NLP, " [] [X Ann]", "1:2", found, "write `\\[\\]`")


def test_a_malformed_labelled_span_costs_no_other() -> None:
    problems = Lenient()
    text = "Ann left us.\n[] [X Ann] [X left] u[X s].\n[] [X Ann left us."
    (doc,) = parse_bracketed(text, NLP, problems=problems)
    assert texts(doc) == [("Ann", "X"), ("left", "X")]
    assert len(problems.errors) == 2


def test_what_the_format_cannot_hold_is_left_out_and_counted() -> None:
    doc = Doc(NLP.vocab, words=["a", " ", "b", "c", "d"], sent_starts=[True, False, False, False, True])
    unwritable = [(2, 5, "X"), (3, 4, "work of art"), (3, 4, ""), (1, 2, "X"), (1, 3, "X")]
    set_labelled_spans(doc, [(0, 1, "X"), (2, 3, "X"), *unwritable])
    with pytest.warns(UserWarning, match=r"^5 labelled span\(s\) left out of the bracketed text: they cross a sen"):
        text = write_bracketed([doc])
    assert text == "=== document 1\na b c\n[] [X a] [X b] c\nd\n"
