import json
from pathlib import Path
from typing import Any

import pytest

from spacy_span_selector.tools.annotate import Job
from spacy_span_selector.tools.annotate.records import Record

from ...untrained import pipeline_of
from . import components  # noqa: F401  registers what the pipeline is made of


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A pipeline that needs no training."""
    path = tmp_path_factory.mktemp("model") / "pipeline"
    pipeline_of("xx", "sentencizer", "rules_of_tests").to_disk(path)
    return str(path)


@pytest.fixture
def job(model: str) -> Job:
    return Job(model=model)


def make_records(*texts: str) -> list[Record]:
    return [Record(f"id{i}", f"file:{i}", i, text) for i, text in enumerate(texts, start=1)]


def read_lines(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def write_table(path: Path, columns: dict[str, Any]) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(columns), path)
