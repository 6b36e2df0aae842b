"""Nested entities: `structured_spancat` beside spaCy's own components, with the same encoder, batches and updates.

    python -m lab entities training/entities corpus/litbank2 corpus/litbank0 --encoder cnn --updates 1000 --tune 300

A corpus is a folder with train.spacy, dev.spacy and test.spacy, whose documents have spans in doc.spans["sc"], as
`convert litbank` writes them. With --tune, every system is first trained on the first corpus with each of its settings
(`lab/baselines/entities.py`), for as many updates, and what is best on dev holds for all corpora. Thresholds are always
chosen on dev, those of each corpus. Words and sentences are gold. `ner` learns and finds outermost spans only.

Each run is a process of its own, and a line of OUT_DIR/results.jsonl: what has one is not trained again. Annotation is
timed in one process, in turns, on the first corpus. The table pools the documents of all corpora. Nested spans lie
inside another span of the same annotation, and long ones have 8 words or more; the interval holds 95 % of the
differences from the first system when documents are drawn anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training.initialize import init_nlp
from spacy.training.loop import create_train_batches, train_while_improving
from spacy.util import registry, resolve_dot_names
from spacy.vocab import Vocab
from thinc.api import Optimizer

from spacy_span_selector.annotation.labelled_spans import LabelledSpan, get_labelled_spans
from spacy_span_selector.examples.corpus import create_corpus, read_docs
from spacy_span_selector.scoring.metrics.counts import Counts
from spacy_span_selector.tools.formats.commands import check_spacy_file
from spacy_span_selector.tools.training.state import data_random_state, with_own_randomness

from ..baselines.entities import (
    CHOICES,
    ENCODER,
    THRESHOLDS,
    HeadOptimizer,
    Settings,
    choices,
    make_config,
    predicted_spans,
    prepare_documents,
    thresholds,
)
from ..experiments.records import RESULTS, append_record
from ..experiments.statistics import paired_bootstrap
from ..measuring import (
    MB,
    Spread,
    Threads,
    in_fresh_process,
    peak_memory,
    print_header,
    print_row,
    ratios,
    set_threads,
    start_measuring,
    take_turns,
)
from ..metrics import crossing_spans

LONG = 8
"""The least number of words of a long span."""

CLASSES: dict[str, Callable[[LabelledSpan, Iterable[LabelledSpan]], bool]] = {
    "all": lambda span, spans: True,
    "nested": lambda span, spans: _is_inside(span, spans),
    "outermost": lambda span, spans: not _is_inside(span, spans),
    "long": lambda span, spans: span.end - span.start >= LONG,
}
"""Classes of spans: whether a span belongs to one, among those of its annotation."""

Part = Literal["dev", "test"]
Encoder = Literal["cnn", "minilm"]
Record = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """A training of a system; everything that its result depends on.

    system, encoder (str): The system and its encoder.
    corpus (str): The folder of the corpus.
    updates (int): How many times the weights are updated.
    documents (int | None): How many training documents are taken; None for all.
    share (float): The share of their spans that is kept.
    seed (int): Of everything random.
    settings (Settings): Those of the system.
    """

    system: str
    encoder: str
    corpus: str
    updates: int
    documents: int | None
    share: float
    seed: int
    settings: Settings

    @property
    def name(self) -> str:
        values = {"documents": self.documents, "share": self.share, "seed": self.seed, **self.settings}
        rest = [f"{name}={value}" for name, value in values.items()]
        return "-".join([self.system, self.encoder, Path(self.corpus).name, str(self.updates), *rest])


def count_spans(gold: Iterable[LabelledSpan], predicted: Iterable[LabelledSpan]) -> dict[str, Counts]:
    """Count the spans of a document by class: recall is that of the gold spans of a class, precision that of the
    predicted ones. A span is right if its tokens and its label are.

    gold, predicted (Iterable[LabelledSpan]): The spans.
    """
    gold, predicted = set(gold), set(predicted)
    counts = {}
    for name, belongs in CLASSES.items():
        wanted = {span for span in gold if belongs(span, gold)}
        output = {span for span in predicted if belongs(span, predicted)}
        counts[name] = Counts(len(wanted & predicted), len(wanted), len(output & gold), len(output))
    return counts


def _is_inside(span: LabelledSpan, spans: Iterable[LabelledSpan]) -> bool:
    return any(other.start <= span.start and span.end <= other.end and other[:2] != span[:2] for other in spans)


def crossing_pairs(spans: Iterable[LabelledSpan]) -> int:
    """Count the pairs of spans of which neither contains the other, though they overlap."""
    places = sorted(crossing_spans(span[:2] for span in spans))
    return sum(
        start < other_start < end < other_end
        for i, (start, end) in enumerate(places)
        for other_start, other_end in places[i + 1 :]
    )


def main(
    out_dir: Annotated[Path, typer.Argument(help="Folder of records, and of the pipelines that are timed")],
    corpora: Annotated[list[Path], typer.Argument(metavar="CORPUS...", help="Folders of train, dev and test.spacy")],
    encoder: Annotated[Encoder, typer.Option(help="The encoder of all systems")] = "cnn",
    updates: Annotated[int, typer.Option(min=1, help="Updates of the weights in each training")] = 1000,
    systems: Annotated[str, typer.Option(help="Systems, with commas; the others are compared with the first")] = (
        ",".join(CHOICES)
    ),
    tune: Annotated[
        int, typer.Option(min=0, help="Updates of trainings that choose settings on the first corpus's dev; 0: none")
    ] = 0,
    documents: Annotated[int | None, typer.Option(help="Training documents, for learning curves")] = None,
    share: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of the training spans that is kept")] = 1.0,
    seed: Annotated[int, typer.Option(help="Seed of everything random")] = 0,
    part: Annotated[Part, typer.Option(help="The documents of the table")] = "test",
    repeats: Annotated[int, typer.Option(min=0, help="How often annotation is timed; 0 for never")] = 3,
    threads: Threads = 1,
) -> None:
    """Train, score and time systems for nested entities."""
    names = systems.split(",")
    if unknown := [name for name in names if name not in CHOICES]:
        raise typer.BadParameter(f"found {', '.join(unknown)}; expected some of {', '.join(CHOICES)}.")
    for corpus in corpora:
        for name in ("train", "dev", "test"):
            check_spacy_file(corpus / f"{name}.spacy")
    results, chosen = out_dir / RESULTS, {}
    for name in names:
        settings = choices(name, encoder, share < 1)

        def record_of(corpus: Path, count: int, own: Settings, name: str = name) -> Record:
            return _run(Run(name, encoder, str(corpus), count, documents, share, seed, own), out_dir, results, threads)

        if tune and len(settings) > 1:
            records = [record_of(corpora[0], tune, own) for own in settings]
            settings = [max(records, key=lambda record: f1(record, "dev", "all"))["run"]["settings"]]
        chosen[name] = [record_of(corpus, updates, settings[0]) for corpus in corpora]
    seconds = {}
    if repeats:
        folders = [str(out_dir / "models" / chosen[name][0]["name"]) for name in names]
        times = in_fresh_process(time_annotation, folders, str(corpora[0] / f"{part}.spacy"), repeats, threads)
        seconds = dict(zip(names, times, strict=True))
        append_record(results, {"name": "seconds", "seconds": dict(zip(folders, times, strict=True)), "part": part})
    print_table(chosen, seconds, part)


def print_table(chosen: Mapping[str, Sequence[Record]], seconds: Mapping[str, Sequence[float]], part: Part) -> None:
    """Print a row for each system.

    chosen (Mapping[str, Sequence[Record]]): Records of each system, one for each corpus; the first is the reference.
    seconds (Mapping[str, Sequence[float]]): How long each takes to annotate the same documents, in each turn; may be
        empty.
    part (str): The documents to score.
    """
    scores = ["F1", "difference", "P", "R", *(f"F1 {name}" for name in CLASSES if name != "all")]
    print_header("system", "settings", *scores, "crossing", "speed", "train s", "peak MB", texts=2)
    reference = next(iter(chosen))
    for system, records in chosen.items():
        whole = pooled(records, part, "all")
        interval = paired_bootstrap(_of_documents(records, part), _of_documents(chosen[reference], part), part)
        speed = "-"
        if seconds:
            speed = ratios(seconds[reference], seconds[system]).format(".2f")
        print_row(
            system,
            ", ".join(f"{name} {value}" for name, value in records[0]["run"]["settings"].items()),
            f"{100 * whole.f1:.1f}",
            "-"
            if system == reference
            else "{:+.1f} ({:+.1f} to {:+.1f})".format(
                *(100 * (value or 0.0) for value in (interval.difference, interval.low, interval.high))
            ),
            *(f"{100 * share:.1f}" for share in (whole.precision, whole.recall)),
            *(f"{100 * pooled(records, part, name).f1:.1f}" for name in CLASSES if name != "all"),
            str(sum(record["crossing"][part] for record in records)),
            speed,
            f"{Spread.of([record['cpu_seconds'] for record in records]).median:,.0f}",
            f"{max(record['peak_mb'] for record in records):,.0f}",
        )


def pooled(records: Iterable[Record], part: str, name: str) -> Counts:
    """The counts of a class of spans over all documents of some records."""
    return sum((Counts(*own) for record in records for own in record["counts"][part][name]), Counts())


def f1(record: Record, part: str, name: str) -> float:
    """The F1 of a class of spans in one record."""
    return pooled([record], part, name).f1


def _of_documents(records: Iterable[Record], part: str) -> list[Record]:
    """What the bootstrap reads of records."""
    return [
        {
            "condition": "",
            "seed": record["run"]["seed"],
            "fold": record["run"]["corpus"],
            "documents": {part: [[own] for own in record["counts"][part]["all"]]},
        }
        for record in records
    ]


def _run(run: Run, out_dir: Path, results: Path, threads: int) -> Record:
    """The record of a run, which is trained if it has none, in a process of its own."""
    if results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            record: Record = json.loads(line)
            if record.get("run") == asdict(run):
                return record
    folder = out_dir / "models" / run.name
    folder.mkdir(parents=True, exist_ok=True)
    record = {"name": run.name, "run": asdict(run), **in_fresh_process(train, run, folder, threads)}
    append_record(results, record)
    whole = f"dev F1 {100 * f1(record, 'dev', 'all'):.1f}, {record['thresholds']}"
    typer.echo(f"{run.name}: {whole}, {record['cpu_seconds']:,.0f} s", err=True)
    return record


def train(run: Run, folder: Path, threads: int = 1) -> Record:
    """Train a system, choose its thresholds on dev, score it, and save its pipeline.

    run (Run): The run.
    folder (Path): Where documents and pipeline are saved.
    threads (int): Threads of torch.
    RETURNS (Record): What was measured. Seconds and peak memory are those of the training alone, with the loaded
        pipeline and its documents.
    """
    set_threads(threads)
    source, corpus = Path(run.corpus), folder / "train.spacy"
    missing = run.settings.get("unmarked") == "missing"
    prepare_documents(
        source / "train.spacy", corpus, documents=run.documents, share=run.share, seed=run.seed, missing=missing
    )
    config = make_config(
        run.system,
        run.encoder,
        run.settings,
        train=corpus,
        updates=run.updates,
        seed=run.seed,
    )
    nlp = init_nlp(config)
    start_measuring()
    clocks = [(clock, clock()) for clock in (time.perf_counter, time.process_time)]
    words = _update(nlp, run)
    seconds, cpu_seconds = (round(clock() - begin, 1) for clock, begin in clocks)
    record: Record = {"words": words, "seconds": seconds, "cpu_seconds": cpu_seconds, "peak_mb": peak_memory() / MB}
    record["thresholds"] = _choose_thresholds(nlp, run.system, source / "dev.spacy")
    record |= {"counts": {}, "crossing": {}}
    for part in ("dev", "test"):
        found = [predicted_spans(doc, run.system) for doc in nlp.pipe(read_inputs(nlp, source / f"{part}.spacy"))]
        record["counts"][part] = _count(source / f"{part}.spacy", found)
        record["crossing"][part] = sum(map(crossing_pairs, found))
    nlp.to_disk(folder)
    return record


def _update(nlp: Language, run: Run) -> int:
    """Train a pipeline; returns the number of words that it read."""
    settings = registry.resolve(nlp.config.interpolate()["training"], schema=spacy.schemas.ConfigSchemaTraining)
    (corpus,) = resolve_dot_names(nlp.config.interpolate(), [settings["train_corpus"]])
    # Components draw random numbers in training, some more than others: batches are drawn from numbers of their own.
    spacy.util.fix_random_seed(run.seed)
    batches = create_train_batches(nlp, corpus, settings["batcher"], 0)
    steps = train_while_improving(
        nlp,
        cast(Optimizer, HeadOptimizer(settings["optimizer"], nlp, run.settings["head_factor"])),
        islice(with_own_randomness(batches, data_random_state()), run.updates),
        lambda: (0.0, {}),
        dropout=settings["dropout"],
        eval_frequency=run.updates,
        accumulate_gradient=1,
        patience=0,
        max_steps=0,
        exclude=[],
        annotating_components=settings["annotating_components"],
        before_update=None,
    )
    words = 0
    for _, info, _ in steps:
        words = info["words"]
    return words


def _choose_thresholds(nlp: Language, system: str, dev: Path) -> dict[str, float]:
    """Set the thresholds of components that are best on dev. The encoder reads the documents once."""
    with nlp.select_pipes(enable=ENCODER):
        docs = list(nlp.pipe(read_inputs(nlp, dev)))
    last = nlp.pipe_names[-1]
    done: dict[str, float] = {}

    def score(values: dict[str, float]) -> float:
        # What scores spans one by one gives those of a greater threshold together with those of the least.
        least = values.get(last, 0.0) if last == "spancat" else 0.0
        used = values | ({last: min(THRESHOLDS)} if last == "spancat" else {})
        if used != done:
            done.update(used)
            _set_thresholds(nlp, used)
            for name in nlp.pipe_names[1:]:
                pipe: Any = nlp.get_pipe(name)
                docs[:] = pipe.pipe(docs, batch_size=8)
        counts = _count(dev, [predicted_spans(doc, system, least) for doc in docs])
        return sum((Counts(*own) for own in counts["all"]), Counts()).f1

    options = thresholds(system)
    best = max(options, key=score) if len(options) > 1 else options[0]
    _set_thresholds(nlp, best)
    return best


def _set_thresholds(nlp: Language, values: Mapping[str, float]) -> None:
    for name, threshold in values.items():
        pipe: Any = nlp.get_pipe(name)
        pipe.cfg["threshold"] = threshold


def read_inputs(nlp: Language, path: Path) -> list[Doc]:
    """New documents with words and sentences, and nothing else."""
    return [example.predicted for example in create_corpus(path)(nlp)]


def _count(path: Path, found: Sequence[set[LabelledSpan]]) -> dict[str, list[tuple[float, ...]]]:
    """The counts of each document by class, as plain numbers."""
    docs = [doc for doc in read_docs(path, Vocab()) if len(doc)]
    counts = [count_spans(get_labelled_spans(doc), own) for doc, own in zip(docs, found, strict=True)]
    return {name: [tuple(asdict(own[name]).values()) for own in counts] for name in CLASSES}


def time_annotation(folders: Sequence[str], path: str, repeats: int, threads: int) -> list[list[float]]:
    """The seconds of the processor that pipelines take for the same documents, in turns, after a first one that is not
    counted."""
    set_threads(threads)
    pipelines = [spacy.load(folder) for folder in folders]
    inputs = [[read_inputs(nlp, Path(path)) for _ in range(repeats + 1)] for nlp in pipelines]

    def annotate(nlp: Language, documents: list[list[Doc]]) -> None:
        for _ in nlp.pipe(documents.pop()):
            pass

    functions = [lambda nlp=nlp, own=own: annotate(nlp, own) for nlp, own in zip(pipelines, inputs, strict=True)]
    return [own[1:] for own in take_turns(functions, repeats + 1, clock=time.process_time)]
