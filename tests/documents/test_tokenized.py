from __future__ import annotations

import time
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.documents.tokenized import make_doc


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


def tokens(doc: Doc) -> list[tuple[Any, ...]]:
    return [(token.text, token.whitespace_, token.norm_) for token in doc]


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
def test_tokens_are_those_of_the_pipeline(nlp: Language, text: str) -> None:
    doc = make_doc(nlp, text)
    assert doc.text == text
    assert tokens(doc) == tokens(nlp.make_doc(text))


@pytest.mark.parametrize("chunk", ["=", "'s", ":", "a:", "a:b@", "_", "😀", "..!", ":)", "+a", "(a)("])
def test_the_time_grows_as_the_text_does(nlp: Language, chunk: str) -> None:
    """20,000 of most took more than a minute."""
    text = f"Ann left. {chunk * (20_000 // len(chunk))} Bob left."
    begin = time.process_time()
    doc = make_doc(nlp, text)
    assert time.process_time() - begin < 5
    assert doc.text == text
    assert [token.text for token in doc[-3:]] == ["Bob", "left", "."]


def test_long_chunks_are_not_cut_within_words(nlp: Language) -> None:
    words = ["a" * 1_500, "é" * 1_200, "कि" * 900]
    text = "/".join(words)
    doc = make_doc(nlp, text)
    assert doc.text == text
    assert [token.text.strip("/") for token in doc] == words


def test_other_tokenizers_are_left_alone(nlp: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    other = spacy.blank("en")
    monkeypatch.setattr(other, "tokenizer", lambda text: Doc(other.vocab, words=[text]))
    assert [token.text for token in make_doc(other, "=" * 2_000)] == ["=" * 2_000]


def test_a_text_that_is_too_long_is_an_error(nlp: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nlp, "max_length", 100)
    with pytest.raises(ValueError, match="exceeds maximum of 100"):
        make_doc(nlp, "=" * 101)
