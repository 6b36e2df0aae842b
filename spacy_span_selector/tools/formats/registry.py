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

BRACKETED, SPACY = "bracketed", "spacy"
"""The format of files that no name tells, and the one to which `convert` converts."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of files. `convert` has it if it is read, `export` and `annotate` have it if it is written.

    name (str): What commands call it.
    title (str): What messages call it: "the bracketed plain-text format".
    suffixes (tuple[str, ...]): The ends of its files' names. `annotate` uses the first.
    is_recognised (bool): Whether `check` and `render` read files with these names in this format.
    read (Callable): Reads the documents of a file. It takes the path and a vocabulary or, with `tokenizes`, a pipeline
        whose tokenizer splits the text. It raises a ValueError or an OSError if it can't read any.
    tokenizes (bool): Whether `read` takes a pipeline.
    write (Callable): Returns the content of a file of documents. It raises a ValueError if it can't be written.
    holds (str): What is written of a document, for help: "coreference".
    convert, export (Callable): The command of the format, as a function for typer. By default there is one for a format
        that is read, and one for a format that is written, without options of its own.
    writer (Callable): Makes the writer of a file of `annotate`, as `annotate.formats.Writer` describes it. By default
        `write` is called at the end of a file.
    part_words (int): About how many words a file of `annotate` has by default.
    is_compressed (bool): Whether its files are compressed as they are.
    """

    name: str
    title: str
    suffixes: tuple[str, ...] = ()
    is_recognised: bool = True
    read: Callable[[Path, Any], Iterable[Doc]] | None = None
    tokenizes: bool = False
    write: Callable[[Sequence[Doc]], str] | None = None
    holds: str = "documents"
    convert: Callable[..., None] | None = None
    export: Callable[..., None] | None = None
    writer: Callable[[Any], Any] | None = None
    part_words: int = 100_000
    is_compressed: bool = False

    @property
    def suffix(self) -> str:
        """The suffix of files that `annotate` writes, without its dot."""
        return self.suffixes[0].removeprefix(".")

    def read_docs(self, path: Path, nlp: Language) -> Iterable[Doc]:
        """Read the documents of a file.

        path (Path): The file.
        nlp (Language): Its tokenizer splits the text of a format that has no words; others get its vocabulary.
        """
        if self.read is None:
            raise ValueError(f"{path}: {self.title} can't be read.")
        return self.read(path, nlp if self.tokenizes else nlp.vocab)

    @property
    def endings(self) -> tuple[str, ...]:
        """How the names of its files end, those of compressed text, too."""
        return self.suffixes if self.is_compressed else (*self.suffixes, *(f"{suffix}.gz" for suffix in self.suffixes))

    @property
    def is_converted(self) -> bool:
        """True if `convert` has the format."""
        return bool(self.convert or self.read) and self.name != SPACY

    @property
    def is_exported(self) -> bool:
        """True if `export` has the format."""
        return bool(self.export or self.write)

    @property
    def is_output(self) -> bool:
        """True if `annotate` has the format."""
        return bool(self.writer or self.write)


formats = catalogue.create("spacy_span_selector", "formats", entry_points=True)
"""The formats by name; to add one from a program, `formats.register("NAME", func=Format(...))`."""


def all_formats() -> list[Format]:
    """Return all formats, by name."""
    return [format_ for _, format_ in sorted(formats.get_all().items())]


def recognised_formats() -> list[Format]:
    """Return the formats that are recognised by the names of files."""
    return [format_ for format_ in all_formats() if format_.read and format_.suffixes and format_.is_recognised]


def recognise_format(path: Path) -> Format | None:
    """Return the format that the name of a file tells, None if it tells none."""
    return next((format_ for format_ in recognised_formats() if path.name.endswith(format_.endings)), None)
