"""Strategies that draw damage to files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

Damage = tuple[str, int, Any]
"""A kind of damage, its place, and its content."""

NONSENSE = (
    *(b"\xff", b"\x00", b"\xc2\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf"),
    b"\xed\xa0\x80",  # a surrogate in UTF-8
    *(b" " * 4000, b"\t", b"\n", b"\n\n", b"\r"),
    *(b"(" * 3000, b"[" * 3000, b"{" * 50, b")", b"(9", b"*", b"|", b"_", b"#", b'"'),
    *(b"9" * 5000, b"-1", b"1e999", b"NaN", b"null", b"\\ud800", b"=== ", b"> [ARG0 "),
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
    """Draw damage to some of the files, one after the other."""
    one = st.tuples(st.sampled_from(files), st.one_of(damages, damages, damages, missing))
    return draw(st.lists(one, min_size=1, max_size=3))
