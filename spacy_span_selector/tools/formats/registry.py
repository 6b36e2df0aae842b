"""The registry of formats, which `convert`, `export`, `annotate`, `check`, `render` and the docs follow.

A format is declared in its module, as a `Format`, and known by one line in `setup.cfg`: an entry point of the group
`spacy_span_selector_formats`. Formats of other packages are known in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import catalogue
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

BRACKETED = "bracketed"  # the format of files that no name tells
SPACY = "spacy"  # the one to which `convert` converts
Write = Callable[[Sequence[Doc]], str]  # returns the content of a file
Command = Callable[..., None]  # whose arguments are those of a command: typer reads its signature


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of files: `convert`, `check` and `render` have what is read, `export` and `annotate` what is written.

    Readers raise a ValueError or an OSError if they can't read any document.
    """

    name: str  # what commands call it
    title: str  # what messages call it: "the bracketed plain-text format"
    suffixes: tuple[str, ...] = ()  # by which `check` and `render` know its files; `annotate` writes the first one
    read: Callable[[Path, Vocab], Iterable[Doc]] | None = None  # a file that has words
    read_text: Callable[[Path, Language], Iterable[Doc]] | None = None  # one whose text the tokenizer splits
    write: Write | None = None
    convert: Command | None = None  # with options of its own, or of files that are not read one by one
    export: Command | None = None
    writer: Callable[[Any], Any] | None = None  # makes a `Writer` of `annotate`, where `write` won't do
    part_words: int = 100_000  # about how many words a file of `annotate` has by default
    is_compressed: bool = False  # as it is, without `.gz`

    def read_docs(self, path: Path, nlp: Language) -> Iterable[Doc]:
        """Read the documents of a file, with a pipeline whose tokenizer splits text."""
        if self.read_text is not None:
            return self.read_text(path, nlp)
        if self.read is None:
            raise ValueError(f"{path}: {self.title} can't be read.")
        return self.read(path, nlp.vocab)

    @property
    def endings(self) -> tuple[str, ...]:
        """How the names of its files end, those of compressed text, too."""
        compressed = () if self.is_compressed else tuple(f"{suffix}.gz" for suffix in self.suffixes)
        return self.suffixes + compressed

    @property
    def is_converted(self) -> bool:
        return bool(self.convert or self.read or self.read_text) and self.name != SPACY


formats = catalogue.create("spacy_span_selector", "formats", entry_points=True)
"""The formats by name; to add one from a program, `formats.register("NAME", func=Format(...))`."""


def all_formats() -> list[Format]:
    return [format_ for _, format_ in sorted(formats.get_all().items())]


def recognised_formats() -> list[Format]:
    return [format_ for format_ in all_formats() if format_.suffixes and (format_.read or format_.read_text)]


def recognise_format(path: Path) -> Format | None:
    """Return the format that the name of a file tells, None if it tells none."""
    return next((format_ for format_ in recognised_formats() if path.name.endswith(format_.endings)), None)
