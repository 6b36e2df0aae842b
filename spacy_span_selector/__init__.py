"""Structured span selection for spaCy: trainable components built on one grammar over spans.

`nlp.add_pipe("structured_coref")` and `nlp.add_pipe("structured_srl")` need no import of this package: its
entry points register every name with spaCy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .corpora.plain import from_dict, to_dict
    from .documents.dialogue import doc_from_turns
    from .documents.joined import join_docs
    from .documents.transcripts import doc_from_transcript
    from .pipeline.add_pipe_from import add_pipe_from
    from .rendering.notebook import render

__version__ = "0.1.0"
__all__ = ["add_pipe_from", "doc_from_transcript", "doc_from_turns", "from_dict", "join_docs", "render", "to_dict"]

MODULES = {
    "add_pipe_from": "pipeline.add_pipe_from",
    "doc_from_transcript": "documents.transcripts",
    "doc_from_turns": "documents.dialogue",
    "from_dict": "corpora.plain",
    "join_docs": "documents.joined",
    "render": "rendering.notebook",
    "to_dict": "corpora.plain",
}


def __getattr__(name: str) -> Any:
    """Import what the package exports when it is asked for: the grammar needs no spaCy."""
    if name in MODULES:
        return getattr(import_module(f".{MODULES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
