"""What makes two trainings the same: their config and files; and what may change the result: versions and device."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from thinc.api import Config

from ..files.fingerprints import file_digest, versions

Identity = dict[str, dict[str, Any]]
"""`config`: each setting by its dotted name; `files`: what is in each; `surroundings`: versions, device, threads."""


def identity(config: Config, code: Path | None, gpu_id: int) -> Identity:
    """Describe a training, in plain values.

    config (Config): Its config, overrides included.
    code (Path | None): A file of registered functions that it uses.
    gpu_id (int): The GPU; -1 for the CPU.
    RETURNS (Identity): The description.
    """
    settings: dict[str, Any] = json.loads(json.dumps(config.interpolate(), default=str))
    corpora = _flat(settings.get("corpora"))
    files = [value for name, value in corpora if name.endswith("path") and isinstance(value, str)]
    return {
        "config": dict(_flat(settings)),
        "files": {path: file_digest(Path(path)) for path in sorted({*files, *([str(code)] if code else [])})},
        "surroundings": {
            **versions(),
            "device": torch.cuda.get_device_name(gpu_id) if gpu_id >= 0 and torch.cuda.is_available() else "cpu",
            "threads": torch.get_num_threads(),
        },
    }


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from _flat(part, f"{name}.{key}" if name else key)
    else:
        yield name, value
