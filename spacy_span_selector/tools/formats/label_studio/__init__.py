"""Label Studio, a program to annotate texts in the browser: its tasks, what it exports, and its interface."""

from ..registry import Format
from .reader import convert_label_studio, read_label_studio
from .writer import export_label_studio, write_interface, write_label_studio

__all__ = ["FORMAT", "read_label_studio", "write_interface", "write_label_studio"]

FORMAT = Format(
    name="label-studio",
    title="the JSON of Label Studio",
    read_text=read_label_studio,  # no suffix tells the format: other files are JSON, too
    convert=convert_label_studio,
    export=export_label_studio,
)
