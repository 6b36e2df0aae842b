"""CoNLL-2005 props (docs/props.md), which the official scorer of semantic roles reads."""

from .reader import read_props
from .writer import write_props, write_words

__all__ = ["read_props", "write_props", "write_words"]
