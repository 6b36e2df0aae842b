"""Labelled spans under another key than "sc", in every command that trains, scores or checks them."""

from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.cli import app as spacy_app
from spacy.cli.find_threshold import find_threshold
from spacy.language import Language
from spacy.tokens import DocBin
from typer import Typer
from typer.testing import CliRunner, Result

from lab.experiments.measure import measure
from spacy_span_selector.annotation import get_labelled_spans, set_labelled_spans
from spacy_span_selector.scoring.task import find_tasks
from spacy_span_selector.tools.cli import app
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

CONFIG = Path(__file__).parents[1] / "configs/spancat_cpu.cfg"
CORPUS = """=== the hat
Ann Lee met her brother.
[] [PER Ann Lee] met [PER [PER her] brother].
Ruth found it near her house.
[] [PER Ruth] found it near [LOC [PER her] house]."""
KEY = ("--components.structured_spancat.spans_key", "people")
WEIGHTS = ("--training.score_weights.spans_people_f", 1.0, "--training.score_weights.spans_sc_f", "null")


def run(command: Typer, *arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    docs = parse_bracketed(CORPUS, spacy.blank("en"))
    for doc in docs:
        set_labelled_spans(doc, get_labelled_spans(doc), key="people")
        del doc.spans["sc"]
    path = tmp_path_factory.mktemp("corpus") / "train.spacy"
    DocBin(docs=docs * 4, store_user_data=True).to_disk(path)
    return path


@pytest.fixture(scope="module")
def options(corpus: Path) -> list[object]:
    steps = ["--training.max_steps", 20, "--training.eval_frequency", 10, "--training.optimizer.learn_rate", 0.01]
    return ["--paths.train", corpus, "--paths.dev", corpus, *steps, *KEY]


@pytest.fixture(scope="module")
def trained(options: list[object], tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("trained")
    result = run(spacy_app, "train", CONFIG, "--output", output, *options, *WEIGHTS)
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
    return output / "model-best"


def test_training_is_scored_by_the_key(trained: Path) -> None:
    assert spacy.load(trained).meta["performance"]["spans_people_f"] > 0.5


def test_the_task_of_the_component_names_its_scores(trained: Path, corpus: Path) -> None:
    nlp = spacy.load(trained)
    task = find_tasks(nlp)["structured_spancat"]
    examples: Callable[[Language], object] = spacy.registry.readers.get("spacy_span_selector.Corpus.v1")(corpus)
    scores = nlp.evaluate(list(examples(nlp)))  # type: ignore[call-overload]
    assert (task.main_score, task.per_label) == ("spans_people_f", "spans_people_per_type")
    assert task.score_weights().keys() <= scores.keys()


def test_evaluate_shows_the_scores(trained: Path, corpus: Path, tmp_path: Path) -> None:
    result = run(app, "evaluate", trained, corpus, "--per-role", "--output", tmp_path / "scores.json")
    assert result.exit_code == 0, result.output
    scores = srsly.read_json(tmp_path / "scores.json")
    lines = [line.split() for line in result.output.splitlines()]
    shown = [f"{100 * scores[f'spans_people_{part}']:.2f}" for part in "prf"]
    assert ["Labelled", "spans", "(people)", *shown] in lines
    assert {"PER", "LOC"} <= {line[0] for line in lines if line}
    result = run(spacy_app, "evaluate", trained, corpus, "--output", tmp_path / "theirs.json")
    assert srsly.read_json(tmp_path / "theirs.json")["spans_people_f"] == scores["spans_people_f"]


def test_evaluate_says_that_data_under_another_key_is_not_annotated(trained: Path, tmp_path: Path) -> None:
    DocBin(docs=parse_bracketed(CORPUS, spacy.blank("en"))).to_disk(tmp_path / "other.spacy")
    result = run(app, "evaluate", trained, tmp_path / "other.spacy")
    assert result.exit_code == 1 and "has no annotation of labelled spans" in " ".join(result.output.split())


def test_the_threshold_can_be_tuned(trained: Path, corpus: Path) -> None:
    tuned = ("structured_spancat", "threshold", "spans_people_f")
    _, best, scores = find_threshold(str(trained), corpus, *tuned, n_trials=2)
    assert best == scores[0.0] > scores[1.0] == 0


def test_check_reads_the_key_of_a_config(corpus: Path, tmp_path: Path) -> None:
    config = spacy.util.load_config(CONFIG)
    config["components"]["structured_spancat"]["spans_key"] = "people"
    config.to_disk(tmp_path / "people.cfg")
    result = run(app, "check", corpus, "--config", tmp_path / "people.cfg")
    assert ["Labelled", "spans", "24"] in [line.split() for line in result.output.splitlines()], result.output
    assert "without annotation" not in result.output
    assert "without annotation" in run(app, "check", corpus, "--config", CONFIG).output


def test_the_laboratory_reports_the_scores(trained: Path, corpus: Path) -> None:
    corpora = {"dev": str(corpus), "test": str(corpus)}
    plan = {"component": "structured_spancat", "corpora": corpora, "evaluation": {}, "predictions": {}, "elsewhere": {}}
    srsly.write_json(trained.parent / "run.json", plan)
    measures = measure(trained.parent, -1)
    test = measures["scores"]["test"]
    assert test["spans_sc_f"] == test["spans_people_f"] > 0.5
