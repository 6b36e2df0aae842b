"""Tasks of Label Studio, as it exports them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import Doc

from spacy_span_selector.tools.formats.label_studio import read_label_studio

NLP = spacy.blank("en")
TEXT = "Ann's brother left. He ran to Bells."


def region(name: str, words: str, *labels: str, text: str = TEXT, **rest: Any) -> dict[str, Any]:
    """A region around the first place of some words."""
    start = text.index(words)
    value = {"start": start, "end": start + len(words), "text": words, "labels": list(labels or ["Mention"])}
    return {"id": name, "from_name": "label", "to_name": "text", "type": "labels", "value": value, **rest}


def relation(source: str, target: str, *labels: str, **rest: Any) -> dict[str, Any]:
    return {
        "type": "relation",
        "from_id": source,
        "to_id": target,
        "labels": list(labels),
        "direction": "right",
        **rest,
    }


def task(*results: dict[str, Any], text: str = TEXT, **rest: Any) -> dict[str, Any]:
    return {"id": 7, "data": {"text": text}, "annotations": [{"id": 1, "result": list(results)}], **rest}


def read(folder: Path, *tasks: Any) -> list[Doc]:
    path = folder / "export.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return read_label_studio(path, NLP)
