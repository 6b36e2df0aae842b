"""Parts: the records that one output file is made of.

Where a part ends depends only on the records, so every run with the same inputs makes the same parts, and any process
can annotate any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..pipeline.batches import batch_by_words
from .records import Record, digest_records


class Part(NamedTuple):
    """Some records, one after the other.

    number (int): From 0.
    records (list[Record]): The records, one at least.
    """

    number: int
    records: list[Record]

    @property
    def end(self) -> int:
        """How many bytes of all inputs come before its end."""
        return self.records[-1].end

    @property
    def place(self) -> str:
        """Where its records are, for messages."""
        return f"from {self.records[0].source} to {self.records[-1].source}"

    def digest(self) -> str:
        """A fingerprint of its records."""
        return digest_records(self.records)


def cut_into_parts(records: Iterable[Record], words: int) -> Iterator[Part]:
    """Cut records into parts of so many words at most; a longer record is alone in its part."""
    for number, batch in enumerate(batch_by_words(records, words)):
        yield Part(number, batch)
