"""The meta.json of a fine-tuned pipeline: what it is, from what it was made, and what it reaches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SUFFIX = "_finetuned"


def describe_finetuned(
    old: Mapping[str, Any],
    name: str | None,
    version: str | None,
    sizes: Mapping[str, Any],
    performance: Mapping[str, float],
) -> dict[str, Any]:
    """Make the meta.json of a pipeline that was fine-tuned; licence, requirements and sources stay.

    old (Mapping[str, Any]): That of the pipeline before.
    name (str | None): The new name; None for the old one with an ending.
    version (str | None): The new version; None for the old one.
    sizes (Mapping[str, Any]): How much was learnt and scored, and how large the pipeline is.
    performance (Mapping[str, float]): The scores on dev.
    """
    before = f"{old['lang']}_{old['name']} {old['version']}"
    source = {
        "name": before,
        **{key: old.get(key, "") for key in ("url", "license", "author")},
    }
    learnt = sizes["train"]["documents"]
    return {
        **old,
        "name": name or old["name"].removesuffix(SUFFIX) + SUFFIX,
        "version": version or old["version"],
        "description": f"{before}, fine-tuned (documents: {learnt}). {old['description']}".strip(),
        "author": "",
        "email": "",
        "url": "",
        "sources": [*(old.get("sources") or []), source],
        "notes": f"Scores are of documents that were not learnt ({sizes['dev']['documents']}), from raw text.",
        "finetuned": dict(sizes),
        "performance": dict(performance),
    }
