import json
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from .running import ROOT, run_script

run = partial(run_script, "model_card")
SOURCE = {"name": "Corpus", "url": "https://example.org", "author": "Zoë", "license": "CC BY 4.0"}
META = {"lang": "en", "name": "xs", "version": "1.0", "description": "Small.", "license": "MIT", "sources": [SOURCE]}
PER_TYPE = {"PER": {"f": 0.75}, "FAC|LOC": {"f": 0.5}, "ORG": {"f": 0.0}}
SCORES = {"coref_p": 0.5, "coref_r": 0.25, "coref_f": 0.333, "spans_sc_per_type": PER_TYPE}
ROWS = {
    "everyday": {"mail": {"right": 1, "of": 4}, "chat": {"right": 2, "of": 2}, "all": {"right": 3, "of": 6}},
    "everyday, by check": {"same": {"right": 1, "of": 4}},
    "winobias": {
        f"{side}_stereotyped_type1.dev": {"right": right, "of": 8} for side, right in (("pro", 6), ("anti", 5))
    },
    "gap": {"feminine": {"right": 1, "of": 4, "f": 0.45}, "masculine": {"right": 2, "of": 4, "f": 0.5}},
    "qasrl": {"news": {"questions": 7, "p": 0.8, "r": 0.5, "f": 0.6}},
    "talk": {"all": {"right": 3, "of": 4, "f": 0.8}},
}


def write_card(folder: Path, performance: dict[str, Any], pipeline: str = "en_xs 1.0", **outside: Any) -> str:
    meta, results, out = folder / "meta.json", folder / "outside.json", folder / "card.md"
    meta.write_text(json.dumps({**META, "performance": performance}), encoding="utf-8")
    measured = {name: {"pipeline": pipeline, "day": "2026-01-02", "rows": rows} for name, rows in ROWS.items()}
    results.write_text(json.dumps({**measured, **outside}), encoding="utf-8")
    run(meta, results, out)
    return out.read_text(encoding="utf-8")


def test_a_card_has_data_and_scores_bias_and_errors(tmp_path: Path) -> None:
    lines = write_card(tmp_path, SCORES, notes={"gap": "Said by hand.", "other": "Not measured."}).splitlines()
    assert lines[0] == "# en_xs 1.0"
    assert set(lines) >= {
        "| [Corpus](https://example.org) | Zoë | CC BY 4.0 |",
        "| coreference in fiction: LitBank, from raw text, CoNLL | 50.0 | 25.0 | 33.3 |",
        "| what any reader knows of twenty everyday texts | 3 | 6 | 50.0 |  |",
        "| arguments of verbs: QA-SRL, news | 7 | 80.0 | 50.0 |",
        "| type 1, decided by knowledge of the world | 75.0 | 62.5 | 12.5 |",
        "| names that are the pronoun, F1 | 45.0 | 50.0 | 0.90 |",
        "| mentions of one entity that are apart | 3 | 4 |",
        "Wrong by kind of text: mail 3.",
        "F1 of types in fiction, of those ever right: FAC/LOC 50.0, PER 75.0.",
        "Said by hand.",
    }
    assert "Not measured." not in lines


def test_what_was_not_measured_has_no_section(tmp_path: Path) -> None:
    card = write_card(tmp_path, {}, pipeline="en_xs 0.9", notes={"gap": "Said by hand."})
    headings = [line for line in card.splitlines() if line.startswith("## ")]
    assert headings == ["## What it is for", "## What it is not for", "## Data"]
    assert "Said by hand." not in card


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    assert "no.json" in run(tmp_path / "no.json", tmp_path / "no.json", tmp_path / "card.md", status=1)


@pytest.mark.parametrize("name", ["sm", "md"])
def test_the_cards_of_the_docs_are_those_of_the_wheels(name: str, tmp_path: Path) -> None:
    """And without a wheel that of what a person wrote."""
    meta, card = tmp_path / "meta.json", tmp_path / "card.md"
    folder = ROOT / "pipelines"
    wheels = sorted(folder.glob(f"en_span_selector_{name}-*.whl"))
    if wheels:
        with ZipFile(wheels[-1]) as wheel:
            meta.write_bytes(wheel.read(f"en_span_selector_{name}/meta.json"))
    else:
        run_script("pipeline_meta", folder / "facts.json", folder / f"en_span_selector_{name}.json", meta)
    run(meta, folder / f"outside_{name}.json", card)
    assert (ROOT / f"docs/card_{name}.md").read_text(encoding="utf-8") == card.read_text(encoding="utf-8")
