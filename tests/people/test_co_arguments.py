"""Which mentions frames have as two entities, and which as one."""

import pytest

from spacy_span_selector.annotation import Frame, set_frames
from spacy_span_selector.extensions.frames import doc_frames
from spacy_span_selector.people.co_arguments import CoArguments, find_co_arguments

from ..words import place, read_words

CALLED, NOT_CALLED = {"ARGM-TMP": "then", "ARG0": "by her"}, {"ARGM-NEG": "not", "ARG1": "her"}


def find(text: str, frames: dict[str, dict[str, str]], mentions: list[str], language: str = "en") -> CoArguments:
    """What frames tell of mentions.

    frames (dict[str, dict[str, str]]): From a predicate, "call.01 called" with its roleset, to roles and arguments.
    """
    doc = read_words(text, language)
    annotated = []
    for title, arguments in frames.items():
        *roleset, verb = title.split()
        spans = [(*place(doc, words), role) for role, words in arguments.items()]
        annotated.append(Frame(*place(doc, verb), spans, *roleset))
    set_frames(doc, annotated)
    return find_co_arguments(doc, doc_frames(doc), [place(doc, mention) for mention in mentions])


@pytest.mark.parametrize(
    ("text", "frames", "are_two"),
    [
        ("Ann trusted her .", {"trusted": {"ARG0": "Ann", "ARG1": "her"}}, True),
        ("Ann smiled at her .", {"smiled": {"ARG0": "Ann", "ARG1": "at her"}}, True),
        ("Ann looked about her .", {"looked": {"ARG0": "Ann", "ARG1": "about her"}}, False),
        ("Ann talked with her .", {"talked": {"ARG0": "Ann", "ARG2": "with her"}}, True),
        ("Ann brought tea with her .", {"brought": {"ARG0": "Ann", "ARG1": "tea", "ARG2": "with her"}}, False),
        ("Ann called her back .", {"called": {"ARG0": "Ann", "ARG1": "her", "C-V": "back"}}, True),
        ("Ann turned her head .", {"turned": {"ARG0": "Ann", "ARG1": "her"}}, False),
        ("Ann rose and called her .", {"rose": {"ARG0": "Ann"}, "called": {"ARG1": "her"}}, True),
        ("Ann rose . And called her .", {"rose": {"ARG0": "Ann"}, "called": {"ARG1": "her"}}, False),
        ("Ann asked her to go .", {"asked": {"ARG0": "Ann", "ARG1": "to go"}, "go": {"ARG0": "her"}}, True),
        ("Ann said that her son left .", {"said": {"ARG0": "Ann", "ARG1": "that her son left"}}, False),
        ("Ann made her a chair .", {"made": {"ARG0": "Ann", "ARG1": "her"}}, True),
        ("Ann rose and was then called by her .", {"rose": {"ARG0": "Ann"}, "called": CALLED}, True),
        (
            "Ann rose and did not call her .",
            {"rose": {"ARG0": "Ann"}, "call": {"ARGM-NEG": "not", "ARG1": "her"}},
            True,
        ),
    ],
)
def test_two_arguments_of_a_frame_are_two(text: str, frames: dict[str, dict[str, str]], are_two: bool) -> None:
    found = find(text, frames, ["Ann", "her"])
    assert found.bound == {}
    assert {mention: [*others] for mention, others in found.apart.items()} == ({0: [1], 1: [0]} if are_two else {})


def test_the_subject_of_a_small_clause_is_an_argument_of_both_verbs() -> None:
    frames = {"made": {"ARG0": "Ann", "ARG1": "him laugh at Tom"}, "laugh": {"ARG0": "him", "ARG2": "at Tom"}}
    found = find("Ann made him laugh at Tom .", frames, ["Ann", "him", "Tom"])
    assert found.apart == {0: {1: "made"}, 1: {0: "made", 2: "laugh"}, 2: {1: "laugh"}}


@pytest.mark.parametrize(
    ("text", "frames", "are_two"),
    [
        ("Ann made her find it .", {"find.01 find": {"ARG0": "her", "ARG1": "it"}}, True),
        ("Ann made her find in May .", {"find.01 find": {"ARG0": "her", "ARGM-TMP": "in May"}}, False),
    ],
)
def test_her_is_the_subject_of_a_small_clause_whose_verb_has_an_object(
    text: str, frames: dict[str, dict[str, str]], are_two: bool
) -> None:
    clause = text.removeprefix("Ann made ").removesuffix(" .")
    found = find(text, {"made": {"ARG0": "Ann", "ARG1": clause}, **frames}, ["Ann", "her"])
    assert found.apart == ({0: {1: "made"}, 1: {0: "made"}} if are_two else {})


def test_a_coordinated_verb_shares_no_possessive() -> None:
    frames = {"liked": {"ARG0": "Ann"}, "visits": {"ARG0": "his"}, "called": {"ARG1": "her"}}
    assert find("Ann liked his visits and called her .", frames, ["Ann", "his", "her"]).apart == {
        0: {2: "called"},
        2: {0: "called"},
    }


@pytest.mark.parametrize(
    ("form", "subject"), [("take", "Ann"), ("taking", "Ann"), ("took", "Tom"), ("may take", "Tom")]
)
def test_a_verb_in_the_past_shares_no_subject_with_one_that_is_not_finite(form: str, subject: str) -> None:
    modal = {"ARGM-MOD": "may"} if "may" in form else {}
    frames = {
        "see.01 saw": {"ARG0": "Ann"},
        f"take.01 {form.split()[-1]}": {"ARG0": "Tom", "ARG1": "it", **modal},
        "call.01 called": {"ARG0": "Tom", "ARG1": "her"},
    }
    mentions = ["Ann", "Tom", "her"]
    found = find(f"Ann saw Tom {form} it and called her .", frames, mentions)
    assert found.apart == {2: {mentions.index(subject): "called"}, mentions.index(subject): {2: "called"}}


@pytest.mark.parametrize("verb", ["be.01 was", "call.01 called", "elect.01 elected"])
def test_what_is_said_of_the_subject_is_no_other(verb: str) -> None:
    word = verb.split()[1]
    arguments = {"ARG1": "She", "ARG2": "the chair"}
    assert not find(f"She {word} the chair", {verb: arguments}, ["She", "the chair"]).apart
    assert find("She took the chair", {"take.01 took": arguments}, ["She", "the chair"]).apart


@pytest.mark.parametrize("object_", ["himself", "each other"])
def test_a_reflexive_is_its_subject(object_: str) -> None:
    found = find(f"They hurt {object_}", {"hurt": {"ARG0": "They", "ARG1": object_}}, ["They", object_])
    assert found == CoArguments({}, {1: 0}, {})


def test_a_mention_inside_an_argument_is_no_argument() -> None:
    assert not find("He loves his dog", {"loves": {"ARG0": "He", "ARG1": "his dog"}}, ["He", "his"]).apart


def test_a_text_without_pronouns_has_frames_too() -> None:
    found = find("Ann trusted Tom .", {"trusted": {"ARG0": "Ann", "ARG1": "Tom"}}, ["Ann", "Tom"])
    assert found.apart == {0: {1: "trusted"}, 1: {0: "trusted"}}


def test_nothing_is_told_where_reflexives_are_not_known() -> None:
    frames = {"traut": {"ARG0": "Anna", "ARG1": "sich"}}
    assert find("Anna traut sich", frames, ["Anna", "sich"], "de") == CoArguments({}, {}, {})


@pytest.mark.parametrize(
    ("text", "arguments", "is_said"),
    [
        ("She was a nurse .", {"ARG1": "She", "ARG2": "a nurse"}, True),
        ("A nurse was she .", {"ARG1": "she", "ARG2": "A nurse"}, False),
        ("It was a nurse .", {"ARG1": "It", "ARG2": "a nurse"}, False),
        ("Ann was she .", {"ARG1": "Ann", "ARG2": "she"}, False),
        ("Ann was with a nurse .", {"ARG1": "Ann", "ARG2": "with a nurse"}, False),
    ],
)
def test_a_predicate_noun_is_said_of_its_subject(text: str, arguments: dict[str, str], is_said: bool) -> None:
    mentions = sorted((words.removeprefix("with ") for words in arguments.values()), key=text.index)
    assert find(text, {"was": arguments}, mentions).said == ({1: 0} if is_said else {})


NOUNS = [("his cousin", True), ("her aunt", True), ("his own master", False), ("his firm 's head", False)]


@pytest.mark.parametrize(("noun", "are_two"), NOUNS)
def test_a_subject_is_not_who_has_what_is_said_of_it(noun: str, are_two: bool) -> None:
    mentions = ["The other", noun, noun.split()[0]]
    found = find(f"The other is {noun} .", {"is": {"ARG1": "The other", "ARG2": noun}}, sorted(mentions, key=len)[::-1])
    assert found.said
    assert bool(found.apart) == are_two
