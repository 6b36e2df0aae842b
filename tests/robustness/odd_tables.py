"""Strategies that draw tables with types that Python lacks or cannot hold, and files that are not tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

ROWS = 3
MOST = 2**62


def _cast(values: Sequence[Any], kind: Any) -> Any:
    """Numbers as what Arrow keeps as such, even where they are out of the range of Python's type."""
    storage = pa.int32() if kind.bit_width == 32 else pa.int64()
    return pa.array(values, storage).view(kind)


def _dated(values: Sequence[Any], kind: Callable[[Any], Any]) -> Any:
    return pa.array(values, kind(pa.int32())).cast(kind(pa.date32()))


ZONES = (None, "UTC", "Nowhere/City", "+99:00")
COLUMNS: dict[str, Any] = {
    "date32": _cast([0, 3_000_000, None], pa.date32()),
    "date32 before": _cast([-3_000_000, 1, 2], pa.date32()),
    "date64": _cast([0, MOST, None], pa.date64()),
    **{
        f"timestamp {unit} {zone}": _cast([0, MOST // (1024 if unit == "s" else 1), None], pa.timestamp(unit, tz=zone))
        for unit in ("s", "ms", "us", "ns")
        for zone in ZONES
    },
    "timestamp ns odd": _cast([1, 999, None], pa.timestamp("ns")),
    **{f"time64 {unit}": _cast([0, 1, None], pa.time64(unit)) for unit in ("us", "ns")},
    "time out of range": _cast([0, MOST, None], pa.time64("us")),
    **{f"duration {unit}": _cast([0, MOST, None], pa.duration(unit)) for unit in ("s", "us", "ns")},
    "decimal128": pa.array([Decimal("1e20"), Decimal("-1.5"), None], pa.decimal128(38, 5)),
    "decimal256": pa.array([Decimal("9" * 70), None, Decimal(0)], pa.decimal256(76, 0)),
    "dictionary": pa.array(["a", None, "a"]).dictionary_encode(),
    "dictionary of numbers": pa.array([2**62, 1, 2**62]).dictionary_encode(),
    "uint64": pa.array([2**64 - 1, 0, None], pa.uint64()),
    "float": pa.array([float("nan"), float("inf"), -0.0]),
    "float16": pa.array([1.5, None, float("-inf")]).cast(pa.float16()),
    "bool": pa.array([True, None, False]),
    "null": pa.nulls(ROWS),
    "large string": pa.array(["a\0b", "\u2028", None], pa.large_string()),
    "string view": pa.array(["a", "\x1b[31m", None], pa.string_view()),
    "binary": pa.array([b"\xff\x00", b"a", None], pa.binary()),
    "large binary": pa.array([b"\xff", b"", None], pa.large_binary()),
    "fixed binary": pa.array([b"ab", b"\xff\xfe", None], pa.binary(2)),
    "bytes as text": pa.array([b"\xff", b"a", b"b"], pa.binary()).view(pa.string()),
    "list": pa.array([[1, None], [], None]),
    "list of lists": pa.array([[[["a"]]], [[None]], None]),
    "large list": pa.array([[1.5], None, []], pa.large_list(pa.float64())),
    "fixed list": pa.array([[1, 2], [3, 4], None], pa.list_(pa.int8(), 2)),
    "struct": pa.array([{"a": 1, "b": {"c": [None]}}, None, {"a": None, "b": None}]),
    "struct with a date": _dated([{"a": 0}, {"a": 3_000_000}, None], lambda days: pa.struct([("a", days)])),
    "map": pa.array([[("a", 1), ("a", 2)], [], None], pa.map_(pa.string(), pa.int64())),
    "map of dates": _dated([[(0, 1)], [(3_000_000, 2)], None], lambda days: pa.map_(days, pa.int64())),
    "string": pa.array(["a", "", None]),
}
"""Columns of three rows, by what they are."""

NAMES = ("x", "x", "", "text", "id", "clusters", "fields", "a.b", "a\0b", "\n", "speakers", "Text", "l" * 10_000)

NO_TABLES = {
    "empty": b"",
    "rubbish": b"\x93NUMPY rubbish" * 50,
    "text": b"Ann left.\n",
    "only marks": b"PAR1" * 3,
    "json": b'{"id": "a", "text": "b"}\n',
    "arrow": b"ARROW1\0\0" * 9,
    "long footer": b"PAR1" + b"\0" * 50 + b"\xff\xff\xff\x7fPAR1",
}
"""The content of files that are no tables."""


def table(columns: Sequence[tuple[str, str]], number: int, rows: int | None = None) -> bytes:
    """A table of three records, or fewer, with odd columns, by name and kind; its texts have the number."""
    texts = pa.array([f"Tom saw {number} {row}." for row in range(ROWS)])
    ids = pa.array([f"t{number} {row}" for row in range(ROWS)])
    arrays = [texts, ids, *(COLUMNS[kind] for _, kind in columns)]
    whole = pa.Table.from_arrays(arrays, names=["text", "id", *(name for name, _ in columns)])
    return content(whole.slice(0, rows))


def content(made: Any) -> bytes:
    stream = BytesIO()
    pq.write_table(made, stream)
    return stream.getvalue()


WITHOUT_COLUMNS = content(pa.table({}))
ONE_COLUMN = {kind: content(pa.table({"text": values})) for kind, values in COLUMNS.items()}
"""Tables whose texts are odd."""

names = st.sampled_from(NAMES) | st.sampled_from(NAMES).map(lambda name: f"{name}2")
columns = st.lists(st.tuples(names, st.sampled_from([*COLUMNS])), min_size=1, max_size=3)
numbered = st.tuples(columns, st.integers(0, 10**6))
tables = st.one_of(
    st.tuples(st.sampled_from(["columns", "columns", "no rows"]), numbered),
    st.tuples(st.just("texts"), st.sampled_from([*ONE_COLUMN])),
    st.tuples(st.just("no table"), st.sampled_from([*NO_TABLES])),
    st.just(("no columns", None)),
)
"""The parts of a table, in a form that can be read when a test fails."""


def build(kind: str, detail: Any) -> tuple[bytes, int | None]:
    """A file, and how many records it makes, errors included, if that is known."""
    match kind:
        case "columns" | "no rows":
            rows = ROWS if kind == "columns" else 0
            names = ["text", "id", *(name for name, _ in detail[0])]
            is_open = len({*names}) < len(names)  # which column is meant
            return table(*detail, rows=None if is_open else rows), 1 if is_open else rows
        case "texts":
            return ONE_COLUMN[detail], ROWS
        case "no columns":
            return WITHOUT_COLUMNS, 0
    return NO_TABLES[detail], None
