"""Strategies that draw damage to `.spacy` files, in their bytes and in their packed content."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import srsly
from hypothesis import strategies as st

from .damage import Damage, damage, damages

Harm = tuple[str, Any]
"""Where a file is damaged, and how."""

FIELDS = ("version", "attrs", "tokens", "spaces", "lengths", "strings", "cats", "flags", "user_data", "span_groups")
VALUES: tuple[object, ...] = (
    *(None, b"", [], {}, 0, -1, 2**63, "x", b"\xff" * 64, b"\0" * 1000),
    *([b"\xc0", b"\x93"], [[], []], ["", "\0"]),
)

harms: st.SearchStrategy[Harm] = st.one_of(
    st.tuples(st.just("file"), st.lists(damages, min_size=1, max_size=2)),
    st.tuples(st.just("inside"), st.lists(damages, min_size=1, max_size=3)),
    st.tuples(st.just("strings"), st.integers(0, 99)),
    st.tuples(st.just("strings"), st.integers(0, 99)),
    st.tuples(st.just("field"), st.tuples(st.sampled_from(FIELDS), st.sampled_from(VALUES))),
    st.tuples(
        st.just("bytes of a field"), st.tuples(st.sampled_from(FIELDS), st.lists(damages, min_size=1, max_size=2))
    ),
)


def harmed(data: bytes, where: str, detail: Any) -> bytes:
    """A damaged file.

    data (bytes): The file.
    where (str): "file" for its bytes, "inside" for those that are compressed in it, "strings" for one that it lacks,
        "field" for another value, "bytes of a field" for damage to one.
    """
    if where == "file":
        return _damaged(data, detail)
    inside = zlib.decompress(data)
    if where == "inside":
        return zlib.compress(_damaged(inside, detail))
    fields = srsly.msgpack_loads(inside)
    if where == "strings":
        strings = fields["strings"]
        del strings[detail % len(strings)]
    elif where == "field":
        fields[detail[0]] = detail[1]
    else:
        name, harm = detail
        if isinstance(fields[name], bytes):
            fields[name] = _damaged(fields[name], harm)
        elif fields[name] and isinstance(fields[name][0], bytes):
            fields[name][0] = _damaged(fields[name][0], harm)
        else:
            fields[name] = fields[name][1:]
    return zlib.compress(srsly.msgpack_dumps(fields))


def _damaged(data: bytes, harm: Sequence[Damage]) -> bytes:
    for kind, place, detail in harm:
        data = damage(data, kind, place, detail)
    return data
