import os
from collections.abc import Iterator

if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the workers and the processes that they start share the cores

os.environ["HF_HUB_OFFLINE"] = "1"  # encoders come from this machine
os.environ["TOKENIZERS_PARALLELISM"] = "false"  # or they use threads before pipelines fork

import catalogue
import pytest
import torch
from spacy.lang.en import English
from spacy.lang.tokenizer_exceptions import BASE_EXCEPTIONS

from .browser import browser, open_page

__all__ = ["browser", "device", "open_page"]

if "PYTEST_XDIST_WORKER" in os.environ:
    torch.set_num_threads(1)

# spaCy asks for the entry points of a group whenever it looks up a name, and catalogue searches those of all packages
# then: a tenth of the time of tests that make many pipelines.
catalogue.AVAILABLE_ENTRY_POINTS = {
    group: list(catalogue.AVAILABLE_ENTRY_POINTS.select(group=group))
    for group in catalogue.AVAILABLE_ENTRY_POINTS.groups
}

if not torch.cuda.is_available():
    # Without a GPU Triton's kernels run in its interpreter. It must know before anything imports Triton, as torch may.
    os.environ["TRITON_INTERPRET"] = "1"


@pytest.fixture(scope="module")
def short_english() -> Iterator[None]:
    """English with no more exceptions of its tokenizer than any language has.

    Its own ones, over a thousand, take each pipeline a third of a second to load. For modules that make or load many,
    and whose texts have none of them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(English.Defaults, "tokenizer_exceptions", BASE_EXCEPTIONS)
        yield


@pytest.fixture(
    params=[
        "cpu",
        pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")),
    ]
)
def device(request: pytest.FixtureRequest) -> str:
    """Every device of this machine in turn."""
    return str(request.param)
