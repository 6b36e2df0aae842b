from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from spacy_span_selector.experiments.records import append_record, read_records


def test_records_are_read_as_written(tmp_path: Path):
    records = [{"grid": "g", "name": name, "score": 0.1} for name in "ab"]
    for record in records:
        append_record(tmp_path / "results.jsonl", record)
    assert read_records([tmp_path]) == records
    assert read_records([tmp_path / "results.jsonl"]) == records


def test_threads_do_not_mix_their_lines(tmp_path: Path):
    path = tmp_path / "results.jsonl"
    records = [{"grid": "g", "name": str(number), "text": "x" * 10_000} for number in range(50)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda record: append_record(path, record), records))
    assert sorted(read_records([path]), key=lambda record: int(record["name"])) == records


def test_an_incomplete_line_is_left_out_with_a_warning(tmp_path: Path):
    path = tmp_path / "results.jsonl"
    path.write_text('{"grid": "g", "na')
    append_record(path, {"grid": "g", "name": "a"})
    with pytest.warns(UserWarning, match=r"results\.jsonl:1: not a record"):
        assert read_records([path]) == [{"grid": "g", "name": "a"}]


def test_the_last_record_of_a_run_counts(tmp_path: Path):
    for folder, score in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        append_record(tmp_path / folder / "results.jsonl", {"grid": "g", "name": "a", "score": score})
    assert [record["score"] for record in read_records([tmp_path / "one", tmp_path / "two"])] == [2]


def test_runs_of_two_grids_may_share_a_name(tmp_path: Path):
    for grid in "gh":
        append_record(tmp_path / "results.jsonl", {"grid": grid, "name": "a"})
    assert len(read_records([tmp_path])) == 2


def test_missing_file_is_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"results\.jsonl: no such file"):
        read_records([tmp_path])


def test_nan_is_not_written(tmp_path: Path):
    with pytest.raises(ValueError):
        append_record(tmp_path / "results.jsonl", {"score": float("nan")})
    assert not (tmp_path / "results.jsonl").exists()
