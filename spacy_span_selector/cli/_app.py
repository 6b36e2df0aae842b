"""The typer application that every command registers with, and what the commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from wasabi import msg

app = typer.Typer(
    name="span-selector",
    help="Convert corpora to spaCy's format, print scores of coreference and semantic roles, show clusters and frames.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@contextmanager
def friendly_errors() -> Iterator[None]:
    """Exit with status 1 and the message of an expected error: a malformed file, an unknown language."""
    try:
        yield
    except (ImportError, OSError, ValueError) as error:
        msg.fail(str(error), exits=1)
