"""The typer application that all commands register with, and functions that they share."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

import typer
from spacy.errors import Errors
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what can't be printed, such as bytes in a file's name, is escaped
            stream.reconfigure(errors="backslashreplace")
    try:
        yield
    except (ImportError, OSError, ValueError) as error:
        msg.fail(str(error), exits=1)


def load_pipeline(model: str, overrides: Sequence[str] = ()) -> Language:
    """Load a pipeline, with settings that options of the command line replace; errors name it."""
    from spacy.cli._util import parse_config_overrides
    from spacy.util import dot_to_dict

    from ..bulk.pipelines import load_pipeline

    return load_pipeline(model, dot_to_dict(parse_config_overrides([*overrides], env_var=None)))


def check_spacy_file(path: Path) -> None:
    """Fail if a path can't be that of a .spacy file."""
    if not path.is_file():
        found = "a folder" if path.is_dir() else "no such file"
        raise FileNotFoundError(f"{path}: {found}. Expected a .spacy file, as 'convert' writes it.")
    if path.suffix != ".spacy":
        raise ValueError(f"{path}: spaCy's readers accept only files whose name ends in .spacy. Rename it.")


def read_spacy_file(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """The documents of a .spacy file."""
    from ..readers import read_docs

    check_spacy_file(path)
    return read_docs(path, vocab)


def spacy_file(docs: Sequence[Doc], path: Path) -> bytes:
    """The content of a .spacy file with documents, and with their titles."""
    doc_bin = DocBin(docs=docs, store_user_data=True)
    try:
        return doc_bin.to_bytes()
    except ValueError as error:
        raise ValueError(f"{path}: {Errors.E870} ({error})") from error
