from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return import_module("cut_novels")


def novel(paragraphs: int) -> str:
    """Paragraphs of ten words each, which say which they are."""
    return "\n\n".join(f"p{number}." + " word" * 9 for number in range(paragraphs))


def numbers(text: str) -> list[int]:
    return [int(word[1:-1]) for word in text.split() if word.startswith("p")]


def test_pieces_are_whole_paragraphs_between_beginning_and_end(script: ModuleType) -> None:
    pieces = list(script.pieces_of(novel(1000), words=95))
    assert [len(piece.split()) for piece in pieces] == [100] * len(pieces)
    found = [number for piece in pieces for number in numbers(piece)]
    assert found == list(range(300, 300 + len(found)))
    assert len(found) <= 640  # 94 % of 1,000 paragraphs, without the first 300


def test_a_short_text_has_none(script: ModuleType) -> None:
    assert list(script.pieces_of(novel(300), words=95)) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("emma", "alice", "test_novel"):
        (tmp_path / f"{name}.txt").write_text(novel(500).replace("word", name), encoding="utf-8")
    (tmp_path / "train.ids").write_text("emma_brat.tsv\nalice_brat.tsv\n", encoding="utf-8")
    return tmp_path


def run(script: ModuleType, monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str) -> list[dict[str, str]]:
    out = folder / "new/pieces.jsonl"
    given = ["cut_novels.py", str(folder), str(folder / "train.ids"), str(out), "--words", "100", *options]
    monkeypatch.setattr(sys, "argv", given)
    assert script.main() == 0
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_only_novels_of_the_split_are_read(script: ModuleType, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    records = run(script, monkeypatch, folder, "--pieces", "3")
    assert [record["id"] for record in records] == ["emma/1", "alice/1", "emma/2", "alice/2", "emma/3", "alice/3"]
    assert not any("test_novel" in record["text"] for record in records)


def test_the_seed_chooses_the_pieces(script: ModuleType, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    first = run(script, monkeypatch, folder, "--pieces", "2")
    assert run(script, monkeypatch, folder, "--pieces", "2") == first
    assert run(script, monkeypatch, folder, "--pieces", "2", "--seed", "1") != first


def test_a_missing_novel_is_named(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "emma.txt").unlink()
    with pytest.raises(SystemExit):
        run(script, monkeypatch, folder)
    assert "emma.txt: there is no such file" in capsys.readouterr().err
