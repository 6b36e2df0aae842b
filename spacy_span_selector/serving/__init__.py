"""A small page to type text into and to see what a pipeline finds in it (docs/look.md)."""

from .app import create_app
from .server import open_socket, run_app

__all__ = ["create_app", "open_socket", "run_app"]
