from pathlib import Path

import pytest
from spacy.util import fix_random_seed

from ..tiny_bert import tiny_bert


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an encoder, each subword of which is a letter."""
    pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")
    fix_random_seed(0)
    return tiny_bert(tmp_path_factory.mktemp("encoder") / "bert", layers=2)
