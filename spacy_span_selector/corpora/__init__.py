"""Corpora to documents and back: one reader a format."""

from .bracketed import parse_bracketed, read_bracketed
from .bracketed_writer import write_bracketed
from .litbank import read_litbank, read_litbank_fold

__all__ = ["parse_bracketed", "read_bracketed", "read_litbank", "read_litbank_fold", "write_bracketed"]
