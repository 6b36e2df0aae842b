"""The typer application, and what commands share: arguments and errors."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from configparser import Error as ParsingError
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from click import NoSuchOption
from thinc.api import ConfigValidationError
from typer.core import TyperGroup
from wasabi import msg

from ..files.pipelines import describe_settings

Model = Annotated[str, typer.Argument(help="A trained pipeline: a path or the name of a package")]
CodePath = Annotated[Path | None, typer.Option("--code", "-c", exists=True, help="Python file to import first")]
GpuId = Annotated[int, typer.Option("--gpu-id", "-g", min=-1, help="GPU to use; -1 for the CPU")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the newest checkpoint, if there is one")]

WITH_OVERRIDES = {"allow_extra_args": True, "ignore_unknown_options": True}
"""The context of a command that takes settings as options, such as --training.dropout 0.2."""


@contextmanager
def friendly_errors() -> Iterator[None]:
    """Print expected errors, such as that of a malformed file, and exit with status 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what can't be printed, such as bytes in a file's name, is escaped
            stream.reconfigure(errors="backslashreplace")
    format_before = warnings.formatwarning
    warnings.formatwarning = _format_warning
    try:
        yield
    except (ImportError, OSError, ValueError, NoSuchOption) as error:  # typer does not know click's, which spaCy raises
        msg.fail(_describe(error), exits=1)
    finally:
        warnings.formatwarning = format_before


def _format_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """A warning as a reader of the command line needs it, without a place in the code."""
    return f"{category.__name__}: {message}\n"


class FriendlyGroup(TyperGroup):
    """Prints the expected errors of its commands; unexpected ones keep their traceback."""

    def invoke(self, ctx: Any) -> Any:
        with friendly_errors():
            return super().invoke(ctx)


app = typer.Typer(
    name="span-selector",
    cls=FriendlyGroup,
    help="Annotate texts with clusters, frames and labelled spans, and show them; convert, check, train and evaluate.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@contextmanager
def naming_config(path: Path) -> Iterator[None]:
    """Put the path of a config before errors in its settings."""
    try:
        yield
    except (AssertionError, ParsingError, ImportError, ValueError) as error:  # spaCy asserts that there are examples
        raise ValueError(f"{path}: {_describe(error)}") from error


def _describe(error: Exception) -> str:
    return describe_settings(error) if isinstance(error, ConfigValidationError) else str(error)
