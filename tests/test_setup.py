"""The page on PyPI, which is made of the README."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SETUP: dict[str, Any] = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")
FILES = "https://example.com/name/repository/blob/v1.2.3"
TARGET = re.compile(r"\]\(([^()\s]+)\)")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository that says where it lies."""
    (tmp_path / "spacy_span_selector").mkdir()
    (tmp_path / "spacy_span_selector/__init__.py").write_text('__version__ = "1.2.3"\n', encoding="utf-8")
    urls = "[metadata]\nproject_urls =\n    Source = https://example.com/name/repository/\n    Documentation = x\n"
    (tmp_path / "setup.cfg").write_text(urls, encoding="utf-8")
    return tmp_path


def page(root: Path, readme: str) -> str:
    (root / "README.md").write_text(readme, encoding="utf-8")
    made: str = SETUP["page_for_pypi"](root)
    return made


def test_links_lead_to_the_files_of_the_version(root: Path) -> None:
    assert page(root, "[a](docs/a.md#b)") == f"[a]({FILES}/docs/a.md#b)"
    assert page(root, "[two\nlines](a.md)") == f"[two\nlines]({FILES}/a.md)"
    assert page(root, "![a](a.png)") == "![a](https://example.com/name/repository/raw/v1.2.3/a.png)"


def test_other_links_stay(root: Path) -> None:
    for link in ("[a](https://example.com/a.md)", "![a](http://example.com)", "[a](#a)", "[[Ann|ann] (b)"):
        assert page(root, link) == link


def test_every_link_of_the_readme_works_on_pypi(root: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    relative = [target for target in TARGET.findall(readme) if not target.startswith(("http", "#"))]
    assert relative and all((ROOT / target.partition("#")[0]).exists() for target in relative)
    assert all(target.startswith(("http", "#")) for target in TARGET.findall(page(root, readme)))
