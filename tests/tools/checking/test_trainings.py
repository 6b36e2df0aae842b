from pathlib import Path
from typing import Any

import pytest
from thinc.api import Config

from spacy_span_selector.annotation import set_labelled_spans
from spacy_span_selector.tools.checking.trainings import check_training, planned_for_other_steps
from spacy_span_selector.tools.cli.finetune import MADE

from ...untrained import pipeline_of
from ..training.trainings import write_training
from .corpora import GOOD, cases, check, make_doc, read, titles, write

READER = {"@readers": "spacy_span_selector.Corpus.v1", "path": None, "gold_tokens": True, "sentences": True}


def make_config(*components: str, width: int = 5, reader: dict[str, object] | None = None) -> Config:
    """A config whose components have a greatest width of spans."""
    nlp = pipeline_of("en", *components)
    config = Config(nlp.config)
    for name in nlp.pipe_names:
        if "model" in config["components"][name]:
            config["components"][name]["model"]["max_span_width"] = width
    config["corpora"]["train"] = reader or READER
    return config


def test_components_have_the_settings_of_the_config(tmp_path: Path) -> None:
    doc = make_doc([(0, 3), (4, 5)])
    path = write(tmp_path / "train.spacy", [doc])
    assert check(path, config=make_config("structured_coref", width=3)).is_good
    lost = check(path, config=make_config("structured_coref", width=2))
    assert cases(lost, "wider than 'max_span_width'") == [f"{path}: document 'the station', tokens 0:3: 'Ann met Tom'"]


def test_spans_may_cross_if_the_selector_lets_them(tmp_path: Path) -> None:
    doc = make_doc([(0, 2), (1, 3)])
    path = write(tmp_path / "train.spacy", [doc])
    config = make_config("structured_coref")
    assert len(cases(check(path, config=config), "cross an earlier one")) == 1
    config["components"]["structured_coref"]["model"]["selector"] = {"@misc": "spacy_span_selector.SigmoidSelector.v1"}
    assert check(path, config=config).is_good


def test_annotating_components_set_the_sentences(tmp_path: Path) -> None:
    path = write(tmp_path / "train.spacy", [make_doc([(0, 1), (2, 5)], boundaries=False)])
    config = make_config("sentencizer", "structured_coref")
    assert cases(check(path, config=config), "of which nothing is learnt")
    config["training"]["annotating_components"] = ["sentencizer"]
    checked = check(path, config=config)
    assert cases(checked, "which annotating_components set")
    assert cases(checked, "crosses a sentence boundary")[0].endswith("tokens 2:5: 'Tom . He'")


def test_the_reader_of_the_config_cuts_documents(tmp_path: Path) -> None:
    path = write(tmp_path / "train.spacy", read(GOOD))
    checked = check(path, config=make_config("structured_coref", reader={**READER, "max_words": 6}))
    (line,) = cases(checked, "fall apart")
    assert line == f"{path}: document 'the station': 2 of 3 links between mentions of a cluster"


def test_each_file_is_read_as_the_config_reads_it(tmp_path: Path) -> None:
    train = write(tmp_path / "train.spacy", read(GOOD))
    corpora = {
        "@readers": "spacy_span_selector.Corpora.v1",
        "*": {"a": {**READER, "path": "other.spacy", "max_words": 6}, "b": {**READER, "path": str(train)}},
    }
    assert check(train, config=make_config("structured_coref", reader=corpora)).is_good


def test_labels_are_those_that_the_config_gives_to_them_and_others_are_named_once(tmp_path: Path) -> None:
    docs = [make_doc([(0, 1), (4, 5)]), make_doc([(2, 3)])]
    for doc in docs:
        set_labelled_spans(doc, [(0, 1, "person"), (2, 3, "thing"), (4, 5, "LOC")])
    path = write(tmp_path / "train.spacy", docs)
    reader = {**READER, "annotates": {"person": "PER", "town": "LOC|GPE"}}
    config = make_config("structured_spancat", reader=reader)
    config["components"]["structured_spancat"]["model"]["label_hidden_width"] = None
    checked = check(path, config=config)
    assert cases(checked, "not annotated for") == [f"{path}: 'thing', 2 times"]
    assert checked.is_good
    rows = checked.files[path].rows()
    assert (rows["Annotated for"], rows["Frequent labels"]) == ("PER, LOC|GPE", "PER 2, thing 2, LOC 2")


def test_readers_read_every_document(tmp_path: Path) -> None:
    wide = make_doc([(0, 3), (4, 5)])
    path = write(tmp_path / "train.spacy", [*read(GOOD), wide])
    config = make_config("structured_coref", width=2, reader={**READER, "limit": 1})
    assert len(cases(check(path, config=config), "max_span_width")) == 1


def test_a_component_without_anything_to_learn_is_a_problem(tmp_path: Path) -> None:
    path = write(tmp_path / "train.spacy", read("[Ann|ann] saw [Ann|ann]."))
    checked = check(path, config=make_config("structured_srl"))
    assert cases(checked, "find nothing to learn") == [f"{path}: 'structured_srl'"]


def test_what_another_task_is_annotated_for_is_not_lost(tmp_path: Path) -> None:
    path = write(tmp_path / "train.spacy", [*read(GOOD), *read("=== x\n[Ann|ann] saw [Ann|ann].")])
    checked = check(path, config=make_config("structured_srl"))
    assert titles(checked) == ["documents annotated only for what no component of the config learns"]


@pytest.mark.parametrize(
    ("components", "setting", "message"),
    [
        (["sentencizer"], {}, r"trains no component that selects spans: its pipeline is .*sentencizer"),
        (["structured_coref"], {"frozen_components": ["structured_coref"]}, "not frozen"),
        (["structured_coref"], {"train_corpus": "corpora.other"}, "no training corpus"),
    ],
)
def test_a_config_that_trains_nothing_is_an_error(components: list[str], setting: dict[str, Any], message: str) -> None:
    config = make_config(*components)
    config["training"] |= setting
    with pytest.raises(ValueError, match=message):
        check(config=config)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_training(tmp_path_factory.mktemp("training"))


@pytest.fixture
def config(path: Path) -> Config:
    return Config().from_disk(path)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("dropuot", 0.1, r"\[training\] has no setting 'dropuot', but accumulate_gradient, .*dropout"),
        ("max_steps", -1, "is -1, but must be at least 0"),
        ("eval_frequency", 0, "is 0, but must be at least 1"),
        ("annotating_components", ["tagger"], r"'tagger' in \[training\] annotating_components is not in the pipeline"),
        ("dropout", 1.0, "is 1.0, but must be below 1"),
        ("annotating_components", None, "is None, but must be a list"),
        ("frozen_components", "tagger", "is 'tagger', but must be a list"),
        ("optimizer", None, "is None, but must be a section"),
        ("frozen_components", ["tagger"], r"'tagger' in \[training\] frozen_components is not in the pipeline"),
    ],
)
def test_a_setting_that_cannot_be_is_named(config: Config, name: str, value: Any, message: str) -> None:
    config["training"][name] = value
    with pytest.raises(ValueError, match=message):
        check_training(config)
    with pytest.raises(ValueError, match=r"Expected a config for training, with sections \[nlp\] and \[training\]"):
        check_training(Config({"nlp": config["nlp"]}))


def with_steps(max_steps: Any, **rate: Any) -> Config:
    return Config({"training": {"max_steps": max_steps, "optimizer": {"learn_rate": {"initial_rate": 0.1, **rate}}}})


@pytest.mark.filterwarnings("ignore:.*left out, as it is the output of 'finetune'")
def test_what_a_fine_tuning_has_written_is_not_learnt_again(config: Config, tmp_path: Path) -> None:
    (tmp_path / "tuned/corpus").mkdir(parents=True)
    (tmp_path / "tuned/corpus/train.spacy").touch()
    config["corpora"]["train"]["path"] = str(tmp_path)
    check_training(config)
    (tmp_path / "tuned/manifest.json").write_text(MADE)
    with pytest.raises(ValueError, match=r"tuned/corpus/train\.spacy all the same. Move what a command has made"):
        check_training(config)
    config["corpora"]["train"]["path"] = str(tmp_path / "tuned")
    config["corpora"]["test"] = {**config["corpora"]["train"], "path": "later.spacy"}  # of no training
    check_training(config)


def test_a_rate_that_is_planned_for_other_steps_is_told(config: Config) -> None:
    with pytest.warns(UserWarning, match="after 7 steps .*planned for 20.*learn_rate.total_steps 7"):
        check_training(config)


@pytest.mark.parametrize(
    "settings",
    [
        with_steps("${training.optimizer.learn_rate.total_steps}", total_steps=2000),
        with_steps(2000, total_steps="${training.max_steps}"),
        with_steps(0, total_steps=2000),
        with_steps(800),
        Config({"training": {"max_steps": 800, "optimizer": {"learn_rate": 0.1}}}),
        Config({}),
    ],
    ids=["followed", "follows", "epochs", "no plan", "constant", "empty"],
)
def test_a_rate_that_fits_is_not_told(settings: Config) -> None:
    assert planned_for_other_steps(settings) is None
