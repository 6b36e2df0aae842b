import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import PARAGRAPHS_KEY, SPEAKERS_KEY


def test_a_document_without_sentence_boundaries_is_one_sentence() -> None:
    doc = Doc(Vocab(), words=["Ann", "left", "Bob", "slept"])
    assert [(sentence.start, sentence.end) for sentence in annotation.get_sentences(doc)] == [(0, 4)]
    doc[2].is_sent_start = True
    assert [(sentence.start, sentence.end) for sentence in annotation.get_sentences(doc)] == [(0, 2), (2, 4)]


VOCAB = spacy.blank("en").vocab


def make_doc(text: str = "Ann left . Bob stayed .") -> Doc:
    """Words, or white space, between spaces."""
    return Doc(VOCAB, words=text.split(" "))


@pytest.fixture
def doc() -> Doc:
    return make_doc()


def test_speakers_are_replaced_under_their_key(doc: Doc) -> None:
    assert annotation.get_speakers(doc) == []
    annotation.set_speakers(doc, [(0, 3, "Ruth")], key="turns")
    assert (annotation.get_speakers(doc, key="turns"), annotation.get_speakers(doc)) == ([(0, 3, "Ruth")], [])
    annotation.set_speakers(doc, [(0, 6, "Leo")])
    annotation.set_speakers(doc, [(0, 3, "Ruth"), (3, 6, "Ann Lee")])
    assert annotation.get_speakers(doc) == [(0, 3, "Ruth"), (3, 6, "Ann Lee")]
    assert set(doc.spans) == {"turns", SPEAKERS_KEY}


def numbers(doc: Doc) -> list[int] | None:
    found = annotation.paragraph_numbers(doc)
    return None if found is None else found.tolist()


def test_paragraphs_are_replaced_under_their_key(doc: Doc) -> None:
    annotation.set_paragraphs(doc, [(0, 6)], key="stanzas")
    assert (annotation.get_paragraphs(doc, key="stanzas"), annotation.get_paragraphs(doc)) == ([(0, 6)], None)
    annotation.set_paragraphs(doc, [(0, 6)])
    annotation.set_paragraphs(doc, [(0, 3), (3, 6)])
    assert annotation.get_paragraphs(doc) == [(0, 3), (3, 6)]
    assert set(doc.spans) == {"stanzas", PARAGRAPHS_KEY}
    annotation.set_paragraphs(doc, [])
    assert annotation.get_paragraphs(doc) == []


def test_paragraphs_that_are_not_some_tokens_leave_the_document_as_it_was(doc: Doc) -> None:
    annotation.set_paragraphs(doc, [(0, 6)])
    with pytest.raises(ValueError, match=r"paragraphs\[1\]"):
        annotation.set_paragraphs(doc, [(0, 3), (3, 7)])
    assert annotation.get_paragraphs(doc) == [(0, 6)]


def test_paragraphs_are_saved_and_number_tokens(doc: Doc) -> None:
    annotation.set_paragraphs(doc, [(0, 3), (3, 6)])
    assert numbers(doc) == [1, 1, 1, 2, 2, 2]
    assert annotation.get_paragraphs(Doc(VOCAB).from_bytes(doc.to_bytes())) == [(0, 3), (3, 6)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann left \n\n Bob \n stayed \n\n\n .", [0, 0, 0, 1, 1, 1, 1, 2]),
        ("Ann left \n\n", [0, 0, 0]),
        ("Ann left . Bob stayed .", None),
        ("Ann \n left", None),
        ("Ann \t left", None),
    ],
)
def test_tokens_are_numbered_by_blank_lines(text: str, expected: list[int] | None) -> None:
    assert numbers(make_doc(text)) == expected
    assert numbers(Doc(VOCAB)) is None


def test_given_paragraphs_come_before_blank_lines() -> None:
    doc = make_doc("Ann left \n\n Bob stayed")
    annotation.set_paragraphs(doc, [(1, 5)])
    assert numbers(doc) == [0, 1, 1, 1, 1]
