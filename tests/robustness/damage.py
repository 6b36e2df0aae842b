"""Strategies that draw damage to files."""

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
several = st.lists(st.one_of(damages, damages, damages, missing), min_size=1, max_size=3)
"""Damage to a file, one after the other."""


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
    lines = data.split(b"\n")
    if kind.endswith(("line", "lines")):
        return b"\n".join(_damage_items(lines, kind.split()[0], place, detail))
    at = place * len(lines) // 10_000
    separator = b"\t" if b"\t" in lines[at] else b" "
    first, second = detail if isinstance(detail, tuple) else (detail, None)
    lines[at] = separator.join(_damage_items(lines[at].split(separator), kind.split()[0], first, second))
    return b"\n".join(lines)


def _damage_items(items: list[bytes], kind: str, place: int, detail: Any) -> list[bytes]:
    """Damage lines, or the columns of one; where there is another place, it is the detail."""
    at = place * len(items) // 10_000
    item = items[at]
    match kind:
        case "delete":
            return [*items[:at], *items[at + 1 :]]
        case "double":
            return [*items[:at], item, *items[at:]]
        case "change":
            return [*items[:at], detail, *items[at + 1 :]]
    to = detail * len(items) // 10_000
    if kind == "move":
        rest = [*items[:at], *items[at + 1 :]]
        return [*rest[:to], item, *rest[to:]]
    items[at], items[to] = items[to], item
    return items
