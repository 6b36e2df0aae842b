"""Modules that predict in several threads at once."""

from __future__ import annotations

from typing import TypeVar

from torch import nn

Module = TypeVar("Module", bound=nn.Module)


def at_rest(module: Module) -> Module:
    """Put a module into evaluation mode, where training has left it in the other one.

    Thinc puts a module back into training mode after each prediction, which turns on dropout in all other threads
    that are predicting with it. Here prediction never does so: training asks for its mode itself.

    module (nn.Module): The module. Nothing changes if it and all of its parts are in evaluation mode.
    RETURNS (nn.Module): The same module.
    """
    # All parts, not the module alone: another thread may be halfway through them.
    if any(part.training for part in module.modules()):
        module.eval()
    return module
