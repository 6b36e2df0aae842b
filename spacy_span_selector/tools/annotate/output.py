"""Where a run writes: a stream, or a folder with its parts, errors, what is done, and what all that was made of.

A part counts only once its line in `done.jsonl` is on the disk; until then a run that goes on makes it again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from ..files.folders import MANIFEST
from ..files.runs import differences, lock_file
from ..files.writing import TEMPORARY, append_line, write_file, write_files
from .annotator import PartResult, no_counts
from .records import Part

COMMAND = "annotate"
DONE, ERRORS = "done.jsonl", "errors.jsonl"
FORMAT = "spacy_span_selector.Annotate.v1"
CURE = "Take another folder, or the inputs as they were."

Manifest = dict[str, dict[str, Any]]
"""`settings`, `pipeline` and `inputs`, which must stay the same; `versions`, which may change the result a little."""


class OutputStream:
    """Gets documents and, elsewhere, a line of JSON for each error, in the order of the parts."""

    def __init__(self, out: IO[bytes], errors: IO[str]) -> None:
        self.out = out
        self.errors = errors
        self.totals = no_counts()
        self.warnings: list[str] = []
        self.next = 0
        self.early: dict[int, PartResult] = {}

    def pending(self, parts: Iterable[Part], skip: Callable[[int], object]) -> Iterable[Part]:
        """All parts: a stream can't be gone on with."""
        return parts

    def save(self, result: PartResult) -> None:
        """Write a part once those before it have been written."""
        self.early[result.number] = result
        while ready := self.early.pop(self.next, None):
            self.out.write(ready.content)
            self.out.flush()
            self.errors.writelines(f"{json.dumps(error)}\n" for error in ready.errors)
            self.totals.update(ready.counts)
            self.next += 1

    def finish(self) -> None:
        """There is nothing left to write."""


class OutputFolder:
    def __init__(self, path: Path, manifest: Manifest, suffixes: Mapping[str, str]) -> None:
        """Open a folder, or begin one. Only one process may do so: it must hold the lock."""
        self.path = path
        self.manifest = manifest
        self.suffixes = suffixes  # of files, by the names of the flat tables; "" for documents
        self.done: dict[int, str] = {}  # the parts that are done, with the fingerprints of their records
        self.totals = no_counts()
        self.warnings: list[str] = []  # what may make the result differ from that of one run
        self._begun = False
        if (path / MANIFEST).exists():
            self._read_manifest(self._read_done())
        else:
            self._check_empty()
        for left in self.path.rglob(f"{TEMPORARY}*.tmp"):  # of a run that was killed
            with suppress(OSError):
                os.unlink(left)
        self._tidy_errors()

    def part_file(self, number: int, table: str = "") -> Path:
        """The file of a part, or that of one of its flat tables, each of which has a folder."""
        return self.path / table / f"part-{number:05}.{self.suffixes[table]}"

    def pending(self, parts: Iterable[Part], skip: Callable[[int], object]) -> Iterator[Part]:
        """The parts that are not done, among all parts in order; `skip` gets the ends of the others."""
        number = -1
        for part in parts:
            number = part.number
            if number not in self.done:
                yield part
            elif self.done[number] == part.digest():
                skip(part.end)
            else:
                file = self.part_file(number)
                raise ValueError(f"{file} was made of other texts than there are {part.place}. {CURE}")
        if (last := max(self.done, default=-1)) > number:
            raise ValueError(f"{self.part_file(last)} was made of texts that are not there any more. {CURE}")

    def save(self, result: PartResult) -> None:
        """Write a part, which is not done if that fails."""
        if not self._begun:  # only now, as the pipeline could be loaded
            self._write_manifest(complete=False)
            self._begun = True
        contents = {"": result.content, **result.tables}
        write_files([(self.part_file(result.number, name), content) for name, content in contents.items()])
        if result.errors:
            append_line(self.path / ERRORS, "\n".join(map(json.dumps, result.errors)))
        names = {"part": result.number, "file": self.part_file(result.number).name, "input": result.digest}
        append_line(self.path / DONE, json.dumps({**names, **result.counts}))
        self.done[result.number] = result.digest
        self.totals.update(result.counts)

    def finish(self) -> None:
        self._tidy_errors()
        self._write_manifest(complete=True)

    def _write_manifest(self, complete: bool) -> None:
        counts = self.totals if complete else {}
        content = {"format": FORMAT, **self.manifest, "complete": complete, **counts}
        write_file(self.path / MANIFEST, json.dumps(content, indent=2) + "\n")

    def _check_empty(self) -> None:
        lock = lock_file(self.path, COMMAND).name
        if others := [name for name in os.listdir(self.path) if name != lock and not name.startswith(TEMPORARY)]:
            found = f"{self.path} has files, such as {min(others)}, but no {MANIFEST}"
            raise ValueError(f"{found}: it is no folder that '{COMMAND}' has begun. Take an empty or a new one.")

    def _read_done(self) -> int:
        """Read which parts are done: they have lines, of which the last counts, and all files. Count those with any."""
        entries = {entry["part"]: entry for entry, _ in self._lines(DONE, "part", "file", "input", *self.totals)}
        for number, entry in entries.items():
            if all(self.part_file(number, name).is_file() for name in self.suffixes):
                self.done[number] = entry["input"]
                self.totals.update({name: entry[name] for name in self.totals})
        return sum((self.path / entry["file"]).is_file() for entry in entries.values())  # be it of another format

    def _read_manifest(self, parts_there: int) -> None:
        """Compare the manifest of parts that are there with that of this run."""
        file = self.path / MANIFEST
        try:
            found = json.loads(file.read_bytes())
        except ValueError as error:
            raise ValueError(f"{file} is damaged ({error}). Take another folder.") from error
        try:
            if found["format"] != FORMAT:
                raise KeyError
            parts = {part: differences(found[part], now) for part, now in self.manifest.items()}
        except (AttributeError, KeyError, TypeError):
            raise ValueError(f"{file} is none that this version can go on with. Take another folder.") from None
        if not parts_there:
            return
        self.warnings = parts.pop("versions")
        if other := [f"{part}, {line}" for part, lines in parts.items() for line in lines]:
            found = f"{self.path} has {parts_there:,} parts of another run: {'; '.join(other)}"
            raise ValueError(f"{found}. Take another folder, or delete this one to begin again.")

    def _tidy_errors(self) -> None:
        """Bring errors into the order of parts, and leave out those of parts that are not done."""
        found = [(entry["part"], line) for entry, line in self._lines(ERRORS, "part")]
        kept = b"".join(line for part, line in sorted(found, key=lambda pair: pair[0]) if part in self.done)
        if (self.path / ERRORS).exists() and (self.path / ERRORS).read_bytes() != kept:
            write_file(self.path / ERRORS, kept)

    def _lines(self, name: str, *keys: str) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Lines of JSON and what they say, except half a line that a crash has left."""
        with suppress(FileNotFoundError), open(self.path / name, "rb") as stream:
            for line in stream:
                with suppress(ValueError, TypeError):
                    entry = json.loads(line)
                    if all(key in entry for key in keys):
                        yield entry, line


Output = OutputFolder | OutputStream
