"""Numbers as files write them."""

from __future__ import annotations

import re

NUMBER = re.compile(r"[0-9]{1,9}")


def read_number(text: str) -> int | None:
    """The number that some digits write, None for anything else.

    Digits are 0 to 9: `str.isdigit` takes others as well, such as `²`, which Python can't convert, nor can it convert
    thousands of digits. No place in a corpus has more than nine.
    """
    return int(text) if NUMBER.fullmatch(text) else None
