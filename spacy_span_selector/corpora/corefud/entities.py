"""The notation of CorefUD: brackets in the attribute `Entity` of the column MISC, and the fields of each.

    # global.Entity = eid-etype-head-other
    Entity=(e1-person-1-        a mention of entity e1, a person, opens; its first word is its head
    Entity=(e2-place-1-)e1)     a mention of e2 is this word alone, and the mention of e1 ends
    Entity=(e3[1/2]-place-2-    the first of two parts of a mention of e3 opens

This is the format of CorefUD 1.0 and later. Universal Anaphora and GUM have the same brackets with other fields, in
which `GRP` is the entity and `entity` its type, and repeat some of them at the end of a mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

ENTITY = "Entity"
DECLARATION = "global.Entity"
FIELDS = ("eid", "etype", "head", "other")
ID_FIELDS = ("eid", "GRP")
TYPE_FIELDS = ("etype", "entity")
PART = re.compile(r"(?P<open>\()?(?P<fields>[^()]+)(?P<close>\))?")
PIECE = re.compile(r"\[(?P<number>[1-9][0-9]{0,3})/(?P<total>[1-9][0-9]{0,3})\]$")
NOT_IN_A_FIELD = re.compile(r"[-()|%=,<>\[\]\s\0]")


class EntityBracket(NamedTuple):
    """A bracket of a mention.

    opens, closes (bool): Whether the mention starts here, and whether it ends here.
    entity (str): Its entity.
    piece (tuple[int, int] | None): For a mention in several pieces the number of this one, and how many there are.
    type (str): What kind of entity it is, "" if that is not said here.
    """

    opens: bool
    closes: bool
    entity: str
    piece: tuple[int, int] | None
    type: str


def read_attributes(misc: str) -> Iterator[tuple[str, str]]:
    """The attributes `NAME=VALUE` of the column MISC."""
    for part in misc.split("|"):
        name, separator, value = part.partition("=")
        if separator:
            yield name, value


def read_entities(cell: str, fields: Sequence[str]) -> tuple[list[EntityBracket], bool]:
    """Read the value of `Entity`.

    cell (str): The value.
    fields (Sequence[str]): What the fields of a bracket are, as `# global.Entity` declares them.
    RETURNS (tuple[list[EntityBracket], bool]): The brackets that can be read, and whether these are all.
    """
    brackets: list[EntityBracket] = []
    complete = True
    end = 0
    while end < len(cell):
        match = PART.match(cell, end)
        bracket = match and _read_bracket(match, fields)
        if bracket is None:
            complete = False
        else:
            brackets.append(bracket)
        end = end + 1 if match is None else match.end()
    return brackets, complete


def write_field(text: str) -> str:
    """A text as a field; characters that have a meaning in the notation are written as in addresses, `%2D`."""
    return NOT_IN_A_FIELD.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)


def _read_bracket(match: re.Match[str], fields: Sequence[str]) -> EntityBracket | None:
    opens, closes = bool(match["open"]), bool(match["close"])
    values = match["fields"].split("-")
    piece = None
    for i in (_find(fields, ID_FIELDS) or 0, -1):  # Universal Anaphora has it behind the last field
        if i < len(values) and (found := PIECE.search(values[i])):
            piece = int(found["number"]), int(found["total"])
            values[i] = values[i][: found.start()]
            break
    at = 0 if len(values) == 1 else _find(fields, ID_FIELDS) or 0
    entity = values[at] if at < len(values) else ""
    type_at = _find(fields, TYPE_FIELDS)
    entity_type = values[type_at] if opens and type_at is not None and type_at < len(values) else ""
    return EntityBracket(opens, closes, entity, piece, unquote(entity_type)) if entity and (opens or closes) else None


def _find(fields: Sequence[str], names: Sequence[str]) -> int | None:
    return next((i for i, field in enumerate(fields) if field in names), None)
