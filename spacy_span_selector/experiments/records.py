"""The results of each run: one line of JSON per run, so that a crash loses one line at most."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..writing import append_line

RESULTS = "results.jsonl"

Record = dict[str, Any]


def append_record(path: Path, record: Mapping[str, Any]) -> None:
    """Append a record to a file; readers and other writers never see an incomplete line.

    path (Path): The file; it is created if missing.
    record (Mapping[str, Any]): Plain values.
    RAISES (OSError): If the record can't be appended, naming the file.
    """
    append_line(path, json.dumps(record, allow_nan=False))


def read_records(paths: Iterable[Path]) -> list[Record]:
    """Read the records of one or more files; of several with the same grid and name, only the last counts.

    paths (Iterable[Path]): Files of records, or folders with a `results.jsonl`.
    RETURNS (list[Record]): The records. Lines that are not records are left out with a warning.
    RAISES (FileNotFoundError): If a file is missing.
    """
    records: dict[tuple[str, str], Record] = {}
    for path in paths:
        file = path / RESULTS if path.is_dir() else path
        if not file.is_file():
            raise FileNotFoundError(
                f"{file}: no such file. Expected the results of 'python -m spacy span-selector experiment'."
            )
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                record = json.loads(line)
                records[record["grid"], record["name"]] = record
            except (ValueError, KeyError, TypeError):
                if line:
                    warnings.warn(f"{file}:{number}: not a record of a run, left out: {line[:60]!r}", stacklevel=2)
    return list(records.values())
