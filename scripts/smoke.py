"""Try an installed package as a user does: its tests; then train for two steps, save, load, evaluate and annotate."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = ("assets", "configs", "project.yml", "setup.cfg", "tests")
"""What the tests and the demo need, without the package, so that the installed one is tried."""
TESTS = (
    "test_no_extras.py",
    "annotation",
    "metrics",
    "models",
    "scorers",
    "pipeline/test_listeners.py",
    "pipeline/test_structured_coref.py",
    "pipeline/test_structured_srl.py",
)
TEST_REQUIREMENTS = ("pytest", "pytest-xdist", "hypothesis")
"""What `run_tests` needs beside the package."""


def run_tests(python: Path, folder: Path, source: Path = ROOT) -> None:
    """Run tests that go through most of the package, and need neither a corpus nor the network.

    python (Path): The interpreter of an environment with the package and TEST_REQUIREMENTS.
    folder (Path): Where the files of the tests and the demo are copied to; it must not exist.
    source (Path): The repository, or an unpacked source distribution.
    RAISES (subprocess.CalledProcessError): If a test fails.
    """
    folder.mkdir(parents=True)
    for name in FILES:
        copy = shutil.copytree if (source / name).is_dir() else shutil.copy
        copy(source / name, folder / name)
    tests = [f"tests/{name}" for name in TESTS]
    in_parallel = ("--numprocesses", "auto", "--dist", "loadfile")
    subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *in_parallel, *tests], cwd=folder, check=True
    )


def smoke(python: Path, folder: Path) -> None:
    """Run the demo's workflow for two steps of training, and annotate a text with what was trained.

    python (Path): The interpreter of an environment with the package.
    folder (Path): A folder with the demo's files.
    RAISES (subprocess.CalledProcessError): If a step fails.
    """
    spacy = (python, "-m", "spacy")
    subprocess.run([*spacy, "project", "run", "all", ".", "--vars.demo_steps", "2"], cwd=folder, check=True)
    annotate = ("span-selector", "annotate", "training/demo/model-best", "assets/alice.txt", "output/annotated")
    subprocess.run([*spacy, *annotate], cwd=folder, check=True)
