"""The bracketed plain-text format (docs/bracketed.md), for annotating texts of your own."""

from .reader import parse_bracketed, read_bracketed
from .writer import write_bracketed

__all__ = ["parse_bracketed", "read_bracketed", "write_bracketed"]
