"""Each component as a fixture, which a test module may replace by one of them, and its trained pipeline."""

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from .components import CASES, Case, gold_docs, load_trained


@pytest.fixture(params=CASES, ids=lambda case: case.factory)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def trained(case: Case) -> Language:
    """A pipeline that has been overfitted to the corpus of the case."""
    return load_trained(case)


@pytest.fixture
def gold(case: Case, trained: Language) -> list[Doc]:
    return gold_docs(case, trained)
