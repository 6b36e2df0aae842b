"""Pages on this computer: to type text into and see what a pipeline finds in it, and to correct the documents of a
folder (docs/look.md)."""

from .drafts import Drafting
from .editor import create_editor
from .folder import TextFolder
from .pages import View
from .server import create_app, open_socket, run_app
from .worker import Worker

__all__ = ["Drafting", "TextFolder", "View", "Worker", "create_app", "create_editor", "open_socket", "run_app"]
