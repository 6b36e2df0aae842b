"""Weights as they are stored: tensors by name and nothing else, in a quarter or half of the space if one likes.

A pickle can run any code while it is loaded, and `torch.save` writes pickles. So torch is always told to read tensors
only, whatever its version does by default.

With `int8`, each row of a matrix is stored as whole numbers from -127 to 127 and the size of their unit, which is the
largest absolute value of the row divided by 127. A weight is off by at most half a unit. Vectors, such as biases, stay
as they are. Loaded weights are float32 again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BytesIO

import torch
from torch import Tensor, nn

from .finite import first_not_finite

KINDS = ("float32", "float16", "int8")
UNIT = "@unit"
"""Behind the name of a matrix: the column of its rows' units."""
LARGEST = 127

ARCHIVE = b"PK\x03\x04"
"""How the files of `torch.save` start since torch 1.6. Older ones are bare pickles."""

_kind: ContextVar[str] = ContextVar("kind of stored weights", default="float32")


@contextmanager
def stored_as(kind: str) -> Iterator[None]:
    """Store the weights of whatever is saved within as numbers of one of `KINDS`."""
    if kind not in KINDS:
        raise ValueError(f"Weights can't be stored as {kind!r}; expected one of {', '.join(KINDS)}.")
    token = _kind.set(kind)
    try:
        yield
    finally:
        _kind.reset(token)


def save_weights(module: nn.Module) -> bytes:
    """Write the weights of a module for `load_weights`, as numbers of the kind that `stored_as` says."""
    file = BytesIO()
    torch.save(compact(module.state_dict()), file)
    return file.getvalue()


def load_weights(data: bytes, device: torch.device, owner: str) -> dict[str, Tensor]:
    """Read the weights of a module by name.

    data (bytes): What `torch.save` has written of its state, or `save_weights`.
    RAISES (ValueError): If there is something else than tensors, which is neither loaded nor run.
    """
    cure = "Nothing of them was loaded. Get the pipeline again from where it was trained, and from nobody else."
    if not isinstance(data, bytes) or not data.startswith(ARCHIVE):
        raise ValueError(f"The weights of {owner} are not in an archive, as torch saves them. {cure}")
    try:
        weights = torch.load(BytesIO(data), map_location=device, weights_only=True)
    except Exception as error:  # a file that is damaged, or made to do harm, may raise anything
        problem = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(
            f"The weights of {owner} hold something else than tensors, or are damaged: {problem} {cure}"
        ) from error
    if not isinstance(weights, dict) or not all(isinstance(weight, Tensor) for weight in weights.values()):
        raise ValueError(f"The weights of {owner} are not tensors by name. {cure}")
    try:
        return expand(weights)
    except ValueError as error:
        raise ValueError(f"The weights of {owner} are damaged: {error} {cure}") from error


def compact(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The stored form of weights by name, of the kind that `stored_as` says."""
    kind = _kind.get()
    if kind == "float32":
        return weights
    stored: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if weight.ndim < 2 or not weight.is_floating_point():
            stored[name] = weight
        elif kind == "float16":
            stored[name] = weight.half()
        else:
            rows = weight.float().flatten(1)
            unit = rows.abs().amax(1, keepdim=True) / LARGEST
            # A row of zeros has the unit 0, by which nothing can be divided.
            stored[name] = (rows / unit.clamp_min(torch.finfo().tiny)).round().to(torch.int8).view(weight.shape)
            stored[name + UNIT] = unit
    return stored


def expand(stored: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights of what `compact` made of them; raises ValueError if units of a matrix are not those of its rows."""
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


def check_shapes(weights: dict[str, Tensor], expected: nn.Module, owner: str) -> None:
    """Check that the names and shapes of weights are those of a module, also of one on the device "meta"."""
    shapes = {name: tuple(weight.shape) for name, weight in expected.state_dict().items()}
    found = {name: tuple(weight.shape) for name, weight in weights.items()}
    wrong = [name for name in {**shapes, **found} if shapes.get(name) != found.get(name)]
    if wrong:
        name = wrong[0]
        raise ValueError(
            f"The weights of {owner} do not fit its config: {name!r} is {found.get(name, 'missing')}, expected "
            f"{shapes.get(name, 'nothing of this name')}; {len(wrong)} of {len(shapes)} differ. Load them with the "
            "config that they were trained with."
        )


def check_finite(weights: dict[str, Tensor], owner: str) -> None:
    """Check that all weights are numbers: with others everything would be predicted to be nothing."""
    if name := first_not_finite(weights.items()):
        raise ValueError(
            f"There is NaN or infinity in '{name}' of {owner}, which can't predict anything: its training went "
            "wrong. Take a checkpoint from before, or train again with a lower learning rate."
        )
