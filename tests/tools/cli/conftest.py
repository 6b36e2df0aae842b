import pytest


@pytest.fixture(scope="module", autouse=True)
def _english(short_english: None) -> None:
    """Commands load a pipeline each time."""
