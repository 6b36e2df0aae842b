"""Corpora to documents and back: one reader a format."""

from .bracketed import parse_bracketed, read_bracketed
from .bracketed_writer import write_bracketed
from .conll2012 import read_conll2012
from .conll2012_writer import write_conll2012
from .ewt import read_ewt
from .jsonlines import read_jsonlines, write_jsonlines
from .litbank import read_litbank, read_litbank_fold
from .ontogum import read_ontogum, read_ontogum_splits
from .props import read_props
from .props_writer import write_props, write_words

__all__ = [
    "parse_bracketed",
    "read_bracketed",
    "read_conll2012",
    "read_ewt",
    "read_jsonlines",
    "read_litbank",
    "read_litbank_fold",
    "read_ontogum",
    "read_ontogum_splits",
    "read_props",
    "write_bracketed",
    "write_conll2012",
    "write_jsonlines",
    "write_props",
    "write_words",
]
