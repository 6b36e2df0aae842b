"""The clusters of a document as values of `Entity`, the attribute that holds them in CorefUD."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

from spacy.tokens import Doc

from ...annotation import ENTITY_TYPE, Mention, cluster_groups, describe_doc, get_sentences
from ..left_out import Report, shorten
from ..nesting import find_nested
from .entities import write_field

OVER_SENTENCES = "mentions that cross the end of a sentence, which CorefUD can't hold"
CROSSING = "mentions that cross another mention of their entity, which CorefUD can't hold"
ENTITY_ID = re.compile(r"\w+")


class _Written(NamedTuple):
    """A mention that is written: token offsets, the notation of its entity, and what opens and closes it."""

    start: int
    end: int
    opening: str
    closing: str


class EntityColumns:
    """Writes the clusters of the documents of a file, in which no two entities have the same id.

    report (Report): Gets the mentions that are left out.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        self._used: set[str] = set()
        self._numbers = count(1)

    def write(self, doc: Doc, find_head: Callable[[int, int], int]) -> list[str]:
        """Write the clusters of a document.

        doc (Doc): The document.
        find_head (Callable[[int, int], int]): The token that is the head of a mention, from its offsets.
        RETURNS (list[str]): The value of `Entity` at each token, "" without one.
        """
        written: list[_Written] = []
        for group in cluster_groups(doc):
            mentions = self._writable(doc, [(span.start, span.end) for span in group if len(span)])
            if mentions:
                entity = self._name(str(group.attrs.get("name", "")))
                kind = write_field(str(group.attrs.get(ENTITY_TYPE, "")))
                for start, end in mentions:
                    head = find_head(start, end) - start + 1
                    written.append(_Written(start, end, f"({entity}-{kind}-{head}-", f"{entity})"))
        return _write_cells(written, len(doc))

    def _writable(self, doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
        ends = [sentence.end for sentence in get_sentences(doc)]
        inside = {(start, end) for start, end in mentions if end <= ends[bisect_right(ends, start)]}
        nested = [(start, end) for start, end, _ in find_nested([(start, end, "") for start, end in inside])]
        for lost, what in ((set(mentions) - inside, OVER_SENTENCES), (inside.difference(nested), CROSSING)):
            for start, end in sorted(lost):
                self.report.leave_out(what, f"{describe_doc(doc)}, token {start}, {shorten(doc[start:end].text)}")
        return nested

    def _name(self, name: str) -> str:
        """The id of an entity: its name, if it can be one and no entity before has it."""
        if not ENTITY_ID.fullmatch(name) or name in self._used:
            name = next(name for number in self._numbers if (name := f"e{number}") not in self._used)
        self._used.add(name)
        return name


def _write_cells(mentions: Sequence[_Written], n_tokens: int) -> list[str]:
    opening: list[list[str]] = [[] for _ in range(n_tokens)]
    alone: list[list[str]] = [[] for _ in range(n_tokens)]
    closing: list[list[str]] = [[] for _ in range(n_tokens)]
    for mention in sorted(mentions, key=lambda mention: -mention.end):  # outer mentions open first
        if mention.end - mention.start > 1:
            opening[mention.start].append(mention.opening)
        else:
            alone[mention.start].append(f"{mention.opening})")
    for mention in sorted(mentions, key=lambda mention: -mention.start):  # and close last
        if mention.end - mention.start > 1:
            closing[mention.end - 1].append(mention.closing)
    # `(e1-person-1-` before `e2)` would be read as one bracket, so where both are, what ends here comes first.
    return [
        "".join([*alone[i], *closing[i], *opening[i]] if closing[i] else [*opening[i], *alone[i]])
        for i in range(n_tokens)
    ]
