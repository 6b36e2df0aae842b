"""What srsly does to find its codecs, for each span group that spaCy writes or reads.

srsly collects its msgpack codecs on each call, from all registered functions and from the entry points of all
installed packages: that takes a hundred times as long as packing the group. docs/annotation.md has the figures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import srsly
from catalogue import Registry
from spacy import registry
from spacy.language import Language

CODECS = (srsly.msgpack_encoders, srsly.msgpack_decoders)


def skip_absent_entry_points() -> None:
    """Let srsly ignore entry points where no installed package has one for its codecs.

    Entry points are read once, when Python imports catalogue, so none can appear later: srsly finds the same codecs as
    before. Codecs may be registered at any time.
    """
    for codecs in CODECS:
        if not codecs.get_entry_points():
            codecs.entry_points = False


@registry.callbacks("spacy_span_selector.cache_codecs.v1")
def create_cache_codecs() -> Callable[[Language], Language]:
    """Create the callback for `[nlp.after_creation]`: `cache_codecs`."""

    def call(nlp: Language) -> Language:
        cache_codecs()
        return nlp

    return call


def cache_codecs() -> None:
    """Let srsly collect its codecs only after one has been registered. This changes srsly for the whole process, and
    for those forked from it."""
    for codecs in CODECS:
        codecs.__class__ = _CachedRegistry
        codecs.collected = None


class _CachedRegistry(Registry):
    collected: dict[str, Any] | None

    def get_all(self) -> dict[str, Any]:
        if self.collected is None:
            self.collected = super().get_all()
        return self.collected.copy()

    def register(self, name: str, *, func: Any = None) -> Callable[[Any], Any]:
        def register(function: Any) -> Any:
            registered = super(_CachedRegistry, self).register(name, func=function)
            self.collected = None
            return registered

        return register if func is None else register(func)
