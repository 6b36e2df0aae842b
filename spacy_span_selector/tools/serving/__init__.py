"""Pages on this computer: to type text into and see what a pipeline finds in it, and to correct the documents of a
folder (docs/look.md)."""

from .app import create_app
from .drafts import Drafting
from .editor import create_editor
from .folder import TextFolder
from .server import open_socket, run_app
from .view import View
from .worker import Worker

__all__ = ["Drafting", "TextFolder", "View", "Worker", "create_app", "create_editor", "open_socket", "run_app"]
