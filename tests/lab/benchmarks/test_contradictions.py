from collections.abc import Sequence

import pytest
import spacy
from spacy.tokens import Doc

from lab.benchmarks.contradictions import contradictions
from spacy_span_selector.annotation import Argument, Frame, Mention, Quotation, set_clusters, set_frames, set_quotations
from spacy_span_selector.extensions import register_extensions


def kinds(
    text: str,
    clusters: Sequence[Sequence[Mention]],
    frames: Sequence[Frame] = (),
    quotations: Sequence[Quotation] = (),
) -> list[str]:
    register_extensions()
    doc = Doc(spacy.blank("en").vocab, words=text.split())
    set_clusters(doc, clusters)
    set_frames(doc, frames)
    set_quotations(doc, quotations)
    return [kind for kind, _ in contradictions(doc)]


@pytest.mark.parametrize(
    ("text", "found"),
    [("She saw her", ["co-arguments"]), ("She saw herself", []), ("She is her", [])],
)
def test_arguments_of_one_frame(text: str, found: list[str]) -> None:
    frame = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG1")])
    assert kinds(text, [[(0, 1), (2, 3)]], [frame]) == found


def test_persons_differ_across_the_border_of_a_quotation_alone() -> None:
    text = '" I am late " , he said'
    assert kinds(text, [[(1, 2), (6, 7)]]) == ["persons"]
    assert kinds(text, [[(1, 2), (6, 7)]], quotations=[Quotation(0, 5)]) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [("he saw she", ["he and she"]), ("it saw she", ["it and he or she"]), ("he saw him", [])],
)
def test_pronouns_of_two_genders(text: str, found: list[str]) -> None:
    assert kinds(text, [[(0, 1), (2, 3)]]) == found


def test_a_mention_inside_another() -> None:
    assert kinds("the dog and tail", [[(0, 2), (0, 4)]]) == ["nested"]


@pytest.mark.parametrize(("word", "of_ann", "of_tom"), [("I", [], ["speaker"]), ("she", ["spoken of"], [])])
def test_the_speaker_of_a_quotation_and_persons_in_it(word: str, of_ann: list[str], of_tom: list[str]) -> None:
    text = f'" {word} am late " , said Ann and Tom'
    ann, tom, own = (7, 8), (9, 10), (1, 2)
    said = [Quotation(0, 5, speaker=ann)]
    assert kinds(text, [[own, tom], [ann]], quotations=said) == of_tom
    assert kinds(text, [[own, ann], [tom]], quotations=said) == of_ann
