"""A lexicon of rolesets: their names, the words they belong to, and what their roles are."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

import srsly
from spacy.util import registry


class RoleEntry(TypedDict):
    """A role of a roleset.

    description (str): What it is to this roleset, such as "giver".
    tag (str): Its function tag, which is shared between rolesets, such as "PAG"; "" if there is none.
    """

    description: str
    tag: str


class RolesetEntry(TypedDict):
    """A roleset.

    name (str): What it means, such as "transfer".
    words (list[str]): The words whose predicates may have it, in their base form, such as "give".
    roles (dict[str, RoleEntry]): Its core roles, by label.
    """

    name: str
    words: list[str]
    roles: dict[str, RoleEntry]


Lexicon = dict[str, RolesetEntry]
"""Rolesets by their names in the annotation, such as "give.01"."""


@registry.readers("spacy_span_selector.Lexicon.v1")
def read_lexicon(path: str | Path | None) -> Lexicon | None:
    """Read a lexicon, as `convert frames` writes it.

    path (str | Path | None): A JSON file; None for no lexicon.
    RAISES (OSError): If the file can't be read.
    RAISES (ValueError): If it is not JSON, or not such a lexicon, naming the file and the roleset.
    """
    if path is None:
        return None
    try:
        data = srsly.read_json(path)
    except ValueError as error:
        raise ValueError(f"{path}: not a lexicon of rolesets: {error}") from error
    return check_lexicon(data, str(path))


def check_lexicon(data: Any, source: str) -> Lexicon:
    """Return data that is a lexicon.

    data (Any): What JSON held.
    source (str): What the error calls it.
    RAISES (ValueError): If it is none, naming the first roleset that is not good.
    """
    if not isinstance(data, dict):
        raise ValueError(f"{source}: expected rolesets by name, {{'give.01': ...}}; found {str(data)[:60]!r}.")
    for name, entry in data.items():
        if not _is_roleset(entry):
            raise ValueError(
                f"{source}: roleset {name!r} is {str(entry)[:80]!r}; expected {{'name': 'transfer', 'words': ['give'], "
                "'roles': {'ARG0': {'description': 'giver', 'tag': 'PAG'}}}. 'python -m spacy span-selector convert "
                "frames' writes such a file."
            )
    return data


def _is_roleset(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and entry.keys() == {"name", "words", "roles"}
        and isinstance(entry["name"], str)
        and isinstance(entry["words"], list)
        and all(isinstance(word, str) for word in entry["words"])
        and isinstance(entry["roles"], dict)
        and all(isinstance(label, str) and _is_role(role) for label, role in entry["roles"].items())
    )


def _is_role(role: Any) -> bool:
    is_role = isinstance(role, dict) and role.keys() == {"description", "tag"}
    return is_role and all(isinstance(value, str) for value in role.values())
