"""Small trainings of all components over a shared encoder, and processes that run them and are killed."""

import os
import pydoc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from spacy.cli import app as spacy_app
from spacy.tokens import DocBin

from ...pipeline.components import CASES, blank_nlp, gold_docs, tiny_transformer
from ...processes import start
from ...selectors import selector_block
from ...tok2vec import LISTENER, TOK2VEC, TRANSFORMER_LISTENER

CNN, TRANSFORMER = "cnn", "transformer"
DROPOUT = 0.3
STEPS = 7
"""The last step, counted from 0."""


def write_training(folder: Path, encoder: str = CNN, **training: Any) -> Path:
    """Write a corpus and a config that trains all components on it; `training` has settings of its own."""
    corpus = write_corpus(folder / "corpus.spacy")
    nlp = blank_nlp()
    if encoder == TRANSFORMER:
        nlp.add_pipe("transformer", config={"model": tiny_transformer(folder)})
    else:
        nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    listener = TRANSFORMER_LISTENER if encoder == TRANSFORMER else LISTENER
    for case in CASES:
        model = {**case.model, "tok2vec": listener, "dropout": DROPOUT, "selector": selector_block("structured")}
        nlp.add_pipe(case.factory, config={"model": model})
    config = nlp.config.copy()
    reader = {"@readers": "spacy_span_selector.Corpus.v1", "path": str(corpus)}
    config["corpora"] = {"train": reader, "dev": reader}
    config["training"] |= {"max_steps": STEPS, "eval_frequency": 3, "dropout": DROPOUT, "seed": 0, **training}
    config["training"] |= {"accumulate_gradient": 2, "annotating_components": ["sentencizer"]}
    # A size that changes at each batch: how many there were is part of what a resumed training must know.
    size = {"@schedules": "compounding.v1", "start": 8, "stop": 40, "compound": 1.3}
    config["training"]["batcher"] = {"@batchers": "spacy.batch_by_words.v1", "size": size, "tolerance": 0.5}
    rate = {"@schedules": "warmup_linear.v1", "warmup_steps": 3, "total_steps": 20, "initial_rate": 0.02}
    config["training"]["optimizer"] = {"@optimizers": "Adam.v1", "learn_rate": rate}
    config["training"]["score_weights"] = {"coref_ment_f": 0.5, "srl_span_f": 0.5}
    path = folder / f"{encoder}.cfg"
    config.to_disk(path)
    return path


def write_corpus(path: Path) -> Path:
    """Documents that are annotated for one component each."""
    nlp = blank_nlp()
    DocBin(docs=[doc for case in CASES for doc in gold_docs(case, nlp)] * 2).to_disk(path)
    return path


def run(*arguments: object, stop: tuple[str, int, int] | None = None, command: str = "span-selector train") -> int:
    """Train in a process of its own, with one thread, as several may add numbers in another order each time.

    arguments (object): Of the command.
    stop (tuple[str, int, int] | None): A function by its full name, at which of its calls the process gets a signal,
        and the signal.
    command (str): The command of spaCy.
    RETURNS (int): The exit status; below 0 if a signal ended the process.
    """
    process = start(_run, [*command.split(), *map(str, arguments)], stop)
    process.join(240)
    assert process.exitcode is not None
    status: int = process.exitcode
    return status


def _run(arguments: list[str], stop: tuple[str, int, int] | None) -> None:
    torch.set_num_threads(1)
    if stop:
        _signal_at(*stop)
    spacy_app(arguments)


def _signal_at(function: str, call: int, number: int) -> None:
    """Send this process a signal when a function is called so often."""
    owner: Any = pydoc.locate(function.rpartition(".")[0])
    name = function.rpartition(".")[2]
    original: Callable[..., Any] = getattr(owner, name)
    calls = 0

    def counting(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            os.kill(os.getpid(), number)
        return original(*args, **kwargs)

    setattr(owner, name, counting)
