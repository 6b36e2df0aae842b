from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton is not installed")


def test_all_kernels_compile(tmp_path: Path) -> None:
    """In a new process, as this one may have Triton's interpreter."""
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path)}
    environment.pop("TRITON_INTERPRET", None)
    result = subprocess.run(
        [sys.executable, "-m", "tests.wcfg.compile_kernels"], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
