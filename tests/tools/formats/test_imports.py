"""Whoever reads one format imports no other, but for what it is made of."""

import subprocess
import sys

FORMATS = [
    *("bio", "bracketed", "conll2012", "corefud", "ewt"),
    *("jsonlines", "label_studio", "litbank", "ontogum"),
]
PACKAGE = "spacy_span_selector"
PROGRAM = f"""
import importlib, sys
for name in {FORMATS}:
    importlib.import_module(f"{PACKAGE}.tools.formats.{{name}}")
    print(name, *(other for other in {FORMATS} if f"{PACKAGE}.tools.formats.{{other}}" in sys.modules))
    for module in [module for module in sys.modules if module.startswith("{PACKAGE}")]:
        del sys.modules[module]
"""


def test_a_reader_imports_no_other_format():
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    others = {"litbank": "bio "}  # whose labelled spans are in columns of tags
    assert result.stdout.splitlines() == [f"{name} {others.get(name, '')}{name}" for name in FORMATS]
