"""Structured span selection for spaCy: trainable components built on one grammar over spans.

`nlp.add_pipe("structured_coref")` and `nlp.add_pipe("structured_srl")` need no import of this package: its
entry points register every name with spaCy. `__all__` has the names for programs; all others may change.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .annotate import annotate_dataset, annotate_to_folder
    from .annotation import (
        Argument,
        Frame,
        Quotation,
        get_clusters,
        get_frames,
        get_quotations,
        get_speakers,
        set_clusters,
        set_frames,
        set_predicates,
        set_quotations,
        set_speakers,
        set_title,
    )
    from .corpora.bracketed import read_bracketed, write_bracketed
    from .corpora.plain import from_dict, to_dict
    from .documents.dialogue import doc_from_turns
    from .documents.joined import join_docs
    from .documents.transcripts import doc_from_transcript
    from .extensions import register_extensions
    from .pipeline.shared_encoders import add_pipe_from
    from .rendering import render

__version__ = "0.1.0"
__all__ = [
    "Argument",
    "Frame",
    "Quotation",
    "add_pipe_from",
    "annotate_dataset",
    "annotate_to_folder",
    "doc_from_transcript",
    "doc_from_turns",
    "from_dict",
    "get_clusters",
    "get_frames",
    "get_quotations",
    "get_speakers",
    "join_docs",
    "read_bracketed",
    "register_extensions",
    "render",
    "set_clusters",
    "set_frames",
    "set_predicates",
    "set_quotations",
    "set_speakers",
    "set_title",
    "to_dict",
    "write_bracketed",
]

MODULES = {
    "add_pipe_from": "pipeline.shared_encoders",
    "annotate_dataset": "annotate",
    "annotate_to_folder": "annotate",
    "doc_from_transcript": "documents.transcripts",
    "doc_from_turns": "documents.dialogue",
    "from_dict": "corpora.plain",
    "join_docs": "documents.joined",
    "read_bracketed": "corpora.bracketed",
    "register_extensions": "extensions",
    "render": "rendering",
    "to_dict": "corpora.plain",
    "write_bracketed": "corpora.bracketed",
}
"""Where the names of `__all__` are that are not in `annotation`."""


def __getattr__(name: str) -> Any:
    """Import a name of `__all__` when it is asked for: the grammar needs no spaCy."""
    if name in __all__:
        return getattr(import_module(f".{MODULES.get(name, 'annotation')}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
