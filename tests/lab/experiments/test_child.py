from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lab.experiments.runner import CLONE

CHILD = [sys.executable, "-m", "lab.experiments.child"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(CLONE)}
SHOW = "import sys; print(__name__, sys.argv[1:], sys.path[0]); sys.exit(3)"


def test_a_module_runs_as_the_main_one(tmp_path: Path):
    (tmp_path / "shown.py").write_text(SHOW)
    child = subprocess.Popen(
        [*CHILD, "shown", "--a", "b"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.wait(60) == 3
    output, _ = child.communicate()
    assert output == f"__main__ ['--a', 'b'] {tmp_path}\n"


def test_it_ends_once_its_input_is_closed(tmp_path: Path):
    (tmp_path / "endless.py").write_text("import time\nwhile True: time.sleep(1)")
    child = subprocess.Popen(
        [*CHILD, "endless"], cwd=tmp_path, env=ENVIRONMENT, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 1 and "has ended" in errors
