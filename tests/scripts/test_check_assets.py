from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import srsly
from weasel.util import get_checksum

SCRIPT = Path(__file__).parents[2] / "scripts/check_assets.py"
COMMIT = "0123456789" * 4


def project(folder: Path) -> Path:
    """A project with a downloaded folder and a downloaded file."""
    (folder / "external/texts/conll").mkdir(parents=True)
    (folder / "external/texts/conll/a.conll").write_text("a", encoding="utf-8")
    (folder / "external/texts/splits.md").write_text("b", encoding="utf-8")
    git = {"repo": "https://example.com/texts", "branch": "main", "commit": COMMIT, "path": "conll"}
    assets = [
        {"dest": "external/texts/conll", "git": git},
        {"dest": "external/texts/splits.md", "url": f"https://example.com/{COMMIT}/splits.md"},
    ]
    for asset in assets:
        asset["checksum"] = get_checksum(folder / str(asset["dest"]))
    srsly.write_yaml(folder / "project.yml", {"assets": assets})
    return folder


def check(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def test_pinned_assets_pass(tmp_path: Path) -> None:
    assert check(project(tmp_path), "external/texts") == (0, "")


def test_a_folder_that_has_moved_on_is_an_error(tmp_path: Path) -> None:
    (project(tmp_path) / "external/texts/conll/b.conll").write_text("new", encoding="utf-8")
    code, message = check(tmp_path, str(tmp_path / "external/texts"))
    assert code == 1
    assert f"It differs from 'conll' in commit {COMMIT} of https://example.com/texts" in message
    assert f"git -C pinned checkout {COMMIT} -- conll" in message and "splits.md" not in message


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    (project(tmp_path) / "external/texts/splits.md").write_text("", encoding="utf-8")
    code, message = check(tmp_path, "external/texts")
    assert code == 1 and "splits.md: found the checksum d41d8cd98f00b204e9800998ecf8427e" in message


def test_other_folders_are_not_checked(tmp_path: Path) -> None:
    (project(tmp_path) / "external/texts/splits.md").write_text("", encoding="utf-8")
    assert check(tmp_path, "mine") == (0, "")
