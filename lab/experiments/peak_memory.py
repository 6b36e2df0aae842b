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
    """Reset the peak.

    gpu_id (int): The GPU, for its allocated memory; -1 for the resident memory of this process. On systems other than
        Linux the latter peak cannot be reset.
    RETURNS (int): The number of bytes in use.
    """
    if gpu_id >= 0:
        torch.cuda.reset_peak_memory_stats(gpu_id)
        return torch.cuda.memory_allocated(gpu_id)
    if os.access(FORGET_PEAK, os.W_OK):
        FORGET_PEAK.write_text("5")
        return _status("VmRSS")
    return peak_memory(gpu_id)


def peak_memory(gpu_id: int = -1) -> int:
    """The peak number of bytes in use since `start_measuring`, which has the same argument."""
    if gpu_id >= 0:
        return torch.cuda.max_memory_allocated(gpu_id)
    if os.access(FORGET_PEAK, os.W_OK):
        return _status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_UNIT


def _status(name: str) -> int:
    """A value of Linux's status file of this process, in bytes."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])
