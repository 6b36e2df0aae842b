"""Write docs/settings.md, the reference of all settings, from the classes that define them.

python scripts/write_settings.py docs/settings.md
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from spacy_span_selector.encoders.sentence_windows import SentenceWindows
from spacy_span_selector.encoders.transformer import EncoderSettings
from spacy_span_selector.layers.coref.network import CorefSettings
from spacy_span_selector.layers.selection.selectors import Selector
from spacy_span_selector.layers.spancat.network import SpancatSettings
from spacy_span_selector.layers.srl.roles import SrlSettings
from spacy_span_selector.models.selectors import sigmoid_selector
from spacy_span_selector.people.entity_resolver import EntityResolver
from spacy_span_selector.pipeline.settings import HasSettings, defaults
from spacy_span_selector.pipeline.structured_coref import StructuredCoref
from spacy_span_selector.pipeline.structured_spancat import StructuredSpancat
from spacy_span_selector.pipeline.structured_srl import StructuredSrl

HEAD = """# Settings

Written by `scripts/write_settings.py` from the code. A setting that is not stated in a config has its default, which is
what we recommend; settings that depend on the encoder or the corpus differ from it in `configs/`. Settings of a
component may be changed [when a pipeline is loaded, and later](in_your_pipeline.md#settings), those of its model may
not. Readers of corpora have [a page of their own](readers.md).
"""
SECTIONS: dict[str, tuple[str, Any]] = {
    "structured_coref": ("[components.structured_coref]", StructuredCoref),
    "The model of structured_coref": (
        '[components.structured_coref.model]\n@architectures = "spacy_span_selector.CorefModel.v1"',
        CorefSettings,
    ),
    "structured_srl": ("[components.structured_srl]", StructuredSrl),
    "The model of structured_srl": (
        '[components.structured_srl.model]\n@architectures = "spacy_span_selector.SrlModel.v1"',
        SrlSettings,
    ),
    "structured_spancat": ("[components.structured_spancat]", StructuredSpancat),
    "The model of structured_spancat": (
        '[components.structured_spancat.model]\n@architectures = "spacy_span_selector.SpancatModel.v1"',
        SpancatSettings,
    ),
    "entity_resolver": ("[components.entity_resolver]", EntityResolver),
    "SigmoidSelector": (
        '[components.structured_coref.model.selector]\n@misc = "spacy_span_selector.SigmoidSelector.v1"',
        sigmoid_selector,
    ),
    "The encoder": (
        '[components.transformer.model]\n@architectures = "spacy_span_selector.TransformerModel.v1"',
        EncoderSettings,
    ),
    "Windows of the encoder": (
        '[components.transformer.model.get_spans]\n@span_getters = "spacy_span_selector.SentenceWindows.v1"',
        SentenceWindows,
    ),
}
NOTES = {
    "The model of structured_coref": "`tok2vec` gives one vector for each token. `selector` is a block of its own; "
    "`StructuredSelector.v1` and `LaminarSelector.v1` have no settings.",
    "The encoder": "All others are those of `spacy-transformers.TransformerModel.v3`.",
}
LIMITS = {"ge": "from", "gt": "above", "le": "to", "lt": "below"}
"""Attributes of the limits of a number, and their words."""


def write_page() -> str:
    """The page: a section with a table for each part of a config. What two parts share is explained once."""
    parts = [HEAD]
    explained: dict[tuple[str, ...], str] = {}
    for title, (block, owner) in SECTIONS.items():
        parts.append(f"## {title}\n\n```ini\n{block}\n```\n")
        if title in NOTES:
            parts.append(f"{NOTES[title]}\n")
        rows, known = "", dict[str, list[str]]()
        for name, kind, default, meaning in rows_of(owner):
            first = explained.setdefault((name, kind, default, meaning), title)
            if first == title:
                rows += f"| `{name}` | {kind} | {default} | {meaning} |\n"
            else:
                known.setdefault(first, []).append(f"`{name}`")
        parts.append(f"| setting | values | default | meaning |\n|---|---|---|---|\n{rows}")
        for first, names in known.items():
            parts.append(f"As in [{first}](#{first.lower().replace(' ', '-')}): {', '.join(names)}.\n")
    return "\n".join(parts)


def rows_of(owner: Any) -> Iterator[tuple[str, str, str, str]]:
    """Name, values, default and meaning of each setting that is documented.

    owner (type | Callable): A dataclass, or a function that has settings as arguments.
    """
    meanings = describe(owner)
    hints = get_type_hints(owner.__init__ if is_component(owner) else owner, include_extras=True)
    for name, default in defaults_of(owner).items():
        if name in meanings:
            shown = f"`{type(default).__name__}.v1`" if isinstance(default, Selector) else f"`{json.dumps(default)}`"
            yield name, values(hints[name]), shown, meanings[name]


def defaults_of(owner: Any) -> dict[str, Any]:
    """The defaults of settings by name."""
    if is_component(owner):
        return defaults(owner)
    if is_dataclass(owner):
        return {field.name: field.default for field in fields(owner)}
    return {name: parameter.default for name, parameter in inspect.signature(owner).parameters.items()}


def is_component(owner: Any) -> bool:
    """Whether settings are the keyword arguments of a constructor."""
    return inspect.isclass(owner) and issubclass(owner, HasSettings)


def describe(owner: Any) -> dict[str, str]:
    """The meanings of settings by name, from docstrings: those of a class go before those of its bases."""
    meanings: dict[str, str] = {}
    for source in reversed(inspect.getmro(owner)) if inspect.isclass(owner) else [owner]:
        text = (
            inspect.cleandoc(vars(source).get("__doc__") or "") if inspect.isclass(source) else inspect.getdoc(source)
        )
        for name, meaning in re.findall(r"^(\w+) \([^)]*\): (.*(?:\n    .*)*)", text or "", re.MULTILINE):
            text_of_one = re.sub(r"\s+", " ", meaning).replace("|", "\\|")
            text_of_one = re.sub(r"docs/(\w+)\.md", r"[\1](\1.md)", text_of_one)
            meanings[name] = re.sub(r"\bNone\b", "`null`", text_of_one)
    return meanings


def values(hint: Any) -> str:
    """What a setting may be, in words."""
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(values(option) for option in get_args(hint))
    if get_origin(hint) is Literal:
        return " or ".join(f"`{json.dumps(choice)}`" for choice in get_args(hint))
    if get_origin(hint) is Annotated:
        kind, *marks = get_args(hint)
        limits = [limit for mark in marks for limit in getattr(mark, "metadata", ())]
        words = [
            f"{word} {getattr(limit, name)}"
            for limit in limits
            for name, word in LIMITS.items()
            if hasattr(limit, name)
        ]
        return " ".join([values(kind), *words])
    if get_origin(hint) in (tuple, list):
        return "list of strings"
    names = {bool: "`true` or `false`", int: "whole number", float: "number", str: "string", NoneType: "`null`"}
    return names.get(hint, "block")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="The file to write")
    parser.parse_args().page.write_text(write_page(), encoding="utf-8")
