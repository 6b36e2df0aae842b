"""`convert` and `export`: corpora and files to spaCy's binary format and back, one sub-command for each format.

A corpus is a folder that becomes three files, one per split (train, dev and test). A format is read from any number of
files, which become one. Formats and their commands are those of the registry, `tools/formats/registry.py`.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from ..formats.commands import convert_command, export_command
from ..formats.registry import Format, all_formats, formats
from ._app import app


class FormatGroup(TyperGroup):
    """The sub-commands of `convert` or `export`: a format is imported when its command is called, or for help."""

    def list_commands(self, ctx: Any) -> list[str]:
        self.commands = {format_.name: command for format_ in all_formats() if (command := self._command(format_))}
        return [*self.commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in formats:
            return self._command(formats.get(cmd_name))
        self.list_commands(ctx)  # for typer, which suggests similar names
        return None

    def _command(self, format_: Format) -> Any:
        command = convert_command(format_) if self.name == "convert" else export_command(format_)
        if command is None:
            return None
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(format_.name)(command)
        return typer.main.get_command(single)


for name, text in (
    ("convert", "Convert a corpus to .spacy files."),
    ("export", "Write .spacy files in the formats of other tools."),
):
    group = typer.Typer(name=name, cls=FormatGroup, help=text, no_args_is_help=True, rich_markup_mode=None)
    group.callback()(lambda: None)  # typer takes an application without commands for an error, unless it has one
    app.add_typer(group)
