"""Keys of a prefix and a number: one span group per cluster, or per frame."""

from __future__ import annotations

import re

from spacy.tokens import Doc


def numbered_keys(doc: Doc, prefix: str) -> list[str]:
    """The keys `{prefix}_1`, `{prefix}_2`, ... that a document has, in numeric order."""
    pattern = re.compile(re.escape(prefix) + r"_(\d+)")
    numbered = [(int(match[1]), key) for key in doc.spans if (match := pattern.fullmatch(key))]
    return [key for _, key in sorted(numbered)]
