"""Scripts as they are run from the shell."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_script(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / f"scripts/{name}.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
