"""Label Studio, a program to annotate texts in the browser: its tasks, what it exports, and its interface."""

from .reader import read_label_studio
from .writer import write_interface, write_label_studio

__all__ = ["read_label_studio", "write_interface", "write_label_studio"]
