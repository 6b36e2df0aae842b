"""The files in a folder, at any depth."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path

MANIFEST = "manifest.json"  # says in its folder which command wrote it
PIPELINE = ("config.cfg", "meta.json")  # what every pipeline has in its folder


def find_files(folder: str | Path, wanted: Callable[[str], bool]) -> list[Path]:
    """Find files by their names, except hidden ones, sorted; and links that lead nowhere: see `what_is_wrong`.

    Links to folders are followed, as corpora are often put together from them; a folder is searched once. What commands
    have made in folders within is left out, with a warning.
    """
    found: list[Path] = []
    folders, links = [str(folder)], list[str]()  # a folder is searched where it lies, rather than by a link to it
    searched = {str(path) for path in Path(os.path.realpath(folder)).parents}  # a link to one of them goes in a circle
    while folders or links:
        path = folders.pop() if folders else links.pop(0)
        real = os.path.realpath(path)
        if real in searched or is_made(os.path.join(path, "file"), folder):
            continue
        searched.add(real)
        for name in sorted(os.listdir(path)):
            inside = os.path.join(path, name)
            if name.startswith("."):
                continue
            if os.path.isdir(inside):
                (links if os.path.islink(inside) else folders).append(inside)
            elif wanted(name):
                found.append(Path(inside))
    return sorted(found)


def made_as(folder: str | Path) -> str:
    """What a command made a folder as, "a pipeline" or "the output of 'annotate'"; "" if none did."""
    if all(os.path.isfile(os.path.join(folder, name)) for name in PIPELINE):
        return "a pipeline"
    manifest = Path(folder, MANIFEST)
    try:
        package, command, _ = json.loads(manifest.read_bytes())["format"].split(".") if manifest.is_file() else "   "
    except (AttributeError, KeyError, OSError, TypeError, ValueError):  # of another program
        return ""
    return f"the output of '{command.lower()}'" if package == "spacy_span_selector" else ""


def is_made(file: str | Path, folder: str | Path) -> bool:
    """Whether a command made the folder of a file within a folder that is searched: then a warning names it."""
    found = [path for path in Path(file).parents if Path(folder) in path.parents and made_as(path)]
    for path in found:
        warnings.warn(f"{path}: left out, as it is {made_as(path)}. Name it to read it.", stacklevel=3)
    return bool(found)


def what_is_wrong(path: str | Path) -> str:
    """Why a path can't be read as a file; "" if it can."""
    if os.path.isfile(path):
        return "" if os.access(path, os.R_OK) else "it can't be opened (Permission denied)"
    if os.path.exists(path):
        return "a folder, a pipe or a device, and no file; write what comes from it to a file"
    return f"a link to {os.readlink(path)}, which is not there" if os.path.islink(path) else "it is not there"
