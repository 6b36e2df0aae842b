from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_span_selector.tools.training.checks import check_training

from .trainings import write_training


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_training(tmp_path_factory.mktemp("training"))


@pytest.fixture
def config(path: Path) -> Config:
    return Config().from_disk(path)


def write_docs(path: Path, *docs: Doc) -> str:
    DocBin(docs=docs).to_disk(path)
    return str(path)


def test_a_training_that_can_begin_is_let_through(config: Config) -> None:
    check_training(config)


@pytest.mark.parametrize("section", ["nlp", "training"])
def test_a_missing_section_is_named(config: Config, section: str) -> None:
    del config[section]
    with pytest.raises(ValueError, match=rf"There is no section \[{section}\]"):
        check_training(config)


def test_an_unknown_setting_is_named_with_those_that_there_are(config: Config) -> None:
    config["training"]["dropuot"] = 0.1
    with pytest.raises(ValueError, match=r"\[training\] has no setting 'dropuot', but accumulate_gradient, .*dropout"):
        check_training(config)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("dropout", "much", "'dropout' in \\[training\\] is 'much'. Input should be a valid number"),
        ("dropout", 1.5, "is 1.5, but must be from 0 to 1"),
        ("max_steps", None, "'max_steps' in \\[training\\] is None. Input should be a valid integer"),
        ("max_steps", -1, "is -1, but must be at least 0"),
        ("eval_frequency", 0, "is 0, but must be at least 1"),
        ("seed", "abc", "'seed' in \\[training\\] is 'abc'. Input should be a valid integer"),
        ("seed", -1, "is -1, but must be from 0 to 4294967295"),
        ("score_weights", {"coref_f": "much"}, "'score_weights' in \\[training\\]"),
        ("train_corpus", 5, "'train_corpus' in \\[training\\] is 5. Input should be a valid string"),
        (
            "annotating_components",
            ["tagger"],
            "'tagger' in \\[training\\] annotating_components is not in the pipeline",
        ),
        ("frozen_components", ["tagger"], "'tagger' in \\[training\\] frozen_components is not in the pipeline"),
        ("dev_corpus", "paths.dev", "'dev_corpus' in \\[training\\] is 'paths.dev', which is no reader"),
    ],
)
def test_a_setting_that_cannot_be_is_named(config: Config, name: str, value: Any, message: str) -> None:
    config["training"][name] = value
    with pytest.raises(ValueError, match=message):
        check_training(config)


@pytest.mark.parametrize("corpus", ["train", "dev"])
class TestCorpora:
    def test_that_are_not_set_are_named(self, config: Config, corpus: str) -> None:
        config["corpora"][corpus]["path"] = None
        with pytest.raises(ValueError, match=rf"'corpora.{corpus}.path' is not set. .* --corpora.{corpus}.path"):
            check_training(config)

    def test_that_are_missing_are_named(self, config: Config, corpus: str, tmp_path: Path) -> None:
        config["corpora"][corpus]["path"] = str(tmp_path / "none.spacy")
        with pytest.raises(FileNotFoundError, match=rf"none.spacy: no such file or folder. 'corpora.{corpus}.path'"):
            check_training(config)

    def test_that_are_damaged_are_named(self, config: Config, corpus: str, tmp_path: Path) -> None:
        (tmp_path / "damaged.spacy").write_bytes(b"rubbish")
        config["corpora"][corpus]["path"] = str(tmp_path / "damaged.spacy")
        with pytest.raises(ValueError, match=r"damaged.spacy: damaged, or not a .spacy file"):
            check_training(config)

    @pytest.mark.filterwarnings("ignore:.*W090")
    @pytest.mark.parametrize("kind", ["no documents", "no words", "folder"])
    def test_that_have_nothing_are_named(self, config: Config, corpus: str, tmp_path: Path, kind: str) -> None:
        docs = {"no documents": [], "no words": [Doc(Vocab())]}
        place = str(tmp_path) if kind == "folder" else write_docs(tmp_path / "empty.spacy", *docs[kind])
        config["corpora"][corpus]["path"] = place
        with pytest.raises(ValueError, match=rf"\[corpora.{corpus}\] has no documents: {place}"):
            check_training(config)


def test_paths_of_readers_in_readers_are_checked(config: Config, tmp_path: Path) -> None:
    inner = {"@readers": "spacy_span_selector.Corpus.v1", "path": str(tmp_path / "none.spacy")}
    config["corpora"]["dev"] = {"@readers": "spacy_span_selector.Corpora.v1", "*": {"coref": inner}}
    with pytest.raises(FileNotFoundError, match=r"'corpora.dev.\*.coref.path' says"):
        check_training(config)
