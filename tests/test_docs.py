"""The pages: their examples print what they say, their links lead somewhere, and they stay short."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import spacy

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = ("annotation", "formats", "in_your_pipeline")
TEXT = "\n".join((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in PAGES)
README = (ROOT / "README.md").read_text(encoding="utf-8")
NEEDS_FILES = ("spacy.load(", ".spacy", "nlp.get_pipe(")
"""What examples have that need a trained pipeline or a corpus."""


def examples() -> dict[str, str]:
    """The code of each section, without what needs files."""
    found = {}
    for section in re.split(r"\n(?=##+ )", TEXT)[1:]:
        blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
        code = "".join(block for block in blocks if not any(word in block for word in NEEDS_FILES))
        if "print(" in code:
            found[section.partition("\n")[0].strip("# ")] = code
    return found


def expected_output(code: str) -> list[str]:
    """The comments behind calls of `print`, and the lines that are comments."""
    lines = []
    for line in code.splitlines():
        match = re.match(r" *print\(.*\)  # (.*)|# (.*)", line)
        if match:
            lines.append(match[1] or match[2])
    return lines


def test_examples_are_found() -> None:
    assert {"Clusters", "Frames", "Plain data", "Prodigy", "Joining documents", "Prefixes"} <= examples().keys()


@pytest.mark.parametrize("section", examples())
def test_examples_print_what_their_comments_say(section: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = examples()[section]
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    assert capsys.readouterr().out.splitlines() == expected_output(code)


def test_the_first_example_prints_what_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")
    wheels = sorted((ROOT / "pipelines").glob("en_span_selector_md-*.whl"))
    if not wheels:
        pytest.skip("pipelines/ has no wheel: 'spacy project run pipeline-md' builds it")
    with ZipFile(wheels[-1]) as wheel:
        wheel.extractall(tmp_path)
    (folder,) = tmp_path.glob("en_span_selector_md/en_span_selector_md-*")
    load = spacy.load
    monkeypatch.setattr(spacy, "load", lambda name, **settings: load(folder, **settings))
    ((code, output),) = re.findall(
        r"<!-- example -->\n```python\n(.*?)```\n\n<!-- output -->\n```\n(.*?)```", README, re.DOTALL
    )
    exec(code, {})
    assert capsys.readouterr().out == output


def pages() -> list[Path]:
    """All pages of the repository."""
    folders = ("assets", "docs", "lab", "pipelines", "tests")
    return sorted([*ROOT.glob("*.md"), *(page for folder in folders for page in (ROOT / folder).rglob("*.md"))])


def anchors(text: str) -> set[str]:
    """The anchors that a page gets from its headings, as GitHub makes them."""
    outside = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    found: list[str] = []
    for heading in re.findall(r"^#+ (.*)", outside, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w -]", "", plain).replace(" ", "-")
        found.append(f"{name}-{found.count(name)}" if name in found else name)
    return set(found)


def links(text: str) -> Iterator[tuple[str, str]]:
    """The path and the anchor of each link that leads to a file, outside of code."""
    outside = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^()\s]+)\)", outside):
        if not re.match(r"\w+:", target):
            path, _, anchor = target.partition("#")
            yield path, anchor


def broken(text: str, folder: Path, own: Path | None = None) -> list[str]:
    """The links that lead to no file, or to no heading of it."""
    found = []
    for path, anchor in links(text):
        target = folder / path if path else own
        if target is None or not target.exists():
            found.append(path)
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
            found.append(f"{path}#{anchor}")
    return found


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page.read_text(encoding="utf-8"), page.parent, page) == []


def files_that_name_pages() -> list[Path]:
    folders = ("spacy_span_selector", "lab", "scripts", "configs", "tests", "assets")
    found = [
        path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".cfg", ".txt")
    ]
    return [*(path for path in found if path != Path(__file__)), ROOT / "project.yml", ROOT / "SECURITY.md"]


def test_the_code_names_pages_that_exist() -> None:
    """In docstrings, comments, messages and configs; docs/a.md is that of a test."""
    named = {
        (match[1], match[2] or "")
        for path in files_that_name_pages()
        for match in re.finditer(r"\b((?:docs|lab)/[\w/]{2,}\.md)(?:#([\w-]+))?", path.read_text(encoding="utf-8"))
    }
    assert named
    missing = {path for path, _ in named if not (ROOT / path).exists()}
    texts = {path: anchors((ROOT / path).read_text(encoding="utf-8")) for path, _ in named if path not in missing}
    assert missing == set()
    assert [f"{path}#{anchor}" for path, anchor in named if anchor and anchor not in texts[path]] == []


def test_the_places_where_changes_belong_exist() -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    section = text.split("\n## Where a change belongs\n")[1].partition("\n## ")[0]
    named = re.findall(r"`([\w/.-]+(?:\.(?:py|js|css|html|cfg)|/))`", section)
    roots = (ROOT, ROOT / "spacy_span_selector")
    assert named
    assert [name for name in named if not any((root / name).exists() for root in roots)] == []


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in DOCS.glob("*.md") if page.name != "README.md" and f"({page.name})" not in index] == []


def test_pages_stay_short() -> None:
    assert len(README.splitlines()) <= 130
    texts = [README, *(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))]
    assert sum(len(text.split()) for text in texts) <= 37_000
