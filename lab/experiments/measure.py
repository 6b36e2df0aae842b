"""Measure a trained pipeline: its scores, the spans that its selector keeps, peak memory. Runs in a separate process.

python -m lab.experiments.measure measures|memory RUN_DIR GPU_ID
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly
import torch
from numpy.typing import NDArray
from spacy import registry
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokens import Span
from spacy.training import Example

from spacy_span_selector.examples.corpus import create_corpus
from spacy_span_selector.pipeline.selector_pipe import SelectorPipe
from spacy_span_selector.scoring.metrics.counts import Counts
from spacy_span_selector.scoring.metrics.srl import count_matches
from spacy_span_selector.scoring.task import Task, get_task
from spacy_span_selector.tools.files.writing import write_file
from spacy_span_selector.tools.formats.nesting import nesting_depths

from ..measuring import MB, peak_memory, start_measuring, use_gpu
from ..metrics import (
    DEPTHS,
    WIDTHS,
    Calibration,
    average_precision,
    crossing_spans,
    depth_class,
    recall_by_class,
    width_class,
)
from ..selections import Characters, DocSelection, annotate_with_selections

Annotated = tuple[Example, DocSelection | None]
"""An annotated document beside its reference, and its selection if the component scores spans."""

SPLITS = ("dev", "test")

SETTINGS: dict[str, tuple[float, ...]] = {
    "threshold": (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "ratio": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
}
"""Values to try of the setting that decides how many spans are kept."""


def measure(run_dir: Path, gpu_id: int) -> dict[str, Any]:
    """Annotate dev and test documents, and measure what a report needs.

    run_dir (Path): The folder with the pipeline, `model-best`, and `run.json`, which describes the run.
    gpu_id (int): The GPU; -1 for the CPU.
    RETURNS (dict[str, Any]): Plain values; see lab/README.md.
    """
    run = srsly.read_json(run_dir / "run.json")
    nlp = load_pipeline(run_dir, gpu_id)
    measures = _measure_splits(nlp, run)
    measures["predictions"] = {name: measure_prediction(nlp, run, other) for name, other in run["predictions"].items()}
    measures["elsewhere"] = {
        name: _measure_elsewhere(nlp, run, Path(corpus)) for name, corpus in run["elsewhere"].items()
    }
    return measures


def _measure_splits(nlp: Language, run: dict[str, Any]) -> dict[str, Any]:
    """Scores and counts of documents on dev and test, and what the selector keeps of the latter."""
    pipe: Any = nlp.get_pipe(run["component"])
    scores: dict[str, Any] = {}
    documents: dict[str, Any] = {}
    task = get_task(run["component"])
    for split in SPLITS:
        annotated = annotate(nlp, run["component"], read_examples(nlp, run, split))
        examples = [example for example, _ in annotated]
        scores[split] = score(nlp, task, pipe, examples)
        documents[split] = count_documents(examples, task, pipe.cfg)
    return {"scores": scores, "documents": documents, **measure_spans(annotated, task, pipe)}


def measure_prediction(nlp: Language, run: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The same of the pipeline with other settings, or given other gold annotation, as far as a report shows it.

    nlp (Language): The pipeline.
    run (dict[str, Any]): The run.
    other (dict[str, Any]): The fields of a `Prediction`.
    RETURNS (dict[str, Any]): Plain values.
    """
    run = {**run, "evaluation": {**run["evaluation"], **other["evaluation"]}}
    with changed_settings(nlp.get_pipe(run["component"]), other["settings"], other["selector"]):
        measures = _measure_splits(nlp, run)
    return {name: measures[name] for name in ("scores", "documents", "tokens", "kept", "output")}


def _measure_elsewhere(nlp: Language, run: dict[str, Any], corpus: Path) -> dict[str, Any]:
    """Scores on another corpus, and what the selector keeps of it."""
    pipe: Any = nlp.get_pipe(run["component"])
    annotated = annotate(nlp, run["component"], read_corpus(nlp, run, corpus))
    task = get_task(run["component"])
    spans = measure_spans(annotated, task, pipe)
    scores = score(nlp, task, pipe, [example for example, _ in annotated])
    names = ("tokens", "kept", "output", "average_precision")
    return {"scores": {"test": scores}, **{name: spans[name] for name in names}}


def measure_memory(run_dir: Path, gpu_id: int) -> dict[str, Any]:
    """Annotate the test documents of a run, and measure the memory beyond that of the loaded pipeline.

    run_dir (Path): The folder with the pipeline, `model-best`, and `run.json`, which names the documents.
    gpu_id (int): The GPU whose memory is measured; -1 for the resident memory on the CPU.
    RETURNS (dict[str, Any]): `device`, `loaded_mb`, `peak_mb` (in addition to `loaded_mb`), `seconds` and `words`.
    """
    run = srsly.read_json(run_dir / "run.json")
    nlp = load_pipeline(run_dir, gpu_id)
    docs = [example.predicted for example in read_examples(nlp, run, "test")]
    list(nlp.pipe([spacy.blank("en").make_doc("Ann saw Bob .")]))  # do not count what is built at first use
    loaded = start_measuring(gpu_id)
    begin = time.perf_counter()
    deque(nlp.pipe(docs, batch_size=nlp.batch_size), maxlen=0)  # no document is kept
    seconds = time.perf_counter() - begin
    return {
        "device": "cpu" if gpu_id < 0 else torch.cuda.get_device_name(gpu_id),
        "loaded_mb": round(loaded / MB, 1),
        "peak_mb": round((peak_memory(gpu_id) - loaded) / MB, 1),
        "seconds": round(seconds, 3),
        "words": sum(map(len, docs)),
    }


@contextmanager
def changed_settings(pipe: Any, settings: dict[str, Any], selector: dict[str, Any] | None) -> Iterator[None]:
    """Give a component other settings for a while.

    pipe (SelectorPipe): The component.
    settings (dict[str, Any]): Settings by name.
    selector (dict[str, Any] | None): Another selector, as in a config; None to keep its own.
    RAISES (ValueError): If there is no such setting, or it has no such value.
    """
    own, network = dict(pipe.cfg), pipe.network_settings
    try:
        pipe.configure(**settings)
        if selector is not None:
            pipe.model.attrs["settings"] = replace(network, **registry.resolve({"selector": selector}))
        yield
    finally:
        pipe.configure(**own)
        pipe.model.attrs["settings"] = network


def score(nlp: Language, task: Task, pipe: SelectorPipe[Any, Any, Any], examples: Sequence[Example]) -> dict[str, Any]:
    """The scores of a pipeline as plain values, those of a task also under the names that reports know.

    nlp (Language): The pipeline.
    task (Task): The task.
    pipe (SelectorPipe): Its component, whose key may be part of the names of its scores.
    examples (Sequence[Example]): The examples, with predictions set.
    """
    scores: dict[str, Any] = plain(Scorer(nlp).score(examples))
    names = zip(task.score_weights(), task.of(pipe).score_weights(), strict=True)
    return scores | {known: scores[name] for known, name in names if name in scores}


def count_documents(examples: Iterable[Example], task: Task, settings: Mapping[str, Any]) -> list[list[list[float]]]:
    """The counts of each annotated document, from which any set of documents can be scored.

    examples (Iterable[Example]): The examples, with predictions set.
    task (Task): The task.
    settings (Mapping[str, Any]): Settings of its component.
    RETURNS (list[list[list[float]]]): For each annotated document, for each metric whose mean F1 is the main score, the
        fields of `Counts`.
    """
    counts = (task.main_counts(example, **settings) for example in examples)
    return [[list(map(float, astuple(metric))) for metric in document] for document in counts if document is not None]


@dataclass(frozen=True)
class DocSpans:
    """The spans of a document.

    depths (dict[Characters, str]): The gold spans, mentions or arguments, with the class of their nesting depth.
    widths (dict[Characters, str]): The gold spans with the class of their width in tokens.
    kept (set[Characters]): The spans that the selector kept.
    output (set[Characters]): The spans of the predicted clusters or frames.
    tokens (int): The number of tokens of the predicted document.
    """

    depths: dict[Characters, str]
    widths: dict[Characters, str]
    kept: set[Characters]
    output: set[Characters]
    tokens: int


def doc_spans(example: Example, task: Task, pipe: SelectorPipe[Any, Any, Any]) -> DocSpans | None:
    """Read the spans of an annotated example; None if its reference is not annotated for the task.

    example (Example): The example, with predictions set.
    task (Task): The task of the component.
    pipe (SelectorPipe): The component.
    """
    found = task.gold_spans(example.reference, pipe)
    if found is None:
        return None
    gold = [span for span in found if len(span)]
    depths = nesting_depths((span.start, span.end) for span in gold)
    return DocSpans(
        depths={_characters(span): depth_class(depths[span.start, span.end]) for span in gold},
        widths={_characters(span): width_class(len(span)) for span in gold},
        kept={_characters(span) for span in example.predicted.spans[pipe.selected_key]},
        output={_characters(span) for span in task.gold_spans(example.predicted, pipe) or ()},
        tokens=len(example.predicted),
    )


def _characters(span: Span) -> Characters:
    return span.start_char, span.end_char


def measure_spans(annotated: Iterable[Annotated], task: Task, pipe: SelectorPipe[Any, Any, Any]) -> dict[str, Any]:
    """What the selector of a component keeps of annotated documents, and with which probabilities.

    annotated (Iterable[Annotated]): The documents, from `annotate`.
    task (Task): The task of the component.
    pipe (SelectorPipe): The component.
    RETURNS (dict[str, Any]): `tokens`; `kept` and `output`: counts of all spans, by depth and by width; `curve`: what
        would be kept at other settings; `calibration`: counts, None without probabilities; `average_precision`: of all
        spans ranked by the selector, None if it ranks none.
    """
    tokens = 0
    kept, output = _SpanCounts(), _SpanCounts()
    curve: dict[tuple[str, float], Counts] = {}
    calibration = Calibration()
    ranked: list[tuple[NDArray[np.float64], NDArray[np.bool_]]] = []
    for example, selection in annotated:
        spans = doc_spans(example, task, pipe)
        if spans is None:
            continue
        tokens += spans.tokens
        kept.add(spans.depths, spans.widths, spans.kept)
        output.add(spans.depths, spans.widths, spans.output)
        if selection is None:
            continue
        for name, value, found in selection.at_other_settings(SETTINGS):
            curve[name, value] = curve.get((name, value), Counts()) + count_matches(spans.depths.keys(), found)
        ranked.append(selection.probabilities(spans.depths))
        if selection.has_probabilities:
            calibration.add(*ranked[-1])
    points = [{"setting": name, "value": value, **_numbers(counts)} for (name, value), counts in curve.items()]
    return {
        "tokens": tokens,
        "kept": kept.to_dict(),
        "output": output.to_dict(),
        "curve": points,
        "calibration": {name: array.tolist() for name, array in vars(calibration).items()}
        if calibration.counts.any()
        else None,
        "average_precision": _average_precision(ranked, kept.n_gold),
    }


def _average_precision(ranked: Sequence[tuple[NDArray[np.float64], NDArray[np.bool_]]], n_gold: int) -> float | None:
    """The average precision of the spans of all documents together; None if none are ranked."""
    if not ranked:
        return None
    probabilities, is_gold = (np.concatenate(column) for column in zip(*ranked, strict=True))
    return average_precision(probabilities, is_gold, n_gold)


class _SpanCounts:
    """Counts of found spans: of all spans, and of the gold ones by class."""

    def __init__(self) -> None:
        self.all = Counts()
        self.crossing = 0
        self.depth = dict.fromkeys(DEPTHS, Counts())
        self.width = dict.fromkeys(WIDTHS, Counts())

    def add(self, depths: dict[Any, str], widths: dict[Any, str], found: set[Any]) -> None:
        self.all += count_matches(depths.keys(), found)
        self.crossing += len(crossing_spans(found))
        for table, classes in ((self.depth, depths), (self.width, widths)):
            for name, counts in recall_by_class(classes, found, table).items():
                table[name] += counts

    @property
    def n_gold(self) -> int:
        return int(self.all.recall_denominator)

    def to_dict(self) -> dict[str, Any]:
        by_class = {
            kind: {
                name: {"found": int(counts.recall_numerator), "gold": int(counts.recall_denominator)}
                for name, counts in table.items()
            }
            for kind, table in (("depth", self.depth), ("width", self.width))
        }
        return {**_numbers(self.all), "crossing": self.crossing, **by_class}


def _numbers(counts: Counts) -> dict[str, int]:
    return {
        "found": int(counts.recall_numerator),
        "gold": int(counts.recall_denominator),
        "spans": int(counts.precision_denominator),
    }


def load_pipeline(run_dir: Path, gpu_id: int) -> Language:
    """Load the best pipeline of a run; on a GPU all memory is torch's, so that it can be measured."""
    use_gpu(gpu_id)
    return spacy.load(run_dir / "model-best")


def read_examples(nlp: Language, run: dict[str, Any], split: str) -> list[Example]:
    """The documents of a split of a run's corpus, with what the pipeline is given of them."""
    return read_corpus(nlp, run, Path(run["corpora"][split]))


def read_corpus(nlp: Language, run: dict[str, Any], corpus: Path) -> list[Example]:
    """The documents of a .spacy file, with what the pipeline is given of them in a run."""
    pipe: Any = nlp.get_pipe(run["component"])
    keys = get_task(run["component"]).for_reader(pipe.cfg)
    return list(create_corpus(corpus, **run["evaluation"], **keys)(nlp))


def annotate(nlp: Language, component: str, examples: Iterable[Example]) -> list[Annotated]:
    """Let a pipeline annotate the predicted side of examples, in place, as `nlp.evaluate` does with copies.

    nlp (Language): The pipeline.
    component (str): The component whose selections are kept.
    examples (Iterable[Example]): The examples.
    RETURNS (list[Annotated]): The examples with their selections.
    """
    examples = list(examples)
    docs = annotate_with_selections(nlp, (example.predicted for example in examples), [component])
    return [
        (Example(doc, example.reference), selections.get(component))
        for (doc, selections), example in zip(docs, examples, strict=True)
    ]


def plain(value: Any) -> Any:
    """Scores with all NumPy numbers converted to Python numbers."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.item() if hasattr(value, "item") else value


MEASUREMENTS = {"measures": measure, "memory": measure_memory}
"""The measurements of a run, each for a process of its own, by the name of the file that has its result."""

if __name__ == "__main__":
    name, directory, gpu = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    write_file(directory / f"{name}.json", srsly.json_dumps(MEASUREMENTS[name](directory, gpu), indent=2))
