"""Fingerprints of files and versions of packages, to tell if a run on the disk can be resumed."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("spacy-span-selector", "spacy", "thinc", "torch", "numpy", "spacy-transformers", "transformers")


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


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """List the differences between two descriptions, a line each."""
    pairs = [(key, before.get(key, "nothing"), now.get(key, "nothing")) for key in {**before, **now}]
    return [f"{key}: {then!r} then, {today!r} now" for key, then, today in pairs if then != today]


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that compute; "none" for one that is not installed."""
    return {"python": platform.python_version(), **{package: _version(package) for package in PACKAGES}}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
