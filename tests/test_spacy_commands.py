"""spaCy's own commands on every config in configs/: as docs/spacy_commands.md says."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.cli import app
from spacy.cli.find_function import find_function
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Corpus
from spacy.util import load_config, walk_dict
from thinc.api import Config
from typer.testing import CliRunner

from spacy_span_selector.scoring.task import find_tasks, tasks
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from .tiny_bert import tiny_bert

ROOT = Path(__file__).parents[1]
CONFIGS = sorted(path for path in ROOT.glob("configs/**/*.cfg"))
pytestmark = pytest.mark.usefixtures("short_english")

CORPUS = """
=== the station
[Ann Lee|ann] met [[her|ann] brother|tom] at [the station].
> [ARG0 Ann Lee] [V=meet.02 met] [ARG1 her brother] [ARGM-LOC at the station].
[] [PERSON Ann Lee] met [PERSON [PERSON her] brother] at [PLACE the station].
[He|tom] gave [her|ann] [a key].
> [ARG0 He] [V=give.01 gave] [ARG2 her] [ARG1 a key].
=== the hat
[Leo] lost [a hat|hat].
> [ARG0 Leo] [V=lose.02 lost] [ARG1 a hat].
[Ruth|ruth] found [it|hat] near [[her|ruth] house].
> [ARG0 Ruth] [V=find.01 found] [ARG1 it] [ARGM-LOC near her house].
[] [PERSON Ruth] found it near [PLACE [PERSON her] house].
"""
LABELS = {"structured_srl": {"ARG0", "ARG1", "ARG2", "ARGM-LOC"}, "structured_spancat": {"PERSON", "PLACE"}}
"""The labels of components in the corpus."""
SMALL = {"hidden_width": 32, "linker_width": 16, "linker_hidden_width": 16, "pair_width": 16, "pair_hidden_width": 16}
"""Sizes of networks, in the place of those of configs for large GPUs."""


def config_name(path: Path) -> str:
    return str(path.relative_to(ROOT / "configs").with_suffix(""))


def run(*arguments: object) -> str:
    """Run a command of spaCy in this process, and return what it says."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus."""
    folder = tmp_path_factory.mktemp("commands")
    docs = parse_bracketed(CORPUS, spacy.blank("en"))
    DocBin(docs=docs, store_user_data=True).to_disk(folder / "corpus.spacy")
    return folder


@pytest.fixture(scope="module")
def bert(folder: Path) -> Path:
    return tiny_bert(folder / "bert")


@pytest.fixture(scope="module", params=CONFIGS, ids=config_name)
def path(request: pytest.FixtureRequest) -> Path:
    """Every config in turn."""
    path: Path = request.param
    if "spacy-transformers" in path.read_text(encoding="utf-8"):
        pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")
    return path


@pytest.fixture(scope="module")
def config(path: Path) -> Config:
    return load_config(path)


@pytest.fixture(scope="module")
def components(config: Config) -> list[str]:
    """The components of this package in the config: their names are those of their factories."""
    return [name for name in config["nlp"]["pipeline"] if name in tasks]


@pytest.fixture(scope="module")
def options(config: Config, components: list[str], folder: Path, request: pytest.FixtureRequest) -> list[str]:
    """Options for a training of two steps on the corpus, by small networks, behind an encoder that is at hand."""
    settings: dict[str, Any] = {"training.eval_frequency": 1}
    for name in config["paths"]:
        if name.startswith(("train", "dev")):
            settings[f"paths.{name}"] = folder / "corpus.spacy"
    if "encoder" in config["paths"]:
        settings["paths.encoder"] = request.getfixturevalue("bert")
        settings["components.transformer.model.mixed_precision"] = "false"
    for component in components:
        model = f"components.{component}.model"
        settings |= {f"{model}.{size}": SMALL[size] for size in SMALL.keys() & config["components"][component]["model"]}
    settings["training.optimizer.learn_rate.total_steps"] = 2
    if not config["training"]["max_steps"]:  # of a config that counts epochs
        settings["training.max_steps"] = 2
    return [str(part) for name, value in settings.items() for part in (f"--{name}", value)]


@pytest.fixture(scope="module")
def trained(path: Path, options: list[str], folder: Path) -> Path:
    """A pipeline that was trained for two steps."""
    output = folder / config_name(path).replace("/", "_")
    run("train", path, "--output", output, *options)
    return output / "model-last"


@pytest.fixture(scope="module")
def nlp(trained: Path) -> Language:
    """The same pipeline, loaded. Tests do not change it."""
    return spacy.load(trained)


def test_fill_config_finds_nothing_to_fill(path: Path, tmp_path: Path) -> None:
    run("init", "fill-config", path, tmp_path / "filled.cfg")
    filled, config = load_config(tmp_path / "filled.cfg"), load_config(path)
    filled["paths"] = {name: value for name, value in filled["paths"].items() if name in config["paths"]}
    components = filled["components"]  # accept what pipelines had that were saved before
    components.get("transformer", {"model": {}})["model"].pop("int8", None)
    for former in ("consistent_clusters", "quotations", "link_non_mentions"):
        components.get("structured_coref", {}).pop(former, None)
    assert filled == config


def test_diff_config_and_info_name_the_components(path: Path, trained: Path, components: list[str]) -> None:
    diff, info = run("debug", "diff-config", path), run("info", trained)
    assert all(f"[components.{component}.model]" in diff and component in info for component in components)


def test_init_labels_writes_what_initialization_reads(
    path: Path, config: Config, components: list[str], options: list[str], tmp_path: Path
) -> None:
    run("init", "labels", path, tmp_path, *options)
    assert {file.stem for file in tmp_path.glob("*.json")} == LABELS.keys() & components
    for file in tmp_path.glob("*.json"):
        written = srsly.read_json(file)
        assert {*(written["roles"] if file.stem == "structured_srl" else written)} == LABELS[file.stem]
        changed = config.copy()
        labels = {"@readers": "spacy.read_labels.v1", "path": str(file), "require": True}
        changed["initialize"]["components"].setdefault(file.stem, {})["labels"] = labels
        changed.to_disk(tmp_path / "changed.cfg")
        run("init", "labels", tmp_path / "changed.cfg", tmp_path / "again", *options)
        assert srsly.read_json(tmp_path / "again" / file.name) == srsly.read_json(file)


def test_debug_data_accepts_a_good_corpus(path: Path, options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("spacy.cli.debug_data"), "BLANK_MODEL_MIN_THRESHOLD", 2)  # not a hundred
    corpora = [name for name in options if name.startswith("--paths.train")]
    report = run("debug", "data", path, *options)
    assert "Pipeline can be initialized with data" in report
    assert f"{2 * len(corpora)} training docs" in report


def test_debug_model_shows_the_layers(path: Path, components: list[str], options: list[str]) -> None:
    for component in components:
        report = run("debug", "model", path, component, "--attributes", "--print-step1", "--print-step3", *options)
        assert "span_scorer" in report and "in_features" in report
        assert "model looks good" in report


def selected_keys(nlp: Language) -> set[str]:
    """The keys of all selected spans in `doc.spans`."""
    pipes: list[Any] = [nlp.get_pipe(name) for name in find_tasks(nlp)]
    return {pipe.selected_key for pipe in pipes}


def test_a_trained_pipeline_annotates_and_its_training_is_resumed(
    nlp: Language, trained: Path, components: list[str], folder: Path
) -> None:
    assert list(find_tasks(nlp)) == components
    assert selected_keys(nlp) <= set(nlp("Ann lost her hat. Tom found it.").spans)
    rate = nlp.config.interpolate()["training"]["optimizer"]["learn_rate"]
    optimizer = nlp.create_optimizer()
    optimizer.step_schedules()
    assert optimizer.learn_rate == pytest.approx(rate["initial_rate"] / rate["warmup_steps"])
    resumed = spacy.load(trained)
    examples = list(Corpus(folder / "corpus.spacy")(resumed))
    losses = resumed.update(examples, sgd=resumed.resume_training(), annotates=["sentencizer"])
    assert all(losses[component] > 0 for component in components)


def test_evaluate_has_the_scores(trained: Path, nlp: Language, folder: Path, tmp_path: Path) -> None:
    run("evaluate", trained, folder / "corpus.spacy", "--output", tmp_path / "scores.json")
    run("benchmark", "accuracy", trained, folder / "corpus.spacy", "--output", tmp_path / "accuracy.json")
    scores, accuracy = (srsly.read_json(tmp_path / f"{name}.json") for name in ("scores", "accuracy"))
    assert {**scores, "speed": 0} == {**accuracy, "speed": 0}
    assert {task.main_score for task in find_tasks(nlp).values()} <= scores.keys()


def test_a_package_requires_what_it_needs(trained: Path, tmp_path: Path) -> None:
    run("package", trained, tmp_path, "--build", "none", "--name", "tiny", "--version", "1.0.0")
    requirements = srsly.read_json(tmp_path / "en_tiny-1.0.0/meta.json")["requirements"]
    required = [requirement.partition(">")[0] for requirement in requirements]
    assert "spacy-span-selector" in required
    packaged = spacy.load(tmp_path / "en_tiny-1.0.0/en_tiny/en_tiny-1.0.0")
    assert ("spacy-transformers" in required) == ("transformer" in packaged.pipe_names)


def test_apply_annotates(trained: Path, nlp: Language, folder: Path, tmp_path: Path) -> None:
    run("apply", trained, folder / "corpus.spacy", tmp_path / "applied.spacy")
    docs = list(DocBin().from_disk(tmp_path / "applied.spacy").get_docs(nlp.vocab))
    assert len(docs) == 2
    assert all(selected_keys(nlp) <= set(doc.spans) for doc in docs)


def test_find_function_finds_all_that_a_config_names(config: Config) -> None:
    named = {(keys[-1][1:], value) for keys, value in walk_dict(config) if keys[-1].startswith("@")}
    own = {(registry, name) for registry, name in named if name.startswith("spacy_span_selector.")}
    assert ("misc", "spacy_span_selector.LaminarSelector.v1") in own
    for registry, name in own:
        file, _ = find_function(name, registry)
        assert (ROOT / "spacy_span_selector") in Path(file).parents


@pytest.mark.parametrize("options", [(), ("--gpu",), ("--optimize", "accuracy", "--lang", "de")], ids=str)
def test_init_config_makes_a_config_that_trains(options: tuple[str, ...], folder: Path, tmp_path: Path) -> None:
    pipeline = "word_sentencizer,structured_coref,structured_srl"
    run("init", "config", tmp_path / "base.cfg", "--pipeline", pipeline, *options)
    config = load_config(tmp_path / "base.cfg")
    assert config["nlp"]["pipeline"] == pipeline.split(",")
    corpora = ["--paths.train", folder / "corpus.spacy", "--paths.dev", folder / "corpus.spacy"]
    steps = ["--training.max_steps", 1, "--training.eval_frequency", 1, "--paths.vectors", "null"]
    run("train", tmp_path / "base.cfg", "--output", tmp_path / "out", *corpora, *steps)
    nlp = spacy.load(tmp_path / "out/model-last")
    assert selected_keys(nlp) <= set(nlp("Ann left.").spans)
