"""Running a command, and reading what it wrote."""

from pathlib import Path

import spacy
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner, Result

from spacy_span_selector.tools.cli import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def load(path: Path) -> list[Doc]:
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))
