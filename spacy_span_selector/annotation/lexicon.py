"""A lexicon of rolesets: their names, the words they belong to, and their roles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import srsly
from pydantic import ConfigDict, TypeAdapter, ValidationError
from spacy.util import registry
from typing_extensions import TypedDict


class RoleEntry(TypedDict):
    """A role of a roleset.

    description (str): Its meaning in this roleset, such as "giver".
    tag (str): Its function tag, which is shared between rolesets, such as "PAG"; "" if there is none.
    """

    description: str
    tag: str


class RolesetEntry(TypedDict):
    """A roleset.

    name (str): Its meaning, such as "transfer".
    words (list[str]): The words whose predicates may have it, in their base form, such as "give".
    roles (dict[str, RoleEntry]): Its core roles, by label.
    """

    name: str
    words: list[str]
    roles: dict[str, RoleEntry]


for entry_type in (RoleEntry, RolesetEntry):
    entry_type.__pydantic_config__ = ConfigDict(strict=True, extra="forbid")  # type: ignore[union-attr]
ROLESET = TypeAdapter(RolesetEntry)
Lexicon = dict[str, RolesetEntry]
"""Rolesets by their names in the annotation, such as "give.01"."""


@registry.readers("spacy_span_selector.Lexicon.v1")
def read_lexicon(path: str | Path | None) -> Lexicon | None:
    """Read a lexicon, as `convert frames` writes it; None for no lexicon."""
    if path is None:
        return None
    try:
        data = srsly.read_json(path)
    except ValueError as error:
        raise ValueError(f"{path}: not a lexicon of rolesets: {error}") from error
    return check_lexicon(data, str(path))


def check_lexicon(data: Any, source: str) -> Lexicon:
    """Return data that is a lexicon, or raise a ValueError that names the first roleset of another form."""
    if not isinstance(data, dict):
        raise ValueError(f"{source}: expected rolesets by name, {{'give.01': ...}}; found {str(data)[:60]!r}.")
    for name, entry in data.items():
        try:
            ROLESET.validate_python(entry)
        except ValidationError as error:
            raise ValueError(
                f"{source}: roleset {name!r} is {str(entry)[:80]!r}; expected {{'name': 'transfer', 'words': ['give'], "
                "'roles': {'ARG0': {'description': 'giver', 'tag': 'PAG'}}}. 'python -m spacy span-selector convert "
                "frames' writes such a file."
            ) from error
    return data
