"""Measure peak memory and speed of a pipeline that annotates documents. Runs in a separate process.

python -m lab.experiments.memory RUN_DIR GPU_ID
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

import spacy
import srsly
import torch

from spacy_span_selector.files.writing import write_file

from .measure import load_pipeline, read_examples

MB = 1_000_000
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


def measure_memory(run_dir: Path, gpu_id: int) -> dict[str, Any]:
    """Annotate the test documents of a run, and measure the memory beyond that of the loaded pipeline.

    run_dir (Path): The folder with the pipeline, `model-best`, and `run.json`, which names the documents.
    gpu_id (int): The GPU whose memory is measured; -1 for the resident memory on the CPU.
    RETURNS (dict[str, Any]): `device`, `loaded_mb`, `peak_mb` (in addition to `loaded_mb`), `seconds` and `words`.
    """
    run = srsly.read_json(run_dir / "run.json")
    nlp = load_pipeline(run_dir, gpu_id)
    docs = [example.predicted for example in read_examples(nlp, run, "test")]
    list(nlp.pipe([spacy.blank("en").make_doc("Ann saw Bob .")]))  # do not count what is built at first use
    loaded = start_measuring(gpu_id)
    begin = time.perf_counter()
    deque(nlp.pipe(docs, batch_size=nlp.batch_size), maxlen=0)  # no document is kept
    seconds = time.perf_counter() - begin
    return {
        "device": "cpu" if gpu_id < 0 else torch.cuda.get_device_name(gpu_id),
        "loaded_mb": round(loaded / MB, 1),
        "peak_mb": round((peak_memory(gpu_id) - loaded) / MB, 1),
        "seconds": round(seconds, 3),
        "words": sum(map(len, docs)),
    }


if __name__ == "__main__":
    directory, gpu = Path(sys.argv[1]), int(sys.argv[2])
    write_file(directory / "memory.json", srsly.json_dumps(measure_memory(directory, gpu), indent=2))
