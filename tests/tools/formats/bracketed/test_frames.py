import pytest
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import (
    get_clusters,
    get_frames,
    get_predicates,
    has_clusters_annotated,
    has_frames_annotated,
)
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from .helpers import assert_error, parse_one

SENTENCE = "Her brother gave Mary a warm welcome."


def frames_as_text(doc: Doc) -> list[tuple[str, str | None, list[tuple[str, str]]]]:
    """Predicate, roleset, and the arguments as role and words."""
    return [
        (doc[start:end].text, roleset, [(role, doc[i:j].text) for i, j, role in arguments])
        for start, end, arguments, roleset, *_ in get_frames(doc)
    ]


def test_each_line_under_a_sentence_is_a_frame(nlp: Language):
    text = f"""It rained.
{SENTENCE}
> [ARG0 Her brother] gave [ARG1 Mary] a [ARGM-ADJ warm] [V=welcome.01 welcome].
# a comment

> [ARG0 Her brother] [V=give.01 gave] [ARG2 Mary] [ARG1 a warm welcome].
She smiled.
> [ARG0 She] [V smiled].
"""
    assert frames_as_text(parse_one(text, nlp)) == [
        ("gave", "give.01", [("ARG0", "Her brother"), ("ARG2", "Mary"), ("ARG1", "a warm welcome")]),
        ("welcome", "welcome.01", [("ARG0", "Her brother"), ("ARG1", "Mary"), ("ARGM-ADJ", "warm")]),
        ("smiled", None, [("ARG0", "She")]),
    ]


def test_a_predicate_may_have_several_words_and_a_continuation(nlp: Language):
    doc = parse_one("She took her hat off .\n> She [V took her] hat [C-V off] .", nlp)
    assert frames_as_text(doc) == [("took her", None, [("C-V", "off")])]


def test_a_span_may_be_the_predicate_of_two_frames(nlp: Language):
    doc = parse_one("She ran .\n> She [V=run.02 ran] .\n> [ARG0 She] [V=run.01 ran] .", nlp)
    assert frames_as_text(doc) == [("ran", "run.02", []), ("ran", "run.01", [("ARG0", "She")])]


@pytest.mark.parametrize("role", ["R-ARG0", "ARGM-LVB", "Agent", "nsubj:pass", "V2", "v", "A=B", "É>#@"])
def test_any_name_is_a_role(nlp: Language, role: str):
    doc = parse_one(f"She ran .\n> [{role} She] [V ran] .", nlp)
    assert frames_as_text(doc) == [("ran", None, [(role, "She")])]


def test_a_roleset_may_hold_an_equals_sign(nlp: Language):
    assert frames_as_text(parse_one("Run .\n> [V=run=1 Run] .", nlp)) == [("Run", "run=1", [])]


def test_brackets_need_no_spaces_around_them(nlp: Language):
    doc = parse_one('"Ann\'s," he said.\n> "[ARG1\tAnn][V=be.01 \'s]," [A he said].', nlp)
    assert frames_as_text(doc) == [("'s", "be.01", [("ARG1", "Ann"), ("A", "he said")])]


def test_white_space_in_a_frame_is_one_space(nlp: Language):
    doc = parse_one("She ran far .\n  >[A  She ]ran [V\t far ]   .", nlp)
    assert frames_as_text(doc) == [("far", None, [("A", "She")])]


def test_escapes_in_a_frame_are_literal(nlp: Language):
    doc = parse_one("\\> \\[a\\] \\| \\\\ b\n> > [A \\[a\\]] \\| [V \\\\] b", nlp)
    assert frames_as_text(doc) == [("\\", None, [("A", "[a]")])]


def test_frames_leave_out_the_speaker(nlp: Language):
    doc = parse_one("Yes .\n@Ann: I know .\n> [ARG0 I] [V know] .", nlp)
    assert frames_as_text(doc) == [("know", None, [("ARG0", "I")])]


def test_frames_and_mentions_stand_side_by_side(nlp: Language):
    doc = parse_one("[[Her|a] dog] ran .\n> [ARG0 Her dog] [V ran] .", nlp)
    assert get_clusters(doc) == [[(0, 1)], [(0, 2)]]
    assert frames_as_text(doc) == [("ran", None, [("ARG0", "Her dog")])]


def test_a_document_with_frames_and_no_mention_is_not_annotated_for_coreference(nlp: Language):
    assert not has_clusters_annotated(parse_one("She ran .\n> She [V ran] .", nlp))
    assert not has_clusters_annotated(parse_one("Yes .\n>", nlp))


def test_a_document_without_frames_is_not_annotated_for_roles(nlp: Language):
    without, with_frames = parse_bracketed("=== a\nShe ran .\n=== b\nShe ran .\n> She [V ran] .", nlp)
    assert not has_frames_annotated(without)
    assert has_frames_annotated(with_frames)


def test_a_bare_mark_says_that_nothing_is_a_predicate(nlp: Language):
    doc = parse_one("Yes .\n >  \nNo .", nlp)
    assert has_frames_annotated(doc)
    assert get_predicates(doc) == []


def test_a_bare_mark_beside_frames_of_other_sentences_changes_nothing(nlp: Language):
    doc = parse_one("Yes .\n>\nShe ran .\n> She [V ran] .", nlp)
    assert frames_as_text(doc) == [("ran", None, [])]
    assert get_predicates(doc) is None


@pytest.mark.parametrize(
    ("frame", "place", "found", "cure"),
    [
        ("> Her brother gave Mary a warm welcome.", "2:1", "a frame without a predicate", "Write `[V words]`"),
        ("  > [A Her brother] gave Mary a warm welcome.", "2:3", "a frame without a predicate", "`[V=ROLESET words]`"),
        ("> Her brother [V gave] Mary a warm [V welcome].", "2:36", "a second predicate, 'welcome'", "`[C-V words]`"),
        ("> [A Her [B brother]] [V gave] Mary", "2:10", "`[` inside `[A`: brackets of a frame do not nest", "Close"),
        ("> [A[B Her] brother] [V gave] Mary", "2:5", "`[` inside `[A`: brackets of a frame do not nest", "Close"),
        ("> [ Her] brother", "2:3", "a bracket without a role", "Write `[ROLE words]`"),
        ("> [[Her|ann] brother]", "2:3", "a bracket without a role", "`\\[`"),
        ("> [", "2:3", "a bracket without a role", "Write `[ROLE words]`"),
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
    ],
)
def test_errors_name_place_finding_and_cure(nlp: Language, frame: str, place: str, found: str, cure: str):
    assert_error(nlp, f"{SENTENCE}\n{frame}", place, found, cure)


@pytest.mark.parametrize("text", ["\n  > [V Run]", "=== a\n  > [V Run]", "# Run\n  >"])
def test_a_frame_needs_a_sentence(nlp: Language, text: str):
    with pytest.raises(ValueError, match=r"^demo.txt:2:3: a frame without a sentence above it\. .* `\\>`"):
        parse_bracketed(text, nlp, source="demo.txt")


def test_a_heading_ends_the_sentences_above_it(nlp: Language):
    with pytest.raises(ValueError, match=r"^text:4:1: a frame without a sentence above it"):
        parse_bracketed("=== a\nRun\n=== b\n> [V Run]", nlp)
