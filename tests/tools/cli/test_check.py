import json
import shutil
from pathlib import Path

import pytest

from ...commands import refusal, run, success
from ..checking.corpora import GOOD, OTHER, read, write


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    write(folder / "train.spacy", read(GOOD))
    write(folder / "dev.spacy", read(OTHER))
    return folder


def test_a_good_corpus_is_a_table_and_a_line(corpus: Path) -> None:
    said = success("check", corpus)
    rows = [line.split() for line in said.splitlines()]
    assert ["dev.spacy", "train.spacy"] in rows
    assert ["Arguments", "4", "4"] in rows
    assert "Nothing is lost" in said.splitlines()[-1]
    assert "Singletons" not in said  # what no file has is left out


def test_what_is_lost_is_exit_status_1_and_the_first_cases(corpus: Path) -> None:
    bad = "".join(f"=== {i}\n[Ann\n" for i in range(5))
    (corpus / "bad.txt").write_text(bad, encoding="utf-8")
    said = refusal("check", corpus)
    assert "can't be read, or not as meant: 5" in said
    assert said.count("a mention that is not closed") == 3
    assert "... and 2 more (--all shows them)" in said
    assert run("check", corpus, "--all").output.count("a mention that is not closed") == 5


def test_many_files_are_rows(corpus: Path) -> None:
    for i in range(4):
        (corpus / f"{i}.txt").write_text(f"=== {i}\nNumber {i} came.\n", encoding="utf-8")
    assert "3.txt" in [line.split()[0] for line in run("check", corpus).output.splitlines() if line.split()]


def test_json(corpus: Path, tmp_path: Path) -> None:
    output = tmp_path / "new/check.json"
    result = run("check", corpus, "--output", output)
    assert f"Counts and problems: {output}" in result.output
    data = json.loads(output.read_text(encoding="utf-8"))
    assert data["good"]
    assert [file["documents"] for file in data["files"]] == [1, 1]


def test_the_components_of_a_config_say_what_is_lost(corpus: Path) -> None:
    success("check", corpus, "--config", Path(__file__).parents[3] / "configs/coref_cpu.cfg")


def test_the_config_is_not_replaced(corpus: Path, tmp_path: Path) -> None:
    config = shutil.copy(Path(__file__).parents[3] / "configs/coref_cpu.cfg", tmp_path)
    assert "not written, since it is what was read" in refusal("check", corpus, "--config", config, "--output", config)


def test_a_missing_file_is_a_problem_and_the_others_are_read(corpus: Path) -> None:
    said = refusal("check", corpus / "train.spacy", corpus / "missing.spacy")
    assert "missing.spacy: no such file" in said
    assert "Nothing is lost" not in said
