"""Plain data: documents as what JSON holds, with character offsets (docs/annotation.md)."""

from .reader import from_dict
from .schema import FORMAT, json_schema
from .writer import to_dict

__all__ = ["FORMAT", "from_dict", "json_schema", "to_dict"]
