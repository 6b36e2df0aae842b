"""What there is to attack, as the package's own tables say: commands, formats of files, writers of documents."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import typer

from spacy_span_selector import corpora
from spacy_span_selector.annotate.formats import FORMATS
from spacy_span_selector.annotate.stream import READERS
from spacy_span_selector.cli import app

Path = tuple[str, ...]


def _leaves(command: Any, path: Path = ()) -> Iterator[Path]:
    inside = getattr(command, "commands", None)
    if inside is None:
        yield path
    else:
        for name, other in inside.items():
            yield from _leaves(other, (*path, name))


def _functions(start: str) -> Iterator[Callable[..., Any]]:
    """The functions of all modules below `corpora` whose names start so."""
    for found in pkgutil.walk_packages(corpora.__path__, f"{corpora.__name__}."):
        for name, value in vars(import_module(found.name)).items():
            if inspect.isfunction(value) and value.__module__ == found.name and name.startswith(start):
                yield value


COMMANDS = frozenset(_leaves(typer.main.get_command(app)))
"""Every command, with the name of its group."""
CONVERTED = frozenset(path[1] for path in COMMANDS if path[0] == "convert")
"""What `convert` reads."""
EXPORTED = frozenset(path[1] for path in COMMANDS if path[0] == "export")
"""What `export` writes."""
OUTPUTS = tuple(FORMATS)
"""What `annotate` writes."""
INPUTS = frozenset(READERS)
"""What `annotate` reads."""
DOC_WRITERS = frozenset(
    function.__name__ for function in _functions("write_") if "docs" in inspect.signature(function).parameters
)
"""What writes documents, those of one part of a file included."""
