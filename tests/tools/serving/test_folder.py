from __future__ import annotations

from pathlib import Path

import pytest

from spacy_span_selector.tools.serving.folder import TextFolder


def fill(folder: Path, *names: str) -> TextFolder:
    for name in names:
        (folder / name).write_text(f"Text of {name}.", encoding="utf-8")
    return TextFolder(folder)


def test_texts_and_their_corrections_are_documents_and_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "folder.txt").mkdir()
    folder = fill(tmp_path, "b.txt", "a.txt", "a.brackets.txt", "alone.brackets.txt", "notes.md", ".hidden.txt")
    assert folder.names() == {"a": True, "alone": True, "b": False}


def test_beside_it_takes_a_name_that_is_free(tmp_path: Path) -> None:
    folder = fill(tmp_path, "a.txt", "a-2.txt")
    assert folder.save_beside("a", "Mine.").name == "a-3"
    assert folder.read("a-3").text == "Mine."


def test_a_folder_without_texts_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no text to correct"):
        TextFolder(tmp_path)
    with pytest.raises(OSError, match="missing: no such folder"):
        TextFolder(tmp_path / "missing")
