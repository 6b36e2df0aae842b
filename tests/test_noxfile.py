"""The environments that the package is tried in, and the check of a release."""

from pathlib import Path

import pytest

pytest.importorskip("nox")

import noxfile

ROOT = Path(__file__).parents[1]


def test_the_oldest_versions_are_those_of_setup() -> None:
    setup = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    bounds = noxfile.lower_bounds("3.10")
    assert {"spacy", "thinc", "torch", "numpy", "scipy", "pydantic", "spacy-transformers"} <= bounds.keys()
    for name, version in bounds.items():
        assert name in noxfile.OLDEST_TRANSFORMERS or f"    {name}>={version}" in setup


def test_pythons_without_old_wheels_get_newer_ones() -> None:
    for python, wheels in noxfile.FIRST_WHEELS.items():
        assert python in noxfile.PYTHONS and wheels.keys() <= noxfile.lower_bounds("3.10").keys()
        assert noxfile.lower_bounds(python).items() >= wheels.items()


def test_the_tests_that_it_runs_exist() -> None:
    for name in (*(f"tests/{test}" for test in noxfile.TESTS), *noxfile.FILES):
        assert (ROOT / name).exists()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One that is ready for a release."""
    (tmp_path / "spacy_span_selector").mkdir()
    for name, text in {
        "spacy_span_selector/__init__.py": '__version__ = "1.2.3"\n',
        "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\ndate-released: 2030-01-31\n",
        "CHANGELOG.md": "# Changelog\n\n## 1.2.3, 31 January 2030\n\n## 1.2.2, 1 January 2030\n",
        "setup.cfg": "[metadata]\nproject_urls =\n    Source = https://example.com/a/b\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_what_is_ready_has_no_problems(repository: Path) -> None:
    assert [*noxfile.problems(repository)] == []


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
def test_files_that_do_not_agree_are_named(repository: Path, file: str, old: str, new: str, problem: str) -> None:
    path = repository / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    (found,) = noxfile.problems(repository)
    assert found.startswith(problem)


def test_the_version_is_the_same_everywhere() -> None:
    assert not [problem for problem in noxfile.problems(ROOT) if "has version" in problem or "begins with" in problem]
