"""Texts that come twice: in one file, or in two, so that what is scored may have been trained on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from spacy.tokens import Doc

from ..annotation import describe_doc
from .problems import Kind, Problem

IN_TWO_FILES = Kind(
    "documents whose text is in another file, too, so that what is scored may have been trained on",
    "each text in one file",
    "Remove it from one of them.",
)
IN_ONE_FILE = Kind(
    "documents whose text is in the same file a second time", "each text once", "Remove one of them.", loses=False
)


def find_repeated(files: Mapping[str, Sequence[Doc]]) -> Iterator[Problem]:
    """Documents with the words of an earlier one; white space does not count.

    files (Mapping[str, Sequence[Doc]]): The documents of each file.
    """
    first: dict[tuple[str, ...], tuple[str, str]] = {}
    for file, docs in files.items():
        for doc in docs:
            words = tuple(doc.text.split())
            here = (file, describe_doc(doc))
            before = first.setdefault(words, here) if words else here
            if before is not here:
                kind = IN_ONE_FILE if before[0] == file else IN_TWO_FILES
                yield Problem(kind, *here, found=f"as {before[1]} of {before[0]}, {len(words):,} words")
