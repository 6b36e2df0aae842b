"""Settings that are given when a pipeline is loaded win over those that it was saved with."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language

from .components import CASES, Case, annotate, component, initialized, make_nlp

OTHER: dict[str, Any] = {
    "decoding": "map",
    "threshold": 0.6,
    "annotation": "partial",
    "candidate_ratio": 1 / 3,
    "negatives": 0.5,
    "negative_widths": "gold",
    "learn_rate_factor": 2.0,
    "max_sentence_words": 5,
    "types": [],
    "prefix": "mine",
    "keep_singletons": False,
    "mentions_key": "kept",
    "given_key": "given",
    "link_threshold": 1.5,
    "reach": 7,
    "singleton_threshold": 0.5,
    "predict_rolesets": False,
    "predicates_key": "given",
    "spans_key": "kept",
    "unique_roles": ["ARG1"],
    "frame_roles": True,
}
EACH = [(case, name) for case in CASES for name in component(make_nlp(case)).cfg]


def load(path: Path, case: Case, **settings: Any) -> Language:
    return spacy.load(path, config={"components": {case.factory: settings}})


def save(nlp: Language, path: Path) -> Path:
    nlp.to_disk(path)
    return path


@pytest.mark.parametrize(("case", "name"), EACH, ids=[f"{case.factory}-{name}" for case, name in EACH])
def test_a_setting_of_the_config_wins(case: Case, name: str, tmp_path: Path) -> None:
    nlp, _ = initialized(case, threshold=0.25)
    before = component(nlp).cfg
    nlp.to_disk(tmp_path)
    loaded = load(tmp_path, case, **{name: OTHER[name]})
    assert before[name] != OTHER[name] == component(loaded).cfg[name]
    again = component(spacy.load(save(loaded, tmp_path / "again"))).cfg
    assert again[name] == pytest.approx(OTHER[name])
    assert {**again, name: None} == {**before, name: None}
    annotate(loaded, case.texts)


def test_what_was_changed_after_training_stays_unless_it_is_given(case: Case, tmp_path: Path) -> None:
    nlp, _ = initialized(case, threshold=1 / 3)
    component(nlp).configure(threshold=0.5, max_sentence_words=7)
    nlp.to_disk(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settings = component(spacy.load(tmp_path))
        assert (settings.threshold, settings.max_sentence_words) == (0.5, 7)
        settings = component(load(tmp_path, case, threshold=0.6))
    assert (settings.threshold, settings.max_sentence_words) == (0.6, 7)


def test_a_setting_of_the_config_wins_over_one_that_another_config_has_changed(case: Case, tmp_path: Path) -> None:
    nlp, _ = initialized(case)
    nlp.to_disk(tmp_path / "first")
    second = save(load(tmp_path / "first", case, threshold=0.6), tmp_path / "second")
    assert component(load(second, case, threshold=0.4)).threshold == 0.4


def test_what_was_changed_is_in_the_bytes_and_all_else_in_the_config(case: Case) -> None:
    nlp, _ = initialized(case, threshold=0.25)
    component(nlp).configure(max_sentence_words=7)
    empty = spacy.util.load_model_from_config(nlp.config)
    loaded = component(empty.from_bytes(nlp.to_bytes()))
    assert (loaded.threshold, loaded.max_sentence_words) == (0.25, 7)


def test_settings_are_saved_once(case: Case, tmp_path: Path) -> None:
    nlp, _ = initialized(case, threshold=0.25)
    nlp.to_disk(tmp_path)
    saved = json.loads((tmp_path / case.factory / "cfg").read_bytes())
    assert not {*saved} & {*component(nlp).cfg}


def test_all_settings_are_tried() -> None:
    assert {name for _, name in EACH} == OTHER.keys()
    assert {case for case, _ in EACH} == {*CASES}
