"""What is done to every part of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is done to every part: all that a process must know to annotate any of them. It can be pickled.

    model (str): The pipeline: a path or the name of a package.
    code (Path | None): A Python file with registered functions that the pipeline needs.
    format (str): The format of the output, one of `FORMATS`.
    transcripts (bool): Whether texts are read as transcripts, for who speaks in them.
    tokens (bool): Whether plain data says where tokens are.
    columns (bytes | None): The columns that tables pass on to tables, as `passed_columns` returns them.
    max_length (int | None): The most characters that a text may have; None for what the pipeline says.
    bf16 (bool | None): Whether to compute in bfloat16; None for what the pipeline says.
    batch_words (int): About how many words are annotated at once.
    gpu_id (int): The GPU; -1 for the CPU.
    threads (int | None): The threads of torch; None for as many as it takes by itself.
    """

    model: str
    code: Path | None = None
    format: str = "jsonl"
    transcripts: bool = False
    tokens: bool = False
    columns: bytes | None = None
    max_length: int | None = None
    bf16: bool | None = None
    batch_words: int = 20_000
    gpu_id: int = -1
    threads: int | None = None

    def identity(self) -> dict[str, Any]:
        """What the output depends on, beside pipeline and inputs."""
        return {name: getattr(self, name) for name in ("format", "transcripts", "tokens", "max_length", "bf16")}
