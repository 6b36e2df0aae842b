import json
from functools import partial
from pathlib import Path
from typing import Any

from .running import run_script

run = partial(run_script, "pipeline_meta")


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_scores_of_the_tasks_join_the_facts(tmp_path: Path) -> None:
    facts = write(tmp_path / "facts.json", {"name": "é"})
    one = write(tmp_path / "one.json", {"coref_f": 0.5, "coref_ment_f": None, "sents_f": 0.9, "speed": 10.0})
    two = write(tmp_path / "two.json", {"srl_f": 0.25, "sents_f": 0.8})
    run(facts, tmp_path / "out/meta.json", "--scores", f"={one}", "--scores", f"raw_={two}")
    meta = json.loads((tmp_path / "out/meta.json").read_text(encoding="utf-8"))
    assert meta == {"name": "é", "performance": {"coref_f": 0.5, "raw_srl_f": 0.25}}


def test_facts_of_several_files_are_joined(tmp_path: Path) -> None:
    shared = write(tmp_path / "shared.json", {"lang": "en", "sources": ["texts"]})
    own = write(tmp_path / "own.json", {"name": "md", "sources": ["encoder"]})
    run(shared, own, tmp_path / "meta.json")
    meta = json.loads((tmp_path / "meta.json").read_text(encoding="utf-8"))
    assert meta == {"lang": "en", "name": "md", "sources": ["texts", "encoder"], "performance": {}}


def test_a_fact_stated_twice_is_an_error(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{lang}.json", {"lang": lang}) for lang in ("en", "de")]
    assert "'lang' is stated twice" in run(*files, tmp_path / "meta.json", status=1)


def test_a_score_measured_twice_is_an_error(tmp_path: Path) -> None:
    facts = write(tmp_path / "facts.json", {})
    one, two = write(tmp_path / "one.json", {"srl_f": 0.5}), write(tmp_path / "two.json", {"srl_f": 0.6})
    said = run(facts, tmp_path / "meta.json", "--scores", f"={one}", "--scores", f"={two}", status=1)
    assert "'srl_f' was measured twice" in said
    assert not (tmp_path / "meta.json").exists()


def test_missing_metrics_are_named(tmp_path: Path) -> None:
    facts, scores = write(tmp_path / "facts.json", {}), tmp_path / "no.json"
    assert "no.json" in run(facts, tmp_path / "meta.json", "--scores", f"={scores}", status=1)
