"""Files of CoNLL-2012: where they lie, and how to tell the official English ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

FILES = "*gold_conll"
ENGLISH_DOCUMENTS = {"train": 2_802, "dev": 343, "test": 348}
"""How many documents the English parts have. A document is a part of a file, from `#begin` to `#end`: the 348 of test
lie in 222 files."""


def find_files(sources: Iterable[str | Path]) -> list[Path]:
    """The files that are given, and those in folders that are given, each once.

    sources (Iterable[str | Path]): Files of any name, and folders: of these every file, at any depth, whose name ends
        in `gold_conll`, sorted by path.
    RETURNS (list[Path]): The files, in the order of the sources.
    RAISES (FileNotFoundError): Naming a folder without such a file.
    """
    found: dict[Path, None] = {}
    for source in map(Path, sources):
        paths = sorted(path for path in source.rglob(FILES) if path.is_file()) if source.is_dir() else [source]
        if not paths:
            raise FileNotFoundError(
                f"{source}: no file in this folder has a name that ends in 'gold_conll'. OntoNotes comes with "
                "'gold_skel' files: make them complete with 'skeleton2conll.sh' first."
            )
        found.update(dict.fromkeys(paths))
    return list(found)


def digest_files(paths: Sequence[Path]) -> str:
    """The MD5 sum, in hexadecimal, of the contents of files one after the other.

    So a folder has the sum of the one file `train.english.v4_gold_conll` that `cat` makes of its files for `e2e-coref`
    and its successors.
    """
    digest = hashlib.md5(usedforsecurity=False)
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()
