import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_title
from spacy_span_selector.documents.cleaned import clean_doc
from spacy_span_selector.examples import alignment

VOCAB = Vocab()
WORDS = ["Ann", "saw", "her", "brother", ".", "He", "left", "."]
REFERENCE = ["Ann", "saw", "her", "bro", "ther", ".", "He", "left."]
SPACES = [True, True, True, False, False, True, True, False]


def aligner(max_width: int | None = None) -> alignment.SpanAligner:
    predicted = Doc(VOCAB, words=WORDS, spaces=[True, True, True, False, True, True, False, False])
    return alignment.SpanAligner(Example(predicted, Doc(VOCAB, words=REFERENCE, spaces=SPACES)), [5, 3], max_width)


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ((0, 1), (0, 0)),
        ((2, 5), (2, 3)),
        ((7, 8), (6, 7)),
        ((3, 4), alignment.MISALIGNED),
        ((2, 4), alignment.MISALIGNED),
        ((5, 7), alignment.CROSSES_SENTENCES),
        ((0, 8), alignment.CROSSES_SENTENCES),
        ((3, 3), alignment.EMPTY),
        ((8, 8), alignment.EMPTY),
    ],
)
def test_spans_are_found_by_their_first_and_last_token(span: tuple[int, int], expected: tuple[int, int] | str) -> None:
    assert aligner()(*span) == expected


def test_width_is_that_in_the_prediction() -> None:
    assert aligner(max_width=2)(2, 5) == (2, 3)
    assert aligner(max_width=1)(2, 5) == alignment.TOO_WIDE
    assert aligner(max_width=1)(0, 1) == (0, 0)


def test_the_same_words_are_found_where_alignment_finds_them() -> None:
    words = [*WORDS, "\n", "Ann"]
    same = Example(Doc(VOCAB, words=words), Doc(VOCAB, words=words, spaces=[False] * len(words)))
    aligned = same.alignment.y2x.data.tolist()
    found = [alignment.SpanAligner(same, [len(words)], None)(i, i + 1) for i in range(len(words)) if words[i] != "\n"]
    assert found == [(token, token) for token in aligned if words[token] != "\n"]


def test_tokens_know_whether_they_share_a_sentence() -> None:
    assert aligner().in_one_sentence(0, 4) and aligner().in_one_sentence(7, 5)
    assert not aligner().in_one_sentence(4, 5)


def test_texts_are_compared_when_the_first_span_is_looked_up() -> None:
    reference = Doc(VOCAB, words=["Eve", "left"])
    set_title(reference, "the attic")
    align = alignment.SpanAligner(Example(Doc(VOCAB, words=["Ann"]), reference), [1], None)
    assert align(1, 1) == alignment.EMPTY
    with pytest.raises(
        ValueError, match=r"Can't align document 'the attic'.*starts 'Eve left ', the prediction 'Ann '"
    ):
        align(0, 1)


def test_what_is_not_read_aligns_with_nothing() -> None:
    nlp = spacy.blank("en")
    text = "Ja\u00adnet \U0001f389 saw\u200b. New York \u2708\ufe0f"
    predicted = nlp(text)
    with predicted.retokenize() as retokenizer:
        retokenizer.merge(predicted[3:5])
    example = alignment.with_words(Example(predicted, nlp(text)), clean_doc(predicted))
    assert [token.text for token in example.predicted] == ["Janet", "saw", ".", "New", "York"]
    align = alignment.SpanAligner(example, [5], None)
    assert [align(0, 1), align(0, 2), align(3, 5), align(4, 5)] == [(0, 0), (0, 0), (3, 4), (4, 4)]
    assert align(1, 2) == alignment.WHITE_SPACE
    assert align(5, 6) == alignment.MISALIGNED
