"""`convert`: corpora to spaCy's binary format, one sub-command a corpus or a format.

Corpora are a folder that becomes three files, train, dev and test; formats are files that become one.
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
