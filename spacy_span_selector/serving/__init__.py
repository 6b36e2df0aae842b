"""A small page to type text into and to see what a pipeline finds in it (docs/look.md)."""

from .app import create_app
from .server import open_socket, run_app
from .worker import Worker

__all__ = ["Worker", "create_app", "open_socket", "run_app"]
