"""CoNLL-2012, the format of OntoNotes and of the official coreference scorer."""

from ..registry import Format
from .reader import convert_conll2012, read_conll2012
from .writer import write_conll2012

__all__ = ["FORMAT", "read_conll2012", "write_conll2012"]

FORMAT = Format(
    name="conll2012",
    title="the format of CoNLL-2012, which the official scorer of coreference compares",
    suffixes=(".gold_conll", "_gold_conll"),
    read=read_conll2012,
    write=write_conll2012,
    convert=convert_conll2012,
)
