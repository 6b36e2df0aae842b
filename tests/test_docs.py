"""The examples of some pages of docs/ print what the comments behind and below them say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGES = ("annotation", "formats", "in_your_pipeline")
DOCS = Path(__file__).parent.parent / "docs"
TEXT = "\n".join((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in PAGES)
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
