"""The entry for spaCy Universe: what their guide asks for, and an example that runs and prints what it says."""

import json
import re
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
from spacy.util import fix_random_seed

ROOT = Path(__file__).parents[1]
ENTRY: dict[str, Any] = json.loads((ROOT / "docs/universe.json").read_text(encoding="utf-8"))

TEXTS = {"id", "title", "slogan", "description", "github", "pip", "code_language", "url", "thumb", "image", "author"}
LISTS = {"code_example", "category", "tags"}
OTHERS = {"author_links": dict, "spacy_version": int}
CATEGORIES = {
    *("pipeline", "training", "conversational", "research", "scientific", "biomedical", "visualizers", "apis"),
    *("nonpython", "standalone", "models"),
}
"""Those of projects; books, courses and the like have their own."""


def test_the_entry_has_the_fields_of_the_guide() -> None:
    assert ENTRY.keys() <= TEXTS | LISTS | OTHERS.keys()
    assert ENTRY.keys() >= {"id", "title", "slogan", "description", "pip", "code_example", "author", "category"}
    for name, value in ENTRY.items():
        if name in LISTS:
            assert isinstance(value, list) and all(isinstance(line, str) for line in value), name
        else:
            assert isinstance(value, OTHERS.get(name, str)) and value, name
    assert set(ENTRY["category"]) <= CATEGORIES
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", ENTRY.get("github", "user/repository"))


def test_the_package_is_named_as_on_pypi() -> None:
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    assert ENTRY["pip"] == setup["metadata"]["name"]


def test_the_example_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    fix_random_seed(0)
    lines = ENTRY["code_example"]
    exec("\n".join(lines), {})
    expected = [line.removeprefix("# ") for line in lines[lines.index("# Output:") + 2 :]]
    assert capsys.readouterr().out.splitlines() == expected
