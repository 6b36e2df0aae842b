"""Time and memory of sentences without an end, by their length: with charts that are bands, and with whole ones.

    python -m lab.benchmarks.long_sentences configs/coref_cpu.cfg corpus/litbank0/train.spacy
    python -m lab.benchmarks.long_sentences configs/srl_cpu.cfg corpus/ewt/train.spacy

A pipeline of the config is trained for some updates, so that it does not keep far too many spans. Then one sentence of
each length, made of the text of the corpus, is annotated, and learnt from with its gold annotation. "band" is the
laminar selector with the `max_span_width` of the config; "laminar" and "trees" are both grammars without it, and
without `max_sentence_words`. Times are CPU time: of the encoder alone, and of all else ("beyond"), with the seconds by
the clock of this. Each row is measured in a process of its own, the peak memory as in the other benchmarks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal, NamedTuple

import numpy as np
import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words
from spacy.util import load_config, load_model_from_config
from thinc.api import Adam

from spacy_span_selector.annotation import get_clusters, get_frames, set_clusters, set_frames
from spacy_span_selector.cli._app import friendly_errors, read_spacy_file
from spacy_span_selector.examples.corpus import create_corpus
from spacy_span_selector.scoring.task import find_tasks

from .measuring import MB, in_fresh_process, measure_memory, numbers, print_header, print_row, set_threads
from .pipelines import AnyPipe, count_found, load_pipeline, selector_pipes
from .train_step import run_whole, take_step

Charts = Literal["band", "laminar", "trees"]
Stage = Literal["annotate", "train"]
SELECTORS: dict[Charts, str] = {"band": "Laminar", "laminar": "Laminar", "trees": "Structured"}
WORDS_OF_UPDATE = 1_200
"""Words of an update before measuring."""

SHORT = 10
"""Words of the sentence that is processed before measuring."""

COLUMNS = ("encoder, CPU s", "beyond, CPU s", "beyond, s", "peak, MB")


class Cost(NamedTuple):
    """What a stage took.

    encoder, beyond (float): CPU seconds of the encoder, and of all else.
    clock (float): Seconds of all else by the clock.
    peak (float): The most bytes in use at once.
    spans (int): Spans that were selected; 0 in training.
    """

    encoder: float
    beyond: float
    clock: float
    peak: float
    spans: int = 0


def main(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A training config with one component")],
    data: Annotated[Path, typer.Argument(metavar="DATA.spacy", help="A corpus with gold annotation")],
    words: Annotated[str, typer.Option(help="Lengths of sentences")] = "1000,2000,5000,10000",
    whole_up_to: Annotated[int, typer.Option(help="The longest sentence with a whole chart")] = 2000,
    updates: Annotated[int, typer.Option(help="Updates before measuring")] = 60,
    threads: Annotated[int, typer.Option(help="Threads of torch; 0 for its default")] = 0,
) -> None:
    """Print a table."""
    print_header(
        *("charts", "words", *(f"annotate: {column}" for column in COLUMNS), "spans"),
        *(f"train: {column}" for column in COLUMNS),
        texts=1,
    )
    with friendly_errors(), TemporaryDirectory() as folder:
        model = Path(folder)
        in_fresh_process(train, config, data, updates, threads, model)
        for length in numbers(words):
            for charts in SELECTORS:
                if charts != "band" and length > whole_up_to:
                    continue
                stages: tuple[Stage, Stage] = ("annotate", "train")
                costs = [in_fresh_process(measure, model, data, charts, length, stage, threads) for stage in stages]
                cells = [_cells(cost) for cost in costs]
                print_row(charts, f"{length:,}", *cells[0], f"{costs[0].spans:,}", *cells[1])


def train(config: Path, data: Path, updates: int, threads: int, model: Path) -> None:
    """Train a pipeline of a config for a while, and save it."""
    set_threads(threads)
    settings = load_config(config, overrides={"paths.train": str(data), "paths.dev": str(data)}, interpolate=True)
    for component in settings["components"].values():
        if "selector" in component.get("model", {}):
            component["model"]["selector"] = _selector("band")
    nlp = load_model_from_config(settings, auto_fill=True)
    read = create_corpus(data, max_words=WORDS_OF_UPDATE)
    nlp.initialize(lambda: read(nlp))
    batches = cycle(list(minibatch_by_words(read(nlp), size=WORDS_OF_UPDATE)))
    optimizer = Adam(0.001)  # a schedule would begin with too slow a rate for so few updates
    for _ in range(updates):
        run_whole(nlp, list(next(batches)))
        take_step(nlp, optimizer)
    nlp.to_disk(model)


def measure(model: Path, data: Path, charts: Charts, words: int, stage: Stage, threads: int) -> Cost:
    """Measure a stage in this process, which must be new."""
    nlp, pipe = load(model, charts, threads)
    run = annotate if stage == "annotate" else learn
    encoder = encode if stage == "annotate" else encode_and_learn
    short, example = (long_example(nlp, data, length) for length in (SHORT, words))
    for part in (run, encoder):  # what is built at first use is no part of the measurement
        part(nlp, pipe, short)
    seconds: list[tuple[float, float]] = []
    found: list[int] = []

    def take(part: Callable[[Language, AnyPipe, Example], int]) -> None:
        cpu, clock = time.process_time(), time.perf_counter()
        found.append(part(nlp, pipe, example))
        seconds.append((time.process_time() - cpu, time.perf_counter() - clock))

    peak = measure_memory(lambda: take(run)).peak
    take(encoder)
    (whole, whole_clock), (alone, alone_clock) = seconds
    return Cost(alone, whole - alone, whole_clock - alone_clock, peak, found[0])


def load(model: Path, charts: Charts, threads: int) -> tuple[Language, AnyPipe]:
    """Load the pipeline with other charts.

    RAISES (ValueError): If it has another number of components than one.
    """
    set_threads(threads)
    nlp = load_pipeline(model, threads, -1)
    names = list(selector_pipes(nlp))
    if len(names) != 1:
        raise ValueError(f"The pipeline {nlp.pipe_names} has several components to measure. Use a config with one.")
    if charts != "band":
        settings: dict[str, object] = {"selector": _selector(charts), "max_span_width": None}
        nlp = spacy.load(model, config={"components": {names[0]: {"model": settings}}})
    pipe = selector_pipes(nlp)[names[0]]
    if charts != "band":
        pipe.cfg["max_sentence_words"] = None
    return nlp, pipe


def long_example(nlp: Language, data: Path, words: int) -> Example:
    """One sentence of the words of a corpus, with their clusters and frames.

    RAISES (ValueError): If the corpus has fewer words.
    """
    texts: list[str] = []
    clusters, frames = [], []
    for doc in read_spacy_file(data, nlp.vocab):
        offset = len(texts)
        texts += [token.text for token in doc]
        clusters += [[(start + offset, end + offset) for start, end in cluster] for cluster in get_clusters(doc)]
        for frame in get_frames(doc):
            arguments = [a._replace(start=a.start + offset, end=a.end + offset) for a in frame.arguments]
            frames.append(frame._replace(start=frame.start + offset, end=frame.end + offset, arguments=arguments))
        if len(texts) >= words:
            break
    else:
        raise ValueError(f"{data} has {len(texts):,} words, and a sentence of {words:,} is to be made of them.")
    starts: list[bool | int | None] = [place == 0 for place in range(words)]
    predicted, reference = (Doc(nlp.vocab, words=texts[:words], sent_starts=starts) for _ in range(2))
    inside = [[mention for mention in cluster if mention[1] <= words] for cluster in clusters]
    set_clusters(reference, [cluster for cluster in inside if cluster])
    ends = [max([frame.end, *(argument.end for argument in frame.arguments)]) for frame in frames]
    set_frames(reference, [frame for frame, end in zip(frames, ends, strict=True) if end <= words])
    return Example(predicted, reference)


def annotate(nlp: Language, pipe: AnyPipe, example: Example) -> int:
    """Annotate a copy of the predicted document; the number of selected spans."""
    doc = pipe(example.predicted.copy())
    return count_found(doc, pipe, find_tasks(nlp)[pipe.name]).spans


def learn(nlp: Language, pipe: AnyPipe, example: Example) -> int:
    """Learn from an example, without a step of the optimizer."""
    pipe.update([Example(example.predicted.copy(), example.reference)], drop=0.2)
    return 0


def encode(nlp: Language, pipe: AnyPipe, example: Example) -> int:
    """Run the encoder alone."""
    pipe.model.get_ref("tok2vec").predict([example.predicted])
    return 0


def encode_and_learn(nlp: Language, pipe: AnyPipe, example: Example) -> int:
    """Run the encoder alone, forward and backward."""
    vectors, backprop = pipe.model.get_ref("tok2vec").begin_update([example.predicted])
    backprop([np.ones_like(vector) for vector in vectors])
    return 0


def _selector(charts: Charts) -> dict[str, str]:
    return {"@misc": f"spacy_span_selector.{SELECTORS[charts]}Selector.v1"}


def _cells(cost: Cost) -> list[str]:
    seconds = (cost.encoder, cost.beyond, cost.clock)
    return [*(f"{value:.1f}" for value in seconds), f"{cost.peak / MB:,.0f}"]


if __name__ == "__main__":
    typer.run(main)
