"""HTML pages that show documents: one sentence per line with its clusters, and below it its frames.

Everything that comes from a document is escaped. What depends on no document is in files of the folder `static`.
"""

from .page import Page, Style, render

__all__ = ["Page", "Style", "render"]
