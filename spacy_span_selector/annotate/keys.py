"""Where a pipeline puts its annotation: the settings of its components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from spacy.language import Language

KEYS = {
    "structured_coref": {"prefix": "cluster_prefix", "mentions_key": "mentions_key"},
    "structured_srl": {"prefix": "frame_prefix", "predicates_key": "predicates_key", "spans_key": "spans_key"},
}
"""The settings of components that say where they put annotation, and what `to_dict` calls them."""


class Prefixes(TypedDict, total=False):
    """The keys that pages of documents need."""

    cluster_prefix: str
    frame_prefix: str


def find_keys(nlp: Language) -> dict[str, str]:
    """Where the components of a pipeline put their annotation, as arguments of `to_dict`."""
    found: dict[str, str] = {}
    for name in nlp.pipe_names:
        pipe: Any = nlp.get_pipe(name)
        names = KEYS.get(nlp.get_pipe_meta(name).factory, {})
        found = {argument: getattr(pipe.settings, setting) for setting, argument in names.items()} | found  # the first one counts
    return found


def only_prefixes(keys: Mapping[str, str]) -> Prefixes:
    """What pages of documents need of the keys."""
    prefixes: Any = {name: keys[name] for name in Prefixes.__annotations__ if name in keys}
    return prefixes
