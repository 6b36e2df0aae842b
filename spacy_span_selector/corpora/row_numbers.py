"""The column that numbers the rows of a document: whether rows are missing, doubled or not in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from .left_out import shorten

NO_NUMBER = frozenset({"-", "_"})
CURE = "Rows are missing, doubled or not in order: restore the file, or number the rows of each sentence 0, 1, 2, ..."


def check_row_numbers(sentences: Sequence[Sequence[str]], place: Callable[[int], str]) -> None:
    """Check that the rows of a document are numbered one after the other.

    Numbers start at 0 in each sentence. Some tools start at 1, or go on over the whole document: that is as good.
    Without any number, all being `-` or `_`, nothing can be checked.

    sentences (Sequence[Sequence[str]]): The number of each row of each sentence, as it is written.
    place (Callable[[int], str]): File and line of a row of the document, for messages.
    RAISES (ValueError): If a number is not the one after that of the row before it.
    """
    found = list(chain(*sentences))
    if NO_NUMBER.issuperset(found):
        return
    lengths = [len(sentence) for sentence in sentences]
    conventions = [
        [str(number) for length in runs for number in range(first, first + length)]
        for first in (0, 1)
        for runs in (lengths, [len(found)])
    ]
    expected = max(conventions, key=lambda numbers: sum(map(str.__eq__, found, numbers)))
    for i, (number, wanted) in enumerate(zip(found, expected, strict=True)):
        if number != wanted:
            raise ValueError(f"{place(i)}: found row number {shorten(number)}, expected {wanted!r}. {CURE}")
