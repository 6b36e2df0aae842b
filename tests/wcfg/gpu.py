"""The device on which the kernels are tested: a GPU, or Triton's interpreter on the CPU."""

from __future__ import annotations

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
needs_cuda = pytest.mark.skipif(DEVICE == "cpu", reason="no CUDA device: the interpreter is too slow for this")
