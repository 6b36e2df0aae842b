from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")

from spacy_span_selector.tools.serving.folder import ChangedError, TextFolder


def fill(folder: Path, *names: str) -> TextFolder:
    for name in names:
        (folder / name).write_text(f"Text of {name}.", encoding="utf-8")
    return TextFolder(folder)


def test_texts_and_their_corrections_are_documents_and_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "folder.txt").mkdir()
    folder = fill(tmp_path, "b.txt", "a.txt", "a.brackets.txt", "alone.brackets.txt", "notes.md", ".hidden.txt")
    assert folder.names() == {"a": True, "alone": True, "b": False}


def test_a_version_is_corrected_once_and_then_read_as_corrected(tmp_path: Path) -> None:
    folder = fill(tmp_path, "a.txt")
    raw = folder.read("a")
    assert (raw.text, raw.is_corrected) == ("Text of a.txt.", False)
    saved = folder.save("a", raw.text, raw.version)
    assert folder.read("a") == saved
    assert saved.is_corrected and saved.version != raw.version
    with pytest.raises(ChangedError):
        folder.save("a", "Second.", raw.version)
    assert folder.read("a") == saved
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", "a.brackets.txt"}


def test_beside_it_takes_a_name_that_is_free(tmp_path: Path) -> None:
    folder = fill(tmp_path, "a.txt", "a-2.txt")
    assert folder.save_beside("a", "Mine.").name == "a-3"
    assert folder.read("a-3").text == "Mine."


def test_a_folder_without_texts_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no text to correct"):
        TextFolder(tmp_path)
    with pytest.raises(OSError, match="missing: no such folder"):
        TextFolder(tmp_path / "missing")
