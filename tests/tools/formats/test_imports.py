"""Whoever reads one format imports no other, but for what it is made of."""

import re
from pathlib import Path

from spacy_span_selector.tools import formats

FOLDER = Path(formats.__file__).parent
TEXTS = {path.relative_to(FOLDER): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py")}
FORMATS = {path.parts[0].removesuffix(".py") for path, text in TEXTS.items() if "FORMAT = Format(" in text}


def test_a_reader_imports_no_other_format():
    assert {"bracketed", "bio", "litbank"} <= FORMATS
    found: dict[str, set[str]] = {}
    for path, text in TEXTS.items():
        name = path.parts[0].removesuffix(".py")
        imported = set(re.findall(r"^from \.+(\w+)", text, re.MULTILINE)) & FORMATS - {name}
        found[name] = found.get(name, set()) | imported
    assert {name: others for name, others in found.items() if others} == {"litbank": {"bio"}}  # columns of tags
