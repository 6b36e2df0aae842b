"""The bracketed plain-text format (docs/bracketed.md), for annotating texts of your own."""

from .reader import HEADING, parse_bracketed, read_bracketed
from .writer import BracketedText, write_bracketed

__all__ = ["HEADING", "BracketedText", "parse_bracketed", "read_bracketed", "write_bracketed"]
