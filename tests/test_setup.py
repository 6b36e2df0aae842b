"""The page on PyPI, which is made of the README."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SETUP: dict[str, Any] = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")
README = (ROOT / "README.md").read_text(encoding="utf-8")
FILES = "https://example.com/name/repository/blob/v1.0"
TARGET = re.compile(r"\]\(([^()\s]+)\)")


def page(readme: str, files: str | None = FILES) -> str:
    made: str = SETUP["page_for_pypi"](readme, files)
    return made


def test_links_lead_to_the_files_of_the_version() -> None:
    assert page("[a](docs/a.md#b)") == f"[a]({FILES}/docs/a.md#b)"
    assert page("[two\nlines](a.md)") == f"[two\nlines]({FILES}/a.md)"
    assert page("![a](a.png)") == "![a](https://example.com/name/repository/raw/v1.0/a.png)"


def test_other_links_stay() -> None:
    for link in ("[a](https://example.com/a.md)", "[a](http://example.com)", "[a](#a)", "[[Ann|ann] (b)"):
        assert page(link) == page(link, None) == link


def test_without_a_repository_there_are_no_links_that_lead_nowhere() -> None:
    assert page("a [b](b.md) ![c](c.png) d", None) == "a b  d"


def test_every_link_of_the_readme_works_on_pypi() -> None:
    relative = [target for target in TARGET.findall(README) if not target.startswith(("http", "#"))]
    assert relative and all((ROOT / target.partition("#")[0]).exists() for target in relative)
    assert [*filter(re.compile("(?!https?://|#)").match, TARGET.findall(page(README)))] == []
    targets = TARGET.findall(page(README, None))
    assert targets == [target for target in TARGET.findall(README) if target not in relative]


def test_the_source_names_where_the_files_lie(tmp_path: Path) -> None:
    (tmp_path / "spacy_span_selector").mkdir()
    (tmp_path / "spacy_span_selector/__init__.py").write_text('__version__ = "1.2.3"\n', encoding="utf-8")
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = a\n", encoding="utf-8")
    assert SETUP["files_of_this_version"](tmp_path) is None
    urls = "[metadata]\nproject_urls =\n    Source = https://example.com/a/b\n    Documentation = https://c.d\n"
    (tmp_path / "setup.cfg").write_text(urls, encoding="utf-8")
    assert SETUP["files_of_this_version"](tmp_path) == "https://example.com/a/b/blob/v1.2.3"
