"""Each error has line and column, what was found, and the cure; a lenient reader collects them and reads on."""

import re
from pathlib import Path

import pytest

from spacy_span_selector.annotation import get_frames
from spacy_span_selector.tools.formats.bracketed import Lenient, parse_bracketed, read_bracketed
from spacy_span_selector.tools.formats.bracketed.reader import MOST_SUGGESTIONS

from ....parsing import NLP
from .helpers import labels, quotations

LINES = [
    ("two [Be]lls", "1:8", "a mention ends inside the token 'Bells'", "Move the bracket"),
    ("@A: B[ell] x", "1:6", "a mention starts inside the token 'Bell'", "Move the bracket"),
    ("a \\n b", "1:3", "unknown escape '\\\\n'", "Write `\\\\`"),
    ("a b \\", "1:5", "unknown escape '\\\\'", "Write `\\\\`"),
    ("@Ann left", "1:1", "a speaker without a colon", "Write `@NAME: text`"),
    ("  @ : left", "1:3", "a speaker without a name", "Write `@NAME: text`"),
    ("@Ann:  ", "1:6", "no text after the speaker 'Ann'", "on the same line"),
    ("===", "1:1", "a heading without a name", "Write `=== NAME`"),
    ("===Ann", "1:1", "a heading was expected, found '===Ann'", "with a space"),
    ("=== a\n\n=== b\n=== a", "4:1", "a second document named 'a' (the first: line 1)", "Rename one"),
    ("# x\nAnn\n=== a", "2:1", "text before the first heading", "Put a heading"),
]
MENTIONS = [
    ("Ann\na [dog ran", "2:3", "a mention that is not closed: 'dog ran'", "Add `]`"),
    ("a [dog|d ran", "1:3", "a mention that is not closed", "Add `]`"),
    ("a dog] ran", "1:6", "`]` outside a mention", "Open one with `[`"),
    ("a dog|d ran", "1:6", "`|` outside a mention", "write `\\|`"),
    ("a [] dog", "1:3", "a mention without words", "Write `[words]`"),
    ("a [ |x] dog", "1:3", "a mention without words", "Write `[words]`"),
    ("a [dog|]", "1:8", "an empty name", "Write `[words|name]`"),
    ("a [dog|my dog]", "1:8", "the name 'my dog' holds white space", "Use letters"),
    ("a [dog|x [cat|y]]", "1:8", "the name 'x [cat|y' holds", "Use letters"),
    ("[[Ann|a]|a]", "1:1", "'Ann' is marked twice as 'a'", "Remove one pair"),
]
FRAMES = [
    ("> Her brother gave Mary a warm welcome.", "2:1", "a frame without a predicate", "Write `[V words]`"),
    ("  > [A Her brother] gave Mary a warm welcome.", "2:3", "a frame without a predicate", "`[V=ROLESET words]`"),
    ("> Her brother [V gave] Mary a warm [V welcome].", "2:36", "a second predicate, 'welcome'", "`[C-V words]`"),
    ("> [A Her [B brother]] [V gave] Mary", "2:10", "`[` inside `[A`: brackets of a frame do not nest", "Close"),
    ("> [ Her] brother", "2:3", "a bracket without a role", "Write `[ROLE words]`"),
    ("> [[Her|ann] brother]", "2:3", "a bracket without a role", "`\\[`"),
    ("> [Her] brother", "2:3", "`[Her` without words", "Write `[ROLE words]`"),
    ("> [A  ] Her", "2:3", "`[A` without words", "Write `[ROLE words]`"),
    ("> [A|x Her]", "2:3", "the role 'A|x' holds a bar or a backslash", "Write `[ROLE words]`"),
    ("> [A\\] Her]", "2:3", "the role 'A\\\\' holds a bar or a backslash", "or `\\[`"),
    ("> [V= Her]", "2:3", "an empty roleset after `V=`", "Write `[V words]`"),
    ("> [A Her brother", "2:3", "`[A` is not closed", "Add `]`"),
    ("> [A Her|ann]", "2:9", "`|` in a frame", "remove it, or write `\\|`"),
    ("> Her] brother", "2:6", "`]` outside an argument", "Open one with `[ROLE`"),
    ("> Her \\n", "2:7", "unknown escape '\\\\n'", "Write `\\\\`"),
    ("> Her brother ga[V ve] Mary a warm welcome.", "2:17", "a predicate starts inside the token 'gave'", "Move"),
    ("> [A He]r brother [V gave] Mary a warm welcome.", "2:8", "an argument ends inside the token 'Her'", "Move"),
    (">  Her [A  bother] gave", "2:12", "found 'bother' where the sentence in line 1 has 'brother'", "Repeat its"),
    ("> Her brother [V gave]", "2:23", "found the end where the sentence in line 1 has 'Mary'", "Repeat its words"),
    (
        "> [V Her] brother gave Mary a warm welcome. x",
        "2:45",
        "found 'x' where the sentence in line 1 has its",
        "`\\>`",
    ),
    (">\n>", "2:1", "a bare `>` means that the sentence has no predicate", "Remove one"),
    ("> [V Her] brother gave Mary a warm welcome.\n >", "3:2", "a bare `>`", "Remove one"),
]
QUOTATIONS = [
    ("< [ann “Go]”, said Anna.", "2:20", "found 'Anna.'", "Repeat its words, or write `\\<`"),
    ("< [tom “Go”], said Ann.", "2:3", "no mention has the name 'tom'", "`[words|tom]`"),
    ("< [ann>tom “Go”], said Ann.", "2:3", "no mention has the name 'tom'", "`[words|tom]`"),
    ("< [ann> “Go”], said Ann.", "2:3", "found `[ann>`", "expected `[SPEAKER words]`"),
    ("< [+ “Go”], said Ann.", "2:3", "`[+` continues no quotation", "Begin one with `[SPEAKER words]`"),
    ("< [ann “G]o”, said Ann.", "2:10", "a quotation ends inside the token 'Go'", "Move the bracket"),
    ("< [ “Go”], said Ann.", "2:3", "a bracket without a role", "Write `[SPEAKER words]`"),
    ("< [ann “[? Go]”], said Ann.", "2:9", "`[` inside `[ann`: brackets of a quotation do not nest", "`]`"),
    ("< [ann “Go”, said Ann.", "2:3", "`[ann` is not closed", "Add `]`"),
]
LABELLED = [
    ("[] [PERSON Anna] left.", "2:12", "found 'Anna' where the sentence in line 1 has 'Ann'", "write `\\[\\]`"),
    ("[] [PERSON Ann left.", "2:4", "`[PERSON` is not closed", "Add `]`"),
    ("[] [PERSON Ann]] left.", "2:16", "`]` outside", "write `\\]`"),
    ("[] [PERSON] Ann left.", "2:4", "`[PERSON` without words", "Write `[ROLE words]`"),
    ("[] [ Ann] left.", "2:4", "a bracket without a role", "Write `[LABEL words]`"),
    ("[] [PERSON Ann|ann] left.", "2:15", "`|` in a line of labelled spans", "remove it"),
    ("[] [PERSON A]nn left.", "2:13", "a labelled span ends inside the token 'Ann'", "Move the bracket"),
    ("[] [X [X Ann]] left.", "2:4", "'Ann' is marked twice as 'X'", "Remove one pair"),
]
WITHOUT_A_SENTENCE = [
    ("\n  > [V Run]", "2:3", "a frame without a sentence above it.", "`\\>`"),
    ("=== a\n  > [V Run]", "2:3", "a frame without a sentence above it.", "`\\>`"),
    ("=== a\nRun\n=== b\n> [V Run]", "4:1", "a frame without a sentence above it", "`\\>`"),
    ("< [? Go]", "1:1", "a quotation without a sentence above it", "write `\\<`"),
    (" [] [X Ann]", "1:2", "a line of labelled spans without a sentence above it", "write `\\[\\]`"),
]


@pytest.mark.parametrize(
    ("text", "place", "found", "cure"),
    [
        *(LINES + MENTIONS + WITHOUT_A_SENTENCE),
        *((f"Her brother gave Mary a warm welcome.\n{line}", *rest) for line, *rest in FRAMES),
        *((f"“Go”, said [Ann|ann].\n{line}", *rest) for line, *rest in QUOTATIONS),
        *((f"Ann left.\n{line}", *rest) for line, *rest in LABELLED),
    ],
)
def test_errors_name_place_finding_and_cure(text: str, place: str, found: str, cure: str):
    with pytest.raises(ValueError, match=rf"^demo.txt:{place}: {re.escape(found)}.*{re.escape(cure)}"):
        parse_bracketed(text, NLP, source="demo.txt")


def test_files_in_another_encoding_are_named(tmp_path: Path):
    path = tmp_path / "latin.txt"
    path.write_bytes("a café".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin.txt: byte 5 is not UTF-8"):
        read_bracketed(path, NLP)


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


def collect(text: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """The line and the message of each error and each doubt."""
    problems = Lenient()
    parse_bracketed(text, NLP, problems=problems)
    errors, doubts = ([(each.line, each.message) for each in found] for found in (problems.errors, problems.doubts))
    return errors, doubts


def test_every_error_is_collected():
    errors, _ = collect(BAD)
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
    assert [line for line, _ in sorted(errors)] == [line for line, messages in expected.items() for _ in messages]
    assert all(message.startswith(tuple(expected[line])) for line, message in errors)


def test_what_is_good_is_read():
    docs = parse_bracketed(BAD, NLP, problems=Lenient())
    assert [doc.text for doc in docs] == ["text before", "Bells and ships rang.", "", "Ann saw Ann."]
    assert [frame.roleset for frame in get_frames(docs[1])] == ["ring.01"]


def test_a_frame_without_its_sign_is_no_sentence():
    errors, _ = collect("=== a\nAnn met Tom.\n[ARG0 Ann] [V=meet.03 met] [ARG1 Tom].\n> [ARG0 Ann] met [ARG1 Tom].\n")
    assert [(line, message.partition(".")[0]) for line, message in errors] == [
        (3, "the words of line 2 again, with a predicate in brackets, but without `>`"),
        (4, "a frame without a predicate"),
    ]


def test_a_sentence_that_is_said_again_is_no_frame():
    assert collect("[A cat] met [a dog].\n[A cat] met [a dog].\n") == ([], [])


def test_a_name_used_once_is_doubtful():
    errors, doubts = collect("[Dr. Bell|bell] met [Tom].\n[He|bell] left [Bell|bel].\n")
    cure = "Did you mean 'bell'? Write `[words]` for a mention of what is mentioned once."
    assert (errors, doubts) == ([], [(2, f"the name 'bel' is used only once in its document. {cure}")])


def test_others_are_proposed_for_a_few_names_alone():
    """Each is compared with all others."""
    _, doubts = collect("".join(f"[Ann|ann{i}] left.\n" for i in range(50)))
    assert len(doubts) == 50 and sum("Did you mean" in doubt for _, doubt in doubts) == MOST_SUGGESTIONS


def test_names_are_those_of_a_document():
    _, doubts = collect("=== a\n[Ann|ann] left.\n=== b\n[Ann|ann] came.\n")
    assert [line for line, _ in doubts] == [2, 4]


def test_a_mention_that_another_one_keeps_open_is_said_to_be_open():
    ((_, message),) = collect("[Tom|tom met [Dr. Bell|bell].")[0]
    assert "Close the mention with `]` after its name." in message


def test_a_malformed_labelled_span_costs_no_other():
    problems = Lenient()
    text = "Ann left us.\n[] [X Ann] [X left] u[X s].\n[] [X Ann left us."
    (doc,) = parse_bracketed(text, NLP, problems=problems)
    assert labels(doc) == [("Ann", "X"), ("left", "X")]
    assert len(problems.errors) == 2


def test_a_malformed_quotation_costs_no_other_and_a_name_of_a_speaker_is_used():
    problems = Lenient()
    (doc,) = parse_bracketed("“Go,” said [Ann|ann], “up.”\n< [ann “Go,”] said Ann, [+ “up.”]", NLP, problems=problems)
    assert quotations(doc) == [("“Go,”", "Ann", "")]
    assert (len(problems.errors), problems.doubts) == (1, [])
