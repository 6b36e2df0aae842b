"""Weights in a quarter or half of the space: how a pipeline is stored, not how it computes.

With `int8`, each row of a matrix is stored as whole numbers from -127 to 127 and the size of their unit, which is the
largest absolute value of the row divided by 127. A weight is off by at most half a unit. Vectors, such as biases, stay
as they are. Loaded weights are float32 again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import torch
from spacy.language import Language
from spacy.strings import StringStore
from spacy.util import load_model
from torch import Tensor

KINDS = ("float32", "float16", "int8")
UNIT = "@unit"
"""Behind the name of a matrix: the column of its rows' units."""
LARGEST = 127

NEEDS_NO_STRING = {
    "sentencizer",
    "structured_coref",
    "structured_spancat",
    "structured_srl",
    "tok2vec",
    "transformer",
    "word_sentencizer",
}
"""Factories whose components need no string but their labels and those that they add when they are loaded."""

_kind: ContextVar[str] = ContextVar("kind of stored weights", default="float32")


@contextmanager
def stored_as(kind: str) -> Iterator[None]:
    """Store the weights of whatever is saved within as numbers of a kind.

    kind (str): "float32", as they are; "float16"; or "int8".
    RAISES (ValueError): If the kind is another one.
    """
    if kind not in KINDS:
        raise ValueError(f"Weights can't be stored as {kind!r}; expected one of {', '.join(KINDS)}.")
    token = _kind.set(kind)
    try:
        yield
    finally:
        _kind.reset(token)


def is_compact() -> bool:
    """True if weights are stored with fewer bits than they have in memory."""
    return _kind.get() != "float32"


def compact(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The stored form of weights.

    weights (dict[str, Tensor]): Weights by name.
    RETURNS (dict[str, Tensor]): Numbers of the kind that `stored_as` says, of which `expand` makes weights again.
    """
    if not is_compact():
        return weights
    kind = _kind.get()
    stored: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if weight.ndim < 2 or not weight.is_floating_point():
            stored[name] = weight
        elif kind == "float16":
            stored[name] = weight.half()
        else:
            rows = weight.float().flatten(1)
            unit = rows.abs().amax(1, keepdim=True) / LARGEST
            stored[name] = (rows / unit.clamp_min(torch.finfo().tiny)).round().to(torch.int8).view(weight.shape)
            stored[name + UNIT] = unit
    return stored


def expand(stored: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights of what `compact` made of them.

    RAISES (ValueError): If the units of a matrix are not those of its rows.
    """
    units = {name.removesuffix(UNIT): unit for name, unit in stored.items() if name.endswith(UNIT)}
    weights: dict[str, Tensor] = {}
    for name, numbers in stored.items():
        if name.endswith(UNIT):
            continue
        unit = units.pop(name, None)
        if unit is not None:
            if numbers.dtype != torch.int8 or unit.shape != (len(numbers), 1):
                raise ValueError(f"the units of {name!r} do not fit its rows.")
            numbers = (numbers.flatten(1).float() * unit).view(numbers.shape)
        weights[name] = numbers.float() if numbers.dtype == torch.float16 else numbers
    if units:
        raise ValueError(f"there are units of {min(units)!r}, but no rows.")
    return weights


def save_compact(nlp: Language, folder: Path, kind: str = "int8") -> list[str]:
    """Save a pipeline so that it takes little space: its weights as numbers of a kind, without unneeded strings.

    nlp (Language): The pipeline.
    folder (Path): Where.
    kind (str): As for `stored_as`.
    RETURNS (list[str]): Components that may need any string, as `leave_out_strings` returns them.
    """
    with stored_as(kind):
        nlp.to_disk(folder)
        return leave_out_strings(nlp, folder)


def leave_out_strings(nlp: Language, folder: Path) -> list[str]:
    """Leave out strings that no component needs from a pipeline on the disk.

    nlp (Language): The pipeline.
    folder (Path): Where it was saved.
    RETURNS (list[str]): Components that may need any of them. If there is one, nothing is left out.
    """
    unknown = [name for name in nlp.component_names if nlp.get_pipe_meta(name).factory not in NEEDS_NO_STRING]
    if unknown:
        return unknown
    labels = [label for labels in nlp.pipe_labels.values() for label in labels]
    words = [nlp.vocab.strings[key] for key in nlp.vocab.vectors.key2row if key in nlp.vocab.strings]
    path = folder / "vocab" / "strings.json"
    StringStore([*labels, *words]).to_disk(path)
    load_model(folder).vocab.strings.to_disk(path)
    return []
