import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import srsly

from spacy_span_selector.tools.training.checkpoints import Checkpoint
from spacy_span_selector.tools.training.loop import noting_signals

from .trainings import CNN, TRANSFORMER, run, write_training

LOOP = "spacy_span_selector.tools.training.loop"
UPDATE = "spacy_span_selector.pipeline.selector_pipe.SelectorPipe.update"
STOPS = {
    "in an update of step 2": (UPDATE, 5, signal.SIGTERM),
    "in an update of step 3": (UPDATE, 1, signal.SIGKILL),
    "while the checkpoint of step 3 is written": ("numpy.savez", 1, signal.SIGKILL),
    "in the evaluation of step 6": ("spacy.language.Language.evaluate", 2, signal.SIGKILL),
    "between the old model-last and the new one": ("os.rename", 2, signal.SIGKILL),
    "before the checkpoint of step 6 has its name": ("os.rename", 3, signal.SIGKILL),
    "between the checkpoint of step 6 and model-last": (f"{LOOP}.restart_cupy", 2, signal.SIGKILL),
    "between the old model-best and the new one": ("os.rename", 4, signal.SIGKILL),
}
FEW = ("in an update of step 2", "between the checkpoint of step 6 and model-last")
STATUS = {signal.SIGTERM: 128 + signal.SIGTERM, signal.SIGKILL: -signal.SIGKILL}


def models(output: Path) -> dict[str, Any]:
    """What is in the files of both pipelines."""
    return {
        str(path.relative_to(output)): content(path)
        for name in ("model-best", "model-last")
        for path in sorted((output / name).rglob("*"))
        if path.is_file() and path.name != "sentencizer.json"  # spaCy writes a set there, in no order
    }


def content(path: Path) -> Any:
    """The bytes of a file; of a transformer the weights alone, as its tokenizer tells where it was read."""
    if path.parts[-2:] != ("transformer", "model"):
        return path.read_bytes()
    shims = srsly.msgpack_loads(path.read_bytes())["shims"]
    return [srsly.msgpack_loads(shim)["state"] for shims_of_node in shims for shim in shims_of_node]


@pytest.fixture(scope="module", params=[CNN, TRANSFORMER])
def training(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A config, and the output of a training with it that nobody interrupted."""
    folder = tmp_path_factory.mktemp(request.param)
    config = write_training(folder, request.param)
    assert run(config, "--output", folder / "whole") == 0
    return config, folder / "whole"


def test_a_training_that_is_stopped_again_and_again_ends_as_if_it_never_was(
    training: tuple[Path, Path], tmp_path: Path
) -> None:
    config, whole = training
    for moment in STOPS if config.stem == CNN else FEW:
        stop = STOPS[moment]
        assert run(config, "--output", tmp_path, "--resume", stop=stop) == STATUS[stop[2]], moment
        *_, newest = sorted((tmp_path / "checkpoints").glob("step-*"))
        Checkpoint(newest).check()
    assert run(config, "--output", tmp_path, "--resume") == 0
    assert models(tmp_path) == models(whole)
    assert [path.name for path in sorted(tmp_path.glob("**/.*"))] == []


def test_a_training_gives_what_that_of_spacy_gives(training: tuple[Path, Path], tmp_path: Path) -> None:
    config, whole = training
    if config.stem != CNN:
        pytest.skip("the encoder has no part in this")
    assert run(config, "--output", tmp_path, command="train") == 0
    assert models(tmp_path) == models(whole)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_is_noted_and_the_second_acts(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    caught: list[int] = []
    before = signal.signal(number, lambda received, _: caught.append(received))
    try:
        with noting_signals() as received:
            assert received == []
            signal.raise_signal(number)
            assert (received, caught) == ([number], [])
            signal.raise_signal(number)
            assert (received, caught) == ([number], [number])
        assert capfd.readouterr().err == "\nStopping after this step. Again to stop at once.\n"
    finally:
        signal.signal(number, before)


def test_handlers_are_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    with noting_signals():
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before


def test_other_threads_can_train() -> None:
    with ThreadPoolExecutor(1) as threads:
        threads.submit(noting_signals().__enter__).result()
