from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return import_module("release")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One that is ready."""
    (tmp_path / "spacy_span_selector").mkdir()
    for name, text in {
        "spacy_span_selector/__init__.py": '__version__ = "1.2.3"\n',
        "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\ndate-released: 2030-01-31\n",
        "CHANGELOG.md": "# Changelog\n\n## 1.2.3, 31 January 2030\n\n## 1.2.2, 1 January 2030\n",
        "setup.cfg": "[metadata]\nproject_urls =\n    Source = https://example.com/a/b\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_what_is_ready_has_no_problems(release: Any, repository: Path) -> None:
    assert [*release.problems(repository)] == []


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("CITATION.cff", "1.2.3", "1.2.2", "CITATION.cff has version 1.2.2, the package 1.2.3"),
        ("CITATION.cff", "date-released", "date", "CITATION.cff has no date"),
        ("CHANGELOG.md", "## 1.2.3, 31 January 2030", "", "CHANGELOG.md begins with '1.2.2, 1 January 2030'"),
        ("CHANGELOG.md", "31 January 2030", "not released", "CHANGELOG.md says '1.2.3, not released'"),
        ("setup.cfg", "Source", "Other", "setup.cfg names no public repository"),
    ],
)
def test_files_that_do_not_agree_are_named(
    release: Any, repository: Path, file: str, old: str, new: str, problem: str
) -> None:
    path = repository / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    (found,) = release.problems(repository)
    assert found.startswith(problem)


def test_files_of_another_build_are_not_released(release: Any, tmp_path: Path) -> None:
    (tmp_path / "a.whl").touch()
    with pytest.raises(FileExistsError, match="has files of another build: delete them first"):
        release.build(tmp_path)


def test_the_version_is_the_same_everywhere(release: Any) -> None:
    assert not [problem for problem in release.problems(ROOT) if "has version" in problem or "begins with" in problem]
