from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock

from spacy_span_selector.experiments.lock import only_experiment_in


def test_a_second_experiment_is_refused_until_the_first_has_ended(tmp_path: Path):
    with only_experiment_in(tmp_path / "new/folder"):
        message = r"folder: another 'experiment' is running in this folder\. Wait"
        with pytest.raises(ValueError, match=message), only_experiment_in(tmp_path / "new/folder"):
            pass
        with only_experiment_in(tmp_path / "other"):
            pass
    with only_experiment_in(tmp_path / "new/folder"):
        pass


def test_an_experiment_that_fails_leaves_the_folder(tmp_path: Path):
    with pytest.raises(RuntimeError), only_experiment_in(tmp_path):
        raise RuntimeError
    with only_experiment_in(tmp_path):
        pass


def test_without_locks_there_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def acquire(self: FileLock) -> None:
        raise NotImplementedError

    monkeypatch.setattr(FileLock, "acquire", acquire)
    ran = False
    with pytest.warns(UserWarning, match="this file system has no locks"), only_experiment_in(tmp_path):
        ran = True
    assert ran
