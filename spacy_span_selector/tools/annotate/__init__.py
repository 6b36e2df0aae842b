"""Annotating any amount of text, part by part (docs/annotate.md).

Each step knows only the one before it: `inputs` and `reading` make a stream of records, `records` cuts it into parts,
an `Annotator` makes the content of an output file from a part, and `output` keeps what is done. Which process annotates
a part does not matter: `backends`, and `cluster` for more than one machine, decide that. `dataset` is for Ray's own
datasets.
"""

from .annotator import Annotator, PartResult
from .dataset import annotate_dataset
from .pipelines import Job
from .records import Reading
from .run import Summary, annotate_to_folder, annotate_to_stream

__all__ = [
    "Annotator",
    "Job",
    "PartResult",
    "Reading",
    "Summary",
    "annotate_dataset",
    "annotate_to_folder",
    "annotate_to_stream",
]
