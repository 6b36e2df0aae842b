from __future__ import annotations

import warnings
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Config

from spacy_span_selector.pipeline.before_training import planned_for_other_steps, warn_before_training


def config(max_steps: Any, **rate: Any) -> Config:
    return Config({"training": {"max_steps": max_steps, "optimizer": {"learn_rate": {"initial_rate": 0.1, **rate}}}})


def test_a_rate_that_is_planned_for_other_steps_is_told() -> None:
    problem = planned_for_other_steps(config(800, total_steps=2000))
    assert problem and "after 800 steps" in problem and "planned for 2000" in problem
    assert "--training.optimizer.learn_rate.total_steps 800" in problem


@pytest.mark.parametrize(
    "settings",
    [
        config("${training.optimizer.learn_rate.total_steps}", total_steps=2000),
        config(2000, total_steps="${training.max_steps}"),
        config(0, total_steps=2000),
        config(800),
        Config({"training": {"max_steps": 800, "optimizer": {"learn_rate": 0.1}}}),
        Config({}),
    ],
    ids=["followed", "follows", "epochs", "no plan", "constant", "empty"],
)
def test_a_rate_that_fits_is_not_told(settings: Config) -> None:
    assert planned_for_other_steps(settings) is None


def pipeline(*names: str) -> Language:
    nlp = spacy.blank("xx")
    for name in names:
        nlp.add_pipe(name)
    return nlp


def example(nlp: Language, predicted_starts: list[bool] | None = None) -> Example:
    words = ["Ann", "left", "."]
    return Example(Doc(nlp.vocab, words=words, sent_starts=predicted_starts), Doc(nlp.vocab, words=words))


@pytest.mark.parametrize("names", [["structured_srl"], ["structured_srl", "sentencizer"]])
def test_a_pipeline_without_sentence_boundaries_is_told(names: list[str]) -> None:
    nlp = pipeline(*names)
    with pytest.warns(UserWarning, match="'structured_srl' .*no component before it.*word_sentencizer"):
        warn_before_training(nlp, "structured_srl", [example(nlp)])


@pytest.mark.parametrize("sentencizer", ["sentencizer", "word_sentencizer", "senter", "parser"])
def test_a_component_that_sets_boundaries_is_known(sentencizer: str) -> None:
    nlp = pipeline(sentencizer, "structured_srl")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_before_training(nlp, "structured_srl", [example(nlp)])


def test_boundaries_that_the_reader_gives_are_enough() -> None:
    nlp = pipeline("structured_srl")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_before_training(nlp, "structured_srl", [example(nlp, [True, False, False])])
