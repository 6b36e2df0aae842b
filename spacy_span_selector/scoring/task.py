"""Tasks: everything that reports and commands must know of a component, in a registry by the name of its factory.

A component of another package takes part once its task is registered: an entry point in the group
`spacy_span_selector_tasks`, named like the factory of the component.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import catalogue
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from ..annotation import describe_doc
from .metrics.counts import Counts

PARTS = {"p": "P", "r": "R", "f": "F1"}
"""The endings of score names, and their headings in tables."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task.

    title (str): Its name: "Semantic roles".
    span (str): The name of what selected spans may become: "argument".
    group (str): The name of their groups: "frame".
    main_score (str): Name of the score by which pipelines are compared.
    scores (Mapping[str, str]): The metrics with precision, recall and F1, by the names of their scores without `_p`,
        `_r`, `_f`, with their titles.
    unlogged (Sequence[str]): Those of them whose F1 the training log does not show.
    density (str | None): Name of the score that counts selected spans per token, if there is one.
    accuracies (Mapping[str, str]): Scores without precision and recall, with their titles.
    per_label (str | None): Name of the score that has precision, recall and F1 of each label, if there is one.
    reader_settings (Mapping[str, str]): Settings of the component that the reader of a corpus takes, too, by the names
        that they have there.
    main_counts (Callable): Takes an example and, by name, the component's settings; returns the counts of the document
        for the metrics whose mean F1 is the main score, None if its reference is not annotated.
    gold_spans (Callable): By a document and the component's settings, the spans that its groups hold; None if it is not
        annotated.
    groups (Callable): Likewise, the groups of `doc.spans`.
    can_learn (Callable): Likewise, whether the component can be initialized with its annotation.
    of_settings (Callable | None): By the component's settings, the task with the names that its scores have then; None
        if they are the same with all settings.
    """

    factory: str
    title: str
    span: str
    group: str
    main_score: str
    main_title: str
    scores: Mapping[str, str]
    unlogged: Sequence[str] = ()
    density: str | None = None
    accuracies: Mapping[str, str] = field(default_factory=dict)
    per_label: str | None = None
    reader_settings: Mapping[str, str] = field(default_factory=dict)
    main_counts: Callable[..., tuple[Counts, ...] | None]
    gold_spans: Callable[[Doc, Any], list[Span] | None]
    groups: Callable[[Doc, Any], list[SpanGroup]]
    can_learn: Callable[[Doc, Any], bool]
    of_settings: Callable[[Any], Task] | None = None

    def of(self, settings: Any) -> Task:
        """Return the task of a component that has these settings, whose scores may have its key in their names."""
        return self if self.of_settings is None else self.of_settings(settings)

    def score_weights(self) -> dict[str, float | None]:
        """Return the weight of every score for choosing the best pipeline: 0.0 if only logged, None if not."""
        weights: dict[str, float | None] = {}
        for metric in self.scores:
            logged = None if metric in self.unlogged else 0.0
            weights |= {f"{metric}_p": None, f"{metric}_r": None, f"{metric}_f": logged}
        weights |= {self.main_score: 1.0, **dict.fromkeys(self.accuracies, 0.0)}
        weights |= {self.density: 0.0} if self.density else {}
        return weights | ({self.per_label: None} if self.per_label else {})

    def for_reader(self, cfg: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of a component that the reader of a corpus takes, too."""
        return {name: cfg[setting] for name, setting in self.reader_settings.items()}


tasks = catalogue.create("spacy_span_selector", "tasks", entry_points=True)
"""The tasks by the factory of their component."""


def get_task(factory: str) -> Task:
    """Return the task of the component that a factory makes."""
    if factory not in tasks:
        known = ", ".join(sorted(tasks.get_all()))
        raise ValueError(f"No task is registered for the component {factory!r}; expected one of {known}.")
    return tasks.get(factory)


def find_tasks(nlp: Language) -> dict[str, Task]:
    """Return the tasks of the components of a pipeline that have one, by name of the component."""
    factories = {name: nlp.get_pipe_meta(name).factory for name in nlp.pipe_names}
    pipes: dict[str, Any] = {name: nlp.get_pipe(name) for name, factory in factories.items() if factory in tasks}
    return {name: get_task(factories[name]).of(pipe) for name, pipe in pipes.items()}


def reader_settings(nlp: Language) -> dict[str, Any]:
    """Return the settings of the components of a pipeline that the reader of a corpus takes, too."""
    found: dict[str, Any] = {}
    for name, task in find_tasks(nlp).items():
        pipe: Any = nlp.get_pipe(name)
        found = task.for_reader(pipe.cfg) | found  # the first component counts
    return found


def all_tasks() -> list[Task]:
    """Return every registered task, by the name of its factory."""
    return [task for _, task in sorted(tasks.get_all().items())]


def check_same_text(gold: Doc, predicted: Doc) -> None:
    """Check that spans of two documents can be compared by their character offsets: that they have the same text."""
    if gold.text == predicted.text:
        return
    position = next(
        (i for i, (wanted, found) in enumerate(zip(gold.text, predicted.text, strict=False)) if wanted != found),
        min(len(gold.text), len(predicted.text)),
    )
    raise ValueError(
        f"Cannot score {describe_doc(gold)}: at character {position} the prediction reads "
        f"{predicted.text[position : position + 20]!r} where the gold text reads "
        f"{gold.text[position : position + 20]!r}. Spans are compared by their character offsets; make "
        f"`example.predicted` from `example.reference.text` unchanged."
    )
