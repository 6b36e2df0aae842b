import re
from html import unescape
from itertools import combinations, product

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Argument, Frame, set_frames
from spacy_span_selector.extensions import doc_frames
from spacy_span_selector.rendering.frames import render_frames, role_color

NLP = spacy.blank("en")


def render(doc: Doc, *frames: Frame) -> str:
    set_frames(doc, frames)
    return render_frames(doc[:], doc_frames(doc))


def lines(markup: str) -> list[str]:
    """The frames as text, with brackets for boxes."""
    contents = re.findall("<dd>(.*?)</dd>", markup)
    bracketed = [re.sub("<mark[^>]*>", "[", content).replace("</mark>", "]") for content in contents]
    return [unescape(re.sub("</?b>", "", content)).replace("\N{NO-BREAK SPACE}", " ") for content in bracketed]


def test_each_span_of_a_frame_is_in_a_box_with_its_role():
    frame = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG2"), Argument(3, 5, "ARG1")], "give.01")
    assert lines(render(NLP("Tom gave Mary a hat."), frame)) == ["[ARG0 Tom] [V gave] [ARG2 Mary] [ARG1 a hat]"]


def test_frames_are_named_by_roleset_or_predicate():
    markup = render(NLP("Ann ran and slept."), Frame(1, 2, [], "run.02"), Frame(3, 4, []))
    assert re.findall("<dt>(.*?)</dt>", markup) == ["run.02", "slept"]


def test_words_outside_a_frame_are_left_out():
    markup = render(NLP("Ann, who ran, saw Lee."), Frame(3, 4, [Argument(2, 3, "R-ARG0")]), Frame(5, 6, []))
    assert lines(markup) == ["… [R-ARG0 who] [V ran] …", "… [V saw] …"]


def test_punctuation_outside_a_frame_is_left_out_without_dots():
    doc = Doc(Vocab(), words=['"', "Ann", "ran", ".", '"'])
    assert lines(render(doc, Frame(2, 3, [Argument(1, 2, "ARG0")]))) == ["[ARG0 Ann] [V ran]"]


def test_words_between_the_spans_of_a_frame_are_kept():
    assert lines(render(NLP("Ann had often ran."), Frame(3, 4, [Argument(0, 1, "ARG0")]))) == [
        "[ARG0 Ann] had often [V ran]"
    ]


def test_spacing_is_that_of_the_text():
    doc = NLP("He didn't (really) go.")
    frame = Frame(6, 7, [Argument(2, 3, "ARGM-NEG"), Argument(4, 5, "ARGM-ADV"), Argument(0, 1, "ARG0")])
    assert lines(render(doc, frame)) == ["[ARG0 He] did[ARGM-NEG n't] ([ARGM-ADV really]) [V go]"]


def test_spans_may_nest():
    doc = Doc(NLP.vocab, words=["a", "b", "c", "d"])
    frame = Frame(1, 2, [Argument(0, 4, "ARG1"), Argument(1, 3, "ARG2")])
    assert lines(render(doc, frame)) == ["[ARG1 a [ARG2 [V b] c] d]"]


def test_the_later_of_crossing_spans_continues_in_a_second_box():
    doc = Doc(NLP.vocab, words=["a", "b", "c", "d"])
    frame = Frame(3, 4, [Argument(0, 2, "ARG0"), Argument(1, 3, "ARG1")])
    assert lines(render(doc, frame)) == ["[ARG0 a [ARG1 b]] [c] [V d]"]


def test_every_token_is_in_as_many_boxes_as_spans():
    doc = Doc(NLP.vocab, words=["a", "b", "c", "d"])
    spans = list(combinations(range(5), 2))
    for predicate, first, second in product(spans, repeat=3):
        (line,) = lines(render(doc, Frame(*predicate, [Argument(*first, "X"), Argument(*second, "Y")])))
        assert line.count("[") == line.count("]")
        for token in doc[min(predicate[0], first[0], second[0]) : max(predicate[1], first[1], second[1])]:
            before = line[: line.index(token.text)]
            covering = [start <= token.i < end for start, end in (predicate, first, second)]
            assert before.count("[") - before.count("]") == sum(covering)


def test_a_sentence_without_frames_has_no_markup():
    assert render(NLP("Ann left.")) == ""


@pytest.mark.parametrize(
    ("role", "family"),
    [
        ("R-ARG0", "ARG0"),
        ("C-ARG1", "ARG1"),
        ("C-V", "V"),
        ("ARGM-TMP", "ARGM-LOC"),
        ("A0", "ARG0"),
        ("AM-TMP", "ARGM-LOC"),
    ],
)
def test_roles_of_a_family_share_a_color(role: str, family: str):
    assert role_color(role) == role_color(family)


def test_families_have_different_colors():
    families = ["V", "ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARG5", "ARGA", "ARGM-TMP", "Agent", "Patient"]
    assert len({role_color(family) for family in families}) == len(families)
