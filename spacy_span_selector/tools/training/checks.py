"""Check a training before it begins: its settings and its corpora."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import spacy
from pydantic import TypeAdapter, ValidationError
from spacy.language import DEFAULT_CONFIG, Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.util import resolve_dot_names
from thinc.api import Config

CORPORA = ("train_corpus", "dev_corpus")
LIMITS = {
    "accumulate_gradient": (1, math.inf),
    "dropout": (0, 1),
    "eval_frequency": (1, math.inf),
    "max_epochs": (-1, math.inf),
    "max_steps": (0, math.inf),
    "patience": (0, math.inf),
    "seed": (0, 2**32 - 1),
}
"""The least and the most that numbers of `[training]` may be."""


def check_training(config: Config) -> None:
    """Refuse what spaCy passes over, or fails at later.

    config (Config): The config of the training.
    RAISES (OSError): If a corpus is missing or can't be read; the message names it.
    RAISES (ValueError): If a section or a corpus is missing, or a setting of `[training]` can't be; the message names
        it.
    """
    for section in ("nlp", "training"):
        if not isinstance(config.get(section), dict):
            raise ValueError(
                f"There is no section [{section}]. Expected a config for training: 'python -m spacy init fill-config' "
                "completes one, and configs/ has examples."
            )
    filled = DEFAULT_CONFIG.merge(config).interpolate()
    _check_settings(filled)
    _check_corpora(filled)


def _check_settings(config: Config) -> None:
    fields, training = ConfigSchemaTraining.model_fields, config["training"]
    for name in training:
        if name not in fields:
            raise ValueError(f"[training] has no setting '{name}', but {', '.join(sorted(fields))}.")
    for name, field in fields.items():
        if _is_function(training[name]):
            continue
        expected: Any = field.annotation
        try:
            TypeAdapter(expected, config={"arbitrary_types_allowed": True}).validate_python(training[name])
        except ValidationError as error:
            raise ValueError(f"'{name}' in [training] is {training[name]!r}. {error.errors()[0]['msg']}.") from error
    for name, (least, most) in LIMITS.items():
        value = training[name]
        if value is not None and not least <= value <= most:
            expected = f"at least {least}" if most == math.inf else f"from {least} to {most}"
            raise ValueError(f"'{name}' in [training] is {value!r}, but must be {expected}.")
    pipeline = config["nlp"]["pipeline"]
    for name in ("annotating_components", "frozen_components"):
        for component in training[name]:
            if isinstance(pipeline, list) and component not in pipeline:
                raise ValueError(f"'{component}' in [training] {name} is not in the pipeline: {', '.join(pipeline)}.")


def _is_function(value: Any) -> bool:
    """Check whether a setting is what a registered function makes, which spaCy checks."""
    return isinstance(value, dict) and any(str(key).startswith("@") for key in value)


def _check_corpora(config: Config) -> None:
    names = {setting: config["training"][setting] for setting in CORPORA}
    paths = {name: dict(_paths(config, name)) for name in names.values()}
    for place, path in (item for found in paths.values() for item in found.items()):
        if path is None:
            raise ValueError(f"'{place}' is not set. Say where the corpus is: --{place} FILE.spacy")
        if not Path(path).exists():
            raise FileNotFoundError(f"{path}: no such file or folder. '{place}' says that a corpus is there.")
    nlp = spacy.blank(config["nlp"]["lang"])
    for (setting, name), reader in zip(names.items(), resolve_dot_names(config, list(names.values())), strict=True):
        if not callable(reader):
            raise ValueError(f"'{setting}' in [training] is {name!r}, which is no reader of a corpus.")
        _check_has_examples(nlp, reader, name, paths[name].values())


def _check_has_examples(
    nlp: Language, reader: Callable[[Language], Iterable[Example]], name: str, paths: Iterable[Any]
) -> None:
    for _ in reader(nlp):
        return
    places = ", ".join(map(str, paths)) or "its reader"
    raise ValueError(f"[{name}] has no documents: {places}. Expected .spacy files, as 'convert' writes them.")


def _paths(config: Config, name: str) -> Iterator[tuple[str, Any]]:
    """Settings called `path` of the readers of a corpus, by their dotted names."""
    section: Any = config
    for part in name.split("."):
        section = section.get(part) if isinstance(section, Mapping) else None
    yield from _paths_in(section, name)


def _paths_in(section: Any, name: str) -> Iterator[tuple[str, Any]]:
    for key, value in section.items() if isinstance(section, Mapping) else ():
        if isinstance(value, Mapping):
            yield from _paths_in(value, f"{name}.{key}")
        elif key == "path" and "@readers" in section and (value is None or isinstance(value, str)):
            yield f"{name}.{key}", value
