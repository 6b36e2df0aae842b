from pathlib import Path
from typing import Any

import pytest

from lab.experiments.records import Record

CORPUS = """
=== the station
Ann gave her brother a key.
> [ARG0 Ann] [V=give.01 gave] [ARG2 her brother] [ARG1 a key].
He left yesterday.
> [ARG0 He] [V=depart.01 left] [ARGM-TMP yesterday].
=== the hat
Leo picked up a hat that Ruth left there.
> [ARG0 Leo] [V=pick_up.04 picked up] [ARG1 a hat that Ruth left there].
> Leo picked up [ARG1 a hat] [R-ARG1 that] [ARG0 Ruth] [V=leave.02 left] [ARGM-LOC there].
"""

BASE = """
[paths]
train = null
dev = null

[system]
seed = 0

[nlp]
lang = "en"
pipeline = ["sentencizer","structured_srl"]

[components]

[components.sentencizer]
factory = "sentencizer"

[components.structured_srl]
factory = "structured_srl"
threshold = 0.4

[components.structured_srl.model]
@architectures = "spacy_span_selector.SrlModel.v1"
hidden_width = 24
pair_width = 16
pair_hidden_width = 24
feature_width = 4
dropout = 0.0

[components.structured_srl.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
width = 24
depth = 1
embed_size = 500
window_size = 1
maxout_pieces = 2
subword_features = false
pretrained_vectors = null

[corpora]

[corpora.train]
@readers = "spacy_span_selector.Corpus.v1"
path = ${paths.train}
predicates = true

[corpora.dev]
@readers = "spacy_span_selector.Corpus.v1"
path = ${paths.dev}
predicates = true

[training]
train_corpus = "corpora.train"
dev_corpus = "corpora.dev"
annotating_components = ["sentencizer"]
seed = ${system.seed}
gpu_allocator = null
max_steps = 4
eval_frequency = 2

[training.score_weights]
srl_f = 1.0
"""

GRID = """
[experiment]
base = "base.cfg"
component = "structured_srl"
seeds = [0, 7]

[evaluation]
predicates = true

[overrides]
training.dropout = 0.3

[variants]

[variants.low]
components.structured_srl.threshold = 0.2

[variants.cnn]
components.structured_srl.model.tok2vec = {"@architectures": "spacy.HashEmbedCNN.v2", "width": 16, "depth": 1,
    "embed_size": 300, "window_size": 1, "maxout_pieces": 2, "subword_features": false, "pretrained_vectors": null}

[folds]

[folds.a]
train = "train.spacy"
dev = "dev.spacy"
test = "test.spacy"
"""


def write_grid() -> Path:
    """Write a grid of two variants and two seeds, and its base config, to the current directory."""
    Path("base.cfg").write_text(BASE, encoding="utf-8")
    Path("grid.cfg").write_text(GRID, encoding="utf-8")
    return Path("grid.cfg")


@pytest.fixture
def grid_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The grid, alone in the current directory."""
    monkeypatch.chdir(tmp_path)
    return write_grid()


def make_record(variant: str = "structured", seed: int = 0, fold: str = "0", **changes: Any) -> Record:
    """The record of a run of coreference; `changes` replace its entries."""
    classes = {
        "depth": {"1": {"found": 70, "gold": 80}, "2": {"found": 12, "gold": 18}, "3+": {"found": 1, "gold": 2}},
        "width": {"1-4": {"found": 75, "gold": 85}, "5-12": {"found": 8, "gold": 12}, "13+": {"found": 0, "gold": 3}},
    }
    spans = {"found": 83, "gold": 100, "spans": 120, "crossing": 0, **classes}
    names = ("coref", "coref_muc", "coref_b3", "coref_ceaf")
    scores = {f"{name}_{part}": 0.7 for name in names for part in "prf"}
    return {
        "name": f"{variant}-seed{seed}-fold{fold}",
        "grid": "books",
        "component": "structured_coref",
        "variant": variant,
        "condition": "",
        "seed": seed,
        "fold": fold,
        "fingerprint": "f",
        "training": {"seconds": 90.0, "words_per_second": 1000.0},
        "jobs": 1,
        "scores": {"dev": scores, "test": scores},
        "documents": {"dev": [], "test": []},
        "tokens": 800,
        "kept": spans,
        "output": spans,
        "curve": [
            {"setting": "threshold", "value": 0.2, "found": 90, "gold": 100, "spans": 160},
            {"setting": "threshold", "value": 0.8, "found": 60, "gold": 100, "spans": 80},
        ],
        "calibration": {"counts": [900] + [10] * 19, "expected": [9.0] + [5.0] * 19, "observed": [0] + [6] * 19},
        "average_precision": None,
        "predictions": {},
        "elsewhere": {},
        "memory": {"device": "cpu", "loaded_mb": 300.0, "peak_mb": 50.0, "seconds": 2.0, "words": 800},
        **changes,
    }
