"""List what can be attacked, from the package's own tables: commands, formats of files, writers of documents."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import typer

from spacy_span_selector.tools import formats
from spacy_span_selector.tools.annotate.inputs import READERS
from spacy_span_selector.tools.cli import app
from spacy_span_selector.tools.formats.registry import BRACKETED, all_formats

Path = tuple[str, ...]


def _leaves(command: Any, path: Path = ()) -> Iterator[Path]:
    if not hasattr(command, "list_commands"):
        yield path
    else:
        for name in command.list_commands(None):
            yield from _leaves(command.get_command(None, name), (*path, name))


def _functions(start: str) -> Iterator[Callable[..., Any]]:
    """The functions of all modules below `formats` whose names start so."""
    for found in pkgutil.walk_packages(formats.__path__, f"{formats.__name__}."):
        for name, value in vars(import_module(found.name)).items():
            if inspect.isfunction(value) and value.__module__ == found.name and name.startswith(start):
                yield value


COMMANDS = frozenset(_leaves(typer.main.get_command(app)))
"""Every command, with the name of its group."""
CONVERTED = frozenset(format_.name for format_ in all_formats() if format_.is_converted)
"""The formats that `convert` reads."""
EXPORTED = frozenset(format_.name for format_ in all_formats() if format_.is_exported)
"""The formats that `export` writes."""
OUTPUTS = tuple(format_.name for format_ in all_formats() if format_.writer or format_.name == BRACKETED)
"""The formats of `annotate` itself, and one that `export` has; the others of these are written like it."""
INPUTS = frozenset(READERS)
"""The formats that `annotate` reads."""
DOC_WRITERS = frozenset(
    function.__name__ for function in _functions("write_") if "docs" in inspect.signature(function).parameters
)
"""The writers of documents, those of one part of a file included."""
