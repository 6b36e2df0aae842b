"""Trained pipelines and their encoders."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple, cast

import spacy
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from torch import nn

from spacy_span_selector.models.torch_head import head_module
from spacy_span_selector.pipeline.selector_pipe import SelectorPipe
from spacy_span_selector.scoring.task import Task

from ..measuring import set_threads, use_gpu

AnyPipe = SelectorPipe[Any, Any, Any]


def load_pipeline(model: Path, threads: int, gpu_id: int) -> Language:
    """Load a pipeline that accepts texts of any length; on a GPU torch allocates all memory, so it can be measured.

    model (Path): The pipeline.
    threads (int): Threads of torch; 0 for its default.
    gpu_id (int): The GPU; -1 for the CPU.
    RETURNS (Language): The pipeline.
    """
    set_threads(threads)
    use_gpu(gpu_id)
    nlp = spacy.load(model)
    nlp.max_length = sys.maxsize
    return nlp


def selector_pipes(nlp: Language) -> dict[str, AnyPipe]:
    """The components of this package, by name.

    RAISES (ValueError): If there are none.
    """
    pipes = {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, SelectorPipe)}
    if not pipes:
        raise ValueError(
            f"The pipeline {nlp.pipe_names} has no component to measure. Use one with structured_coref or "
            "structured_srl."
        )
    return pipes


def describe_pipeline(nlp: Language) -> str:
    """Names and selectors of the components of this package."""
    pipes = selector_pipes(nlp).items()
    return " + ".join(
        f"{name}, {type(pipe.selector).__name__.removesuffix('Selector').lower()}" for name, pipe in pipes
    )


def find_encoder(nlp: Language) -> tuple[str, TrainablePipe]:
    """The component whose vectors the components of this package read, and its name.

    RAISES (ValueError): If one of them has its own encoder, without which it cannot run.
    """
    encoders: dict[str, TrainablePipe] = {}
    for name in selector_pipes(nlp):
        own = [(other, pipe) for other, pipe in nlp.pipeline if name in getattr(pipe, "listening_components", ())]
        if not own:
            raise ValueError(
                f"'{name}' has its own encoder, so the two cannot be measured separately. Train a "
                f"pipeline whose encoder is a component before it ('transformer' or 'tok2vec'), with a listener as "
                f"components.{name}.model.tok2vec, as in configs/coref_minilm.cfg."
            )
        encoders.update(own)
    if len(encoders) > 1:
        raise ValueError(f"The pipeline {nlp.pipe_names} has several encoders, {', '.join(encoders)}. Expected one.")
    return next(iter(encoders.items()))


def network(pipe: AnyPipe) -> nn.Module:
    """The network of a component, behind the vectors of its encoder."""
    return cast(nn.Module, head_module(pipe.model))


class Found(NamedTuple):
    """The numbers of selected spans, and of clusters or frames."""

    spans: int
    groups: int


def count_found(doc: Doc, pipe: AnyPipe, task: Task) -> Found:
    """What a component has written to a document."""
    return Found(len(doc.spans[pipe.selected_key]), len(task.groups(doc, pipe)))
