"""Narrower hidden layers of whole pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import spacy
import torch
from spacy.language import Language

from spacy_span_selector.layers.spans.pruning import hidden_layers
from spacy_span_selector.models.torch_head import change_head, head_module
from spacy_span_selector.pipeline.pruning import narrow

from .components import CASES, Case, blank_nlp, gold_docs, load_trained, make_examples

WIDTH = 12
DIFFERENT = 20
"""How many units of each layer are not copies of others, in a pipeline that still finds something."""


@pytest.fixture(params=CASES, ids=lambda case: case.factory)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def widths(nlp: Language, case: Case) -> set[int]:
    pipe: Any = nlp.get_pipe(case.factory)
    return {layer.units for layer in hidden_layers(head_module(pipe.model)).values()}


def annotation(nlp: Language, case: Case) -> list[Any]:
    return [case.read(doc) for doc in nlp.pipe(case.texts)]


def repeat_units(network: Any) -> None:
    """Make all units but the first `DIFFERENT` of each hidden layer copies of these."""
    for layer in hidden_layers(network).values():
        units = torch.arange(layer.units) % DIFFERENT
        for parameter in (parameter for linear in layer.layers for parameter in linear.parameters()):
            parameter.data = parameter.data[units]
        for table in layer.tables:
            table.data = table.data[:, units]


@pytest.fixture
def narrowed(case: Case) -> Language:
    nlp = load_trained(case)
    rows = narrow(nlp, [nlp.make_doc(doc.text) for doc in gold_docs(case, nlp)], WIDTH)
    assert {len(pruned.kept) for pruned in rows.values()} == {WIDTH}
    assert {component for component, _ in rows} == {case.factory}
    assert all(pruned.before > WIDTH for pruned in rows.values())
    return nlp


def test_all_hidden_layers_are_narrower(narrowed: Language, case: Case) -> None:
    assert widths(narrowed, case) == {WIDTH}
    model = narrowed.config["components"][case.factory]["model"]
    assert {value for name, value in model.items() if name.endswith("hidden_width")} == {WIDTH}


def test_annotation_stays_where_other_units_can_stand_in(case: Case) -> None:
    nlp = load_trained(case)
    pipe: Any = nlp.get_pipe(case.factory)
    change_head(pipe.model, repeat_units)
    before = annotation(nlp, case)
    assert any(before)
    narrow(nlp, [nlp.make_doc(text) for text in case.texts], DIFFERENT)
    assert widths(nlp, case) == {DIFFERENT}
    assert annotation(nlp, case) == before


def test_a_narrower_pipeline_is_saved_and_loaded(narrowed: Language, case: Case, tmp_path: Path) -> None:
    narrowed.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert widths(loaded, case) == {WIDTH}
    assert annotation(loaded, case) == annotation(narrowed, case)


def test_a_narrower_pipeline_learns(narrowed: Language, case: Case) -> None:
    losses: dict[str, float] = {}
    narrowed.update(make_examples(narrowed, gold_docs(case, narrowed)), sgd=narrowed.resume_training(), losses=losses)
    assert losses[case.factory] > 0


def test_layers_that_are_narrow_stay_as_they_are(case: Case) -> None:
    nlp = load_trained(case)
    before = widths(nlp, case)
    assert narrow(nlp, [], 512) == {} and widths(nlp, case) == before


def test_texts_in_which_nothing_is_found_are_an_error(case: Case) -> None:
    nlp = load_trained(case)
    with pytest.raises(ValueError, match=rf"'{case.factory}' found nothing in the texts that its \w+"):
        narrow(nlp, [nlp.make_doc("")], WIDTH)
    assert WIDTH not in widths(nlp, case)


def test_other_pipelines_have_nothing_to_make_narrower() -> None:
    with pytest.raises(ValueError, match="None of the components \\(sentencizer\\) has hidden layers"):
        narrow(blank_nlp(), [], WIDTH)
