"""Plain data: documents as what JSON holds, with character offsets (docs/annotation.md)."""

from .columns import FORMAT, json_schema
from .reader import from_dict
from .writer import to_dict

__all__ = ["FORMAT", "from_dict", "json_schema", "to_dict"]
