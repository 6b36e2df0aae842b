"""The command line, `python -m spacy span-selector`: a module per command, which imports what it needs when it runs."""

from spacy.cli import app as spacy_app

from . import annotate, check, compact, evaluate, finetune, formats, render, serve, train  # noqa: F401  their commands
from ._app import app

__all__ = ["app"]

spacy_app.add_typer(app, name=app.info.name)
