from __future__ import annotations

import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lab.experiments.records import FIELDS, append_record, read_records

from .conftest import make_record


def test_records_are_read_as_written(tmp_path: Path):
    records = [make_record(name) for name in ("one", "two")]
    for record in records:
        append_record(tmp_path / "results.jsonl", record)
    assert read_records([tmp_path]) == records
    assert read_records([tmp_path / "results.jsonl"]) == records


def test_threads_do_not_mix_their_lines(tmp_path: Path):
    path = tmp_path / "results.jsonl"
    records = [make_record(seed=number, text="x" * 10_000) for number in range(50)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda record: append_record(path, record), records))
    assert sorted(read_records([path]), key=lambda record: record["seed"]) == records


DAMAGED = {
    "cut short": b'{"grid": "g", "na',
    "zeros": b"\0\0\0",
    "list": b"[1]",
    "number": b"3",
    "latin-1": b'{"name": "caf\xe9"}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_line_is_left_out_with_a_warning(tmp_path: Path, line: bytes, strict: bool):
    path = tmp_path / "results.jsonl"
    append_record(path, make_record(seed=0))
    with path.open("ab") as stream:
        stream.write(line)
    append_record(path, make_record(seed=1))
    with pytest.warns(UserWarning, match=r"results\.jsonl:2: not a record"):
        assert read_records([path], strict=strict) == [make_record(seed=0), make_record(seed=1)]


@pytest.mark.parametrize("field", FIELDS)
def test_an_incomplete_record_is_named(tmp_path: Path, field: str):
    path = tmp_path / "results.jsonl"
    append_record(path, {name: value for name, value in make_record(seed=0).items() if name != field})
    append_record(path, make_record(seed=1))
    message = rf"results\.jsonl:1: a record of a run without {field}\. Delete the line"
    with pytest.warns(UserWarning, match=message):
        assert read_records([path]) == [make_record(seed=1)]
    with pytest.raises(ValueError, match=message):
        read_records([path], strict=True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_a_file_in_another_encoding_is_named(tmp_path: Path, encoding: str):
    other, good = tmp_path / "other.jsonl", tmp_path / "results.jsonl"
    other.write_text(json.dumps(make_record(seed=0)) + "\n", encoding=encoding)
    append_record(good, make_record(seed=1))
    message = rf"other\.jsonl is encoded in {encoding}\. Expected UTF-8"
    with pytest.warns(UserWarning, match=message):
        assert read_records([other, good]) == [make_record(seed=1)]
    with pytest.raises(ValueError, match=message):
        read_records([other], strict=True)


def test_a_byte_order_mark_is_no_part_of_a_record(tmp_path: Path):
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(make_record()) + "\n", encoding="utf-8-sig")
    assert read_records([path], strict=True) == [make_record()]


def test_the_last_record_of_a_run_counts(tmp_path: Path):
    for folder, tokens in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        append_record(tmp_path / folder / "results.jsonl", make_record(tokens=tokens))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [record["tokens"] for record in read_records([tmp_path / "one", tmp_path / "two"])] == [2]


def test_the_same_run_with_another_config_is_named(tmp_path: Path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        append_record(tmp_path / folder / "results.jsonl", make_record(fingerprint=folder))
    with pytest.warns(UserWarning, match=r"one.results\.jsonl:1: the run structured-seed0-fold0 has another config"):
        [record] = read_records([tmp_path / "one", tmp_path / "two"])
    assert record["fingerprint"] == "two"


def test_runs_of_two_grids_may_share_a_name(tmp_path: Path):
    for grid in "gh":
        append_record(tmp_path / "results.jsonl", make_record(grid=grid))
    assert len(read_records([tmp_path])) == 2


def test_missing_file_is_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"results\.jsonl: no such file"):
        read_records([tmp_path])


def test_nan_is_not_written(tmp_path: Path):
    with pytest.raises(ValueError):
        append_record(tmp_path / "results.jsonl", {"score": float("nan")})
    assert not (tmp_path / "results.jsonl").exists()
