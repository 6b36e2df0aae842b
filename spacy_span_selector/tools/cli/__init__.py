"""The command line, `python -m spacy span-selector`: one module per command.

spaCy imports this package through the entry point `spacy_cli`, and the application adds itself to
spaCy's own. Commands import what they need when they run, so that small ones start quickly.
"""

from spacy.cli import app as spacy_app

from ._app import app
from .annotate import annotate_cli
from .check import check_cli
from .compact import compact_cli
from .evaluate import evaluate_cli
from .finetune import finetune_cli
from .formats import convert_app, export_app
from .render import render_cli
from .serve import serve_cli
from .train import train_cli

__all__ = [
    "annotate_cli",
    "app",
    "check_cli",
    "compact_cli",
    "convert_app",
    "evaluate_cli",
    "export_app",
    "finetune_cli",
    "render_cli",
    "serve_cli",
    "train_cli",
    "tree_cli",
]

spacy_app.add_typer(app, name=app.info.name)
