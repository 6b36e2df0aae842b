"""The JSON schema of plain data, a file of the package."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def read_schema() -> dict[str, Any]:
    """The JSON schema of a document as `to_dict` writes it.

    RETURNS (dict[str, Any]): The schema, in the 2020-12 draft. Its `$defs` have those of a `cluster` and of a `frame`.
    """
    schema: dict[str, Any] = json.loads(resources.files(__package__).joinpath("doc_v1.json").read_text("utf-8"))
    return schema
