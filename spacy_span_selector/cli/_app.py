"""The typer application that all commands register with, and functions that they share."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from configparser import Error as ParsingError
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import typer
from click import NoSuchOption
from spacy.language import Language
from thinc.api import ConfigValidationError
from typer.core import TyperGroup
from wasabi import msg


@contextmanager
def friendly_errors() -> Iterator[None]:
    """On an expected error, such as a malformed file or an unknown language, print it and exit with status 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what can't be printed, such as bytes in a file's name, is escaped
            stream.reconfigure(errors="backslashreplace")
    try:
        yield
    except ConfigValidationError as error:
        msg.fail(without_config(error), exits=1)
    except (ImportError, OSError, ValueError) as error:
        msg.fail(str(error), exits=1)


class FriendlyGroup(TyperGroup):
    """Commands whose expected errors are printed, and no traceback; those of a bug have one."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with friendly_errors():
            return super().invoke(ctx)


app = typer.Typer(
    name="span-selector",
    cls=FriendlyGroup,
    help="Convert corpora to spaCy's format, print scores of coreference and semantic roles, show clusters and frames.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def without_config(error: ConfigValidationError) -> str:
    """The message of an error in settings, in few lines: spaCy's has all other settings too."""
    lines = ConfigValidationError.from_error(error, show_config=False).text.strip().splitlines()
    return ": ".join(line.replace("\t", ": ") for line in lines if line)


@contextmanager
def naming_config(path: Path) -> Iterator[None]:
    """Name a config in the errors of its settings.

    RAISES (ValueError): If one can't be.
    """
    try:
        yield
    except ConfigValidationError as error:
        raise ValueError(f"{path}: {without_config(error)}") from error
    except (ParsingError, ImportError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def parse_overrides(options: Sequence[str], *, env_var: str | None = None) -> dict[str, Any]:
    """Settings that options such as --training.dropout 0.2 replace, by their dotted names.

    options (Sequence[str]): What is left of the command line.
    env_var (str | None): A variable of the environment with further options.
    RAISES (ValueError): If one has no such name.
    """
    from spacy.cli._util import parse_config_overrides

    try:
        return parse_config_overrides([*options], env_var=env_var)
    except NoSuchOption as error:
        raise ValueError(
            f"{error.option_name}: there is no such option, see --help. Settings have names with dots, such as "
            "--training.dropout."
        ) from error


def load_pipeline(model: str, overrides: Sequence[str] = ()) -> Language:
    """Load a pipeline, with settings that options of the command line replace; errors name it."""
    from spacy.util import dot_to_dict

    from ..annotate.pipelines import load_pipeline

    return load_pipeline(model, dot_to_dict(parse_overrides(overrides)))
