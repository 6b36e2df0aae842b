"""The command line, `python -m spacy span-selector`: one module per command.

spaCy imports this package through the entry point `spacy_cli`, and the application adds itself to
spaCy's own. Commands import what they need when they run, so that small ones start quickly.
"""

from spacy.cli import app as spacy_app

from . import annotate, check, compact, evaluate, finetune, formats, render, serve, train  # noqa: F401  their commands
from ._app import app

__all__ = ["app"]

spacy_app.add_typer(app, name=app.info.name)
