"""Labelled characters as tokens."""

from __future__ import annotations

from spacy.tokens import Doc

from ...annotation import Mention
from ..left_out import Report, shorten
from .records import Value

EXPANDED = "Expanded regions that begin or end within a token to the whole token"
OTHER_TEXT = "regions whose text is not that at their offsets"
WITHOUT_WORDS = "regions without words"


def find_tokens(doc: Doc, value: Value, place: str, report: Report) -> Mention | None:
    """Find the tokens of a region.

    White space at its edges is left out. A region that begins or ends within a token gets the whole token.

    doc (Doc): The document.
    value (Value): The region.
    place (str): What messages call it.
    report (Report): Gets the regions that are expanded or left out.
    RETURNS (Mention | None): Token offsets, None for a region that is left out.
    """
    text = doc.text
    start, end = value.start, value.end
    if value.text is not None and not _is_same(text[start:end], value.text):
        start, end = _from_utf16(text, start, end)
        if not _is_same(text[start:end], value.text):
            found = f"found {shorten(text[value.start : value.end])}, expected {shorten(value.text)}"
            report.leave_out(OTHER_TEXT, f"{place}: {found}.")
            return None
    words = text[start:end].strip()
    if not words or end > len(text):
        found = f"characters {value.start} to {value.end} of {len(text)}"
        report.leave_out(WITHOUT_WORDS, f"{place}: found {found}, expected some words.")
        return None
    start = text.index(words, start)
    end = start + len(words)
    span = doc.char_span(start, end, alignment_mode="expand")
    assert span is not None
    if (span.start_char, span.end_char) != (start, end):
        report.add(EXPANDED, f"{place}: {shorten(words)} to {shorten(span.text)}.")
    return span.start, span.end


def _is_same(found: str, expected: str) -> bool:
    r"""Whether two texts are the same. Label Studio may write a line end as a space or as the two characters `\n`."""
    return found == expected or found.split() == expected.replace("\\n", " ").split()


def _from_utf16(text: str, start: int, end: int) -> tuple[int, int]:
    """Offsets of characters from those of JavaScript, in which an emoji is two; old versions of Label Studio write
    them."""
    units = text.encode("utf-16-le")
    before, inside = units[: 2 * start], units[2 * start : 2 * end]
    first = len(before.decode("utf-16-le", errors="ignore"))
    return first, first + len(inside.decode("utf-16-le", errors="ignore"))
