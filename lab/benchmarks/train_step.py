"""Time and memory of a training update of a pipeline, compared with its encoder alone.

    python -m lab train-step corpus/litbank0/train.spacy training/litbank0/model-best --words 2000

The batch consists of gold documents with about that many words in total. "Encoder" is the forward pass of the encoder's
model and its backward pass from a random gradient; "whole" is both passes of all components, as in training; the
optimizer step is timed separately after both. All three alternate in one process, and each ratio is that of one turn.
Peak memory is that of both passes and the step, in addition to that of model, gradients and optimizer; each value is
measured in a separate process.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from spacy import registry
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.training import Example
from thinc.api import Optimizer, set_dropout_rate

from ..measuring import (
    GpuId,
    Memory,
    Models,
    Part,
    Repeats,
    Spread,
    Threads,
    in_fresh_process,
    measure_memory,
    numbers,
    peaks_of_parts,
    print_header,
    print_row,
    ratios,
    take_turns,
)
from .documents import count_words, training_batch
from .pipelines import describe_pipeline, find_encoder, load_pipeline

WORDS_BEFORE = 100
"""Words of the update before measuring."""


class Times(NamedTuple):
    """The time of an update.

    pipeline (str): The components of this package in the pipeline.
    documents, words (int): The size of the batch.
    encoder, whole, step (Spread): Seconds.
    ratio (Spread): Time of the whole pipeline, without the step, divided by that of the encoder.
    """

    pipeline: str
    documents: int
    words: int
    encoder: Spread
    whole: Spread
    step: Spread
    ratio: Spread


def main(
    data: Annotated[Path, typer.Argument(metavar="DATA.spacy", help="A corpus with gold annotation")],
    models: Models,
    words: Annotated[str, typer.Option(help="Words of a batch")] = "2000",
    threads: Threads = 0,
    repeats: Repeats = 5,
    gpu_id: GpuId = -1,
) -> None:
    """Print a table."""
    print_header(
        *("pipeline", "documents", "words", "encoder, s", "whole, s", "whole / encoder, time", "optimizer, s"),
        *("model and optimizer, MB", "encoder, peak MB", "whole, peak MB"),
        texts=1,
    )
    for model in models:
        for size in numbers(words):
            times = in_fresh_process(measure_times, model, data, size, threads, repeats, gpu_id)
            measure = partial(measure_peak, model, data, size, threads=threads, gpu_id=gpu_id)
            print_row(
                *(times.pipeline, f"{times.documents:,}", f"{times.words:,}"),
                *(spread.format(".2f") for spread in (times.encoder, times.whole, times.ratio, times.step)),
                *peaks_of_parts(measure),
            )
            typer.echo(f"{model}: {times.words:,} words done", err=True)


def measure_times(model: Path, data: Path, words: int, threads: int, repeats: int, gpu_id: int) -> Times:
    """Time updates in this process."""
    nlp = load_pipeline(model, threads, gpu_id)
    batch = training_batch(nlp, data, words)
    optimizer = create_optimizer(nlp)
    update_once(nlp, data, words, optimizer)
    encoder, whole, step = take_turns(
        [lambda: run_encoder(nlp, batch), lambda: run_whole(nlp, batch), lambda: take_step(nlp, optimizer)],
        repeats,
        gpu_id,
    )
    return Times(
        pipeline=describe_pipeline(nlp),
        documents=len(batch),
        words=count_words(batch),
        encoder=Spread.of(encoder),
        whole=Spread.of(whole),
        step=Spread.of(step),
        ratio=ratios(whole, encoder),
    )


def measure_peak(model: Path, data: Path, words: int, part: Part, threads: int, gpu_id: int) -> Memory:
    """Measure the memory of an update in this process, which must be new."""
    nlp = load_pipeline(model, threads, gpu_id)
    optimizer = create_optimizer(nlp)
    batch = training_batch(nlp, data, words)
    update_once(nlp, data, words, optimizer)

    def update() -> None:
        (run_encoder if part == "encoder" else run_whole)(nlp, batch)
        take_step(nlp, optimizer)

    return measure_memory(update, gpu_id)


def update_once(nlp: Language, data: Path, words: int, optimizer: Optimizer) -> None:
    """Update a pipeline with a small batch, which allocates gradients and the moments of the optimizer."""
    run_whole(nlp, training_batch(nlp, data, min(words, WORDS_BEFORE)))
    take_step(nlp, optimizer)


def run_whole(nlp: Language, batch: list[Example]) -> None:
    """The forward and the backward pass of all components, as `spacy train` runs them."""
    training = _training(nlp)
    nlp.update(
        batch,
        drop=training["dropout"],
        sgd=False,  # type: ignore[arg-type]  # spaCy's own way to leave the step to the caller
        exclude=training["frozen_components"],
        annotates=training["annotating_components"],
    )


def run_encoder(nlp: Language, batch: Sequence[Example]) -> None:
    """The forward and the backward pass of the encoder alone."""
    _, encoder = find_encoder(nlp)
    set_dropout_rate(encoder.model, _training(nlp)["dropout"])
    output, backprop = encoder.model.begin_update([example.predicted for example in batch])
    backprop(random_gradient(encoder, output))


def random_gradient(encoder: TrainablePipe, output: Any) -> Any:
    """A random gradient in the format of an encoder's output.

    encoder (TrainablePipe): A transformer of spacy-transformers, or a Tok2Vec.
    output (list[Floats2d] | FullTransformerBatch): The output of its model for a batch.
    RETURNS (Any): The gradient.
    """
    generator = encoder.model.ops.xp.random.default_rng(0)

    def like(shape: tuple[int, ...]) -> Any:
        return generator.random(shape, dtype="float32") - 0.5

    if isinstance(output, list):
        return [like(vectors.shape) for vectors in output]
    # Listeners read only the first output of a transformer.
    return output.unsplit_by_doc([[like(data.tensors[0].shape)] for data in output.doc_data])


def create_optimizer(nlp: Language) -> Optimizer:
    """The optimizer that the pipeline was trained with. `nlp.create_optimizer` cannot resolve its references to other
    settings."""
    optimizer: Optimizer = registry.resolve({"optimizer": _training(nlp)["optimizer"]})["optimizer"]
    return optimizer


def take_step(nlp: Language, optimizer: Optimizer) -> None:
    """Update the weights of all components that are trained."""
    frozen = _training(nlp)["frozen_components"]
    for name, pipe in nlp.pipeline:
        if name not in frozen and isinstance(pipe, TrainablePipe) and pipe.is_trainable:
            pipe.finish_update(optimizer)


def _training(nlp: Language) -> dict[str, Any]:
    """The settings that the pipeline was trained with."""
    settings: dict[str, Any] = nlp.config.interpolate()["training"]
    return settings
