"""Trainings of configs: what spoils them in silence, and how their readers give documents to the components."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import spacy
from spacy.language import DEFAULT_CONFIG, Language
from spacy.pipeline import TrainablePipe
from spacy.schemas import ConfigSchemaTraining
from spacy.tokens import Doc
from spacy.training import Corpus, Example
from spacy.training.corpus import walk_corpus
from spacy.util import dot_to_object, load_model_from_config, registry
from thinc.api import Config

from ...annotation import declare
from ...examples.corpus import PreannotatedCorpus
from ...pipeline.selector_pipe import SelectorPipe
from ...scoring.task import Task, all_tasks, get_task
from ..files.folders import is_made
from .problems import Pipe

ALL_OF_A_FILE = {"limit": 0, "sample": None, "augmenter": None}  # every document as it is

READERS = ("spacy.Corpus.v1", "spacy_span_selector.Corpus.v1")
LEAST = {"accumulate_gradient": 1, "dropout": 0, "eval_frequency": 1, "max_epochs": -1, "max_steps": 0, "patience": 0}
"""The least that numbers of `[training]` may be: with `max_steps = -1`, for example, spaCy ends after a step."""


def check_training(config: Config) -> None:
    """Refuse settings of a training that spaCy passes over, and warn of a learning rate that does not fit it."""
    if not (config.get("nlp") and config.get("training")):
        cure = "'python -m spacy init fill-config' completes one, and configs/ has examples."
        raise ValueError(f"Expected a config for training, with sections [nlp] and [training]: {cure}")
    config = DEFAULT_CONFIG.merge(config).interpolate()
    known, pipeline = sorted(ConfigSchemaTraining.model_fields), config["nlp"]["pipeline"]
    for name, value in config["training"].items():
        if name not in known:
            raise ValueError(f"[training] has no setting '{name}', but {', '.join(known)}.")
        found, usual = f"'{name}' in [training] is {value!r}, but must be", DEFAULT_CONFIG["training"].get(name)
        if isinstance(value, int | float) and value < LEAST.get(name, value):
            raise ValueError(f"{found} at least {LEAST[name]}.")
        if name == "dropout" and isinstance(value, int | float) and value >= 1:
            raise ValueError(f"{found} below 1.")
        if isinstance(usual, list | dict) and not isinstance(value, type(usual)):
            raise ValueError(f"{found} {'a list' if isinstance(usual, list) else 'a section'}.")
        for component in value if name in ("annotating_components", "frozen_components") else ():
            if component not in pipeline:
                raise ValueError(f"'{component}' in [training] {name} is not in the pipeline: {', '.join(pipeline)}.")
    for path in (Path(str(block["path"])) for block in _readers_used(config) if block["path"] is not None):
        if not path.exists():
            raise ValueError(f"{path}: No such file or directory.")
        files = [*walk_corpus(path, ".spacy")]
        if not files:
            raise ValueError(f"{path}: has no .spacy file, as 'convert' writes it.")
        for file in files if path.is_dir() else ():
            if is_made(file, path):
                raise ValueError(f"{path}: trainings read {file} all the same. Move what a command has made.")
    if problem := planned_for_other_steps(config):
        warnings.warn(problem, stacklevel=2)


def _readers_used(config: Config) -> Iterator[Mapping[str, Any]]:
    """The readers of .spacy files from which a training reads."""
    for name in ("train_corpus", "dev_corpus"):
        with suppress(KeyError):  # spaCy says so
            corpus = dot_to_object(config, config["training"][name])
            yield from (block for block in _find_readers(corpus) if block.get("@readers") in READERS)


def planned_for_other_steps(config: Config) -> str | None:
    """Describe a config whose learning rate is planned for another number of steps than training has."""
    training: dict[str, Any] = config.interpolate().get("training", {})
    steps = training.get("max_steps")
    rate = training.get("optimizer", {}).get("learn_rate")
    planned = rate.get("total_steps") if isinstance(rate, dict) else None
    if not steps or planned is None or planned == steps:
        return None
    found = f"Training ends after {steps} steps (training.max_steps), but its learning rate is planned for {planned}"
    return f"{found}. Say how many, as by --training.optimizer.learn_rate.total_steps {steps}."


@dataclass(frozen=True)
class Training:
    """A training, none of whose components is initialized."""

    nlp: Language
    settings: Mapping[str, Any] = field(default_factory=dict)  # the arguments of `initialize` of each component
    readers: Sequence[Mapping[str, Any]] = ()  # the config of each reader of the training corpus
    annotating: Sequence[str] = ()  # components that annotate before others learn, and need no training themselves

    @cached_property
    def pipes(self) -> dict[str, Pipe]:
        """The components that select spans and are trained, by name."""
        frozen = self.nlp.config["training"].get("frozen_components") or []
        return {n: pipe for n, pipe in self.nlp.pipeline if isinstance(pipe, SelectorPipe) and n not in frozen}

    @cached_property
    def tasks(self) -> dict[str, Task]:
        return {name: get_task(self.nlp.get_pipe_meta(name).factory) for name in self.pipes}

    @property
    def sets_sentences(self) -> bool:
        """Whether documents without sentence boundaries get some before the components learn from them."""
        return any("token.is_sent_start" in self.nlp.get_pipe_meta(name).assigns for name in self.annotating)

    def declare(self, docs: Sequence[Doc], file: Path) -> list[Doc]:
        """Let the documents of a file say what they are annotated for, if the config does."""
        reader = self._reader(file)
        return [declare(doc, getattr(reader, "annotates", None)) for doc in docs]

    def examples(self, doc: Doc, file: Path) -> Iterator[Example]:
        """The examples that the components learn from, of a document that is read as the config reads its file."""
        reader = self._reader(file)
        pieces = reader.cut([doc]) if isinstance(reader, PreannotatedCorpus) else [doc]
        for example in reader.make_examples(self.nlp, pieces):
            if isinstance(reader, PreannotatedCorpus):
                reader.given.copy(example)
            for name in self.annotating:
                example.predicted = self.nlp.get_pipe(name)(example.predicted)
            yield example

    def _reader(self, file: Path) -> Corpus:
        """The reader of a file or, if the config does not name it, the first one."""
        real = file.resolve()
        own = [block for block in self.readers if block["path"] and real.is_relative_to(Path(block["path"]).resolve())]
        for block in (own or self.readers)[:1]:
            block = {**block, **{name: value for name, value in ALL_OF_A_FILE.items() if name in block}}
            reader = registry.resolve({"reader": {**block, "path": str(file)}})["reader"]
            if isinstance(reader, Corpus):
                return reader
        return PreannotatedCorpus(file)


def default_training(lang: str) -> Training:
    """Make a training of all components with their defaults, on words and sentences of the corpus."""
    nlp = spacy.blank(lang)
    for task in all_tasks():
        nlp.add_pipe(task.factory)
    return Training(nlp)


def training_of(raw: Config) -> Training:
    """Make the training of a config that is not interpolated."""
    nlp = load_model_from_config(raw, auto_fill=True)
    config = nlp.config.interpolate()
    components = registry.resolve({"components": config["initialize"]["components"]})["components"]
    wanted = config["training"].get("annotating_components") or []
    annotating = [name for name, pipe in nlp.pipeline if name in wanted and not isinstance(pipe, TrainablePipe)]
    try:
        corpus = dot_to_object(config, config["training"]["train_corpus"])
    except KeyError as error:
        raise ValueError(f"The config has no training corpus: {error.args[0]}") from error
    training = Training(nlp, components, list(_find_readers(corpus)), annotating)
    if not training.pipes:
        found = f"The config trains no component that selects spans: its pipeline is {nlp.pipe_names}"
        wanted = " or ".join(task.factory for task in all_tasks())
        raise ValueError(f"{found}. Take one with {wanted}, not frozen, or check the corpus without a config.")
    return training


def _find_readers(block: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Find the blocks of a config that read a path: one, or all in a block that reads several corpora."""
    if "path" in block:
        yield block
    else:
        for value in block.values():
            if isinstance(value, Mapping):
                yield from _find_readers(value)
