from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from spacy_span_selector.tools.files.runs import lock_file, only_process_in


def only(folder: Path) -> AbstractContextManager[None]:
    return only_process_in(folder, "work", "take another one")


def test_a_second_process_is_refused_until_the_first_has_ended(tmp_path: Path):
    with only(tmp_path / "new/folder"):
        message = r"folder: another 'work' is running in this folder\. Wait"
        with pytest.raises(ValueError, match=message), only(tmp_path / "new/folder"):
            pass
        with only(tmp_path / "other"):
            pass
    with only(tmp_path / "new/folder"):
        pass


def test_a_process_that_fails_leaves_the_folder(tmp_path: Path):
    with pytest.raises(RuntimeError), only(tmp_path):
        raise RuntimeError
    with only(tmp_path):
        pass


def test_commands_have_locks_of_their_own(tmp_path: Path):
    with only(tmp_path), only_process_in(tmp_path, "other", ""):
        assert lock_file(tmp_path, "work").exists()
        assert lock_file(tmp_path, "other").exists()
