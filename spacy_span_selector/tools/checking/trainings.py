"""Trainings of configs: their components, their readers, and what annotates before the components learn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Corpus, Example
from spacy.util import dot_to_object, load_model_from_config, registry
from thinc.api import Config

from ...examples.corpus import PreannotatedCorpus
from ...pipeline.selector_pipe import SelectorPipe
from ...pipeline.training import BOUNDARIES
from ...scoring.task import Task, all_tasks, get_task

Pipe = SelectorPipe[Any, Any, Any, Any]

ALL_OF_A_FILE = {"limit": 0, "sample": None, "augmenter": None}
"""Settings of readers with which they read every document as it is."""


@dataclass(frozen=True)
class Training:
    """A training.

    nlp (Language): The pipeline. None of its components is initialized.
    settings (Mapping[str, Any]): The arguments of `initialize` of each component.
    readers (list[dict[str, Any]]): The config of each reader of the training corpus.
    annotating (list[str]): The components that annotate before the others learn, and need no training themselves.
    """

    nlp: Language
    settings: Mapping[str, Any] = field(default_factory=dict)
    readers: list[dict[str, Any]] = field(default_factory=list)
    annotating: list[str] = field(default_factory=list)

    @property
    def pipes(self) -> dict[str, Pipe]:
        """The components that select spans and are trained, by name."""
        frozen = self.nlp.config["training"].get("frozen_components") or []
        return {n: pipe for n, pipe in self.nlp.pipeline if isinstance(pipe, SelectorPipe) and n not in frozen}

    @property
    def tasks(self) -> dict[str, Task]:
        """The tasks of these components, by name."""
        return {name: get_task(self.nlp.get_pipe_meta(name).factory) for name in self.pipes}

    @property
    def sets_sentences(self) -> bool:
        """True if documents without sentence boundaries get some before the components learn from them."""
        return any(BOUNDARIES in self.nlp.get_pipe_meta(name).assigns for name in self.annotating)

    def examples(self, doc: Doc, file: Path) -> Iterator[Example]:
        """Yield the examples that the components learn from.

        doc (Doc): The document, with gold annotation.
        file (Path): Its file: it is read as the config reads this file or, if it does not, its first one.
        RAISES (ValueError): If the reader can't make an example of it.
        """
        reader = self._reader(file)
        pieces = reader.cut([doc]) if isinstance(reader, PreannotatedCorpus) else [doc]
        for example in reader.make_examples(self.nlp, pieces):
            if isinstance(reader, PreannotatedCorpus):
                reader.given.copy(example)
            for name in self.annotating:
                example.predicted = self.nlp.get_pipe(name)(example.predicted)
            yield example

    def _reader(self, file: Path) -> Corpus:
        own = [block for block in self.readers if block["path"] and _is_in(file, Path(block["path"]))]
        for block in (own or self.readers)[:1]:
            block = {**block, **{name: value for name, value in ALL_OF_A_FILE.items() if name in block}}
            reader = registry.resolve({"reader": {**block, "path": str(file)}})["reader"]
            if isinstance(reader, Corpus):
                return reader
        return PreannotatedCorpus(file)


def default_training(lang: str) -> Training:
    """Make a training of all components with their defaults, on words and sentences of the corpus.

    lang (str): The language of texts that have to be split into words.
    """
    nlp = spacy.blank(lang)
    for task in all_tasks():
        nlp.add_pipe(task.factory)
    return Training(nlp)


def training_of(raw: Config) -> Training:
    """Make the training of a config.

    raw (Config): The config, not interpolated.
    RAISES (ValueError): If it has no component that selects spans, or is not valid.
    """
    nlp = load_model_from_config(raw, auto_fill=True)
    config = nlp.config.interpolate()
    components = registry.resolve({"components": config["initialize"]["components"]})["components"]
    wanted = config["training"].get("annotating_components") or []
    annotating = [
        name for name in nlp.pipe_names if name in wanted and not isinstance(nlp.get_pipe(name), TrainablePipe)
    ]
    try:
        corpus = dot_to_object(config, config["training"]["train_corpus"])
    except KeyError as error:
        raise ValueError(f"The config has no training corpus: {error.args[0]}") from error
    training = Training(nlp, components, list(_find_readers(corpus)), annotating)
    if not training.pipes:
        raise ValueError(
            f"The config trains no component that selects spans: its pipeline is {nlp.pipe_names}. Take one with "
            f"{' or '.join(task.factory for task in all_tasks())}, not frozen, or check the corpus without a config."
        )
    return training


def _find_readers(block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Find the blocks of a config that read a path: one, or all in a block that reads several corpora."""
    if "path" in block:
        yield dict(block)
    else:
        for value in block.values():
            if isinstance(value, Mapping):
                yield from _find_readers(value)


def _is_in(file: Path, path: Path) -> bool:
    return path.resolve() in (file.resolve(), *file.resolve().parents)
