import re
from html import unescape

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames
from spacy_span_selector.extensions import doc_clusters, doc_frames
from spacy_span_selector.tools.rendering.boxes import Words
from spacy_span_selector.tools.rendering.clusters import number_clusters, shown_mentions
from spacy_span_selector.tools.rendering.frames import render_frames, role_look

NLP = spacy.blank("en")


def render(doc: Doc, *frames: Frame) -> str:
    set_frames(doc, frames)
    return render_frames(Words(doc), doc[:], doc_frames(doc))


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
    assert role_look(role) == role_look(family)


def test_families_have_different_colors():
    families = ["V", "ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARG5", "ARGM-TMP"]
    assert len({role_look(family) for family in families}) == len(families)


@pytest.mark.parametrize("role", ["ARG6", "ARGA", "Agent", "", "k9"])
def test_other_roles_have_one_of_the_colours(role: str):
    assert re.fullmatch("k[0-7]", role_look(role))


def test_arguments_and_predicates_know_their_probabilities():
    markup = render(NLP("Ann ran."), Frame(1, 2, [Argument(0, 1, "ARG0")], scores=[0.5, 0.9876]))
    assert re.findall('data-role="(.*?)" data-score="(.*?)"', markup) == [("ARG0", "0.988"), ("V", "0.500")]


def test_an_argument_that_is_a_mention_has_the_number_of_its_cluster():
    doc = NLP("Bob left. Ann said that she ran.")
    set_clusters(doc, [[(0, 1), (1, 2)], [(3, 4), (6, 7)]])
    set_frames(doc, [Frame(7, 8, [Argument(6, 7, "ARG0"), Argument(5, 6, "ARG1")])])
    mentions = shown_mentions(number_clusters(doc_clusters(doc), doc[:], False))
    markup = render_frames(Words(doc), doc[3:9], doc_frames(doc), mentions)
    assert re.findall(r'<i class="number k1 line0" data-n="2" data-m="1"></i>(\w+)', markup) == ["she"]
    assert markup.count("<i ") == 1
