from __future__ import annotations

import pytest

from spacy_span_selector.tools.formats.columns import read_number


def test_digits_are_a_number() -> None:
    assert [read_number(text) for text in ("0", "07", "123456789")] == [0, 7, 123456789]


@pytest.mark.parametrize("text", ["", "²", "٣", "-1", "+1", "1_0", " 1", "1\n", "1234567890", "9" * 5000])
def test_anything_else_is_none(text: str) -> None:
    assert read_number(text) is None
