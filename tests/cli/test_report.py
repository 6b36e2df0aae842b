from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lab.experiments.records import append_record
from spacy_span_selector.cli import app

from ..lab.experiments.conftest import make_record


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


def test_folders_are_combined_in_the_first(tmp_path: Path):
    pytest.importorskip("matplotlib")
    for folder, variant in (("one", "structured"), ("two", "greedy")):
        (tmp_path / folder).mkdir()
        append_record(tmp_path / folder / "results.jsonl", make_record(variant))
    result = invoke(tmp_path / "one", tmp_path / "two")
    assert result.exit_code == 0, result.output
    text = (tmp_path / "one/report.md").read_text(encoding="utf-8")
    assert "| structured | 1 |" in text and "| greedy | 1 |" in text


def test_another_reference_and_folder(tmp_path: Path):
    pytest.importorskip("matplotlib")
    for variant in ("structured", "greedy"):
        append_record(tmp_path / "results.jsonl", make_record(variant))
    result = invoke(tmp_path / "results.jsonl", "--output", tmp_path / "report", "--reference", "greedy")
    assert result.exit_code == 0, result.output
    assert "Difference between greedy and the others" in (tmp_path / "report/report.md").read_text(encoding="utf-8")


def test_missing_records_exit_with_a_message(tmp_path: Path):
    result = invoke(tmp_path)
    assert result.exit_code == 1
    assert "no such file" in " ".join(result.output.split())


def test_records_that_cannot_be_read_are_named_and_the_others_reported(tmp_path: Path):
    pytest.importorskip("matplotlib")
    append_record(tmp_path / "results.jsonl", {"grid": "books", "name": "old"})
    append_record(tmp_path / "results.jsonl", make_record("structured"))
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(make_record("greedy")), encoding="utf-16")
    with pytest.warns(UserWarning) as warned:
        result = invoke(tmp_path, other)
    assert result.exit_code == 0, result.output
    assert [str(warning.message).split(". ")[0] for warning in warned if "Left out" in str(warning.message)] == [
        f"Left out: {tmp_path / 'results.jsonl'}:1: a record of a run without "
        "component, variant, seed, fold, fingerprint, training, jobs, "
        "scores, tokens, kept, output, curve, calibration, memory",
        f"Left out: {other} is encoded in utf-16",
    ]
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| structured | 1 |" in text and "greedy" not in text
