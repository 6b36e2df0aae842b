"""What tests of robustness draw: words of all kinds, documents of them, and damage to files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_speaker_markers, set_speakers, set_title

Offsets = tuple[int, int]

PLAIN = ("Ann", "Lee", "gave", "her", "brother", "a", "key", "picked", "up", "he", "left", ".", ",", "\"", "'s", "(")
WHITE_SPACE = (" ", "\n", "\n\n", "\t", "\r\n", "  \n ", "\u00a0", "\u2003", "\u3000", "\u2028", "\x0b", "\x0c", "\x1c", "\x85")
ODD = (
    "\x00",
    "\x07",
    "\x1b[31m",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\ufffd",
    "\u202eabc",
    "שלום",
    "مرحبا",
    "日本語",
    "नमस्ते",
    "e\u0301\u0302\u0303" * 9,
    "😀",
    "👩\u200d👩\u200d👧\u200d👦",
    "🇫🇷",
    "👍🏽",
    "\U0010ffff",
    "ﬁ",
    "İ",
    "<speaker>",
    "</speaker>",
    "[MASK]",
    "<b>",
    "x" * 3000,
    "-" * 200,
    "9" * 400,
)
PAYLOADS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></style></svg></h2><script>alert(1)//",
    "<svg/onload=alert(1)>",
    "<a href=javascript:alert(1)>",
    "url(javascript:alert(1))",
    "red;} body{display:none",
    "&lt;script&gt;",
    "&amp;amp;",
    "&#60;b&#62;",
    "&nbsp",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?xml ?>",
    "{content}",
    "{0}{text}{{",
    "%s${alert(1)}`",
    "\\u003cscript\\u003e",
)

any_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
words = st.one_of(
    st.sampled_from(PLAIN), st.sampled_from(PLAIN), st.sampled_from(WHITE_SPACE), st.sampled_from(ODD), any_text
)
payloads = st.one_of(
    st.sampled_from(PAYLOADS),
    st.text("<>\"'&;=/!-{}[]()ab #", min_size=1, max_size=15),
    st.lists(st.sampled_from(PAYLOADS), min_size=2, max_size=3).map("".join),
)
raw_texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.lists(st.tuples(words, st.sampled_from(["", " ", "\n"])).map("".join), max_size=30).map("".join),
)
"""Texts that are no documents yet."""


@dataclass(frozen=True)
class Text:
    """What a document is made of, in a form that can be read when a test fails.

    words (list[str]): Its tokens.
    spaces (list[bool]): Whether a space follows each.
    starts (list[bool | None] | None): Whether a sentence starts at each; None if nobody knows.
    markers (list[Offsets]): The markers of speakers.
    groups (dict[str, list[Offsets]]): What else is in `doc.spans`: given mentions and predicates.
    title (str): Its title.
    """

    words: list[str]
    spaces: list[bool]
    starts: list[bool | None] | None
    markers: list[Offsets]
    groups: dict[str, list[Offsets]]
    title: str = ""

    def doc(self, vocab: Vocab) -> Doc:
        """The document."""
        doc = Doc(vocab, words=self.words, spaces=self.spaces, sent_starts=self.starts)
        if self.markers:
            set_speaker_markers(doc, self.markers)
            set_speakers(doc, [(start, len(doc), "Ann") for start, _ in self.markers])
        for key, spans in self.groups.items():
            doc.spans[key] = SpanGroup(doc, name=key, spans=[Span(doc, *offsets) for offsets in spans])
        if self.title:
            set_title(doc, self.title)
        return doc


def offsets(length: int, *, empty: bool = False) -> st.SearchStrategy[Offsets]:
    """A span of a document of so many tokens, end exclusive; it may be without tokens."""
    least = 0 if empty else 1
    return st.integers(0, length - least).flatmap(
        lambda start: st.tuples(st.just(start), st.integers(start + least, length))
    )


@st.composite
def texts(draw: st.DrawFn, *keys: str, max_words: int = 30) -> Text:
    """A document, with spans in those groups of `doc.spans`, or without them. Spans may be without tokens, the same,
    cross each other, sentences and markers."""
    drawn = draw(st.lists(words, max_size=max_words))
    length = len(drawn)
    flags = st.lists(st.booleans(), min_size=length, max_size=length)
    starts = draw(st.none() | st.lists(st.sampled_from([True, False, None]), min_size=length, max_size=length))
    spans = st.lists(offsets(length), max_size=6) if length else st.just([])
    odd_spans = st.lists(offsets(length, empty=True), max_size=6)
    markers = draw(st.just([]) | st.just([]) | spans)
    groups = {key: draw(odd_spans) for key in keys if draw(st.integers(0, 3)) == 0}
    return Text(drawn, draw(flags), starts, markers, groups, draw(st.sampled_from(["", "", "At sea"])))


Damage = tuple[str, int, Any]
"""What happens to a file, where, and with what."""

NONSENSE = (
    b"\xff",
    b"\x00",
    b"\xed\xa0\x80",  # a surrogate in UTF-8
    b"\xef\xbb\xbf",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"(" * 3000,
    b")",
    b"(9",
    b"*",
    b"|",
    b"[" * 3000,
    b"{" * 50,
    b"9" * 5000,
    b"-1",
    b"1e999",
    b"NaN",
    b"null",
    b" " * 4000,
    b"\t",
    b"\n",
    b"\n\n",
    b"\r",
    b"\\ud800",
    b'"',
    b"#",
    b"=== ",
    b"> [ARG0 ",
    b"_",
)
OTHER_CONTENT = (b"", b"\x1f\x8b\x08", b"PK\x03\x04", b"{}", b"[]", b"\x80\x04.", b"\x28\xb5\x2f\xfd", b"\x93NUMPY")
ENCODINGS = ("utf-16", "utf-8-sig", "utf-7", "utf-32", "cp037")
places = st.integers(0, 9999)
"""A place in a file, in ten thousandths of its bytes or lines."""

damages: st.SearchStrategy[Damage] = st.one_of(
    st.tuples(st.just("change byte"), places, st.integers(1, 255)),
    st.tuples(st.just("insert"), places, st.sampled_from(NONSENSE)),
    st.tuples(st.just("cut off"), places, st.none()),
    st.tuples(st.just("cut out"), places, st.integers(1, 40)),
    st.tuples(st.just("delete line"), places, st.none()),
    st.tuples(st.just("double line"), places, st.none()),
    st.tuples(st.just("move line"), places, places),
    st.tuples(st.just("swap lines"), places, places),
    st.tuples(st.just("delete column"), places, places),
    st.tuples(st.just("double column"), places, places),
    st.tuples(st.just("change column"), places, st.tuples(places, st.sampled_from(NONSENSE))),
    st.tuples(st.just("swap columns"), places, st.tuples(places, places)),
    st.tuples(st.just("encode"), places, st.sampled_from(ENCODINGS)),
    st.tuples(st.just("end lines"), places, st.sampled_from([b"\r\n", b"\r", b"\n\n"])),
    st.tuples(st.just("replace"), places, st.sampled_from([*NONSENSE, *OTHER_CONTENT])),
)
missing: st.SearchStrategy[Damage] = st.tuples(st.sampled_from(["remove", "folder"]), places, st.none())


def damage(data: bytes, kind: str, place: int, detail: Any) -> bytes:
    """Damage the content of a file."""
    at = place * len(data) // 10_000
    match kind:
        case "change byte":
            return data[:at] + bytes(byte ^ detail for byte in data[at : at + 1]) + data[at + 1 :]
        case "insert":
            return data[:at] + detail + data[at:]
        case "cut off":
            return data[:at]
        case "cut out":
            return data[:at] + data[at + detail :]
        case "encode":
            return data.decode("utf-8", "replace").encode(detail, "replace")
        case "end lines":
            return data.replace(b"\n", detail)
        case "replace":
            return detail
    return b"\n".join(_damage_lines(data.split(b"\n"), kind, place, detail))


def _damage_lines(lines: list[bytes], kind: str, place: int, detail: Any) -> list[bytes]:
    at = place * len(lines) // 10_000
    line = lines[at]
    match kind:
        case "delete line":
            return [*lines[:at], *lines[at + 1 :]]
        case "double line":
            return [*lines[:at], line, *lines[at:]]
        case "move line":
            rest = [*lines[:at], *lines[at + 1 :]]
            to = detail * len(lines) // 10_000
            return [*rest[:to], line, *rest[to:]]
        case "swap lines":
            to = detail * len(lines) // 10_000
            lines[at], lines[to] = lines[to], lines[at]
            return lines
    lines[at] = _damage_columns(line, kind, detail)
    return lines


def _damage_columns(line: bytes, kind: str, detail: Any) -> bytes:
    separator = b"\t" if b"\t" in line else b" "
    columns = line.split(separator)
    first, second = detail if isinstance(detail, tuple) else (detail, None)
    at = first * len(columns) // 10_000
    match kind:
        case "delete column":
            del columns[at]
        case "double column":
            columns.insert(at, columns[at])
        case "change column":
            columns[at] = second
        case "swap columns":
            to = second * len(columns) // 10_000
            columns[at], columns[to] = columns[to], columns[at]
        case _:
            raise ValueError(f"unknown damage: {kind}")
    return separator.join(columns)


@st.composite
def damaged(draw: st.DrawFn, files: Sequence[str]) -> list[tuple[str, Damage]]:
    """What happens to some of the files, one after the other."""
    one = st.tuples(st.sampled_from(files), st.one_of(damages, damages, damages, missing))
    return draw(st.lists(one, min_size=1, max_size=3))


odd_values = st.sampled_from(
    [
        *(None, True, False, "", "x", "0.5", "a" * 300, "\ud800", b"\x00"),
        *(0, 1, -1, 3, 10**30, -0.5, 0.5, 2.5, float("nan"), float("inf")),
        *([], {}, [1], {"a": 1}, [[0, 1]], ["ARG0", "ARG0"], {"gave": {"give.01": -1}}, {"gave": 1}),
    ]
)
json_values = st.sampled_from(
    [
        *("null", "true", "false", '""', '"x"', '"0.5"', '"\\u00e9"', "0", "1", "-1", "3", "100000", "-0.5", "0.5", "1e300"),
        *("[]", "{}", "[1]", '{"a": 1}', "[[0, 1]]", '["ARG0", "ARG0"]', '{"gave": {"give.01": -1}}', '{"gave": 1}'),
    ]
)
"""The same that JSON files and configs can hold."""
