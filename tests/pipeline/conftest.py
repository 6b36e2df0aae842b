"""The trained pipeline of the component that a test module provides as the fixture `case`."""

from __future__ import annotations

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from .components import Case, gold_docs, load_trained


@pytest.fixture
def trained(case: Case) -> Language:
    """A pipeline that has been overfitted to the corpus of the case."""
    return load_trained(case)


@pytest.fixture
def gold(case: Case, trained: Language) -> list[Doc]:
    return gold_docs(case, trained)
