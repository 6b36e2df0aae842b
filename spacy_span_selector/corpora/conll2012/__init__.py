"""CoNLL-2012, the format of OntoNotes and of the official coreference scorer."""

from .reader import read_conll2012
from .writer import write_conll2012

__all__ = ["read_conll2012", "write_conll2012"]
