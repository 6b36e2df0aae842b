import io
from pathlib import Path

import pytest
import spacy

from lab.experiments.progress import progress_logger, read_progress


def test_each_step_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    nlp = spacy.blank("en")
    path = tmp_path / "progress.jsonl"
    log_step, finalize = progress_logger(str(path))(nlp, io.StringIO(), io.StringIO())
    info = {"epoch": 0, "step": 0, "score": 0.5, "other_scores": {}, "losses": {}, "words": 12, "checkpoints": []}
    log_step(info)
    log_step(None)
    log_step({**info, "words": 30})
    finalize()
    lines = read_progress(path)
    assert [line["step"] for line in lines] == [0, 1, 2]
    assert [line.get("words") for line in lines] == [12, None, 30]
    assert lines[0]["seconds"] <= lines[2]["seconds"]


def test_a_line_that_is_being_written_is_left_out(tmp_path: Path):
    path = tmp_path / "progress.jsonl"
    assert read_progress(path) == []
    path.write_text('{"step": 0}\n{"st')
    assert read_progress(path) == [{"step": 0}]
