"""An HTML page that shows documents: one sentence per line with its clusters, and below it its frames.

Everything that comes from a document, a label or a name is escaped.
"""

from .page import Page, render_page

__all__ = ["Page", "render_page"]
