"""The settings of a component: one dataclass each, which is checked here and from which the config entry is made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import isclose, isfinite
from typing import Any, ClassVar, cast

import srsly

from ..layers.selection.sampling import Negatives, Widths
from ..signatures import check_types


@dataclass(kw_only=True)
class PipeSettings:
    """The settings that both components have.

    decoding (str): "marginal" keeps the set of spans with the greatest expected number of correct ones, each
        costing `threshold`; "map" keeps the single most probable tree, as the paper does. Only the structured
        selector has trees.
    threshold (float): Least selection probability of a span that is kept; not used by "map", nor by the tagger. The
        greedy selectors keep a fixed number of spans; in coreference it decides which of these are singletons.
    annotation (str | None): "complete" if the corpus marks every span of interest, "partial" if an unmarked span may
        be one. None for the default of the component.
    candidate_ratio (float): Spans per token, the most probable ones, that are linked or classified in training. The
        greedy selectors have a ratio of their own.
    add_gold (bool): Whether gold spans that are not among them are linked or classified, too; not used by the greedy
        selectors.
    negatives (float | None): Spans per token sampled in training from those that are not gold; not used by the greedy
        selectors. If None, 1.0 with complete annotation, where all of them are negative, and 0.1 with partial, as in
        the paper.
    negative_widths (str): "all" samples them from all spans, most of which are wide, "gold" with the widths of gold
        spans. With partial annotation "gold" was far better for a grammar, which learns from gold spans that those
        which cross them are none; the sigmoid selector got worse by it in semantic roles (docs/structure.md).
    learn_rate_factor (float): Multiplies the optimizer's learning rate for this component's own network, not for its
        tok2vec: the paper trains the network 30 times as fast as the encoder.
    max_sentence_words (int | None): The greatest number of words of a sentence. A longer one, as of a list or a table
        without sentence ends, is cut, preferably at the end of a line or at punctuation, since the time of selection
        grows with the cube of its length; no span crosses the cut. If None, no sentence is cut. Not used if the time
        grows with the length alone: with `max_span_width` of the model and a selector that leaves out wide spans.
    prefix (str): Prefix of the keys of the clusters or frames in `doc.spans`.
    """

    decoding: str = "marginal"
    threshold: float = 0.4
    annotation: str | None = None
    candidate_ratio: float
    add_gold: bool = False
    negatives: float | None = None
    negative_widths: str = "all"
    learn_rate_factor: float = 1.0
    max_sentence_words: int | None = 500
    prefix: str

    keys: ClassVar[tuple[str, ...]]
    """The settings that are keys of `doc.spans`."""
    selected: ClassVar[str]
    """The one of them that is the key of all selected spans."""

    def __post_init__(self) -> None:
        if self.annotation is None:
            self.annotation = "complete" if self.marks_all else "partial"
        if self.negatives is None:
            self.negatives = 1.0 if self.annotation == "complete" else 0.1

    @property
    def sampled_negatives(self) -> Negatives:
        """Which spans that are not gold are sampled in training."""
        return Negatives(cast(float, self.negatives), cast(Widths, self.negative_widths))

    @property
    def marks_all(self) -> bool:
        """Whether annotation is complete by default."""
        return True

    @property
    def selected_key(self) -> str:
        """The key of all selected spans in `doc.spans`."""
        key: str = getattr(self, self.selected)
        return key

    def check(self, component: str) -> None:
        """Check every setting.

        component (str): Name of the component, for messages.
        RAISES (ValueError): If a setting has another type, is not one of its choices, is out of range, or names a group
            of `doc.spans` that another one names.
        """
        check_types(type(self), vars(self), repr(component))
        check_choice(component, "decoding", self.decoding, ("marginal", "map"))
        check_choice(component, "annotation", self.annotation, ("complete", "partial"))
        check_choice(component, "negative_widths", self.negative_widths, ("all", "gold"))
        check_range(component, "threshold", self.threshold, 0.0, 1.0)
        for setting in ("candidate_ratio", "negatives", "learn_rate_factor"):
            check_range(component, setting, getattr(self, setting), 0.0)
        if self.max_sentence_words is not None:
            check_range(component, "max_sentence_words", self.max_sentence_words, 1)
        check_keys(component, self.prefix, **{setting: getattr(self, setting) for setting in self.keys})

    @classmethod
    def names(cls) -> list[str]:
        """The name of each setting."""
        return [field.name for field in fields(cls)]

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """The default of each setting, for the config of the component."""
        defaults = {field.name: field.default for field in fields(cls)}
        return {name: [*value] if isinstance(value, tuple) else value for name, value in defaults.items()}


def read_saved_settings(saved: bytes | str, component: str, source: str, known: Sequence[str]) -> dict[str, Any]:
    """Read the settings that a component was saved with.

    saved (bytes | str): JSON.
    component, source (str): Name of the component, and where its settings come from, for messages.
    known (Sequence[str]): What may be among them.
    RAISES (ValueError): If there is something else, or they are no JSON object.
    """
    try:
        settings = srsly.json_loads(saved)
    except ValueError as error:
        raise ValueError(
            f"Can't load '{component}': {source} is not JSON: {error}. Save the pipeline again."
        ) from error
    if not isinstance(settings, dict):
        raise ValueError(f"Can't load '{component}': {source} has {str(settings)[:60]}; expected a JSON object.")
    unknown = [name for name in settings if name not in known]
    if unknown:
        raise ValueError(
            f"Can't load '{component}' from {source}: there is no setting {unknown[0]!r}; expected some of "
            f"{', '.join(known)}. A newer version of spacy-span-selector may have saved it: install that."
        )
    return settings


def is_same(value: Any, saved: Any) -> bool:
    """Whether a setting is what it was: JSON has not all digits of a number."""
    if isinstance(value, float) and isinstance(saved, int | float):
        return isclose(value, saved)
    return bool(value == saved)


def check_choice(name: str, setting: str, value: str | None, choices: Sequence[str | None]) -> None:
    """Raise a ValueError that names component and setting unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"'{setting}' of '{name}' is {value!r}; it must be one of {', '.join(map(repr, choices))}.")


def check_range(name: str, setting: str, value: float, least: float, greatest: float | None = None) -> None:
    """Raise a ValueError that names component and setting unless the value lies within the limits."""
    if not (isfinite(value) and value >= least) or (greatest is not None and value > greatest):
        limits = f"at least {least}, and finite" if greatest is None else f"from {least} to {greatest}"
        raise ValueError(f"'{setting}' of '{name}' is {value}; it must be {limits}.")


def check_keys(name: str, prefix: str, **keys: str) -> None:
    """Raise a ValueError that names them unless keys in `doc.spans` differ from each other and from those of a prefix.

    name (str): Name of the component.
    prefix (str): Its setting `prefix`, that of numbered keys.
    keys (str): Its other keys, by setting.
    """
    numbered = re.compile(re.escape(prefix) + r"_\d+")
    if len({*keys.values()}) < len(keys) or any(map(numbered.fullmatch, keys.values())):
        settings = " and ".join(f"'{setting}' {key!r}" for setting, key in {"prefix": prefix, **keys}.items())
        raise ValueError(
            f"'{name}' would read what it has written: {settings} name the same groups of doc.spans. "
            "Give each a name of its own."
        )
