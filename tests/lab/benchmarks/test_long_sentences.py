from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.util import load_config

from lab.benchmarks import long_sentences
from lab.benchmarks.long_sentences import load, long_example, main
from spacy_span_selector.annotation import get_clusters, get_frames

from .conftest import MakeModel, rows, run

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def call(function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    monkeypatch.setattr(long_sentences, "in_fresh_process", call)


@pytest.mark.parametrize("name", ["coref_cpu", "srl_cpu"])
def test_every_length_has_a_row_for_the_charts_that_fit(data: Path, tmp_path: Path, name: str) -> None:
    config = load_config(CONFIGS / f"{name}.cfg")
    component = config["components"][config["nlp"]["pipeline"][-1]]
    component["model"]["hidden_width"] = 8
    config.to_disk(tmp_path / "small.cfg")
    arguments = ("--words", "5,15", "--whole-up-to", 10, "--updates", 2)
    table = rows(run(main, tmp_path / "small.cfg", data, *arguments))
    found = [(row["charts"], row["words"]) for row in table]
    assert found == [("band", "5"), ("laminar", "5"), ("trees", "5"), ("band", "15")]


def test_one_sentence_has_the_annotation_of_all_documents(data: Path) -> None:
    nlp = spacy.blank("en")
    whole = long_example(nlp, data, 18)
    assert [token.is_sent_start for token in whole.predicted] == [True] + [False] * 17
    assert len(get_frames(whole.reference)) == 3
    assert {whole.reference[start:end].text for cluster in get_clusters(whole.reference) for start, end in cluster} >= {
        "Ann Lee",
        "Leo",
    }
    assert len(get_frames(long_example(nlp, data, 9).reference)) == 1


def test_too_few_words_are_an_error(data: Path) -> None:
    with pytest.raises(ValueError, match="has 18 words, and a sentence of 100"):
        long_example(spacy.blank("en"), data, 100)


@pytest.mark.parametrize(("charts", "selector"), [("laminar", "Laminar"), ("trees", "Structured")])
def test_whole_charts_have_no_limit(make_model: MakeModel, charts: Any, selector: str) -> None:
    _, pipe = load(make_model(selector="laminar"), charts, 0)
    assert type(pipe.selector).__name__ == f"{selector}Selector"
    assert (pipe._band_width, pipe.cfg["max_sentence_words"]) == (None, None)
