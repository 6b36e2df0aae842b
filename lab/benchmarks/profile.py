"""The time of annotation by stage.

    python -m lab profile corpus/litbank0/test.spacy training/litbank0/model-best

All components are timed, and those of this package by stage. The time of a stage is not included in that of its
component: the time that a component or its network spends outside the named stages is its "rest". On a GPU each stage
waits until the GPU is done, so the sum exceeds the time of annotation without profiling.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import patch

import typer
from spacy.language import Language

from spacy_span_selector.layers.coref.linker import Linker
from spacy_span_selector.layers.spans.scorer import SpanScorer
from spacy_span_selector.layers.srl.predicates import PredicateTagger, RolesetClassifier
from spacy_span_selector.layers.srl.roles import RoleClassifier

from ..baselines.bio import NoSelector
from ..baselines.greedy import GreedySelector
from ..measuring import GpuId, Repeats, Spread, Texts, Threads, print_header, print_row, wait_for
from .annotate import SHORT_TEXT, Case, annotate
from .pipelines import AnyPipe, describe_pipeline, load_pipeline, network, selector_pipes

Stage = tuple[str, str]
"""A component, or the tokenizer, and a stage of it."""

REST = ("pipeline", "rest")
MODULES = {
    SpanScorer: "span scores",
    Linker: "linker",
    RoleClassifier: "role classifier",
    PredicateTagger: "predicates",
    RolesetClassifier: "rolesets",
}


class StageClock:
    """Add up the time of stages; the time of a nested stage does not count for the outer one.

    gpu_id (int): The GPU to wait for at the start and end of a stage; -1 for none.
    """

    def __init__(self, gpu_id: int = -1) -> None:
        self.gpu_id = gpu_id
        self.seconds: dict[Stage, float] = {}
        self._open: list[Stage] = []
        self._since = 0.0

    @contextmanager
    def stage(self, stage: Stage) -> Iterator[None]:
        """Count the time of the block for a stage."""
        self._count()
        self._open.append(stage)
        try:
            yield
        finally:
            self._count()
            self._open.pop()

    def timed(self, stage: Stage, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose calls are counted for a stage."""

        @wraps(function, updated=())
        def call(*arguments: Any, **named: Any) -> Any:
            with self.stage(stage):
                return function(*arguments, **named)

        return call

    def timed_stream(self, stage: Stage, function: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        """A function that returns an iterator, whose steps are counted for a stage."""

        def call(*arguments: Any, **named: Any) -> Iterator[Any]:
            items = iter(function(*arguments, **named))
            end = object()
            while True:
                with self.stage(stage):
                    item = next(items, end)
                if item is end:
                    return
                yield item

        return call

    def _count(self) -> None:
        wait_for(self.gpu_id)
        now = time.perf_counter()
        if self._open:
            self.seconds[self._open[-1]] = self.seconds.get(self._open[-1], 0.0) + now - self._since
        self._since = now


def main(
    data: Texts,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A trained pipeline")],
    words: Annotated[int, typer.Option(help="Length of documents; 0 for those of the corpus as they are")] = 0,
    threads: Threads = 0,
    repeats: Repeats = 5,
    gpu_id: GpuId = -1,
) -> None:
    """Print a table."""
    nlp = load_pipeline(model, threads, gpu_id)
    pipeline = describe_pipeline(nlp)
    annotate(nlp, [SHORT_TEXT])
    runs = []
    for run in range(repeats):
        documents = Case(words or None).documents(nlp, data)
        clock = StageClock(gpu_id)
        with watch(nlp, clock), clock.stage(REST):
            annotated, _ = annotate(nlp, documents)
        runs.append(clock.seconds)
        typer.echo(f"run {run + 1} of {repeats} done", err=True)
    totals = [sum(seconds.values()) for seconds in runs]
    speed = Spread.of([annotated / total for total in totals])
    typer.echo(f"{pipeline}: {annotated:,} words in {len(documents):,} documents, {speed.format(',.0f')} words/s\n")
    print_header("component", "stage", "seconds", "share, %", texts=2)
    for stage in sorted(runs[0], key=lambda stage: _place(nlp, stage)):
        seconds = [run.get(stage, 0.0) for run in runs]
        share = Spread.of([100 * part / total for part, total in zip(seconds, totals, strict=True)])
        print_row(*stage, f"{Spread.of(seconds).median:.3f}", share.format(".1f"))


@contextmanager
def watch(nlp: Language, clock: StageClock) -> Iterator[None]:
    """Count the time of every stage of a pipeline."""
    with ExitStack() as stack:

        def replace(owner: object, name: str, by: Any) -> None:
            stack.enter_context(patch.object(owner, name, by))

        replace(nlp, "tokenizer", clock.timed(("tokenizer", ""), nlp.tokenizer))
        own = selector_pipes(nlp)
        for name, pipe in nlp.pipeline:
            part = "rest" if name in own else ""
            if hasattr(pipe, "pipe"):
                replace(pipe, "pipe", clock.timed_stream((name, part), pipe.pipe))
        for name, pipe in own.items():
            _watch_component(name, pipe, clock, stack)
        yield


def _watch_component(name: str, pipe: AnyPipe, clock: StageClock, stack: ExitStack) -> None:
    """Count the time of every stage of a component of this package."""

    def replace(owner: object, attribute: str, by: Any) -> None:
        stack.enter_context(patch.object(owner, attribute, by))

    def timed(stage: str, function: Any) -> Callable[..., Any]:
        return clock.timed((name, stage), function)

    def timed_strategy() -> Callable[..., Any]:
        return timed("decoding", strategy())

    strategy = pipe.prediction_strategy
    replace(pipe, "prediction_strategy", timed_strategy)
    replace(pipe, "set_annotations", timed("writing annotations", pipe.set_annotations))
    tok2vec = pipe.model.get_ref("tok2vec")
    replace(tok2vec, "_func", timed("word vectors", tok2vec._func))
    head = network(pipe)
    replace(head, "forward", timed("network, rest", head.forward))
    if not isinstance(pipe.selector, GreedySelector | NoSelector):
        stack.enter_context(patch.dict(vars(pipe.selector), marginals=timed("chart", pipe.selector.marginals)))
    for module in head.modules():
        if type(module) in MODULES:
            replace(module, "forward", timed(MODULES[type(module)], module.forward))
        if isinstance(module, SpanScorer):
            replace(module, "represent", timed("span vectors", module.represent))


STAGES = [
    *("word vectors", "predicates", "rolesets", "span scores", "chart", "decoding", "span vectors"),
    *("linker", "role classifier", "network, rest", "writing annotations", "rest"),
]


def _place(nlp: Language, stage: Stage) -> tuple[int, int]:
    """The position of a stage in the table: in the order of the pipeline."""
    name, part = stage
    components = ["tokenizer", *nlp.pipe_names, REST[0]]
    return components.index(name), STAGES.index(part) if part else 0
