"""`convert`: corpora to spaCy's binary format, one sub-command per corpus or format.

A corpus is a folder that becomes three files, one per split (train, dev and test). A format is read from any number of
files, which become one.
"""

from . import corpora, formats
from ._app import convert_app

__all__ = ["convert_app", "corpora", "formats"]
