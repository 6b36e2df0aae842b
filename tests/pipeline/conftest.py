"""The pipelines of the component that a test file, or a parameter, names as its `case`."""

from __future__ import annotations

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from .components import Case, gold_docs, load_trained


@pytest.fixture
def trained(case: Case) -> Language:
    """A pipeline that has learnt the corpus by heart."""
    return load_trained(case)


@pytest.fixture
def gold(case: Case, trained: Language) -> list[Doc]:
    return gold_docs(case, trained)
