"""Measure a trained pipeline: its scores, and the spans that its selector keeps. Runs in a separate process.

python -m spacy_span_selector.experiments.measure RUN_DIR GPU_ID
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.cli._util import setup_gpu
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.training import Example
from thinc.api import set_gpu_allocator

from ..metrics.calibration import Calibration
from ..metrics.counts import Counts
from ..metrics.nesting import DEPTHS, WIDTHS, recall_by_class
from ..metrics.srl import count_matches
from ..readers import create_corpus
from .selection import select_spans
from .spans import doc_spans


def measure(run_dir: Path, gpu_id: int) -> dict[str, Any]:
    """Annotate dev and test documents, and measure what a report needs.

    run_dir (Path): The folder with the pipeline, `model-best`, and `run.json`, which describes the run.
    gpu_id (int): The GPU; -1 for the CPU.
    RETURNS (dict[str, Any]): Plain values; see docs/experiments.md.
    """
    run = srsly.read_json(run_dir / "run.json")
    nlp = load_pipeline(run_dir, gpu_id)
    pipe = nlp.get_pipe(run["component"])
    scores: dict[str, Any] = {}
    for part in ("dev", "test"):
        begin = time.perf_counter()
        examples = annotate(nlp, read_examples(nlp, run, part))
        seconds = time.perf_counter() - begin
        scores[part] = plain(Scorer(nlp).score(examples))
        scores[part]["words_per_second"] = sum(len(example.predicted) for example in examples) / seconds
    return {"scores": scores, **measure_spans(examples, pipe)}


def measure_spans(examples: Iterable[Example], pipe: Any) -> dict[str, Any]:
    """What the selector of a component keeps of annotated documents, how and how surely.

    examples (Iterable[Example]): The documents, with predictions set.
    pipe (StructuredCoref | StructuredSrl): The component.
    RETURNS (dict[str, Any]): `tokens`; `kept` and `output`: counts of all spans, by depth and by width; `curve`: what
        would be kept at other settings; `calibration`: counts, None without probabilities.
    """
    tokens = 0
    kept, output = _SpanCounts(), _SpanCounts()
    curve: dict[tuple[str, float], Counts] = {}
    calibration = Calibration()
    for example in examples:
        spans = doc_spans(example, pipe)
        if spans is None:
            continue
        tokens += spans.tokens
        kept.add(spans.depths, spans.widths, spans.kept)
        output.add(spans.depths, spans.widths, spans.output)
        selection = select_spans(example.predicted, pipe)
        if selection is None:
            continue
        for name, value, found in selection.at_other_settings():
            curve[name, value] = curve.get((name, value), Counts()) + count_matches(spans.depths.keys(), found)
        if selection.is_probability:
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
    setup_gpu(gpu_id, silent=True)
    if gpu_id >= 0:
        set_gpu_allocator("pytorch")
    return spacy.load(run_dir / "model-best")


def read_examples(nlp: Language, run: dict[str, Any], part: str) -> list[Example]:
    """The documents of one part of a run's corpora, with what the pipeline is given of them."""
    cfg = nlp.get_pipe(run["component"]).cfg  # type: ignore[attr-defined]
    keys = {name: cfg[name] for name in ("prefix", "predicates_key") if "predicates_key" in cfg}
    return list(create_corpus(Path(run["corpora"][part]), **run["evaluation"], **keys)(nlp))


def annotate(nlp: Language, examples: Iterable[Example]) -> list[Example]:
    """Let a pipeline annotate the predicted side of examples, in place, as `nlp.evaluate` does with copies."""
    examples = list(examples)
    docs = nlp.pipe((example.predicted for example in examples), batch_size=nlp.batch_size)
    return [Example(doc, example.reference) for doc, example in zip(docs, examples, strict=True)]


def plain(value: Any) -> Any:
    """Scores with all NumPy numbers converted to Python numbers."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.item() if hasattr(value, "item") else value


if __name__ == "__main__":
    directory, gpu = Path(sys.argv[1]), int(sys.argv[2])
    srsly.write_json(directory / "measures.json", measure(directory, gpu))
