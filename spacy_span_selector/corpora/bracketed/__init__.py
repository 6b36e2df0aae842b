"""The bracketed plain-text format (docs/bracketed.md), for annotating texts of your own."""

from .lines import BracketedError, Collect, Stop
from .reader import HEADING, parse_bracketed, read_bracketed
from .writer import BracketedText, write_bracketed

__all__ = [
    "HEADING",
    "BracketedError",
    "BracketedText",
    "Collect",
    "Stop",
    "parse_bracketed",
    "read_bracketed",
    "write_bracketed",
]
