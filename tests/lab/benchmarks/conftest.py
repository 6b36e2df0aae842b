"""Tiny pipelines whose encoder is a component, with every selector; a corpus for both components."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
import typer
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Example
from typer.testing import CliRunner, Result

from spacy_span_selector.corpora.bracketed import parse_bracketed

from ...pipeline.components import CASES
from ...selectors import selector_block
from ...tok2vec import TOK2VEC

CORPUS = """
=== the station
[Ann Lee|ann] gave [[her|ann] brother|tom] [a key].
> [ARG0 Ann Lee] [V=give.01 gave] [ARG2 her brother] [ARG1 a key].
[He|tom] left [the station].
> [ARG0 He] [V=leave.01 left] [ARG1 the station].
=== the hat
[Leo] lost [a hat|hat].
> [ARG0 Leo] [V=lose.02 lost] [ARG1 a hat].
"""
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": TOK2VEC["width"], "upstream": "*"}
MODELS = {case.factory: case.model for case in CASES}

MakeModel = Callable[..., Path]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A corpus with clusters and frames."""
    path = tmp_path / "corpus.spacy"
    DocBin(docs=parse_bracketed(CORPUS, spacy.blank("en"))).to_disk(path)
    return path


@pytest.fixture
def make_model(tmp_path: Path) -> MakeModel:
    """Makes an untrained pipeline on disk."""

    def make(component: str = "structured_coref", selector: str = "structured", listens: bool = True) -> Path:
        nlp = make_pipeline(component, selector, listens)
        path = tmp_path / f"{component}-{selector}"
        nlp.to_disk(path)
        return path

    return make


def make_pipeline(component: str = "structured_coref", selector: str = "structured", listens: bool = True) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    if listens:
        nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    tok2vec = LISTENER if listens else TOK2VEC
    model = {**MODELS[component], "tok2vec": tok2vec, "selector": selector_block(selector)}
    nlp.add_pipe(component, config={"model": model})
    docs = parse_bracketed(CORPUS, nlp)
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    return nlp


def run(main: Callable[..., None], *arguments: object) -> Result:
    """Run a benchmark as a command."""
    app = typer.Typer()
    app.command()(main)
    return CliRunner().invoke(app, [*map(str, arguments)])


def rows(result: Result) -> list[dict[str, str]]:
    """The rows of the Markdown table that a benchmark prints, by column name."""
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stdout.splitlines() if line.startswith("|")]
    header, _, *table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(header, row, strict=True)) for row in table]
