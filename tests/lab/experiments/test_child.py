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
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    child = subprocess.Popen([*CHILD, "shown", "--a", "b"], cwd=tmp_path, env=ENVIRONMENT, text=True, **pipes)
    assert child.wait(60) == 3
    output, _ = child.communicate()
    assert output == f"__main__ ['--a', 'b'] {tmp_path}\n"
