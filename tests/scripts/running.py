"""Scripts as they are run from the shell."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_script(name: str, *arguments: object, status: int = 0) -> str:
    """What a script writes to its standard error that ends with this exit status."""
    command = [sys.executable, ROOT / f"scripts/{name}.py", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == status, result.stderr
    return result.stderr
