"""`convert`: corpora to spaCy's binary format, one sub-command per corpus or format.

A corpus is a folder that becomes three files, one per split (train, dev and test). A format is read from any number of
files, which become one.
"""

from ._app import convert_app
from .corpora import ewt_cli, litbank_cli, ontogum_cli
from .formats import bracketed_cli, conll2012_cli, jsonlines_cli, props_cli

__all__ = [
    "bracketed_cli",
    "conll2012_cli",
    "convert_app",
    "ewt_cli",
    "jsonlines_cli",
    "litbank_cli",
    "ontogum_cli",
    "props_cli",
]
