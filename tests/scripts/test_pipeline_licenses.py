import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from .running import ROOT, run_script

run = partial(run_script, "pipeline_licenses")
PIPELINES = sorted((ROOT / "pipelines").glob("en_*.json"))


def write(folder: Path, **facts: Any) -> Path:
    path = folder / "facts.json"
    path.write_text(json.dumps(facts), encoding="utf-8")
    return path


def source(licence: str) -> dict[str, str]:
    return {"name": "Corpus", "url": "https://example.org/corpus", "author": "Zoë", "license": licence}


@pytest.mark.parametrize("own", PIPELINES, ids=lambda path: path.stem)
def test_the_texts_of_all_licences_of_our_pipelines_are_there(own: Path, tmp_path: Path) -> None:
    facts = tmp_path / "meta.json"
    run_script("pipeline_meta", ROOT / "pipelines/facts.json", own, facts)
    run(facts, tmp_path)
    assert "Attribution-ShareAlike 4.0 International Public License" in (tmp_path / "LICENSE").read_text("utf-8")
    sources = (tmp_path / "LICENSES_SOURCES").read_text("utf-8")
    for title in ("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION", "Attribution 4.0 International"):
        assert title in sources
    assert all(stated["url"] in sources for stated in json.loads(facts.read_text("utf-8"))["sources"])


def test_each_text_is_given_once_and_who_made_what_is_said(tmp_path: Path) -> None:
    two = [source("CC BY 4.0 (annotations); public domain or CC BY 2.5 (texts)"), source("CC BY 4.0")]
    run(write(tmp_path, license="Apache 2.0", sources=two), tmp_path)
    sources = (tmp_path / "LICENSES_SOURCES").read_text("utf-8")
    assert sources.count("\nAttribution 4.0 International\n") == 1
    assert "by Zoë\n  https://example.org/corpus\n  Licence: CC BY 4.0 (annotations)" in sources
    assert "Creative Commons Attribution 2.5" in sources


def test_a_licence_without_a_text_is_named_with_the_cure(tmp_path: Path) -> None:
    said = run(write(tmp_path, license="CC BY 4.0", sources=[source("MIT or Beer 1.0")]), tmp_path, status=1)
    assert "There is no text of the licence 'MIT', only of Apache-2.0, CC-BY-2.5" in said
    assert not (tmp_path / "LICENSE").exists()
