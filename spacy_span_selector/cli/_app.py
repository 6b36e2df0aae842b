"""The typer application that all commands register with, and functions that they share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from spacy.tokens import DocBin
from wasabi import msg

app = typer.Typer(
    name="span-selector",
    help="Convert corpora to spaCy's format, print scores of coreference and semantic roles, show clusters and frames.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@contextmanager
def friendly_errors() -> Iterator[None]:
    """On an expected error, such as a malformed file or an unknown language, print it and exit with status 1."""
    try:
        yield
    except (ImportError, OSError, ValueError) as error:
        msg.fail(str(error), exits=1)


def open_spacy_file(path: Path) -> DocBin:
    """Open a .spacy file; errors name it."""
    if not path.is_file():
        found = "a folder" if path.is_dir() else "no such file"
        raise FileNotFoundError(f"{path}: {found}. Expected a .spacy file, as 'convert' writes it.")
    try:
        doc_bin = DocBin().from_disk(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if path.suffix != ".spacy":
        raise ValueError(f"{path}: spaCy's readers accept only files whose name ends in .spacy. Rename it.")
    return doc_bin
