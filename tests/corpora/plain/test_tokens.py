from __future__ import annotations

import pytest
from spacy.vocab import Vocab

from spacy_span_selector.corpora.plain.records import Document, read_document
from spacy_span_selector.corpora.plain.tokens import make_doc


def document(text: str, *tokens: tuple[int, int]) -> Document:
    places = [{"start": start, "end": end} for start, end in tokens]
    return read_document({"format": "spacy_span_selector.Doc.v1", "text": text, "tokens": places})


@pytest.mark.parametrize(
    ("text", "tokens", "expected"),
    [
        ("Ann left.", [(0, 3), (4, 8), (8, 9)], ["Ann ", "left", "."]),
        ("Ann  left", [(0, 3), (5, 9)], ["Ann ", " ", "left"]),
        ("Ann \n\nleft", [(0, 3), (6, 10)], ["Ann ", "\n\n", "left"]),
        ("Ann\tleft", [(0, 3), (4, 8)], ["Ann", "\t", "left"]),
        ("  Ann ", [(2, 5)], ["  ", "Ann "]),
        ("Ann left", [(0, 3), (3, 4), (4, 8)], ["Ann", " ", "left"]),
        ("Ann left", [(0, 8)], ["Ann left"]),
        ("  ", [], ["  "]),
        ("", [], []),
    ],
)
def test_white_space_between_tokens_is_kept(text: str, tokens: list[tuple[int, int]], expected: list[str]):
    doc = make_doc(document(text, *tokens), Vocab())
    assert doc.text == text
    assert [token.text_with_ws for token in doc] == expected


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ([(0, 3), (2, 8)], r"tokens\[1\].start is 2; expected at least 3, where the token before it ends"),
        ([(4, 8), (0, 3)], r"the text between tokens at 0 is 'Ann '; expected white space"),
        ([(0, 3)], "the text between tokens at 3 is ' left'; expected white space"),
        ([], "the text between tokens at 0 is 'Ann left'; expected white space"),
    ],
)
def test_tokens_are_in_order_and_cover_all_words(tokens: list[tuple[int, int]], message: str):
    with pytest.raises(ValueError, match=f"^Can't read document starting 'Ann left': {message}"):
        make_doc(document("Ann left", *tokens), Vocab())
