"""The command line, `python -m spacy span-selector`: one command a module.

spaCy imports this package through the entry point `spacy_cli`, and the application adds itself to
spaCy's own. Commands import what they need when they run, so that a small one starts quickly.
"""

from spacy.cli._util import app as spacy_app

from ._app import app
from .convert import convert_app
from .evaluate import evaluate_cli
from .props import props_cli
from .render import render_cli

__all__ = ["app", "convert_app", "evaluate_cli", "props_cli", "render_cli"]

spacy_app.add_typer(app, name=app.info.name)
