from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
import srsly
from weasel.util import get_checksum

SCRIPTS = Path(__file__).parents[2] / "scripts"
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


Check = Callable[[str], tuple[int, str]]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """Checks a folder of a project, and returns the exit status and the message."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.chdir(project(tmp_path))

    def run(folder: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["check_assets.py", folder])
        status: int = import_module("check_assets").main()
        return status, capsys.readouterr().err

    return run


def test_pinned_assets_pass(check: Check) -> None:
    assert check("external/texts") == (0, "")


def test_a_folder_that_has_moved_on_is_an_error(check: Check, tmp_path: Path) -> None:
    Path("external/texts/conll/b.conll").write_text("new", encoding="utf-8")
    status, message = check(str(tmp_path / "external/texts"))
    assert status == 1
    assert f"It differs from 'conll' in commit {COMMIT} of https://example.com/texts" in message
    assert f"git -C pinned checkout {COMMIT} -- conll" in message and "splits.md" not in message


def test_a_damaged_file_is_an_error(check: Check) -> None:
    Path("external/texts/splits.md").write_text("", encoding="utf-8")
    status, message = check("external/texts")
    assert status == 1 and "splits.md: found the checksum d41d8cd98f00b204e9800998ecf8427e" in message


def test_other_folders_are_not_checked(check: Check) -> None:
    Path("external/texts/splits.md").write_text("", encoding="utf-8")
    assert check("mine") == (0, "")
