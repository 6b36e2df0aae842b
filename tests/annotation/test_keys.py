from __future__ import annotations

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation.keys import numbered_keys


def make_doc(*keys: str) -> Doc:
    doc = Doc(Vocab(), words=["a"])
    for key in keys:
        doc.spans[key] = []
    return doc


def test_keys_are_in_numeric_order() -> None:
    assert numbered_keys(make_doc("srl_10", "srl_9", "srl_1"), "srl") == ["srl_1", "srl_9", "srl_10"]


@pytest.mark.parametrize(
    "other", ["srl", "srl_", "srl_x", "srl_1x", "xsrl_1", "srl_spans", "srl_1_2", "SRL_1", "srl-1"]
)
def test_other_keys_are_not_numbered(other: str) -> None:
    assert numbered_keys(make_doc("srl_2", other), "srl") == ["srl_2"]


def test_a_prefix_is_no_pattern() -> None:
    assert numbered_keys(make_doc("s.l_1", "srl_2"), "s.l") == ["s.l_1"]


def test_numbers_may_have_thousands_of_digits() -> None:
    long, longer = f"srl_{'9' * 5_000}", f"srl_1{'0' * 5_000}"
    assert numbered_keys(make_doc(longer, long, "srl_007", "srl_8", "srl_0"), "srl") == [
        "srl_0",
        "srl_007",
        "srl_8",
        long,
        longer,
    ]


def test_a_document_may_have_none() -> None:
    assert numbered_keys(make_doc(), "srl") == []
