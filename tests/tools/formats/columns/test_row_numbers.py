import re

import pytest

from spacy_span_selector.tools.formats.columns import check_row_numbers


def check(*sentences: str) -> None:
    check_row_numbers([sentence.split() for sentence in sentences], lambda i: f"a.conll:{i + 10}")


@pytest.mark.parametrize(
    "sentences",
    [("0 1 2", "0 1"), ("1 2", "1"), ("0 1 2", "3 4"), ("1 2", "3"), ("- _", "-"), (), ("0",)],
    ids=["from 0", "from 1", "over the document from 0", "over the document from 1", "none", "no rows", "one row"],
)
def test_numbers_of_every_convention_are_accepted(sentences: tuple[str, ...]):
    check(*sentences)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (("0 1 2", "0 2"), "a.conll:14: found row number '2', expected '1'. Rows are missing, doubled or not in order"),
        (("1 2", "0 1 2"), "a.conll:10: found row number '1', expected '0'"),
        (("0 1 1 2", "0 1"), "a.conll:12: found row number '1', expected '2'"),
        (("0 2 1 3", "0 1"), "a.conll:11: found row number '2', expected '1'"),
        (("0 1 2 0 1",), "a.conll:13: found row number '0', expected '3'"),
        (("1 2", "1 3", "1 2"), "a.conll:13: found row number '3', expected '2'"),
        (("0 1 2 3", "5 6"), "a.conll:14: found row number '5', expected '0'"),
        (("0 1", "0 -"), "a.conll:13: found row number '-', expected '1'"),
        (("0 1", "0 01"), "a.conll:13: found row number '01', expected '1'"),
        (("0 1", "0 " + "9" * 5000), "a.conll:13: found row number '9999"),
    ],
)
def test_rows_that_are_missing_doubled_or_not_in_order_are_named(sentences: tuple[str, ...], message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        check(*sentences)
