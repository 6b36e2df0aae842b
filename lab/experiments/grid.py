"""What to train: every variant under every condition with every seed on every fold, from a small file in spaCy's
config syntax."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from thinc.api import Config

from spacy_span_selector.scoring.task import get_task

NAME = re.compile(r"[\w.]+")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Evaluation(_Section):
    """The gold annotation that the measured pipeline is given: settings of `Corpus.v1`."""

    gold_tokens: bool = True
    sentences: bool = True
    predicates: bool = False
    mentions: bool = False
    speakers: bool = True


class Fold(_Section):
    """The .spacy files of a fold."""

    train: str
    dev: str
    test: str


class Prediction(_Section):
    """What changes the predictions of a trained pipeline: other settings of the component, or other gold annotation.

    variants (list[str] | None): The variants that are measured with them, too; None for all.
    settings (dict[str, Any]): Settings of the component, such as `decoding`.
    selector (dict[str, Any] | None): Another selector, as in a config; None for that of the variant.
    evaluation (dict[str, bool]): The gold annotation that the pipeline is given, where it differs from `[evaluation]`.
    """

    variants: list[str] | None = None
    settings: dict[str, Any] = {}
    selector: dict[str, Any] | None = None
    evaluation: dict[str, bool] = {}

    @field_validator("evaluation")
    @classmethod
    def _check_names(cls, value: dict[str, bool]) -> dict[str, bool]:
        if unknown := value.keys() - Evaluation.model_fields.keys():
            expected = ", ".join(Evaluation.model_fields)
            raise ValueError(f"there is no {', '.join(map(repr, sorted(unknown)))}; expected some of {expected}")
        return value


class _Experiment(_Section):
    base: str
    component: str
    seeds: list[int] = Field(min_length=1)


class _GridFile(_Section):
    experiment: _Experiment
    evaluation: Evaluation = Evaluation()
    overrides: dict[str, Any] = {}
    variants: dict[str, dict[str, Any]] = Field(min_length=1)
    conditions: dict[str, dict[str, Any]] = {}
    predictions: dict[str, Prediction] = {}
    elsewhere: dict[str, str] = {}
    folds: dict[str, Fold] = Field(min_length=1)


@dataclass(frozen=True)
class Run:
    """One training and its evaluation.

    name (str): The name of the run, unique in its grid, and of its folder.
    grid (str): The name of its grid.
    component (str): The name of the measured component.
    variant (str): The name of its variant.
    condition (str): The name of its condition; empty if the grid has none.
    seed (int): Seed of the training.
    fold (str): The name of the fold.
    corpora (Fold): The files of the fold.
    evaluation (Evaluation): The gold annotation that the measured pipeline is given.
    predictions (dict[str, Prediction]): With which other settings the pipeline is measured, too.
    elsewhere (dict[str, str]): The .spacy files of other corpora that the pipeline is measured on, by name.
    config (Config): The whole config of the training.
    """

    name: str
    grid: str
    component: str
    variant: str
    condition: str
    seed: int
    fold: str
    corpora: Fold
    evaluation: Evaluation
    predictions: dict[str, Prediction]
    elsewhere: dict[str, str]
    config: Config

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the config and the evaluation, which distinguishes runs of the same name."""
        content: list[Any] = [self.config.to_str(), self.component, self.corpora.model_dump()]
        content.append(self.evaluation.model_dump())
        if self.predictions or self.elsewhere:
            content += [{name: other.model_dump() for name, other in self.predictions.items()}, self.elsewhere]
        return sha256(json.dumps(content).encode()).hexdigest()[:16]


def read_grid(path: Path) -> list[Run]:
    """Read the file of a grid, and compose the config of every run.

    path (Path): The file; paths in it are relative to the current directory, as in spaCy's configs.
    RETURNS (list[Run]): The runs, fold by fold, seed by seed and condition by condition, so that variants can be
        compared early.
    RAISES (FileNotFoundError): If the file or the base config is missing.
    RAISES (ValueError): If the file is not a grid, or overrides a section that the base config does not have.
    """
    content = _read_config(path)
    try:
        grid = _GridFile(**content)
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()]
        raise ValueError(f"{path} is not a grid of experiments:\n" + "\n".join(problems)) from error
    component = grid.experiment.component
    try:
        get_task(component)
    except ValueError as error:
        raise ValueError(f"{path}, experiment.component: {error}") from error
    for kind, names in (("variant", grid.variants), ("condition", grid.conditions), ("fold", grid.folds)):
        for name in names:
            if not NAME.fullmatch(name):
                raise ValueError(f"{path}: the {kind} {name!r} names a folder; use letters, digits, '_' and '.' only.")
    base_path = Path(grid.experiment.base)
    base = _read_config(base_path)
    for key in ("paths.train", "paths.dev", "system.seed"):
        _section(base, key, base_path)
    for name, prediction in grid.predictions.items():
        for variant in prediction.variants or ():
            if variant not in grid.variants:
                raise ValueError(f"{path}, predictions.{name}: there is no variant {variant!r}.")
    return [
        Run(
            name=f"{variant}-{condition}-seed{seed}-fold{fold}".replace("--", "-"),
            grid=path.stem,
            component=component,
            variant=variant,
            condition=condition,
            seed=seed,
            fold=fold,
            corpora=corpora,
            evaluation=grid.evaluation,
            predictions={
                name: prediction
                for name, prediction in grid.predictions.items()
                if prediction.variants is None or variant in prediction.variants
            },
            elsewhere=grid.elsewhere,
            config=_override(
                base,
                grid.overrides,
                changes,
                overrides,
                {"paths.train": corpora.train, "paths.dev": corpora.dev, "system.seed": seed},
                path=path,
            ),
        )
        for fold, corpora in grid.folds.items()
        for seed in dict.fromkeys(grid.experiment.seeds)
        for condition, changes in (grid.conditions or {"": {}}).items()
        for variant, overrides in grid.variants.items()
    ]


def choose_runs(runs: Iterable[Run], patterns: Iterable[str]) -> list[Run]:
    """Choose runs by name.

    runs (Iterable[Run]): The runs.
    patterns (Iterable[str]): Patterns with `*` and `?`; without patterns all runs are chosen.
    RETURNS (list[Run]): The runs whose name matches at least one pattern.
    RAISES (ValueError): If a pattern matches no run.
    """
    runs = list(runs)
    patterns = list(patterns)
    for pattern in patterns:
        if not any(fnmatchcase(run.name, pattern) for run in runs):
            names = ", ".join(run.name for run in runs[:3])
            raise ValueError(f"No run matches {pattern!r}. The grid has {len(runs)} runs: {names}, ...")
    return [run for run in runs if not patterns or any(fnmatchcase(run.name, pattern) for pattern in patterns)]


def check_runs(runs: Iterable[Run]) -> None:
    """Check that the corpora exist and that the config of each variant is valid, before the first training.

    A learning rate that is planned for another number of steps than the training has is only warned of.

    runs (Iterable[Run]): The runs.
    RAISES (FileNotFoundError): If a corpus is missing.
    RAISES (ValueError): If a config is not valid.
    """
    from spacy import registry, schemas
    from spacy.util import load_model_from_config

    from spacy_span_selector.tools.checking.trainings import planned_for_other_steps

    runs = list(runs)
    for run in runs:
        for part, corpus in run.corpora:
            if not Path(corpus).is_file():
                raise FileNotFoundError(
                    f"folds.{run.fold}.{part} of the grid is {corpus}: no such file. Convert it first."
                )
        for name, corpus in run.elsewhere.items():
            if not Path(corpus).is_file():
                raise FileNotFoundError(f"elsewhere.{name} of the grid is {corpus}: no such file. Convert it first.")
    for run in {(run.variant, run.condition): run for run in runs}.values():
        try:
            nlp = load_model_from_config(run.config, auto_fill=True)
            if run.component not in nlp.pipe_names:
                raise ValueError(f"its pipeline has no component {run.component!r}, but {', '.join(nlp.pipe_names)}")
            lost = [
                setting
                for section in ("nlp", "training")
                for setting in _lost_settings(run.config[section], nlp.config[section], f"{section}.")
            ]
            if lost:  # spaCy silently ignores unknown settings of these sections
                raise ValueError(f"there is no setting {lost[0]!r}")
            training = nlp.config.interpolate()["training"]
            registry.resolve(training, schema=schemas.ConfigSchemaTraining)
            if problem := planned_for_other_steps(nlp.config):
                warnings.warn(f"The variant '{run.variant}': {problem}", stacklevel=2)
        except (ValueError, TypeError) as error:
            raise ValueError(f"The config of the variant '{run.variant}' can't be trained: {error}") from error


def _lost_settings(config: Mapping[str, Any], filled: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """The dotted names of settings that are in a config but not in its filled form."""
    for name, value in config.items():
        if name not in filled:
            yield prefix + name
        elif isinstance(value, dict) and isinstance(filled[name], dict):
            yield from _lost_settings(value, filled[name], f"{prefix}{name}.")


def _read_config(path: Path) -> Config:
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. Expected a file in spaCy's config syntax.")
    try:
        return Config().from_disk(path, interpolate=False)
    except OSError as error:
        raise type(error)(f"{path}: can't be read ({error.strerror or error})") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _override(base: Config, *overrides: Mapping[str, Any], path: Path) -> Config:
    """The base config with values replaced, named as in `spacy train --a.b.c`."""
    config = deepcopy(base)
    for group in overrides:
        for key, value in group.items():
            _section(config, key, path)[key.rpartition(".")[2]] = deepcopy(value)
    return config


def _section(config: Config, key: str, path: Path) -> dict[str, Any]:
    """The section of a dotted name."""
    section: Any = config
    for part in key.split(".")[:-1]:
        section = section.get(part) if isinstance(section, dict) else None
    if not isinstance(section, dict) or "." not in key:
        raise ValueError(
            f"{path}: the base config has no section for {key!r}. Expected a name such as training.dropout."
        )
    return section
