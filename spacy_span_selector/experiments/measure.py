"""Measure a trained pipeline: its scores, and the spans that its selector keeps. Runs in a separate process.

python -m spacy_span_selector.experiments.measure RUN_DIR GPU_ID
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.training import Example
from thinc.api import set_gpu_allocator

from ..metrics.calibration import Calibration
from ..metrics.counts import Counts
from ..metrics.nesting import DEPTHS, WIDTHS, recall_by_class
from ..metrics.srl import count_matches
from ..pipeline.doc_selection import DocSelection
from ..pipeline.settings import PipeSettings
from ..readers import create_corpus
from ..tasks import Task, get_task
from ..writing import write_file
from .selection import annotate_with_selections
from .spans import doc_spans

Annotated = tuple[Example, DocSelection | None]
"""An annotated document beside its reference, and its selection if the component scores spans."""

SETTINGS: dict[str, tuple[float, ...]] = {
    "threshold": (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "ratio": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
}
"""Values to try of the setting that decides how many spans are kept."""


def measure(run_dir: Path, gpu_id: int) -> dict[str, Any]:
    """Annotate dev and test documents, and measure what a report needs.

    run_dir (Path): The folder with the pipeline, `model-best`, and `run.json`, which describes the run.
    gpu_id (int): The GPU; -1 for the CPU.
    RETURNS (dict[str, Any]): Plain values; see docs/experiments.md.
    """
    run = srsly.read_json(run_dir / "run.json")
    nlp = load_pipeline(run_dir, gpu_id)
    pipe: Any = nlp.get_pipe(run["component"])
    scores: dict[str, Any] = {}
    for split in ("dev", "test"):
        annotated = annotate(nlp, run["component"], read_examples(nlp, run, split))
        scores[split] = plain(Scorer(nlp).score([example for example, _ in annotated]))
    return {"scores": scores, **measure_spans(annotated, get_task(run["component"]), pipe.settings)}


def measure_spans(annotated: Iterable[Annotated], task: Task, settings: PipeSettings) -> dict[str, Any]:
    """What the selector of a component keeps of annotated documents, and with which probabilities.

    annotated (Iterable[Annotated]): The documents, from `annotate`.
    task (Task): The task of the component.
    settings (PipeSettings): Its settings.
    RETURNS (dict[str, Any]): `tokens`; `kept` and `output`: counts of all spans, by depth and by width; `curve`: what
        would be kept at other settings; `calibration`: counts, None without probabilities.
    """
    tokens = 0
    kept, output = _SpanCounts(), _SpanCounts()
    curve: dict[tuple[str, float], Counts] = {}
    calibration = Calibration()
    for example, selection in annotated:
        spans = doc_spans(example, task, settings)
        if spans is None:
            continue
        tokens += spans.tokens
        kept.add(spans.depths, spans.widths, spans.kept)
        output.add(spans.depths, spans.widths, spans.output)
        if selection is None:
            continue
        for name, value, found in selection.at_other_settings(SETTINGS):
            curve[name, value] = curve.get((name, value), Counts()) + count_matches(spans.depths.keys(), found)
        if selection.selector.has_probabilities:
            calibration.add(*selection.probabilities(spans.depths))
    points = [{"setting": name, "value": value, **_numbers(counts)} for (name, value), counts in curve.items()]
    return {
        "tokens": tokens,
        "kept": kept.to_dict(),
        "output": output.to_dict(),
        "curve": points,
        "calibration": {name: array.tolist() for name, array in vars(calibration).items()}
        if calibration.counts.any()
        else None,
    }


class _SpanCounts:
    """Counts of found spans: of all spans, and of the gold ones by class."""

    def __init__(self) -> None:
        self.all = Counts()
        self.depth = dict.fromkeys(DEPTHS, Counts())
        self.width = dict.fromkeys(WIDTHS, Counts())

    def add(self, depths: dict[Any, str], widths: dict[Any, str], found: set[Any]) -> None:
        self.all += count_matches(depths.keys(), found)
        for table, classes in ((self.depth, depths), (self.width, widths)):
            for name, counts in recall_by_class(classes, found, table).items():
                table[name] += counts

    def to_dict(self) -> dict[str, Any]:
        by_class = {
            kind: {
                name: {"found": int(counts.recall_numerator), "gold": int(counts.recall_denominator)}
                for name, counts in table.items()
            }
            for kind, table in (("depth", self.depth), ("width", self.width))
        }
        return {**_numbers(self.all), **by_class}


def _numbers(counts: Counts) -> dict[str, int]:
    return {
        "found": int(counts.recall_numerator),
        "gold": int(counts.recall_denominator),
        "spans": int(counts.precision_denominator),
    }


def load_pipeline(run_dir: Path, gpu_id: int) -> Language:
    """Load the best pipeline of a run; on a GPU all memory is torch's, so that it can be measured."""
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
        set_gpu_allocator("pytorch")
    return spacy.load(run_dir / "model-best")


def read_examples(nlp: Language, run: dict[str, Any], split: str) -> list[Example]:
    """The documents of a split of a run's corpus, with what the pipeline is given of them."""
    pipe: Any = nlp.get_pipe(run["component"])
    keys = get_task(run["component"]).for_reader(pipe.cfg)
    return list(create_corpus(Path(run["corpora"][split]), **run["evaluation"], **keys)(nlp))


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


if __name__ == "__main__":
    directory, gpu = Path(sys.argv[1]), int(sys.argv[2])
    write_file(directory / "measures.json", srsly.json_dumps(measure(directory, gpu), indent=2))
