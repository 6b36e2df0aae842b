import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from spacy.tokens import DocBin

from spacy_span_selector.pipeline.selector_pipe import SelectorPipe
from spacy_span_selector.tools.files.runs import only_process_in

from ...commands import refusal, run, success
from ...pipeline.components import COREF, blank_nlp, gold_docs
from ..training.trainings import write_training


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_training(tmp_path_factory.mktemp("training"))
    path.write_text(path.read_text(encoding="utf-8") + "\n[checkpoints]\nsteps = 2\nkeep = 2\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def stopped(config: Path) -> Path:
    """The output of a training that was stopped between two evaluations."""
    output = config.parent / "stopped"
    update, calls = SelectorPipe.update, []

    def stop(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        if len(calls) == 23:
            signal.raise_signal(signal.SIGTERM)
        return update(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SelectorPipe, "update", stop)
        assert run("train", config, "--output", output).exit_code == 128 + signal.SIGTERM
    return output


def test_checkpoints_are_made_and_kept_as_the_config_says(stopped: Path) -> None:
    found = sorted(path.name for path in (stopped / "checkpoints").iterdir())
    assert found == ["step-000000004", "step-000000005", "train.lock"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "step-000000005 is of a training that has not ended. Go on with --resume, or delete"),
        (
            ["--resume", "--training.dropout", "0.2"],
            "is of another training: training.dropout: 0.3 then, 0.2 now Go on with the same config and files",
        ),
    ],
)
def test_unfinished_trainings_are_not_lost(config: Path, stopped: Path, options: list[str], message: str) -> None:
    assert message in refusal("train", config, "--output", stopped, *options)


def test_another_corpus_is_refused(config: Path, stopped: Path) -> None:
    corpus = config.parent / "corpus.spacy"
    shutil.copy(corpus, config.parent / "backup")
    DocBin(docs=gold_docs(COREF, blank_nlp())).to_disk(corpus)
    try:
        assert f"is of another training: {corpus}: " in refusal("train", config, "--output", stopped, "--resume")
    finally:
        os.replace(config.parent / "backup", corpus)


def test_a_damaged_checkpoint_is_refused_and_the_one_before_it_is_taken(
    config: Path, stopped: Path, tmp_path: Path
) -> None:
    output = tmp_path / "copy"
    shutil.copytree(stopped, output)
    newest = output / "checkpoints/step-000000005"
    (newest / "arrays.npz").write_bytes(b"")
    said = refusal("train", config, "-o", output, "--resume")
    assert "is damaged: arrays.npz has other content than was written" in said
    shutil.rmtree(newest)
    assert "Going on after step 4" in success("train", config, "-o", output, "--resume")
    (newest.parent / "step-backup").mkdir()
    assert "This training has ended" in success("train", config, "-o", output, "--resume")
    shutil.rmtree(output / "model-last")
    assert "Saved the pipeline" in success("train", config, "-o", output, "--resume")


def test_a_second_training_in_a_folder_is_refused(config: Path, tmp_path: Path) -> None:
    with only_process_in(tmp_path / "checkpoints", "train", ""):
        found = refusal("train", config, "-o", tmp_path, "--resume")
    assert "another 'train' (process" in found and "take another --output" in found


def test_an_output_among_the_texts_is_refused(config: Path) -> None:
    found = refusal("train", config, "-o", config.parent / "out", "--corpora.train.path", config.parent)
    assert f"is in {config.parent}, which the training reads" in found


def test_nan_stops_a_training_and_its_best_pipeline_stays(config: Path, tmp_path: Path) -> None:
    rate = "--training.optimizer.learn_rate.initial_rate"
    message = refusal("train", config, "-o", tmp_path, rate, "1e30")
    assert "Step 2: 'structured_coref' can't learn from a batch: there is NaN or infinity in" in message
    assert {path.name for path in tmp_path.iterdir()} == {"checkpoints", "model-best", "model-last"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trainin.dropout", "0.2"], "trainin -> dropout: not a section value"),
        (["--training.dropout", "much"], "dropout: Input should be a valid number"),
        (["--training.optimizer.@optimizers", "None.v1"], "Could not find function 'None.v1'"),
        (["--components.structured_coref.model.hidden_width", "-3"], "'hidden_width' of the coreference model is -3"),
        (["--components.structured_coref.colour", "red"], "structured_coref -> colour: unexpected argument"),
        (["--nlp.lang", "qqq"], "Can't import language qqq"),
        (["--corpora.train.path", "none.spacy"], "none.spacy: No such file or directory"),
        (["--corpora.dev.path", "none.spacy"], "none.spacy: No such file or directory"),
        (["--corpora.train.path", "tests/tools"], "tests/tools: has no .spacy file, as 'convert' writes it"),
        (["--checkpoints.every", "3"], "[checkpoints] has no setting 'every'"),
        (["--checkpoints.keep", "0"], "'keep' of [checkpoints] is 0; it must be greater than 0"),
        (["--checkpoints.steps", "2.5"], "'steps' of [checkpoints] is 2.5"),
    ],
)
def test_what_cannot_be_trained_is_said_in_few_lines(
    config: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    found = refusal("train", config, "-o", tmp_path / "output", *options)
    assert message in found
    assert len(found) < 900
    assert config.name in found or options[-1] in found


@pytest.mark.parametrize("end", ["[checkpoints]\nsteps = 3\n", "keep = 2\n", "${training.none}\n"])
def test_a_config_that_cannot_be_read_is_named(config: Path, tmp_path: Path, end: str) -> None:
    broken = tmp_path / "broken.cfg"
    broken.write_text(config.read_text(encoding="utf-8") + end, encoding="utf-8")
    assert "broken.cfg: " in refusal("train", broken, "-o", tmp_path / "output")


def test_a_folder_that_cannot_be_written_is_named_before_the_work(config: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    message = refusal("train", config, "-o", tmp_path / "file")
    assert "Not a directory" in message
    assert "Initializing" not in message


def test_a_corpus_without_a_word_is_named(config: Path, tmp_path: Path) -> None:
    DocBin(docs=[blank_nlp().make_doc("")]).to_disk(tmp_path / "train.spacy")
    message = refusal("train", config, "-o", tmp_path / "output", "--corpora.train.path", tmp_path / "train.spacy")
    assert f"{config}: [E923]" in message or "no training example" in message


def test_a_dev_corpus_that_cannot_be_scored_ends_the_training(config: Path, tmp_path: Path) -> None:
    DocBin(docs=[blank_nlp().make_doc("Ann left.")]).to_disk(tmp_path / "dev.spacy")
    message = refusal("train", config, "-o", tmp_path / "output", "--corpora.dev.path", tmp_path / "dev.spacy")
    assert "The dev corpus, or the pipeline, gives no " in message and "no pipeline can be the best" in message


def test_a_score_that_nothing_gives_is_reported_once(config: Path, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="The dev corpus, or the pipeline, gives no none_f") as found:
        assert run("train", config, "-o", tmp_path, "--training.score_weights.none_f", "0.5").exit_code == 0
    assert len([warning for warning in found if "none_f" in str(warning.message)]) == 1
