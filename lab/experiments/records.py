"""The results of each run: one line of JSON per run, so that a crash loses one line at most."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from spacy_span_selector.tools.files.writing import append_line

RESULTS = "results.jsonl"

FIELDS = (
    *("name", "grid", "component", "variant", "condition", "seed", "fold", "fingerprint", "training", "jobs"),
    *("scores", "documents", "tokens", "kept", "output", "curve", "calibration", "average_precision"),
    *("predictions", "elsewhere", "memory"),
)
"""The fields of a record; lab/README.md explains them."""

Record = dict[str, Any]


def append_record(path: Path, record: Mapping[str, Any]) -> None:
    """Append a record to a file; readers and other writers never see an incomplete line.

    path (Path): The file; it is created if missing.
    record (Mapping[str, Any]): Plain values.
    RAISES (OSError): If the record can't be appended, naming the file.
    """
    append_line(path, json.dumps(record, allow_nan=False))


def read_records(paths: Iterable[Path], *, strict: bool = False) -> list[Record]:
    """Read the records of one or more files; of several with the same grid and name, only the last counts.

    paths (Iterable[Path]): Files of records, or folders with a `results.jsonl`.
    strict (bool): Whether an incomplete record is an error. Otherwise it is left out with a warning, as a line that is
        not JSON always is: a crash leaves one.
    RAISES (FileNotFoundError): If a file is missing.
    RAISES (ValueError): If a record is incomplete and `strict` is set.
    """
    records: dict[tuple[str, str], tuple[Record, str]] = {}
    for path in paths:
        file = path / RESULTS if path.is_dir() else path
        if not file.is_file():
            raise FileNotFoundError(f"{file}: no such file. Expected the results of 'python -m lab experiment'.")
        for record, place in _read_file(file, strict):
            key = str(record["grid"]), str(record["name"])
            if key in records and records[key][0]["fingerprint"] != record["fingerprint"]:
                _leave_out(f"{records[key][1]}: the run {key[1]} has another config or evaluation than in {place}")
            records[key] = record, place
    return [record for record, _ in records.values()]


def _read_file(file: Path, strict: bool) -> Iterator[tuple[Record, str]]:
    """The complete records of a file, each with its place."""
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        place = f"{file}:{number}"
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise ValueError
        except ValueError:
            if line:
                _leave_out(f"{place}: not a record of a run: {line[:60].decode(errors='replace')!r}")
            continue
        missing = [field for field in FIELDS if field not in record]
        if missing:
            cure = "Delete the line, and 'experiment' runs it again, or use another folder"
            _leave_out(f"{place}: a record of a run without {', '.join(missing)}. {cure}", strict)
        else:
            yield record, place


def _leave_out(problem: str, strict: bool = False) -> None:
    if strict:
        raise ValueError(f"{problem}.")
    warnings.warn(f"Left out: {problem}.", stacklevel=4)
