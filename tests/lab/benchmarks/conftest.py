"""Tiny pipelines whose encoder is a component; a corpus for both components; benchmarks without processes."""

import pickle
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import DocBin
from typer.testing import Result

from lab import measuring
from lab.__main__ import BENCHMARKS, app
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from ... import commands
from ...pipeline.components import CASES
from ...selectors import selector_block
from ...tok2vec import LISTENER, TOK2VEC
from ...untrained import gold_examples

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
MODELS = {case.factory: case.model for case in CASES}

MakeModel = Callable[..., Path]
run, refusal = partial(commands.run, program=app), partial(commands.refusal, program=app)
"""Commands of the laboratory."""


@pytest.fixture(scope="module", autouse=True)
def _english(short_english: None) -> None:
    """Benchmarks load a pipeline for each row."""


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with clusters and frames."""
    path = tmp_path_factory.mktemp("data") / "corpus.spacy"
    DocBin(docs=parse_bracketed(CORPUS, spacy.blank("en"))).to_disk(path)
    return path


@pytest.fixture(scope="session")
def make_model(tmp_path_factory: pytest.TempPathFactory) -> MakeModel:
    """Makes an untrained pipeline on disk, each kind once."""

    @cache
    def make(component: str = "structured_coref", selector: str = "structured", listens: bool = True) -> Path:
        path = tmp_path_factory.mktemp("models") / f"{component}-{selector}"
        make_pipeline(component, selector, listens).to_disk(path)
        return path

    return make


def make_pipeline(component: str = "structured_coref", selector: str = "structured", listens: bool = True) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    if listens:
        nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    tok2vec = LISTENER if listens else TOK2VEC
    block = {"@misc": "lab.GreedySelector.v1"} if selector == "greedy" else selector_block(selector)
    model = {**MODELS[component], "tok2vec": tok2vec, "selector": block}
    nlp.add_pipe(component, config={"model": model})
    nlp.initialize(lambda: gold_examples(nlp, CORPUS))
    return nlp


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Call functions in this process that a benchmark would call in a new one; all that is sent is pickled there."""

    def call(*parts: Any, **named: Any) -> Any:
        (function, *arguments), named = pickle.loads(pickle.dumps((parts, named)))
        return function(*arguments, **named)

    for module in (measuring, *(import_module(f"lab.benchmarks.{name.replace('-', '_')}") for name in BENCHMARKS)):
        if hasattr(module, "in_fresh_process"):
            monkeypatch.setattr(module, "in_fresh_process", call)


def rows(result: Result) -> list[dict[str, str]]:
    """The rows of the Markdown table that a benchmark prints, by column name."""
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stdout.splitlines() if line.startswith("|")]
    header, _, *table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(header, row, strict=True)) for row in table]
