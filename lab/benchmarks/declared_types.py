"""Documents that annotate half of the types, and say which: beside complete annotation, and silence taken for a "no".

    python -m lab declared-types training/declared corpus/ontogum --encoder encoders/minilm

Half of the documents keep the labelled spans of one half of the types, the others those of the other half, drawn for
each seed. Arms learn from all spans (`complete`), or from those that are kept: where documents say which types they are
annotated for (`declared`), as if there were no others (`silent`), or with `annotation = "partial"` (`partial`).

All have a `structured_spancat` whose labels exclude each other (`label_hidden_width = null`) over one frozen encoder,
the same batches and updates, and the threshold that is best on dev for the run. Words and sentences are gold. Each run
is a line of OUT_DIR/results.jsonl: what has one is not trained again.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import create_train_batches
from spacy.util import load_config, registry
from spacy.vocab import Vocab
from thinc.api import Model
from thinc.types import Floats2d

from spacy_span_selector.annotation import get_labelled_spans, set_annotates, set_labelled_spans
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.scoring.metrics.counts import Counts
from spacy_span_selector.scoring.metrics.srl import count_matches

from ..baselines.entities import BASES, OURS, Settings
from ..experiments.records import RESULTS, append_record
from ..measuring import print_header, print_row
from .entities import Part, Record, read_inputs

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
ARMS = ("complete", "declared", "silent", "partial")
Vectors = Model[list[Doc], list[Floats2d]]

_remembered: dict[str, Floats2d] = {}


@registry.architectures("lab.Remembered.v1")
def remember(tok2vec: Vectors) -> Vectors:
    """The vectors of a frozen encoder, which reads each text once in this process."""

    def forward(model: Vectors, docs: list[Doc], is_train: bool) -> tuple[list[Floats2d], Callable[[Any], list[Doc]]]:
        new = [doc for doc in docs if doc.text not in _remembered]
        _remembered.update(zip((doc.text for doc in new), tok2vec.predict(new) if new else (), strict=True))
        return [_remembered[doc.text] for doc in docs], lambda gradients: []

    def init(model: Vectors, X: list[Doc] | None = None, Y: object = None) -> None:
        tok2vec.initialize(X=X)

    return Model("remembered", forward, init=init)


def read(file: Path) -> tuple[list[Doc], list[str]]:
    """Documents that are annotated for all types, and these. One that the corpus leaves open, as "LOC|GPE", is one."""
    docs = [doc for doc in read_docs(file, Vocab()) if len(doc)]
    for doc in docs:
        set_labelled_spans(doc, [(*span[:2], span.label.replace("|", "/")) for span in get_labelled_spans(doc)])
    return docs, sorted({span.label for doc in docs for span in get_labelled_spans(doc)})


def make(file: Path, seed: int, settings: Settings, annotation: str = "complete") -> Language:
    """A pipeline that has learnt a file."""
    config = load_config(BASES["minilm"], interpolate=False)
    config["system"]["seed"] = seed
    config["paths"] |= {"train": str(file), "dev": str(file), "encoder": settings["encoder"]}
    blocks, updates = config["components"], settings["updates"]
    own = blocks[OURS] | {"annotation": annotation}
    encoder = blocks["transformer"]["model"] | {"pooling": own["model"]["tok2vec"]["pooling"]}
    encoder["@architectures"] = "spacy_span_selector.Tok2VecTransformer.v1"
    own["model"]["label_hidden_width"] = None
    own["model"]["tok2vec"] = {"@architectures": "lab.Remembered.v1", "tok2vec": encoder}
    config["components"], config["nlp"]["pipeline"] = {OURS: own}, [OURS]
    config["training"].update(annotating_components=[], score_weights={})
    config["training"]["batcher"]["size"] = settings["words"]
    config["training"]["optimizer"]["learn_rate"] |= {"total_steps": updates, "warmup_steps": updates // 10}
    nlp = init_nlp(config)
    filled = nlp.config.interpolate()
    parts = registry.resolve({"corpus": filled["corpora"]["train"], **filled["training"]}, validate=False)
    for _, batch in islice(create_train_batches(nlp, parts["corpus"], parts["batcher"], 0), updates):
        nlp.update(batch, sgd=parts["optimizer"], drop=0.0)
        parts["optimizer"].step_schedules()
    return nlp


def score(nlp: Language, threshold: float, file: Path) -> dict[str, list[float]]:
    """The counts of labelled spans of a file, by type."""
    pipe: Any = nlp.get_pipe(OURS)
    pipe.configure(threshold=threshold)
    counts: dict[str, Counts] = {}
    for doc, found in zip(read(file)[0], nlp.pipe(read_inputs(nlp, file)), strict=True):
        sides = {*get_labelled_spans(doc)}, {*get_labelled_spans(found)}
        for label in {span.label for side in sides for span in side}:
            own = count_matches(*({span for span in side if span.label == label} for side in sides))
            counts[label] = counts.get(label, Counts()) + own
    return {label: [*vars(own).values()] for label, own in counts.items()}


def total(counts: Mapping[str, Sequence[float]]) -> Counts:
    return sum((Counts(*own) for own in counts.values()), Counts())


def thin_out(docs: Sequence[Doc], types: list[str], arm: str, seed: int) -> Sequence[Doc]:
    """Let documents that are annotated for some types have the annotation of an arm."""
    chance = random.Random(seed)
    chance.shuffle(types)
    first = {*chance.sample(range(len(docs)), len(docs) // 2)}
    for place, doc in enumerate(docs):
        half = types[: len(types) // 2] if place in first else types[len(types) // 2 :]
        kept = types if arm == "complete" else half
        set_labelled_spans(doc, [span for span in get_labelled_spans(doc) if span.label in kept])
        set_annotates(doc, kept if arm == "declared" else types)
    return docs


def run(arm: str, seed: int, corpus: Path, out_dir: Path, settings: Settings) -> Record:
    """The record of a run, which is trained if it has none."""
    key, results, file = {"arm": arm, "seed": seed, **settings}, out_dir / RESULTS, out_dir / "train.spacy"
    records = map(json.loads, results.read_text(encoding="utf-8").splitlines() if results.exists() else ())
    if known := next((record for record in records if record["run"] == key), None):
        return known
    docs = thin_out(*read(corpus / "train.spacy"), arm, seed)
    DocBin(docs=docs, store_user_data=True).to_disk(file)
    nlp = make(file, seed, settings, "partial" if arm == "partial" else "complete")
    dev = {threshold: score(nlp, threshold, corpus / "dev.spacy") for threshold in THRESHOLDS}
    best = max(dev, key=lambda threshold: total(dev[threshold]).f1)
    counts = {"dev": dev[best], "test": score(nlp, best, corpus / "test.spacy")}
    record = {"run": key, "threshold": best, "counts": counts}
    append_record(results, record)
    typer.echo(f"{arm}, seed {seed}: dev F1 {100 * total(dev[best]).f1:.1f}, {best}", err=True)
    return record


def main(
    out_dir: Annotated[Path, typer.Argument(help="Folder of records")],
    corpus: Annotated[Path, typer.Argument(help="Folder of train, dev and test.spacy")],
    encoder: Annotated[Path, typer.Option(help="Folder of the frozen encoder")] = Path("encoders/minilm"),
    updates: Annotated[int, typer.Option(min=10, help="Updates of the weights in each training")] = 500,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each arm")] = 3,
    arms: Annotated[str, typer.Option(help="Arms, with commas")] = ",".join(ARMS),
    part: Annotated[Part, typer.Option(help="The documents of the table")] = "dev",
) -> None:
    """Train and score arms; print F1 in per cent, of each seed and by type on average."""
    out_dir.mkdir(parents=True, exist_ok=True)
    settings = {"corpus": str(corpus), "encoder": str(encoder), "updates": updates, "words": 1000}
    runs = {(seed, arm): run(arm, seed, corpus, out_dir, settings) for seed in range(seeds) for arm in arms.split(",")}
    _, types = read(corpus / f"{part}.spacy")
    print_header("arm", "thresholds", "P", "R", "F1", "of each seed", *types, texts=2)
    for arm in arms.split(","):
        records = [record for (_, other), record in runs.items() if other == arm]
        counts = [record["counts"][part] for record in records]
        whole = [total(own) for own in counts]
        columns = [[getattr(own, name) for own in whole] for name in ("precision", "recall", "f1")]
        by_type = [[Counts(*own.get(label, ())).f1 for own in counts] for label in types]
        shares = [f"{100 * mean(column):.1f}" for column in (*columns, *by_type)]
        seeds_f1 = ", ".join(f"{100 * own.f1:.1f}" for own in whole)
        print_row(arm, ", ".join(str(record["threshold"]) for record in records), *shares[:3], seeds_f1, *shares[3:])
