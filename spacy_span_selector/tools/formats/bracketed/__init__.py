"""The bracketed plain-text format (docs/bracketed.md), for annotating texts of your own."""

from ..registry import Format
from .brackets import NAME_PATTERN, BracketedError, Lenient
from .reader import HEADING, parse_bracketed, read_aligned, read_bracketed, read_separately
from .writer import write_bracketed

__all__ = ["FORMAT", "HEADING", "NAME_PATTERN", "BracketedError", "Lenient"]
__all__ += ["parse_bracketed", "read_bracketed", "read_separately", "write_bracketed"]

FORMAT = Format(
    name="bracketed",
    title="the bracketed plain-text format",
    suffixes=(".txt",),
    read_text=read_aligned,
    write=write_bracketed,
)
