import json
from pathlib import Path

import pytest

from lab.experiments.report import group_by_variant, write_report

from .conftest import make_record


def test_the_reference_comes_first():
    records = [make_record(name) for name in ("mine", "greedy", "structured", "sigmoid")]
    assert list(group_by_variant(records, "structured")) == ["structured", "sigmoid", "greedy", "mine"]
    assert list(group_by_variant(records, "mine")) == ["mine", "structured", "sigmoid", "greedy"]


def test_each_grid_has_a_section(tmp_path: Path):
    pytest.importorskip("matplotlib")
    records = [make_record(name, grid=grid) for grid in ("books", "talks") for name in ("greedy", "structured")]
    files = write_report([*records, make_record(grid="../<b>books")], tmp_path / "report")
    text = (tmp_path / "report/report.md").read_text(encoding="utf-8")
    assert text.index("## books") < text.index("## talks")
    assert all(f"({path.name})" in text for path in files if path.suffix == ".png")
    assert {path.resolve().parent for path in files if path.is_file()} == {(tmp_path / "report").resolve()}
    assert "<b>" not in text
    numbers = json.loads((tmp_path / "report/report.json").read_text(encoding="utf-8"))
    scores = numbers["books"]["Coreference on test"]["structured"]
    assert scores["Avg. F1"] == {"mean": 0.7, "deviation": None, "runs": 1}
    with pytest.raises(ValueError, match="no records to report"):
        write_report([], tmp_path)


def test_runs_without_gold_spans_are_reported_without_recall(tmp_path: Path):
    pytest.importorskip("matplotlib")
    nothing = {name: {"found": 0, "gold": 0} for name in ("1", "2", "3+", "1-4", "5-12", "13+")}
    spans = {"found": 0, "gold": 0, "spans": 0, "depth": nothing, "width": nothing}
    scores = {"dev": {}, "test": {"coref_f": None}}
    record = make_record(scores=scores, tokens=0, kept=spans, output=spans, curve=[], calibration=None)
    names = [path.name for path in write_report([record], tmp_path)]
    assert "report.md" in names
    assert "books-ratio.png" not in names
