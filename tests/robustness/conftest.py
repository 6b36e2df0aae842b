from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def offline() -> Iterator[None]:
    """Encoders come from this machine. Tokenizers must not use threads before pipelines fork."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("TOKENIZERS_PARALLELISM", "false")
        yield
