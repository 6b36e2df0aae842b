"""Corpora to documents and back: one reader a format."""

from .bracketed import parse_bracketed, read_bracketed
from .bracketed_writer import write_bracketed
from .ewt import read_ewt
from .litbank import read_litbank, read_litbank_fold
from .props import read_props
from .props_writer import write_props, write_words

__all__ = [
    "parse_bracketed",
    "read_bracketed",
    "read_ewt",
    "read_litbank",
    "read_litbank_fold",
    "read_props",
    "write_bracketed",
    "write_props",
    "write_words",
]
