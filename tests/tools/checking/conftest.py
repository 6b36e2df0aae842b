import pytest


@pytest.fixture(scope="module", autouse=True)
def _english(short_english: None) -> None:
    """Each corpus is read by a pipeline of its own, and each training has one."""
