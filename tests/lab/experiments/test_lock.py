from __future__ import annotations

from pathlib import Path

import pytest

from lab.experiments.lock import only_experiment_in


def test_a_second_experiment_is_told_what_to_do(tmp_path: Path):
    message = (
        r"another 'experiment' is running in this folder\. Wait until it has ended, or use another folder: 'report'"
    )
    with only_experiment_in(tmp_path), pytest.raises(ValueError, match=message), only_experiment_in(tmp_path):
        pass
