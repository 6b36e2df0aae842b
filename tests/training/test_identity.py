from __future__ import annotations

from pathlib import Path

import pytest
from thinc.api import Config

from spacy_span_selector.training.identity import identity

CONFIG = """
[paths]
train = "{folder}/train"

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${{paths.train}}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = "{folder}/dev.spacy"

[training]
seed = 0
"""


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "train").mkdir()
    (tmp_path / "train/a.spacy").write_bytes(b"one")
    (tmp_path / "dev.spacy").write_bytes(b"two")
    return Config().from_str(CONFIG.format(folder=tmp_path), interpolate=False)


def test_settings_have_dotted_names(config: Config, tmp_path: Path) -> None:
    settings = identity(config, None, -1)["config"]
    assert settings["corpora.train.path"] == f"{tmp_path}/train"
    assert settings["training.seed"] == 0


def test_files_of_the_corpora_and_of_the_code_count(config: Config, tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text("")
    assert list(identity(config, code, -1)["files"]) == [
        str(code),
        str(tmp_path / "dev.spacy"),
        str(tmp_path / "train"),
    ]


def test_versions_and_device_are_named(config: Config) -> None:
    surroundings = identity(config, None, -1)["surroundings"]
    assert surroundings["device"] == "cpu"
    assert all(surroundings[package] != "none" for package in ("spacy-span-selector", "spacy", "torch"))
