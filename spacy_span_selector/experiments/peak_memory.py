"""The peak memory of this process, on the CPU or on a GPU."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

import torch

BYTES_PER_UNIT = 1 if sys.platform == "darwin" else 1024  # of getrusage
STATUS = Path("/proc/self/status")
FORGET_PEAK = Path("/proc/self/clear_refs")


def start_measuring(gpu_id: int = -1) -> int:
    """Forget the peak so far.

    gpu_id (int): The GPU, whose allocated memory is meant; -1 for the resident memory of this process. On other systems
        than Linux that peak can't be forgotten.
    RETURNS (int): How many bytes are in use.
    """
    if gpu_id >= 0:
        torch.cuda.reset_peak_memory_stats(gpu_id)
        return torch.cuda.memory_allocated(gpu_id)
    if os.access(FORGET_PEAK, os.W_OK):
        FORGET_PEAK.write_text("5")
        return _status("VmRSS")
    return peak_memory(gpu_id)


def peak_memory(gpu_id: int = -1) -> int:
    """The greatest number of bytes in use since `start_measuring`, which has the same argument."""
    if gpu_id >= 0:
        return torch.cuda.max_memory_allocated(gpu_id)
    if os.access(FORGET_PEAK, os.W_OK):
        return _status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_UNIT


def _status(name: str) -> int:
    """A line of what Linux says of this process, in bytes."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])
