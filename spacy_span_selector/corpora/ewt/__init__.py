"""PropBank EWT: semantic roles in the English Web Treebank."""

from .reader import read_ewt

__all__ = ["read_ewt"]
