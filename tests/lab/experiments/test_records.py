import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lab.experiments.records import FIELDS, append_record, read_records

from .conftest import make_record


def test_records_are_read_as_written_by_several_threads(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    records = [make_record(seed=number, text="x" * 10_000) for number in range(50)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda record: append_record(path, record), records))
    for place in (path, tmp_path):
        assert sorted(read_records([place]), key=lambda record: record["seed"]) == records


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("line", [b'{"grid": "g", "na', b"\0\0\0", b"[1]", b"3", b'{"name": "caf\xe9"}'])
def test_a_damaged_line_is_left_out_with_a_warning(tmp_path: Path, line: bytes, strict: bool) -> None:
    path = tmp_path / "results.jsonl"
    append_record(path, make_record(seed=0))
    with path.open("ab") as stream:
        stream.write(line)
    append_record(path, make_record(seed=1))
    with pytest.warns(UserWarning, match=r"results\.jsonl:2: not a record"):
        assert read_records([path], strict=strict) == [make_record(seed=0), make_record(seed=1)]


@pytest.mark.parametrize("field", FIELDS)
def test_an_incomplete_record_is_named(tmp_path: Path, field: str) -> None:
    path = tmp_path / "results.jsonl"
    append_record(path, {name: value for name, value in make_record(seed=0).items() if name != field})
    append_record(path, make_record(seed=1))
    message = rf"results\.jsonl:1: a record of a run without {field}\. Delete the line"
    with pytest.warns(UserWarning, match=message):
        assert read_records([path]) == [make_record(seed=1)]
    with pytest.raises(ValueError, match=message):
        read_records([path], strict=True)


@pytest.mark.parametrize("changed", [False, True])
def test_the_last_record_of_a_run_counts_and_another_config_is_named(tmp_path: Path, changed: bool) -> None:
    for folder, tokens in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        record = make_record(tokens=tokens, fingerprint=folder if changed else "f")
        append_record(tmp_path / folder / "results.jsonl", record)
    with warnings.catch_warnings(record=True) as caught:
        assert [record["tokens"] for record in read_records([tmp_path / "one", tmp_path / "two"])] == [2]
    expected = "results.jsonl:1: the run structured-seed0-fold0 has another config"
    assert [expected in str(warning.message) for warning in caught] == [True] * changed


def test_runs_of_two_grids_may_share_a_name(tmp_path: Path) -> None:
    for grid in "gh":
        append_record(tmp_path / "results.jsonl", make_record(grid=grid))
    assert len(read_records([tmp_path])) == 2


def test_missing_file_is_named_and_nan_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        append_record(tmp_path / "results.jsonl", {"score": float("nan")})
    with pytest.raises(FileNotFoundError, match=r"results\.jsonl: no such file"):
        read_records([tmp_path])
