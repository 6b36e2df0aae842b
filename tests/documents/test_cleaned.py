import pytest
import spacy
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector.documents.cleaned import are_blank, clean_doc, count_words, split_doc
from spacy_span_selector.documents.visible import is_blank

from ..untrained import pipeline_of

NLP = spacy.blank("en")


def test_a_document_without_white_space_is_read_as_it_is() -> None:
    doc = NLP("Ann left. He stayed.")
    words = clean_doc(doc)
    assert words.doc is words.source is doc
    assert words.places.tolist() == list(range(len(doc)))


@pytest.mark.parametrize(
    "text", ["Ann\nleft  early.", "\n\nAnn left\tearly.", " Ann left early. \n", "Ann \n left early."]
)
def test_words_are_those_of_the_text_on_one_line(text: str) -> None:
    words, plain = clean_doc(NLP(text)), NLP(" ".join(text.split()))
    assert words.doc.text == plain.text
    assert [token.text for token in words.doc] == [token.text for token in plain]
    assert [words.source[place].text for place in words.places] == [token.text for token in plain]


@pytest.mark.parametrize(
    ("words", "starts", "sentences"),
    [
        (["Oh", ".", "\n", "Ann", "left"], [True, False, True, False, False], ["Oh .", "Ann left"]),
        (["Ann", "left", "\n"], [True, None, True], ["Ann left"]),
        (["\n", "Ann", "left"], [True, False, None], ["Ann left"]),
    ],
)
def test_a_sentence_begins_with_its_first_word(
    words: list[str], starts: list[bool | None], sentences: list[str]
) -> None:
    doc = clean_doc(Doc(NLP.vocab, words=words, sent_starts=starts)).doc
    assert [sentence.text for sentence in doc.sents] == sentences


def test_spans_keep_their_words_and_have_no_white_space_at_their_edges_in_the_source() -> None:
    doc = Doc(NLP.vocab, words=["Ann", "\n", "Lee", "\n", "left"])
    spans = [Span(doc, *edges) for edges in ((0, 4), (1, 3), (1, 2), (2, 2))]
    doc.spans["some"] = SpanGroup(doc, spans=spans)
    words = clean_doc(doc)
    assert [(span.start, span.end) for span in words.doc.spans["some"]] == [(0, 2), (1, 2), (1, 1)]
    assert (words.to_source(0, 2), words.to_source(2, 3)) == ((0, 3), (4, 5))
    words = clean_doc(Doc(NLP.vocab, words=["\n", "Ann", "\n", "left"]))
    assert (words.to_source(0, 1), words.to_source(0, 2)) == ((1, 2), (1, 4))


def test_white_space_does_not_count_and_is_known_without_a_language() -> None:
    doc = Doc(Vocab(), words=["Ann", "\n\n", "left", "\u3000"])
    assert [token.text for token in clean_doc(doc).doc] == ["Ann", "left"]
    assert count_words(doc) == 2
    assert count_words(NLP("\n Ann \n\n left. ")) == 3
    assert count_words(NLP("")) == count_words(NLP(" \n")) == 0


@pytest.mark.parametrize("text", [" ", "\n\t", "\u200b", "\ufeff \u200e", "\ufe0f", "\x00", "\u2028"])
def test_what_nobody_sees_is_no_word(text: str) -> None:
    assert is_blank(text)
    assert not is_blank(f"{text}a")


@pytest.mark.parametrize("vocab", [NLP.vocab, Vocab()])
def test_words_are_known_with_a_language_and_without(vocab: Vocab) -> None:
    texts = ["Ann", "\u200b", "7", "...", "\n", "don't", "\u00ad", "$", "\U0001f600", "\ufe0f", "\u5b89", "\u0301"]
    doc = Doc(vocab, words=texts)
    assert [text for text, blank in zip(texts, are_blank(doc), strict=True) if blank] == [
        *("\u200b", "\n", "\u00ad", "\U0001f600", "\ufe0f", "\u0301")
    ]
    assert [token.text for token in clean_doc(doc).doc] == ["Ann", "7", "...", "don't", "$", "\u5b89"]


def test_words_that_an_unseen_token_divides_stay_apart_or_together() -> None:
    doc = Doc(NLP.vocab, words=["Ann", "\u200b", "left", "\u200b", "early"], spaces=[False, False, False, True, False])
    assert clean_doc(doc).doc.text == "Annleft early"
    assert count_words(doc) == 3


@pytest.mark.parametrize(
    ("text", "words", "places"),
    [
        ("Ja\u00adnet left.", ["Janet", "left", "."], [0, 1, 2]),
        ("\ufeffShe can\u200b't go\u200b.", ["She", "ca", "n't", "go", "."], [0, 1, 1, 2, 2]),
        ("Ann \U0001f389 won", ["Ann", "won"], [0, 2]),
        ("Ann\U0001f469\u200d\U0001f680won #\ufe0f\u20e3", ["Ann", "won"], [0, 4]),
        ("a \u2708\ufe0f to", ["a", "to"], [0, 3]),
        ("Nice \U0001f44d\U0001f3fd. :) \u2122", ["Nice", ".", ":)", "\u2122"], [0, 2, 3, 4]),
    ],
)
def test_the_word_is_the_word(text: str, words: list[str], places: list[int]) -> None:
    cleaned = clean_doc(NLP(text))
    assert [token.text for token in cleaned.doc] == words
    assert cleaned.places.tolist() == places


def test_an_emoji_between_words_leaves_a_space() -> None:
    assert clean_doc(NLP("Ann\U0001f389won. Tom\U0001f389's a\u2708\ufe0f hat")).doc.text == "Ann won. Tom's a hat"


@pytest.mark.parametrize(
    "text",
    [
        "Spoons, forks, etc{} are in the drawer.",
        "She bought cups, plates, etc{} for the party.",
        "He sells tools, rope, etc{}, and he likes them.",
        "Lions (tigers, etc{}) live there.",
        "Old coins, stamps, etc{}\nfilled the drawer.",
        "Rain, hail, etc{}: all of it fell. Tom left.",
        "Marsh et al{} say that bees sleep.",
        "The bank on Elm Blvd{} has closed.",
    ],
)
def test_a_short_form_within_a_sentence_is_read_as_without_its_stop(text: str) -> None:
    nlp = pipeline_of("en", "word_sentencizer")
    words, plain = (clean_doc(nlp(text.format(stop))) for stop in (".", ""))
    assert len(words.source) == len(plain.source) + 1
    for attribute in ("text", "whitespace_", "is_sent_start"):
        assert [getattr(word, attribute) for word in words.doc] == [getattr(word, attribute) for word in plain.doc]


@pytest.mark.parametrize("text", ["Bring cups, etc.", "Bring cups, etc. We have none.", "See Fig. 3.", "He et . al"])
def test_other_stops_are_read(text: str) -> None:
    nlp = pipeline_of("en", "word_sentencizer")
    assert clean_doc(nlp(text)).doc.text == text


def test_words_and_tokens_find_each_other() -> None:
    cleaned = clean_doc(Doc(NLP.vocab, words=["Ann Lee", "\n", "saw", "Tom's dog"]))
    assert [token.text for token in cleaned.doc] == ["Ann", "Lee", "saw", "Tom", "'s", "dog"]
    assert cleaned.to_source(1, 4) == (0, 4)
    assert cleaned.words_of(cleaned.source[2:4]).text == "saw Tom's dog"
    assert cleaned.words_of(cleaned.source[1:2]).text == "\n"
    assert len(split_doc(cleaned.source).doc) == 7


@pytest.mark.parametrize(
    ("spans", "kept"),
    [
        ([(0, 2), (2, 3)], [0, 1]),
        ([(0, 1)], []),  # "Ann" is not "Ann Lee"
        ([(1, 2)], [0]),
        ([(0, 2), (1, 2)], [0]),
        ([(3, 4), (3, 6)], [1]),
        ([(3, 4), (2, 5)], []),
        ([(0, 3), (1, 3), (5, 6)], [0, 2]),
    ],
)
def test_of_spans_that_become_one_the_widest_is_left(spans: list[tuple[int, int]], kept: list[int]) -> None:
    cleaned = clean_doc(Doc(NLP.vocab, words=["Ann Lee", "saw", "Tom's dog"]))
    assert cleaned.whole_spans(spans, [0.5] * len(spans), [""] * len(spans)) == kept


def test_a_mark_is_no_further_word_of_a_token() -> None:
    cleaned = clean_doc(NLP("It was Janet\u00ad."))
    assert len(cleaned.source) < len(cleaned.doc)
    assert cleaned.whole_spans([(2, 3)], [1.0], [""]) == [0]
