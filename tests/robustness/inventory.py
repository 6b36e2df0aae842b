"""List what can be attacked, from the package's own tables: commands, and formats of files."""

from collections.abc import Iterator
from typing import Any

import typer

from spacy_span_selector.tools.annotate.inputs import READERS
from spacy_span_selector.tools.cli import app
from spacy_span_selector.tools.formats.commands import export_command
from spacy_span_selector.tools.formats.registry import BRACKETED, all_formats


def _leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    if not hasattr(command, "list_commands"):
        yield " ".join(path)
    else:
        for name in command.list_commands(None):
            yield from _leaves(command.get_command(None, name), (*path, name))


COMMANDS = frozenset(_leaves(typer.main.get_command(app)))
"""Every command, with the name of its group."""
CONVERTED = frozenset(format_.name for format_ in all_formats() if format_.is_converted)
EXPORTED = frozenset(format_.name for format_ in all_formats() if export_command(format_))
OUTPUTS = tuple(format_.name for format_ in all_formats() if format_.writer or format_.name == BRACKETED)
"""The formats of `annotate` itself, and one that `export` has; the others of these are written like it."""
INPUTS = frozenset(READERS)  # that `annotate` reads
