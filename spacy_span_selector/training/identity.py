"""What makes two trainings the same: their config and files; and what may change the result: versions and device."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch
from thinc.api import Config

PACKAGES = ("spacy-span-selector", "spacy", "thinc", "torch", "numpy", "spacy-transformers", "transformers")

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
            "python": platform.python_version(),
            **{package: _version(package) for package in PACKAGES},
            "device": torch.cuda.get_device_name(gpu_id) if gpu_id >= 0 and torch.cuda.is_available() else "cpu",
            "threads": torch.get_num_threads(),
        },
    }


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two parts of identities, a line each."""
    keys = [*before, *(key for key in now if key not in before)]
    return [
        f"{key}: {before.get(key, 'nothing')!r} then, {now.get(key, 'nothing')!r} now"
        for key in keys
        if before.get(key, "nothing") != now.get(key, "nothing")
    ]


def file_digest(path: Path) -> str:
    """A fingerprint of a file, or of all files in a folder and their names; that of no files if it is missing."""
    digest = hashlib.blake2b(digest_size=16)
    for file in [path] if path.is_file() else sorted(path.rglob("*")):
        if file.is_file():
            digest.update(f"{file.relative_to(path)}\n{file.stat().st_size}\n".encode())
            with file.open("rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from _flat(part, f"{name}.{key}" if name else key)
    else:
        yield name, value


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
