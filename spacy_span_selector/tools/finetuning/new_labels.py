"""Labels that a pipeline does not know are learnt only if they are meant: a typing error would be a label for ever."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ...annotation import describe_doc, types_of
from ...annotation.groups import read_all_groups
from ..formats.files import read_text
from .texts import PLAIN, Texts, find_texts

MOST_NAMED = 10


def learn_labels(texts: Texts, nlp: Language, path: Path, *, allowed: bool, declared: Iterable[str] = ()) -> list[str]:
    """Add the labels of texts to the components that learn them.

    path (Path): Where the texts are from.
    allowed (bool): Whether any may be new.
    declared (Iterable[str]): Those that may be.
    RETURNS (list[str]): What is new, in words.
    RAISES (ValueError): If others are new, naming where each stands first, and the known label that is most like it.
    """
    meant = {label for each in declared for label in types_of(each)}
    new: list[tuple[str, Collection[str]]] = []
    for component in texts.learning:
        pipe: Any = nlp.get_pipe(component)
        if hasattr(pipe, "add_labels"):  # others than ours need not
            known = {*pipe.labels, *getattr(pipe, "rolesets", ())}
            added = pipe.add_labels(texts.train).values()
            new += [(label, known) for labels in added for label in labels if label not in known]
    lines = _read_lines(path) if new else []
    # Each is compared with all known ones, and looked for in all texts.
    told = [_tell(label, known, lines, texts.train) for label, known in new[:MOST_NAMED]]
    if len(new) > MOST_NAMED:
        told.append(f"and {len(new) - MOST_NAMED} more")
    if not allowed and any(label not in meant for label, _ in new):
        raise ValueError(
            f"The pipeline does not know {'; '.join(told)}. Correct what is a typing error. "
            "--allow-new-labels lets all of them be learnt."
        )
    return told


def _read_lines(path: Path) -> list[tuple[str, str]]:
    """The lines of bracketed texts, each with its place."""
    found: list[tuple[str, str]] = []
    for file in find_texts(path):
        with suppress(OSError, ValueError):  # what can't be read has been reported
            lines = read_text(file).split("\n") if file.suffix == PLAIN else []
            found += [(f"{file}:{number}", line) for number, line in enumerate(lines, start=1)]
    return found


def _tell(label: str, known: Collection[str], lines: Iterable[tuple[str, str]], docs: Iterable[Doc]) -> str:
    alike = get_close_matches(label, known, n=1)
    meant = f", did you mean {alike[0]!r}?" if alike else ""
    bracket = re.compile(rf"\[(\w+=)?{re.escape(label)}[\s\]]")  # [ARG0 words] or [V=give.01 gave]
    places = chain((place for place, line in lines if bracket.search(line)), _places(label, docs))
    return f"{label!r}, first in {next(places, 'a declaration')}{meant}"


def _places(label: str, docs: Iterable[Doc]) -> Iterator[str]:
    for doc in docs:
        for group in read_all_groups(doc).values():
            for span in group:
                if label in types_of(span.label_) or label == group.attrs.get("roleset"):
                    yield f"{describe_doc(doc)} at {span.text!r}"
