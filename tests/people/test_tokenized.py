import time

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.people.tokenized import make_doc

NLP = spacy.blank("en")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ann can't leave :) ... she said.",
        "=" * 80,
        f" Ann can't\n\n{'=' * 80}\nhttp://x.org/{'a/' * 90}  {'(' * 70}U.S.{')' * 70} left\t",
        f"{'-' * 90} {'.' * 300}x {'“' * 65}don't{'”!' * 50}",
        f"{'a:b@' * 100} {'’s' * 40} {'$' * 66}5km{'.' * 70}",
        "中" * 3_000,
        "e" + "\u0301" * 3_000,
        "https://x.org/?" + "key=value&" * 90 + ":)",
    ],
)
def test_tokens_are_those_of_the_pipeline(text: str) -> None:
    doc = make_doc(NLP, text)
    assert doc.text == text
    expected = [(token.text, token.whitespace_, token.norm_) for token in NLP.make_doc(text)]
    assert [(token.text, token.whitespace_, token.norm_) for token in doc] == expected


@pytest.mark.parametrize("chunk", ["=", "'s", ":", "a:", "a:b@", "_", "😀", "..!", ":)", "+a", "(a)("])
def test_the_time_grows_as_the_text_does(chunk: str) -> None:
    """20,000 of most took more than a minute."""
    text = f"Ann left. {chunk * (20_000 // len(chunk))} Bob left."
    begin = time.process_time()
    doc = make_doc(NLP, text)
    assert time.process_time() - begin < 5
    assert doc.text == text
    assert [token.text for token in doc[-3:]] == ["Bob", "left", "."]


def test_long_chunks_are_not_cut_within_words() -> None:
    words = ["a" * 1_500, "é" * 1_200, "कि" * 900]
    doc = make_doc(NLP, "/".join(words))
    assert doc.text == "/".join(words)
    assert [token.text.strip("/") for token in doc] == words


def test_other_tokenizers_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    other = spacy.blank("en")
    monkeypatch.setattr(other, "tokenizer", lambda text: Doc(other.vocab, words=[text]))
    assert [token.text for token in make_doc(other, "=" * 2_000)] == ["=" * 2_000]


def test_a_text_that_is_too_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NLP, "max_length", 100)
    with pytest.raises(ValueError, match="exceeds maximum of 100"):
        make_doc(NLP, "=" * 101)
