"""Structured span selection for spaCy: trainable components built on one grammar over spans.

`nlp.add_pipe("structured_coref")` and `nlp.add_pipe("structured_srl")` need no import of this package: its
entry points register every name with spaCy.
"""

__version__ = "0.1.0"
