"""The effect of the decoder, its threshold and that of links on a trained component: nothing else changes between rows.

    python -m lab decoding training/litbank0/model-best corpus/litbank0/dev.spacy
    python -m lab decoding training/ewt-LaminarSelector/model-best corpus/ewt/dev.spacy --gold-predicates

Choose a threshold on a dev split only; use other data to confirm the choice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from wasabi import msg

from spacy_span_selector.examples.corpus import create_corpus
from spacy_span_selector.scoring.task import find_tasks

from ..experiments.task_tables import score_title, tables_of
from .pipelines import selector_pipes

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
LINK_THRESHOLDS = (-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0)
DECODERS: dict[str, dict[str, Any]] = {
    "map": {"decoding": "map"},
    **{f"marginal, {value}": {"decoding": "marginal", "threshold": value} for value in THRESHOLDS},
}
LINKS: dict[str, dict[str, Any]] = {f"links above {value}": {"link_threshold": value} for value in LINK_THRESHOLDS}
"""Settings by the names of rows; what a row does not name is as it was trained."""


def main(
    model: Annotated[Path, typer.Argument(help="A trained pipeline with structured_coref or structured_srl")],
    data: Annotated[list[Path], typer.Argument(help="Files with gold annotation")],
    component: Annotated[str | None, typer.Option(help="Name of the component, if there are two")] = None,
    gold_predicates: Annotated[
        bool, typer.Option("--gold-predicates", help="Give the pipeline words, sentences, speakers and predicates")
    ] = False,
) -> None:
    """Print a table for each file."""
    nlp = spacy.load(model)
    tasks = find_tasks(nlp)
    name = next(iter(tasks)) if component is None else component
    pipe = selector_pipes(nlp)[name]
    shown = tables_of(tasks[name]).decoding
    columns = [*(score_title(tasks[name], score) for score in shown), "Spans per token"]
    for path in data:
        given = dict.fromkeys(("gold_tokens", "sentences", "predicates", "speakers"), gold_predicates)
        examples = list(create_corpus(path, **given)(nlp))
        _annotate_before(nlp, name, examples)
        rows, own = [], dict(pipe.cfg)
        for label, settings in {**DECODERS, **(LINKS if "link_threshold" in own else {})}.items():
            pipe.configure(**{**own, **settings})
            for example, doc in zip(examples, pipe.pipe(_docs(examples), batch_size=nlp.batch_size), strict=True):
                example.predicted = doc
            scores = pipe.score(examples)
            values = [f"{100 * scores[score]:.1f}" for score in shown]
            density = tasks[name].density
            rows.append((label, *values, f"{scores[density]:.3f}" if density else ""))
        pipe.configure(**own)
        typer.echo(f"\n{path}")
        msg.table(rows, header=("decoder", *columns), aligns=("l", *"r" * len(columns)), divider=True)


def _annotate_before(nlp: Language, name: str, examples: list[Example]) -> None:
    """Run the components before the measured one once."""
    later = nlp.pipe_names[nlp.pipe_names.index(name) :]
    with nlp.select_pipes(disable=later):
        for example, doc in zip(examples, nlp.pipe(_docs(examples)), strict=True):
            example.predicted = doc


def _docs(examples: list[Example]) -> list[Doc]:
    return [example.predicted for example in examples]
