"""Characters of a text as tokens of its document."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc

from ..left_out import Report, shorten
from .records import Place

UNALIGNED = "spans that don't begin and end with tokens"
OTHER_TEXT = "spans whose text is not that at their offsets"

Offsets = tuple[int, int]


class Alignment:
    """The tokens of a document, by their characters.

    doc (Doc): The document.
    starts, ends (dict[int, int]): The token that starts, and the one that ends, at a character: as offsets of a span.
    """

    def __init__(self, doc: Doc, name: str, report: Report) -> None:
        """Initialize the alignment.

        name (str): What messages call the document.
        report (Report): Gets what is left out.
        """
        self.doc = doc
        self.name = name
        self.report = report
        edges = [(token.idx, token.idx + len(token)) for token in doc]
        self.starts = {start: i for i, (start, _) in enumerate(edges)}
        self.ends = {end: i + 1 for i, (_, end) in enumerate(edges)}
        self._text = doc.text

    def align(self, path: str, places: Sequence[Place]) -> list[Offsets | None]:
        """Find the tokens of spans.

        path (str): Where the spans are in the data, for messages.
        places (Sequence[Place]): The spans.
        RETURNS (list[Offsets | None]): The token offsets of each, None for a span that is left out.
        """
        return [self._align(f"{path}[{i}]", place) for i, place in enumerate(places)]

    def leave_out(self, what: str, path: str, place: Place) -> None:
        """Report a span that is left out."""
        text = shorten(self._text[place.start : place.end])
        self.report.leave_out(what, f"{path}, {text} at {place.start}, in {self.name}")

    def _align(self, path: str, place: Place) -> Offsets | None:
        if place.text is not None and place.text != self._text[place.start : place.end]:
            self.leave_out(OTHER_TEXT, f"{path}, which has the text {shorten(place.text)}", place)
            return None
        if place.start not in self.starts or place.end not in self.ends:
            self.leave_out(UNALIGNED, path, place)
            return None
        return self.starts[place.start], self.ends[place.end]
