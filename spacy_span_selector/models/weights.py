"""Weights from bytes that anyone may have written: tensors by name, and nothing else.

A pickle can run any code while it is loaded, and `torch.save` writes pickles. So torch is always told to read tensors
only, whatever its version does by default.
"""

from __future__ import annotations

from io import BytesIO

import torch
from torch import Tensor, nn

from .compact import compact, expand
from .finite import first_not_finite

ARCHIVE = b"PK\x03\x04"
"""How the files of `torch.save` start since torch 1.6. Older ones are bare pickles."""


def save_weights(module: nn.Module) -> bytes:
    """Write the weights of a module, as numbers of the kind that `stored_as` says.

    RETURNS (bytes): What `load_weights` reads.
    """
    file = BytesIO()
    torch.save(compact(module.state_dict()), file)
    return file.getvalue()


def load_weights(data: bytes, device: torch.device, owner: str) -> dict[str, Tensor]:
    """Read the weights of a module.

    data (bytes): What `torch.save` has written of its state, or `save_weights`.
    device (torch.device): Where the tensors go.
    owner (str): Whose weights they are, for messages.
    RETURNS (dict[str, Tensor]): The tensors by name.
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


def check_shapes(weights: dict[str, Tensor], expected: nn.Module, owner: str) -> None:
    """Check that weights are those of a module.

    weights (dict[str, Tensor]): The weights.
    expected (nn.Module): The module; it may lie on the device "meta", where it takes no memory.
    owner (str): Whose weights they are, for messages.
    RAISES (ValueError): If some are missing, of another shape, or too many.
    """
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
    """Check that all weights are numbers: with others everything would be predicted to be nothing.

    RAISES (ValueError): If one is infinite or not a number.
    """
    if name := first_not_finite(weights.items()):
        raise ValueError(
            f"There is NaN or infinity in '{name}' of {owner}, which can't predict anything: its training went "
            "wrong. Take a checkpoint from before, or train again with a lower learning rate."
        )
