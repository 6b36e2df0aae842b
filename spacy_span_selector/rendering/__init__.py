"""An HTML page that shows documents: one sentence a line with its clusters, and under it its frames.

Everything that comes from a document, a label or a name is escaped.
"""

from .page import render_page

__all__ = ["render_page"]
