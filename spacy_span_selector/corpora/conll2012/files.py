"""Files of CoNLL-2012: how to find them, and how to recognize the official English ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...files.folders import find_files as find_in_folder
from ...files.folders import what_is_wrong
from ..files import FILES as UNREADABLE
from ..left_out import Report

SUFFIX = "gold_conll"
ENGLISH_DOCUMENTS = {"train": 2_802, "dev": 343, "test": 348}
"""The number of documents of each English split. A document is one part of a file, from `#begin` to `#end`: the 348 of
test are in 222 files."""


def find_files(sources: Iterable[str | Path]) -> list[Path]:
    """Find the files to read.

    sources (Iterable[str | Path]): Files of any name, and folders, of which every file at any depth is taken whose name
        ends in `gold_conll`, sorted by path.
    RETURNS (list[Path]): The files, each once, in the order of the sources.
    RAISES (FileNotFoundError): If a folder has no such file, naming it.
    WARNS: Once, counting what of folders can't be read.
    """
    found: dict[Path, None] = {}
    report = Report()
    for source in map(Path, sources):
        paths = [source]
        if source.is_dir():
            inside = sorted(map(Path, find_in_folder(str(source), lambda name: name.endswith(SUFFIX))))
            problems = {path: what_is_wrong(str(path)) for path in inside}
            paths = [path for path in inside if not problems[path]]
            for path in inside:
                if problems[path]:
                    report.leave_out(UNREADABLE, f"{path}: {problems[path]}")
        if not paths:
            raise FileNotFoundError(
                f"{source}: no file in this folder has a name that ends in 'gold_conll'. OntoNotes comes with "
                "'gold_skel' files: complete them with 'skeleton2conll.sh' first."
            )
        found.update(dict.fromkeys(paths))
    report.warn()
    return list(found)


def digest_files(paths: Sequence[Path]) -> str:
    """The MD5 sum of the contents of files one after the other.

    A folder has the same sum as the single file, such as `train.english.v4_gold_conll`, into which `e2e-coref` and its
    successors concatenate its files.

    paths (Sequence[Path]): The files.
    RETURNS (str): The sum in hexadecimal.
    """
    digest = hashlib.md5(usedforsecurity=False)
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()
