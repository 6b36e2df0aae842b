"""The files of a corpus: which they are, and their documents with what could not be read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from warnings import catch_warnings, simplefilter

from spacy.language import Language
from spacy.tokens import Doc

from ...annotation import LABELLED_KEY
from ..files.folders import find_files as find_in_folder
from ..files.folders import what_is_wrong
from ..formats.bracketed import BracketedError, Collect, read_bracketed
from ..formats.registry import BRACKETED, formats, recognise_format, recognised_formats
from ..formats.reports import LEFT_OUT, CorpusWarning
from .problems import Kind, Problem

UNREADABLE = Kind("files that can't be read, or not to their end")
MALFORMED = Kind(
    "places of bracketed text that can't be read, or not as meant",
    "text as docs/bracketed.md describes it",
    "Correct the line.",
)
DOUBTFUL = Kind("bracketed text that may not be what was meant", loses=False)


@dataclass(frozen=True)
class Keys:
    """Prefixes of the keys of clusters and of frames in `doc.spans`, and the key of labelled spans."""

    clusters: str
    frames: str
    labelled: str = LABELLED_KEY


def find_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that are named, and those of folders at any depth.

    paths (Iterable[Path]): Files, and folders, of which the files count whose names tell a format.
    YIELDS (Path): Each file once. A folder without such files, or what does not exist or can't be opened, comes as it
        is: reading it tells what is wrong.
    """
    seen: set[str] = set()
    endings = tuple(ending for format_ in recognised_formats() for ending in format_.endings)
    for path in paths:
        inside = find_in_folder(str(path), lambda name: name.endswith(endings)) if path.is_dir() else []
        for file in sorted(map(Path, inside)) or [path]:
            real = os.path.realpath(file)  # unlike Path.resolve, of a link to itself, too
            if real not in seen:
                seen.add(real)
                yield file


def read_file(path: Path, nlp: Language) -> tuple[list[Doc], list[Problem]]:
    """The documents of a file, and what of it can't be read.

    path (Path): The file. It is bracketed text if its name tells no format.
    nlp (Language): Its vocabulary gets the words, its tokenizer splits text.
    """
    docs: list[Doc] = []
    malformed = Collect()
    problems: list[Problem] = []
    try:
        problem = what_is_wrong(str(path))
        if problem and os.path.lexists(path):
            raise ValueError(f"{path}: {problem}")
        if path.is_dir():
            expected = ", ".join(f"*{suffix}" for format_ in recognised_formats() for suffix in format_.suffixes)
            raise ValueError(f"{path}: a folder without files such as {expected}. Name the files, or another folder.")
        format_ = recognise_format(path) or formats.get(BRACKETED)
        if format_.name == BRACKETED:  # typed by hand: each problem has its line and column
            docs = read_bracketed(path, nlp, malformed)
        else:
            with catch_warnings(record=True) as caught:
                simplefilter("always")
                for doc in format_.read_docs(path, nlp):
                    docs.append(doc)
            problems += [problem for warning in caught for problem in _in_warning(path, warning.message)]
    except (OSError, ValueError) as error:
        after = f" (after {len(docs):,} documents)" if docs else ""
        problems.append(Problem(UNREADABLE, str(path), found=str(error).removeprefix(f"{path}: ") + after))
    problems += [_in_line(MALFORMED, path, error) for error in sorted(malformed.errors, key=_order)]
    problems += [_in_line(DOUBTFUL, path, doubt) for doubt in sorted(malformed.doubts, key=_order)]
    return docs, problems


def _in_warning(path: Path, warning: Warning | str) -> Iterator[Problem]:
    """The problems that a reader has warned of."""
    findings = warning.findings if isinstance(warning, CorpusWarning) else {"warnings of the reader": [str(warning)]}
    for what, cases in findings.items():
        kind = Kind(what.removeprefix(LEFT_OUT), loses=what.startswith(LEFT_OUT))
        yield from (Problem(kind, str(path), found=case.removeprefix(f"{path}: ")) for case in cases)


def _in_line(kind: Kind, path: Path, error: BracketedError) -> Problem:
    return Problem(kind, str(path), place=f"line {error.place.line}, column {error.column}", found=error.message)


def _order(error: BracketedError) -> tuple[int, int]:
    return error.place.line, error.column
