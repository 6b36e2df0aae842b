"""The files in a folder, at any depth."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def find_files(folder: str, wanted: Callable[[str], bool], *, skips: Callable[[str], bool] | None = None) -> list[str]:
    """Find files, except hidden ones, in an order that does not depend on the system.

    Links to folders are followed, as corpora are often put together from them; a folder is searched once. Links that
    lead nowhere are there, too: `what_is_wrong` describes them.
    """
    found: list[str] = []
    folders, links = [folder], list[str]()  # a folder is searched where it lies, rather than by a link to it
    searched = {str(path) for path in Path(os.path.realpath(folder)).parents}  # a link to one of them goes in a circle
    while folders or links:
        path = folders.pop() if folders else links.pop(0)
        real = os.path.realpath(path)
        if real in searched or (path != folder and skips is not None and skips(path)):
            continue
        searched.add(real)
        for name in sorted(os.listdir(path)):
            inside = os.path.join(path, name)
            if name.startswith("."):
                continue
            if os.path.isdir(inside):
                (links if os.path.islink(inside) else folders).append(inside)
            elif wanted(name):
                found.append(inside)
    return sorted(found, key=_order)


def what_is_wrong(path: str) -> str:
    """Why a path can't be read as a file; "" if it can."""
    if os.path.isfile(path):
        return "" if os.access(path, os.R_OK) else "it can't be opened (Permission denied)"
    if os.path.exists(path):
        return "a folder, a pipe or a device, and no file; write what comes from it to a file"
    return f"a link to {os.readlink(path)}, which is not there" if os.path.islink(path) else "it is not there"


def _order(path: str) -> list[tuple[bool, str]]:
    """Files come before folders beside them."""
    *folders, name = path.split(os.sep)
    return [*((True, folder) for folder in folders), (False, name)]
