from __future__ import annotations

import os

import pytest
import torch

from .browser import browser, open_page

__all__ = ["browser", "device", "open_page"]

if "PYTEST_XDIST_WORKER" in os.environ:
    torch.set_num_threads(1)  # the workers share the cores

if not torch.cuda.is_available():
    # Without a GPU Triton's kernels run in its interpreter. It must know before anything imports Triton, as torch may.
    os.environ["TRITON_INTERPRET"] = "1"


@pytest.fixture(
    params=[
        "cpu",
        pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")),
    ]
)
def device(request: pytest.FixtureRequest) -> str:
    """Every device of this machine in turn."""
    return str(request.param)
