"""The folder of a run: its parts, what could not be annotated, what is done, and what all that was made of.

`part-00000.jsonl` and so on hold documents, `errors.jsonl` what could not be annotated, `done.jsonl` a line for each
part that is complete, and `manifest.json` what the output depends on and when it was made. Flat tables have folders
with a file for each part. A part counts only once its line in `done.jsonl` is on the disk; until then a run that goes
on makes it again. All is written by one process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..files.fingerprints import differences
from ..files.processes import lock_file
from ..files.writing import TEMPORARY, append_line, write_file, write_files
from .annotator import PartResult, no_counts
from .records import Part

COMMAND = "annotate"
MANIFEST, DONE, ERRORS = "manifest.json", "done.jsonl", "errors.jsonl"
FORMAT = "spacy_span_selector.Annotate.v1"

CURE = "Take another folder, or the inputs as they were."

Manifest = dict[str, dict[str, Any]]
"""`settings`, `pipeline` and `inputs`, which must stay the same; `versions`, which may change the result a little."""


def _now() -> str:
    """The time as ISO 8601 has it."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


class OutputFolder:
    """The folder of a run that may have begun before.

    path (Path): The folder.
    done (dict[int, str]): The parts that are done, with the fingerprints of their records.
    totals (Counter[str]): How many of `documents`, `words` and `errors` there are in them.
    started (str): When the run began, the first one in the folder, as ISO 8601 has it.
    warnings (list[str]): What may make the result differ from that of one run.
    """

    def __init__(self, path: Path, manifest: Manifest, suffixes: Mapping[str, str]) -> None:
        """Open a folder, or begin one. Only one process may do so: it must hold the lock.

        path (Path): The folder.
        manifest (Manifest): What the output depends on.
        suffixes (Mapping[str, str]): How the names of its files end, as `formats.output_suffixes` returns them.
        RAISES (ValueError): If the folder has something else, or a run with another pipeline, other settings or other
            inputs, saying which.
        """
        self.path = path
        self.manifest = manifest
        self.suffixes = suffixes
        self.done: dict[int, str] = {}
        self.totals = no_counts()
        self._begun = False
        self.started, self._finished = _now(), ""
        self.warnings: list[str] = []
        self._open()

    def part_file(self, number: int, table: str = "") -> Path:
        """The file of a part, or that of one of its flat tables, each of which has a folder."""
        return self.path / table / f"part-{number:05}.{self.suffixes[table]}"

    def pending(self, parts: Iterable[Part]) -> Iterator[Part]:
        """The parts that are not done.

        parts (Iterable[Part]): All parts, in order.
        YIELDS (Part): Those to do.
        RAISES (ValueError): If a part that is done had other records, or there are no records for it.
        """
        count = 0
        for part in parts:
            count += 1
            digest = self.done.get(part.number)
            if digest is None:
                yield part
            elif digest != part.digest():
                raise ValueError(
                    f"{self.part_file(part.number)} was made of other texts than there are {part.place}. {CURE}"
                )
        if max(self.done, default=-1) >= count:
            raise ValueError(f"{self.part_file(max(self.done))} was made of texts that are not there any more. {CURE}")

    def save(self, result: PartResult) -> None:
        """Write a part.

        result (PartResult): What became of it.
        RAISES (OSError): If it can't be written, naming the file. Then the part is not done.
        """
        if not self._begun:  # only now, as the pipeline could be loaded
            self._write_manifest(complete=False)
            self._begun = True
        file = self.part_file(result.number)
        tables = [(self.part_file(result.number, name), content) for name, content in result.tables.items()]
        write_files([*tables, (file, result.content)])
        if result.errors:
            append_line(self.path / ERRORS, "\n".join(map(json.dumps, result.errors)))
        counts = result.counts()
        line = {"part": result.number, "file": file.name, "input": result.digest, **counts}
        append_line(self.path / DONE, json.dumps(line))
        self.done[result.number] = result.digest
        self.totals.update(counts)

    def finish(self) -> None:
        """Note that all parts are done."""
        self._tidy_errors()
        self._write_manifest(complete=True)

    def _open(self) -> None:
        try:
            found = json.loads((self.path / MANIFEST).read_bytes())
        except FileNotFoundError:
            self._check_empty()
        except ValueError as error:
            raise ValueError(f"{self.path / MANIFEST} is damaged ({error}). Take another folder.") from error
        else:
            self._read_done()
            if self.done:
                self._check(found)
                self.started, self._finished = found.get("started", self.started), found.get("finished", "")
        for left in self.path.rglob(f"{TEMPORARY}*.tmp"):  # of a run that was killed
            with suppress(OSError):
                os.unlink(left)
        self._tidy_errors()

    def _check_empty(self) -> None:
        lock = lock_file(self.path, COMMAND).name
        others = [name for name in os.listdir(self.path) if name != lock and not name.startswith(TEMPORARY)]
        if others:
            raise ValueError(
                f"{self.path} has files, such as {min(others)}, but no {MANIFEST}: it is no folder that "
                f"'{COMMAND}' has begun. Take an empty or a new one."
            )

    def _check(self, found: Any) -> None:
        """Fail unless a manifest is that of this run."""
        known = isinstance(found, dict) and all(isinstance(found.get(part), dict) for part in self.manifest)
        if not known or found.get("format") != FORMAT:
            raise ValueError(f"{self.path / MANIFEST} is none that this version can go on with. Take another folder.")
        other = [
            f"{part}, {line}"
            for part in ("settings", "pipeline", "inputs")
            for line in differences(found[part], self.manifest[part])
        ]
        if other:
            raise ValueError(
                f"{self.path} has {len(self.done):,} parts of another run, and a mixture would be of no use: "
                f"{'; '.join(other)}. Take another folder, or delete this one to begin again."
            )
        self.warnings = differences(found["versions"], self.manifest["versions"])

    def _write_manifest(self, complete: bool) -> None:
        dates = {"started": self.started}
        if complete:
            dates["finished"] = _now() if self._begun or not self._finished else self._finished
        content = {
            "format": FORMAT,
            **self.manifest,
            **dates,
            "complete": complete,
            **(self.totals if complete else {}),
        }
        write_file(self.path / MANIFEST, json.dumps(content, indent=2) + "\n")

    def _read_done(self) -> None:
        """Read which parts are done: they have lines, of which the last one counts, and files."""
        found: dict[int, dict[str, Any]] = {}
        for line in self._lines(DONE):
            with suppress(ValueError, KeyError, TypeError):  # half a line of a crash: its part is made again
                entry = json.loads(line)
                found[entry["part"]] = {"input": entry["input"], **{name: int(entry[name]) for name in self.totals}}
        for number, entry in found.items():
            if all(self.part_file(number, name).is_file() for name in self.suffixes):
                self.done[number] = entry.pop("input")
                self.totals.update(entry)

    def _tidy_errors(self) -> None:
        """Bring errors into the order of parts, and leave out those of parts that are not done, if there are any."""
        last = 0
        for number, _ in self._errors():
            if number < last or number not in self.done:  # half a line belongs to no part
                kept = sorted((line for line in self._errors() if line[0] in self.done), key=lambda line: line[0])
                write_file(self.path / ERRORS, b"".join(line for _, line in kept))
                return
            last = number

    def _errors(self) -> Iterator[tuple[int, bytes]]:
        """The lines of errors, with the numbers of their parts; -1 for half a line of a crash."""
        for line in self._lines(ERRORS):
            try:
                yield int(json.loads(line)["part"]), line
            except (ValueError, KeyError, TypeError):
                yield -1, line

    def _lines(self, name: str) -> Iterator[bytes]:
        with suppress(FileNotFoundError), open(self.path / name, "rb") as stream:
            yield from stream
