"""OntoGUM: coreference in texts of sixteen genres."""

from .reader import read_ontogum, read_ontogum_splits

__all__ = ["read_ontogum", "read_ontogum_splits"]
