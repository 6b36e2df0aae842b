"""The peak memory and speed of a pipeline that annotates documents. Runs in a separate process.

python -m lab.experiments.memory RUN_DIR GPU_ID
"""

from __future__ import annotations

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
from .peak_memory import peak_memory, start_measuring

MB = 1_000_000


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
