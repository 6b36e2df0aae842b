from __future__ import annotations

import pytest

from spacy_span_selector.corpora.files import read_object


def test_an_object_is_read():
    assert read_object(b'{"text": "Zo\xc3\xab \\ud83d\\ude00"}', "a:1") == {"text": "Zoë 😀"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "a:1: not JSON: "),
        (b"[1]", r"a:1: found \[1\], expected an object"),
        (b"\xff", "a:1: byte 0 is not UTF-8"),
        (b'{"text": "\\ud83d"}', "a:1: found half of a character"),
        (b"[" * 100_000, "a:1: its lists are nested too deeply"),
        (b'{"text": "", "n": 1, "n": 2}', 'a:1: an object has the key "n" twice. Leave one out.'),
        (b'{"x": [{"n": 1, "n": 1}]}', 'a:1: an object has the key "n" twice. Leave one out.'),
    ],
)
def test_what_is_no_object_is_named(line: bytes, message: str):
    with pytest.raises(ValueError, match=message):
        read_object(line, "a:1")


def test_numbers_that_json_does_not_have_are_read_unless_they_must_not():
    assert read_object(b'{"n": Infinity}', "a:1") == {"n": float("inf")}
    with pytest.raises(ValueError, match="found Infinity, which is no number of JSON; write null"):
        read_object(b'{"n": Infinity}', "a:1", numbers_only=True)
