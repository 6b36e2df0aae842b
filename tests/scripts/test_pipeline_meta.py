import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from .running import run_script

run = partial(run_script, "pipeline_meta")


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_scores_of_the_tasks_join_the_facts(tmp_path: Path) -> None:
    facts = write(tmp_path / "facts.json", {"name": "é"})
    one = write(tmp_path / "one.json", {"coref_f": 0.5, "coref_ment_f": None, "sents_f": 0.9, "speed": 10.0})
    two = write(tmp_path / "two.json", {"srl_f": 0.25, "sents_f": 0.8})
    result = run(facts, tmp_path / "out/meta.json", "--scores", f"={one}", "--scores", f"raw_={two}")
    assert result.returncode == 0, result.stderr
    meta = json.loads((tmp_path / "out/meta.json").read_text(encoding="utf-8"))
    assert meta == {"name": "é", "performance": {"coref_f": 0.5, "raw_srl_f": 0.25}}


def test_facts_of_several_files_are_joined(tmp_path: Path) -> None:
    shared = write(tmp_path / "shared.json", {"lang": "en", "sources": ["texts"]})
    own = write(tmp_path / "own.json", {"name": "md", "sources": ["encoder"]})
    assert run(shared, own, tmp_path / "meta.json").returncode == 0
    meta = json.loads((tmp_path / "meta.json").read_text(encoding="utf-8"))
    assert meta == {"lang": "en", "name": "md", "sources": ["texts", "encoder"], "performance": {}}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["en.json", "de.json", "meta.json"], "'lang' is stated twice"),
        (["en.json", "meta.json", "--scores", "=en.json", "--scores", "=de.json"], "'srl_f' was measured twice"),
        (["en.json", "meta.json", "--scores", "=no.json"], "no.json"),
    ],
    ids=["a fact twice", "a score twice", "missing scores"],
)
def test_what_cannot_be_joined_is_named(
    arguments: list[str], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for lang, score in (("en", 0.5), ("de", 0.6)):
        write(Path(f"{lang}.json"), {"lang": lang, "srl_f": score})
    result = run(*arguments)
    assert result.returncode == 1 and problem in result.stderr
    assert not Path("meta.json").exists()
