"""Keys of a prefix and a number: one span group per cluster, or per frame."""

from __future__ import annotations

import re

from spacy.tokens import Doc

CLUSTER_NOTE = "cluster_prefix"
FRAME_NOTE = "frame_prefix"
"""Where `attrs` of a group note a prefix that is not the default."""


def numbered_keys(doc: Doc, prefix: str) -> list[str]:
    """The keys `{prefix}_1`, `{prefix}_2`, ... that a document has, in numeric order."""
    pattern = re.compile(re.escape(prefix) + r"_([0-9]+)")
    numbered = [(match[1].lstrip("0"), key) for key in doc.spans if (match := pattern.fullmatch(key))]
    # In the order of their numbers, without converting them: Python does not convert those of thousands of digits.
    return [key for number, key in sorted(numbered, key=lambda item: (len(item[0]), item))]
