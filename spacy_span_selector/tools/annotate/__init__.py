"""Annotating any amount of text, part by part: `inputs` makes a stream of records, `records` cuts it into parts, an
`Annotator` makes files of a part, in the processes of `run` or `on_ray`, and `output` keeps them (docs/annotate.md)."""

from .annotator import Job
from .on_ray import annotate_dataset
from .records import Reading
from .run import Summary, annotate_to_folder

__all__ = ["Job", "Reading", "Summary", "annotate_dataset", "annotate_to_folder"]
