"""The typer application, with functions that commands share."""

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
    """Print expected errors, such as that of a malformed file, and exit with status 1."""
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
    """Prints the expected errors of its commands; unexpected ones keep their traceback."""

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
    """Shorten the message of an error in settings: spaCy's lists all other settings, too."""
    lines = ConfigValidationError.from_error(error, show_config=False).text.strip().splitlines()
    return ": ".join(line.replace("\t", ": ") for line in lines if line)


@contextmanager
def naming_config(path: Path) -> Iterator[None]:
    """Put the path of a config before errors in its settings.

    RAISES (ValueError): If a setting is wrong.
    """
    try:
        yield
    except ConfigValidationError as error:
        raise ValueError(f"{path}: {without_config(error)}") from error
    except (ParsingError, ImportError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def parse_overrides(options: Sequence[str], *, env_var: str | None = None) -> dict[str, Any]:
    """Read options such as --training.dropout 0.2.

    options (Sequence[str]): The rest of the command line.
    env_var (str | None): A variable of the environment with further options.
    RETURNS (dict[str, Any]): Settings by their dotted names.
    RAISES (ValueError): If an option has no dotted name.
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
    """Load a pipeline, whose settings options of the command line override; errors name it."""
    from spacy.util import dot_to_dict

    from ..annotate.pipelines import load_pipeline

    return load_pipeline(model, dot_to_dict(parse_overrides(overrides)))
