from pathlib import Path

import pytest
from spacy.tokens import Doc

from spacy_span_selector import annotation
from spacy_span_selector.tools.formats.bracketed import parse_bracketed, read_bracketed

from ....parsing import NLP, parse_one
from .helpers import frames_as_text, labels, named_clusters, quotations


def test_each_line_is_a_sentence():
    doc = parse_one("# a comment\n\nMr. Bell came. He left.\n  Then it rained .  \n")
    assert [sentence.text for sentence in doc.sents] == ["Mr. Bell came. He left.", "Then it rained ."]


def test_headings_start_documents_with_names_of_their_own():
    docs = parse_bracketed("=== one\n[A|a] b.\n\n=== number  two\n=== three\n[C|a] .\n", NLP)
    found = [(annotation.get_title(doc), doc.text) for doc in docs]
    assert found == [("one", "A b."), ("number two", ""), ("three", "C .")]
    assert [annotation.get_clusters(doc) for doc in docs] == [[[(0, 1)]], [], [[(0, 1)]]]


def test_a_file_without_heading_is_named_for_itself(tmp_path: Path):
    path = tmp_path / "station.txt"
    path.write_text("\ufeff[Ann|ann] left.\r\n[She|ann] ran.\r\n", encoding="utf-8")
    (doc,) = read_bracketed(path, NLP)
    assert (annotation.get_title(doc), doc.text) == ("station", "Ann left. She ran.")


def test_a_text_without_sentences_has_no_documents():
    assert parse_bracketed("# nothing\n\n", NLP) == []


def test_speakers_label_one_turn_a_line_and_are_no_text():
    doc = parse_one("@Ann Lee: [I|ann] know: yes.\n@Ann Lee: Really.\nShe nodded.\n@Dr\\: X: Fine.")
    assert doc.text == "I know: yes. Really. She nodded. Fine."
    turns = [(turn.label_, turn.text) for turn in doc.spans["speakers"]]
    assert turns == [("Ann Lee", "I know: yes."), ("Ann Lee", "Really."), ("Dr: X", "Fine.")]


def test_spacing_is_known_and_lines_are_joined_by_a_space():
    doc = parse_one("Ann's dog.\nIt ran.")
    assert [token.text_with_ws for token in doc] == ["Ann", "'s ", "dog", ". ", "It ", "ran", "."]


def test_escapes_are_literal():
    doc = parse_one("\\# \\[a\\] \\| \\\\ [b \\]|x]\n\\=== no heading\n\\@home: we\n\\> a\nx # y @ z = w > v")
    assert doc.text == "# [a] | \\ b ] === no heading @home: we > a x # y @ z = w > v"
    assert named_clusters(doc) == [("x", ["b ]"])]


def test_white_space_in_a_line_is_one_space():
    doc = parse_one("  [ Ann  Lee |ann]\t left .")
    assert doc.text == "Ann Lee left ."
    assert named_clusters(doc) == [("ann", ["Ann Lee"])]


def test_nested_mentions_form_clusters_by_name():
    doc = parse_one("[[Her|ann] brother|tom] met [Dr. Bell|bell] at [a café].\n[He|tom] saw [[her|ann]] .")
    assert doc.text == "Her brother met Dr. Bell at a café. He saw her ."
    named = [("ann", ["Her", "her"]), ("tom", ["Her brother", "He"]), ("bell", ["Dr. Bell"])]
    assert named_clusters(doc) == [*named, ("", ["a café"]), ("", ["her"])]


def test_one_span_can_be_in_two_clusters():
    assert named_clusters(parse_one("[[Ann|a]|b] left .")) == [("a", ["Ann"]), ("b", ["Ann"])]


def test_each_line_under_a_sentence_is_a_frame():
    text = """It rained.
Her brother gave Mary a warm welcome.
> [ARG0 Her brother] gave [ARG1 Mary] a [ARGM-ADJ warm] [V=welcome.01 welcome].
# a comment

> [ARG0 Her brother] [V=give.01 gave] [ARG2 Mary] [ARG1 a warm welcome].
She smiled.
> [ARG0 She] [V smiled].
"""
    assert frames_as_text(parse_one(text)) == [
        ("gave", "give.01", [("ARG0", "Her brother"), ("ARG2", "Mary"), ("ARG1", "a warm welcome")]),
        ("welcome", "welcome.01", [("ARG0", "Her brother"), ("ARG1", "Mary"), ("ARGM-ADJ", "warm")]),
        ("smiled", None, [("ARG0", "She")]),
    ]


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("She took her hat off .\n> She [V took her] hat [C-V off] .", [("took her", None, [("C-V", "off")])]),
        (
            "She ran .\n> She [V=run.02 ran] .\n> [ARG0 She] [V=run.01 ran] .",
            [("ran", "run.02", []), ("ran", "run.01", [("ARG0", "She")])],
        ),
        ("Run .\n> [V=run=1 Run] .", [("Run", "run=1", [])]),
        (
            '"Ann\'s," he said.\n> "[ARG1\tAnn][V=be.01 \'s]," [A he said].',  # no spaces around brackets
            [("'s", "be.01", [("ARG1", "Ann"), ("A", "he said")])],
        ),
        ("She ran far .\n  >[A  She ]ran [V\t far ]   .", [("far", None, [("A", "She")])]),
        ("\\> \\[a\\] \\| \\\\ b\n> > [A \\[a\\]] \\| [V \\\\] b", [("\\", None, [("A", "[a]")])]),
        ("Yes .\n@Ann: I know .\n> [ARG0 I] [V know] .", [("know", None, [("ARG0", "I")])]),
        *(
            (f"She ran .\n> [{role} She] [V ran] .", [("ran", None, [(role, "She")])])
            for role in ("R-ARG0", "ARGM-LVB", "Agent", "nsubj:pass", "V2", "v", "A=B", "É>#@")
        ),
    ],
)
def test_frames_are_read(text: str, frames: list[object]):
    assert frames_as_text(parse_one(text)) == frames


def test_a_bare_mark_beside_frames_of_other_sentences_changes_nothing():
    doc = parse_one("Yes .\n>\nShe ran .\n> She [V ran] .")
    assert frames_as_text(doc) == [("ran", None, [])]
    assert annotation.get_predicates(doc) is None
    assert annotation.get_predicates(parse_one("Yes .\n >  \nNo .")) == []


STATION = """[Her brother|tom] saw [Dr. Bell|bell] at [the station café].
> [ARG0 Her brother] [V saw] [ARG1 Dr. Bell] at the station café.
[] [PERSON [PERSON Her] brother] saw [PERSON [TITLE Dr.] Bell] at [FACILITY [PLACE the station café]].
@Ann Lee: [He|tom] liked [it].
[] [PERSON He] liked it.
Not a word.
"""


def test_labelled_spans_nest_and_may_have_several_labels():
    assert labels(parse_one(STATION)) == [
        ("Her", "PERSON"),
        ("Her brother", "PERSON"),
        ("Dr.", "TITLE"),
        ("Dr. Bell", "PERSON"),
        ("the station café", "FACILITY"),
        ("the station café", "PLACE"),
        ("He", "PERSON"),
    ]
    doc = parse_one("a b c d\n[] [X a b] [X c d]\n[] a [Y [Z b] c] d\n")  # those that cross are in different lines
    assert annotation.get_labelled_spans(doc) == [(0, 2, "X"), (1, 2, "Z"), (1, 3, "Y"), (2, 4, "X")]


def test_quotations_have_a_speaker_and_an_addressee_and_go_on_in_the_next_sentence():
    text = """“Come up,” said [Ann|ann] to [Tom|tom]. “It is late.
< [ann>tom “Come up,”] said Ann to Tom. “It is late.
< “Come up,” said Ann to Tom. [ann “It is late.]
‘Now,’ [she|ann] says!” “Why?”
< [+ ‘Now,’ she says!”] “Why?”
< [ann ‘Now,’] she says!” “Why?”
< ‘Now,’ she says!” [? “Why?”]
"""
    first, *others = quotations(parse_one(text))
    assert first == ("“Come up,”", "Ann", "Tom")
    assert others == [("“It is late. ‘Now,’ she says!”", "Ann", ""), ("‘Now,’", "Ann", ""), ("“Why?”", "", "")]


def test_several_quotations_may_stand_in_one_line():
    doc = parse_one("“Go,” said [Ann|ann], “up.”\n< [ann “Go,”] said Ann, [ann “up.”]")
    assert quotations(doc) == [("“Go,”", "Ann", ""), ("“up.”", "Ann", "")]


def test_a_sign_within_a_line_or_before_a_word_is_text():
    assert parse_one("<b> 1 < 2\n\\< 3").text == "<b> 1 < 2 < 3"


def annotated(doc: Doc) -> str:
    """The first letters of what a document is annotated for."""
    known = {
        "c": annotation.has_clusters_annotated(doc),
        "f": annotation.has_frames_annotated(doc),
        "q": annotation.has_quotations_annotated(doc),
        "l": annotation.has_labelled_spans_annotated(doc),
    }
    return "".join(letter for letter, is_annotated in known.items() if is_annotated)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nothing here .", "c"),
        ("She ran .\n> She [V ran] .", "f"),
        ("[She] ran .\n> She [V ran] .", "cf"),
        ("Yes .\n >  \nNo .", "f"),
        ("Ann left.\n<", "cq"),
        ("“Go” said [Ann|ann].\n< [ann “Go”] said Ann.", "cq"),
        ("Ann left.\n[]", "l"),
        ("Ann left.\n[] [PERSON Ann] left.", "l"),
        ("[Ann] left.\n[] [PERSON Ann] left.", "cl"),
    ],
)
def test_lines_say_what_is_annotated(text: str, expected: str):
    other, doc = parse_bracketed(f"=== other\nNo .\n=== this\n{text}", NLP)
    assert (annotated(other), annotated(doc)) == ("c", expected)
    if text.endswith(("\n<", "\n[]")):  # there is nothing
        assert [*annotation.get_quotations(doc), *annotation.get_labelled_spans(doc)] == []
