"""The settings that all components have, and the model that they have by default."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Annotated, Any, ClassVar

import srsly
from pydantic import Field
from pydantic.dataclasses import dataclass

from ..layers.selection.candidates import Decoding
from ..layers.selection.sampling import Annotation, Negatives
from ..layers.selection.sampling import Widths as Widths  # pydantic looks for the types of fields here
from ..signatures import CHECKED

Share = Annotated[float, Field(ge=0, le=1)]
NotNegative = Annotated[float, Field(ge=0)]


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class PipeSettings:
    """The settings that all components have.

    decoding (str): "marginal" keeps the set of spans with the greatest expected number of correct ones, each
        costing `threshold`; "map" keeps the single most probable tree, as the paper does, or the most probable set.
        Not used by a selector whose spans may cross.
    threshold (float): Least selection probability of a span that is kept; not used by "map".
    annotation (str | None): "complete" if the corpus marks every span of interest, "partial" if an unmarked span may
        be one. None for what the component's other settings say.
    candidate_ratio (float): Spans per token, the most probable ones, that are linked or classified in training.
    negatives (float | None): Spans per token sampled in training from those that are not gold. If None, 1.0.
    negative_widths (str | None): "all" samples them from all spans, most of which are wide, "gold" with the widths of
        gold spans. If None, "all".
    learn_rate_factor (float): Multiplies the optimizer's learning rate for this component's own network, not for its
        tok2vec: the paper trains the network 30 times as fast as the encoder.
    max_sentence_words (int | None): The greatest number of words of a sentence. A longer one, as of a list or a table
        without sentence ends, is cut, preferably at the end of a line or at punctuation, since the time of selection
        grows with the cube of its length; no span crosses the cut. If None, no sentence is cut. Not used if the time
        grows with the length only: with `max_span_width` of the model and a selector that leaves out wide spans.
    """

    decoding: Decoding = "marginal"
    threshold: Share = 0.4
    annotation: Annotation | None = None
    candidate_ratio: NotNegative
    negatives: NotNegative | None = None
    negative_widths: Widths | None = None
    learn_rate_factor: NotNegative = 1.0
    max_sentence_words: Annotated[int, Field(ge=1)] | None = 500

    keys: ClassVar[tuple[str, ...]]
    """The settings that are keys of `doc.spans`."""
    selected: ClassVar[str]
    """The one of them that is the key of all selected spans."""

    @property
    def marks_all(self) -> bool:
        """True if annotation is complete where `annotation` does not say it."""
        return True

    @property
    def learnt_annotation(self) -> Annotation:
        """The annotation that training assumes, complete or partial."""
        return self.annotation or ("complete" if self.marks_all else "partial")

    @property
    def sampled_negatives(self) -> Negatives:
        """The spans that are not gold to sample in training."""
        return Negatives(1.0 if self.negatives is None else self.negatives, self.negative_widths or "all")

    @property
    def selected_key(self) -> str:
        """The key of all selected spans in `doc.spans`."""
        key: str = getattr(self, self.selected)
        return key

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """The default of each setting, for the config of the component."""
        defaults = {field.name: field.default for field in fields(cls)}
        return {name: [*value] if isinstance(value, tuple) else value for name, value in defaults.items()}


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class NumberedGroupSettings(PipeSettings):
    """The settings of a component that writes numbered groups, one for each cluster or frame.

    prefix (str): Prefix of the keys of the clusters or frames in `doc.spans`.
    """

    prefix: str

    def __post_init__(self) -> None:
        """Check that no key names a group that another one names, or that of a cluster or frame."""
        keys = {setting: getattr(self, setting) for setting in self.keys}
        numbered = re.compile(re.escape(self.prefix) + r"_\d+")
        if len({*keys.values()}) < len(keys) or any(map(numbered.fullmatch, keys.values())):
            named = " and ".join(f"'{setting}' {key!r}" for setting, key in {"prefix": self.prefix, **keys}.items())
            raise ValueError(
                f"would read what it has written: {named} name the same groups of doc.spans. Give each a name of its "
                "own."
            )


def read_saved(saved: bytes | str, component: str, source: str, known: list[str]) -> dict[str, Any]:
    """Read what a component has saved beside its weights.

    saved (bytes | str): JSON.
    component, source (str): Name of the component, and where this comes from, for messages.
    known (list[str]): The names that may be in it.
    RAISES (ValueError): If there is another name, or it is no JSON object.
    """
    try:
        content = srsly.json_loads(saved)
    except ValueError as error:
        raise ValueError(
            f"Can't load '{component}': {source} is not JSON: {error}. Save the pipeline again."
        ) from error
    if not isinstance(content, dict):
        raise ValueError(f"Can't load '{component}': {source} has {str(content)[:60]}; expected a JSON object.")
    unknown = [name for name in content if name not in known]
    if unknown:
        raise ValueError(
            f"Can't load '{component}' from {source}: there is no setting {unknown[0]!r}; expected some of "
            f"{', '.join(known)}. A newer version of spacy-span-selector may have saved it: install that."
        )
    return content


def default_model(architecture: str) -> dict[str, Any]:
    """The configuration of an architecture with a small Tok2Vec of its own, and defaults for all else."""
    embed = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 96,
        "rows": [5000, 1000, 2500, 1000],
        "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
        "include_static_vectors": False,
    }
    encode = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": 96,
        "window_size": 1,
        "maxout_pieces": 3,
        "depth": 4,
    }
    tok2vec = {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}
    return {"@architectures": architecture, "tok2vec": tok2vec}
