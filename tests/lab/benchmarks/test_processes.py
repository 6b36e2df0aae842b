from __future__ import annotations

from pathlib import Path

from lab.benchmarks.keeping import WAYS
from lab.benchmarks.processes import main

from .conftest import MakeModel, rows, run


def test_every_way_has_a_row(data: Path, make_model: MakeModel):
    result = run(main, data, make_model(), "--documents", 2, "--repeats", 1)
    table = rows(result)
    assert "structured_coref, structured: 2 documents, 18 words" in result.stdout
    assert [row["codecs"] for row in table] == [*WAYS]
    assert all(float(row["workers, CPU s"].split()[0]) > 0 for row in table)


def test_a_file_that_is_missing_is_named(tmp_path: Path, make_model: MakeModel):
    result = run(main, tmp_path / "none.spacy", make_model())
    assert result.exit_code == 1 and "none.spacy" in result.output
