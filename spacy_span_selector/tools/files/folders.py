"""The files in a folder, at any depth.

Links to folders are followed, as corpora are often put together from them. What can't be searched or read is found like
any other file, so that whoever reads it says what is wrong: nothing is left out in silence.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable


def find_files(folder: str, wanted: Callable[[str], bool], *, skips: Callable[[str], bool] | None = None) -> list[str]:
    """Find files, except hidden ones. A folder that several links lead to is searched once.

    folder (str): Where to search.
    wanted (Callable[[str], bool]): Whether a file is wanted, by its name.
    skips (Callable[[str], bool] | None): Whether a folder is not to be searched.
    RETURNS (list[str]): The paths of files, of links that lead nowhere, of folders that can't be searched, and of links
        to folders that contain them, in an order that does not depend on the system. `what_is_wrong` tells which.
    """
    found: list[str] = []
    folders, links = [folder], deque[str]()
    searched: set[str] = set()
    while folders or links:
        path = folders.pop() if folders else links.popleft()
        real = os.path.realpath(path)
        if real in searched or (path != folder and skips is not None and skips(path)):
            continue
        if what_is_wrong(path) and not (path == folder and _contains_itself(path)):
            found.append(path)
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
    """Why a path that was found can't be read as a file, or searched as a folder; "" if it can."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            os.listdir(path)
            return "a link to a folder that it lies in" if _contains_itself(path) else ""
    except FileNotFoundError:
        return f"a link to {os.readlink(path)}, which is not there" if os.path.islink(path) else "it is not there"
    except OSError as error:
        return f"it can't be opened ({error.strerror})"
    if not stat.S_ISREG(mode):
        return "a pipe, a socket or a device, and no file; write what comes from it to a file"
    return "" if os.access(path, os.R_OK) else "it can't be opened (Permission denied)"


def _contains_itself(path: str) -> bool:
    """Check if a path is a link to a folder that it lies in."""
    lies_in = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    return os.path.islink(path) and os.path.commonpath([lies_in, os.path.realpath(path)]) == os.path.realpath(path)


def _order(path: str) -> list[tuple[bool, str]]:
    """Files come before folders beside them."""
    *folders, name = path.split(os.sep)
    return [*((True, folder) for folder in folders), (False, name)]
