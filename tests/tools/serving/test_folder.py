from pathlib import Path

import pytest

from spacy_span_selector.tools.serving.folder import GoneError, TextFolder


def fill(folder: Path, *names: str) -> TextFolder:
    for name in names:
        (folder / name).write_text("Ann ran.", encoding="utf-8")
    return TextFolder(folder)


def test_texts_and_their_corrections_are_documents_and_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "folder.txt").mkdir()
    folder = fill(tmp_path, "b.txt", "a.txt", "a.brackets.txt", "alone.brackets.txt", "notes.md", ".hidden.txt")
    assert folder.names() == {"a": True, "alone": True, "b": False}


def test_names_have_spaces_of_any_width_and_joiners_but_no_control_characters(tmp_path: Path) -> None:
    odd = ["\u00a0", "\u202f", "\u200d", "\n", "\u202e", "\udce9"]
    with pytest.warns(UserWarning, match="control characters, or are no text: 3. Rename them; the first: "):
        folder = fill(tmp_path, *(f"a{char}b.txt" for char in odd))
    assert {*folder.names()} == {f"a{char}b" for char in odd[:3]}


def test_beside_it_takes_a_name_that_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fill(tmp_path, "a.txt", "a-2.txt")
    (tmp_path / "a-3.brackets.txt").mkdir()
    assert folder.save_beside("a", "Mine.").name == "a-4"
    assert folder.read("a-4").text == "Mine."
    monkeypatch.setattr(folder, "names", dict)  # as long as another program has just taken the next name
    (tmp_path / "a-2.brackets.txt").write_text("Theirs.", encoding="utf-8")
    assert folder.save_beside("a", "Mine, too.").name == "a-5"
    assert (tmp_path / "a-2.brackets.txt").read_text("utf-8") == "Theirs."


def test_beside_the_longest_name_is_room(tmp_path: Path) -> None:
    name = "ä" * 121
    folder = fill(tmp_path, f"{name}.txt")
    assert folder.save_beside(name, "Mine.").name == "ä" * 120 + "-2"


def test_an_empty_folder_is_gone_if_it_is_another_file_system(tmp_path: Path) -> None:
    folder = fill(tmp_path, "a.txt")
    (tmp_path / "a.txt").unlink()
    assert folder.names() == {}
    folder._device += 1  # as of the point where a share was mounted
    with pytest.raises(GoneError, match="nothing is mounted there"):
        folder.names()


def test_a_folder_without_texts_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no text to correct"):
        TextFolder(tmp_path)
    with pytest.raises(OSError, match="missing: no such folder"):
        TextFolder(tmp_path / "missing")
