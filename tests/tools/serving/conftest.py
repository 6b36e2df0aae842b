from __future__ import annotations

import pytest
from spacy.language import Language

from .pipelines import load


@pytest.fixture
def nlp(short_english: None) -> Language:
    return load()
