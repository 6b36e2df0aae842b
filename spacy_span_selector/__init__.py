"""Structured span selection for spaCy: trainable components built on one grammar over spans.

`nlp.add_pipe("structured_coref")` and `nlp.add_pipe("structured_srl")` need no import of this package: its
entry points register every name with spaCy. `__all__` has the names for programs; all others may change.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .annotation import (
        Argument,
        Frame,
        Quotation,
        anchor_spans,
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
    from .extensions import register_extensions
    from .people.dialogue import doc_from_turns
    from .people.joined import join_docs
    from .people.transcripts import doc_from_transcript
    from .pipeline.shared_encoders import add_pipe_from
    from .tools.annotate import annotate_dataset, annotate_to_folder
    from .tools.formats.bracketed import read_bracketed, write_bracketed
    from .tools.formats.plain import from_dict, to_dict
    from .tools.rendering import render

__version__ = "0.1.0"
__all__ = [
    "Argument",
    "Frame",
    "Quotation",
    "add_pipe_from",
    "anchor_spans",
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
    "annotate_dataset": "tools.annotate",
    "annotate_to_folder": "tools.annotate",
    "doc_from_transcript": "people.transcripts",
    "doc_from_turns": "people.dialogue",
    "from_dict": "tools.formats.plain",
    "join_docs": "people.joined",
    "read_bracketed": "tools.formats.bracketed",
    "register_extensions": "extensions",
    "render": "tools.rendering",
    "to_dict": "tools.formats.plain",
    "write_bracketed": "tools.formats.bracketed",
}
"""Where the names of `__all__` are that are not in `annotation`."""


def __getattr__(name: str) -> Any:
    """Import a name of `__all__` when it is asked for: the grammar needs no spaCy."""
    if name in __all__:
        return getattr(import_module(f".{MODULES.get(name, 'annotation')}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
