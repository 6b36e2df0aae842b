"""One experiment at a time in a folder."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from spacy_span_selector.files.locks import only_process_in


def only_experiment_in(out_dir: Path) -> AbstractContextManager[None]:
    """Keep other experiments out of a folder until the block ends, as `only_process_in` does."""
    return only_process_in(out_dir, "experiment", "use another folder: 'report' combines several")
