"""spaCy's own components for labelled spans, each in the pipeline and in the training of `structured_spancat`.

A system has a pipeline of a shared encoder and of its own components, which listen to it. Encoder, batches, optimizer,
number of updates and dropout are those of a config of this package, the same for all systems. Settings that suit one
system and not another are in `CHOICES`, to be chosen on dev.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, cast

from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.util import load_config
from spacy.vocab import Vocab
from thinc.api import Config, Model, Optimizer, PyTorchShim

from lab.sample import Sample
from spacy_span_selector.annotation.labelled_spans import LABELLED_KEY, LabelledSpan, get_labelled_spans
from spacy_span_selector.examples.corpus import read_docs

OURS = "structured_spancat"
ENCODER = "encoder"
Settings = dict[str, Any]

CONFIGS = Path(__file__).parents[2] / "configs"
BASES = {"cnn": CONFIGS / "spancat_cpu.cfg", "minilm": CONFIGS / "spancat_minilm.cfg"}
"""The config of each encoder, whose training all systems have."""

CHOICES: Mapping[str, Mapping[str, Sequence[Any]]] = {
    OURS: {},
    "spancat": {"longest": (12, 8, 20), "hidden_size": (128, 256)},
    "spancat_singlelabel": {"longest": (12,), "hidden_size": (128,), "negative_weight": (0.2, 0.5, 1.0)},
    "span_finder": {"longest": (20,), "hidden_size": (128,)},
    "ner": {"hidden_width": (128, 64)},
}
"""The settings of each system, the first value being the default, which was best in `lab/journal/entities.md`. Of
n-grams, and of what a span finder suggests, `longest` is the greatest length."""

RATES: Mapping[str, Mapping[str, Sequence[float]]] = {
    "cnn": {"learn_rate": (0.003,), "head_factor": (1.0,)},
    "minilm": {"learn_rate": (0.0004, 0.0002), "head_factor": (5.0, 1.0)},
}
"""The settings of all systems with an encoder: the greatest learning rate, and by how much that of all that is not the
encoder is greater: what is trained from scratch needs none. spaCy's components have no such factor of their own; here
they get one, so that none is starved."""

PARTIAL_CHOICES: Mapping[str, Mapping[str, Sequence[Any]]] = {
    OURS: {"annotation": ("partial", "complete")},
    "spancat_singlelabel": {"negative_weight": (0.2, 0.05, 1.0)},
    "ner": {"unmarked": ("missing", "outside")},
}
"""Further settings where some spans of the training documents are not marked."""

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
FINDER_THRESHOLDS = (0.1, 0.3, 0.5)


def choices(system: str, encoder: str, partial: bool) -> list[Settings]:
    """The settings to choose from: the default first, then what differs from it in one value.

    system (str): One of `CHOICES`.
    encoder (str): One of `BASES`.
    partial (bool): Whether only some spans of the training documents are marked.
    """
    values = {**CHOICES[system], **RATES[encoder], **(PARTIAL_CHOICES.get(system, {}) if partial else {})}
    default = {name: options[0] for name, options in values.items()}
    return [default, *(default | {name: other} for name, options in values.items() for other in options[1:])]


def make_config(system: str, encoder: str, settings: Settings, *, train: Path, updates: int, seed: int) -> Config:
    """The config of a system.

    system, encoder (str): One of `CHOICES` and one of `BASES`.
    settings (Settings): One of `choices`.
    train (Path): Training documents.
    updates (int): How many times the weights are updated.
    seed (int): Of weights, batches and dropout.
    """
    config = load_config(BASES[encoder], interpolate=False)
    config["system"]["seed"] = seed
    config["paths"] |= {
        "train": str(train),
        "dev": str(train),
    }  # spaCy asks for both, but nothing here reads the latter
    config["training"]["optimizer"]["learn_rate"] |= {
        "initial_rate": settings["learn_rate"],
        "total_steps": updates,
        "warmup_steps": updates // 10,
    }
    blocks = config.interpolate()["components"]
    ours = blocks[OURS]
    if "transformer" in blocks:
        shared, listener = blocks["transformer"], ours["model"]["tok2vec"]
    else:
        tok2vec = ours["model"]["tok2vec"]
        shared = {"factory": "tok2vec", "model": tok2vec}
        listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": tok2vec["encode"]["width"]}
    own = _components(system, settings, ours, listener | {"upstream": ENCODER})
    config["components"] = {ENCODER: shared, **own}
    config["nlp"]["pipeline"] = [ENCODER, *own]
    config["training"]["annotating_components"] = ["span_finder"] if "span_finder" in own else []
    config["training"]["score_weights"] = {}
    config["initialize"]["components"] = {}
    return config


def _components(
    system: str, settings: Settings, ours: dict[str, Any], listener: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """The components of a system, by name, in their order."""
    if system == OURS:
        changed = {"annotation": settings.get("annotation", "complete"), "learn_rate_factor": 1.0}  # see HeadOptimizer
        return {OURS: ours | changed | {"model": ours["model"] | {"tok2vec": listener}}}
    if system == "ner":
        model = {
            "@architectures": "spacy.TransitionBasedParser.v2",
            "state_type": "ner",
            "extra_state_tokens": False,
            "hidden_width": settings["hidden_width"],
            "maxout_pieces": 2,
            "use_upper": True,
            "nO": None,
            "tok2vec": listener,
        }
        return {"ner": {"factory": "ner", "model": model}}
    categorizer: dict[str, Any] = {
        "factory": "spancat",
        "spans_key": LABELLED_KEY,
        "suggester": {"@misc": "spacy.ngram_range_suggester.v1", "min_size": 1, "max_size": settings["longest"]},
        "model": {
            "@architectures": "spacy.SpanCategorizer.v1",
            "reducer": {"@layers": "spacy.mean_max_reducer.v1", "hidden_size": settings["hidden_size"]},
            "scorer": {"@layers": "spacy.LinearLogistic.v1", "nO": None, "nI": None},
            "tok2vec": listener,
        },
    }
    if system == "spancat_singlelabel":
        categorizer |= {"factory": system, "negative_weight": settings["negative_weight"]}
        categorizer["model"]["scorer"] = {"@layers": "Softmax.v2"}
        return {system: categorizer}
    if system == "spancat":
        return {system: categorizer}
    # The finder learns from the group of gold spans, and writes what it suggests to the group of that name: the
    # categorizer reads it there, and replaces it.
    finder = {
        "factory": "span_finder",
        "spans_key": LABELLED_KEY,
        "threshold": 0.3,
        "max_length": settings["longest"],
        "model": {
            "@architectures": "spacy.SpanFinder.v1",
            "scorer": {"@layers": "spacy.LinearLogistic.v1", "nO": 2, "nI": None},
            "tok2vec": listener,
        },
    }
    categorizer["suggester"] = {"@misc": "spacy.preset_spans_suggester.v1", "spans_key": LABELLED_KEY}
    return {"span_finder": finder, "spancat": categorizer}


def thresholds(system: str) -> list[dict[str, float]]:
    """The thresholds of a system's components to choose from on dev, which need no other training."""
    if system in ("ner", "spancat_singlelabel"):  # these take what they find best
        return [{}]
    if system == "span_finder":
        return [{"span_finder": finder, "spancat": own} for finder, own in product(FINDER_THRESHOLDS, THRESHOLDS)]
    return [{system: threshold} for threshold in THRESHOLDS]


def prepare_documents(
    source: Path, target: Path, *, documents: int | None, share: float, seed: int, missing: bool = False
) -> None:
    """Write the training documents: the same ones for all systems, with the same spans.

    source (Path): The .spacy file of all.
    target (Path): The .spacy file to write.
    documents (int | None): How many are taken, at random; None for all.
    share (float): The share of the spans of each document that is kept; the others are not marked.
    seed (int): What is taken.
    missing (bool): Whether it is unknown, for `ner`, what tokens outside of all spans are.
    """
    docs = Sample(documents, spans=share, seed=seed)(read_docs(source, Vocab()))
    for doc in docs:
        outer = [Span(doc, start, end, label=label) for start, end, label in outermost(get_labelled_spans(doc))]
        doc.set_ents(outer, default="missing" if missing else "outside")
    DocBin(docs=docs, store_user_data=True).to_disk(target)


def outermost(spans: Sequence[LabelledSpan]) -> list[LabelledSpan]:
    """The spans that `ner` can have: of those that overlap or are the same, one that begins first, the longest."""
    chosen: list[LabelledSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end, span.label)):
        if not chosen or span.start >= chosen[-1].end:
            chosen.append(span)
    return chosen


def predicted_spans(doc: Doc, system: str, least: float = 0.0) -> set[LabelledSpan]:
    """What a system has found in a document with a probability of at least `least`; `ner` knows no probabilities."""
    if system == "ner":
        return {LabelledSpan(entity.start, entity.end, entity.label_) for entity in doc.ents}
    spans = get_labelled_spans(doc)
    scores = doc.spans[LABELLED_KEY].attrs.get("scores", [1.0] * len(spans))
    return {span for span, score in zip(spans, scores, strict=True) if score >= least}


class HeadOptimizer:
    """An optimizer whose learning rate is greater for everything that is not the encoder.

    sgd (Optimizer): The optimizer.
    nlp (Language): The pipeline with the encoder.
    factor (float): Multiplies the rate.
    """

    def __init__(self, sgd: Optimizer, nlp: Language, factor: float) -> None:
        pipe: Any = nlp.get_pipe(ENCODER)
        model: Model[Any, Any] = pipe.model
        self.sgd = sgd
        self.factor = factor
        # Thinc numbers nodes and shims apart: only with the name of the weights is a number unique.
        self.of_encoder = {(node.id, name) for node in model.walk() for name in node.param_names} | {
            (shim.id, name)
            for node in model.walk()
            for shim in node.shims
            for name, _ in cast(PyTorchShim, shim)._model.named_parameters()
        }

    def __call__(self, key: tuple[int, str], weights: Any, gradient: Any, *, lr_scale: float = 1.0) -> Any:
        factor = 1.0 if key in self.of_encoder else self.factor
        return self.sgd(key, weights, gradient, lr_scale=lr_scale * factor)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sgd, name)
