"""Columns of tables with types that Python lacks, or values that it cannot hold."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

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


def content(made: Any) -> bytes:
    stream = BytesIO()
    pq.write_table(made, stream)
    return stream.getvalue()
