import re
from html import unescape

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import Argument, Frame, set_frames
from spacy_span_selector.extensions import doc_frames
from spacy_span_selector.tools.rendering.boxes import TextMarkup
from spacy_span_selector.tools.rendering.frames import render_frames, role_look

NLP = spacy.blank("en")


def render(doc: Doc, *frames: Frame) -> str:
    set_frames(doc, frames)
    return render_frames(TextMarkup(doc), doc[:], doc_frames(doc), {})


def lines(markup: str) -> list[str]:
    """The frames as text, with brackets for boxes."""
    contents = re.findall("<dd>(.*?)</dd>", markup)
    bracketed = [re.sub("<mark[^>]*>", "[", content).replace("</mark>", "]") for content in contents]
    return [unescape(re.sub("</?b>", "", content)).replace("\N{NO-BREAK SPACE}", " ") for content in bracketed]


def frame(start: int, *arguments: tuple[int, int, str]) -> Frame:
    return Frame(start, start + 1, [Argument(*argument) for argument in arguments])


@pytest.mark.parametrize(
    ("doc", "frames", "expected"),
    [
        (
            NLP("Tom gave Mary a hat."),
            [frame(1, (0, 1, "ARG0"), (2, 3, "ARG2"), (3, 5, "ARG1"))],
            ["[ARG0 Tom] [V gave] [ARG2 Mary] [ARG1 a hat]"],
        ),
        (
            NLP("Ann, who ran, saw Lee."),
            [frame(3, (2, 3, "R-ARG0")), frame(5)],
            ["… [R-ARG0 who] [V ran] …", "… [V saw] …"],
        ),
        (Doc(NLP.vocab, words=['"', "Ann", "ran", ".", '"']), [frame(2, (1, 2, "ARG0"))], ["[ARG0 Ann] [V ran]"]),
        (NLP("Ann had often ran."), [frame(3, (0, 1, "ARG0"))], ["[ARG0 Ann] had often [V ran]"]),
        (
            NLP("He didn't (really) go."),
            [frame(6, (2, 3, "ARGM-NEG"), (4, 5, "ARGM-ADV"), (0, 1, "ARG0"))],
            ["[ARG0 He] did[ARGM-NEG n't] ([ARGM-ADV really]) [V go]"],
        ),
        (
            Doc(NLP.vocab, words=["a", "b", "c", "d"]),
            [frame(1, (0, 4, "ARG1"), (1, 3, "ARG2"))],
            ["[ARG1 a [ARG2 [V b] c] d]"],
        ),
        (NLP("Ann left."), [], []),
    ],
    ids=["all", "words outside", "punctuation outside", "words between", "spacing", "nested", "none"],
)
def test_each_span_of_a_frame_is_in_a_box_with_its_role(doc: Doc, frames: list[Frame], expected: list[str]):
    markup = render(doc, *frames)
    assert lines(markup) == expected
    assert bool(markup) == bool(frames)


def test_roles_of_a_family_share_a_colour_and_families_differ():
    for role, family in {"R-ARG0": "ARG0", "C-ARG1": "ARG1", "C-V": "V", "A0": "ARG0"}.items():
        assert role_look(role) == role_look(family)
    assert role_look("ARGM-TMP") == role_look("ARGM-LOC") == role_look("AM-TMP")
    families = ["V", "ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARG5", "ARGM-TMP"]
    assert len({role_look(family) for family in families}) == len(families)
    for role in ("ARG6", "ARGA", "Agent", "", "k9"):
        assert re.fullmatch("k[0-7]", role_look(role))


def test_arguments_and_predicates_know_their_probabilities():
    markup = render(NLP("Ann ran."), Frame(1, 2, [Argument(0, 1, "ARG0")], scores=[0.5, 0.9876]))
    assert re.findall('data-role="(.*?)" data-score="(.*?)"', markup) == [("ARG0", "0.988"), ("V", "0.500")]
