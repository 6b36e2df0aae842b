"""CorefUD, the format of coreference corpora in many languages: CoNLL-U with `Entity=` in its last column."""

from .reader import read_corefud
from .writer import merge_corefud, write_corefud

__all__ = ["merge_corefud", "read_corefud", "write_corefud"]
