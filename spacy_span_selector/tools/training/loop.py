"""spaCy's training loop, with checkpoints.

spaCy's generator of steps can't be entered in the middle. To go on from a checkpoint it runs from its beginning, on
batches without examples, which cost nothing and teach nothing: so schedules, scores and patience become what they were.
The batches that it should have seen are drawn again from the same random numbers. Then the weights are loaded, and all
else that a step depends on.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from signal import Signals
from types import FrameType
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example, loop
from spacy.util import registry, resolve_dot_names
from thinc.api import Optimizer, fix_random_seed, set_gpu_allocator

from ...models.finite import NotFinite
from .checkpoints import Checkpoint, CheckpointError, Checkpoints, restore_folder, whole_folder
from .state import (
    data_random_state,
    restart_cupy,
    set_data_random_state,
    set_training_state,
    training_state,
    with_own_randomness,
)


@contextmanager
def noting_signals() -> Iterator[list[Signals]]:
    """Note the first SIGINT (Ctrl-C) or SIGTERM in a list. A second one acts as it always does."""
    received: list[Signals] = []
    handlers: dict[Signals, Any] = {}

    def restore() -> None:
        while handlers:
            signal.signal(*handlers.popitem())

    def note(number: int, frame: FrameType | None) -> None:
        restore()
        received.append(Signals(number))
        # Not by a stream of Python's, which the signal may have interrupted.
        os.write(2, b"\nStopping after this step. Again to stop at once.\n")

    if threading.current_thread() is threading.main_thread():  # Python allows handlers nowhere else
        handlers |= {number: signal.signal(number, note) for number in (Signals.SIGINT, Signals.SIGTERM)}
    try:
        yield received
    finally:
        restore()


LOGGED = ("score", "other_scores", "losses", "words", "seconds")
"""Values for the logger of spaCy's loop that depend on the past. It makes `checkpoints` again by itself."""

# Settings of `[training]` that are arguments of spaCy's loop.
OF_STEPS = ("dropout", "accumulate_gradient", "patience", "max_steps", "eval_frequency", "annotating_components")


class Batches:
    """The batches of a training, of which those before a checkpoint come without examples."""

    def __init__(self, batches: Iterator[tuple[int, list[Example]]], skipped: int) -> None:
        self.batches = batches
        self.skipped = skipped  # before the checkpoint
        self.random = data_random_state()  # before the first batch
        self.fingerprint = 0  # of all batches so far

    def __iter__(self) -> Iterator[tuple[int, list[Example]]]:
        for step, (epoch, batch) in enumerate(with_own_randomness(self.batches, self.random)):
            batch = list(batch)
            lengths = np.asarray([len(example.reference) for example in batch], dtype=np.int64)
            self.fingerprint = zlib.crc32(lengths.tobytes(), self.fingerprint)
            yield epoch, batch if step >= self.skipped else []


def train(
    nlp: Language, checkpoints: Checkpoints, start: Checkpoint | None, stopped_by: list[Signals], *, use_gpu: int = -1
) -> bool:
    """Train a pipeline as spaCy does, with the same result, and make checkpoints.

    `model-best` and `model-last` appear in the output folder as with spaCy, but each whole or not at all.
    """
    config = nlp.config.interpolate()
    if config["training"]["seed"] is not None:
        fix_random_seed(config["training"]["seed"])
    if use_gpu >= 0 and config["training"]["gpu_allocator"]:
        set_gpu_allocator(config["training"]["gpu_allocator"])
    settings = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    train_corpus, dev_corpus = resolve_dot_names(config, [settings["train_corpus"], settings["dev_corpus"]])
    optimizer: Optimizer = settings["optimizer"]
    frozen = settings["frozen_components"]
    before: dict[str, Any] = start.state if start else {"step": -1, "results": [], "info": {"words": 0, "seconds": 0}}
    if start:
        set_data_random_state(before["batches"]["random"])
    batches = Batches(
        loop.create_train_batches(nlp, train_corpus, settings["batcher"], settings["max_epochs"]), before["step"] + 1
    )

    def before_update(nlp: Language, arguments: dict[str, Any]) -> None:
        if settings["before_update"] and arguments["step"] > before["step"]:
            settings["before_update"](nlp, arguments)

    steps = loop.train_while_improving(
        nlp,
        optimizer,
        iter(batches),
        _evaluation(before["results"], nlp, dev_corpus, settings["score_weights"]),
        exclude=frozen,
        before_update=before_update,
        **{name: settings[name] for name in OF_STEPS},
    )
    before_to_disk = loop.create_before_to_disk_callback(settings["before_to_disk"])

    best, last = (checkpoints.output / name for name in (loop.DIR_MODEL_BEST, loop.DIR_MODEL_LAST))

    def save(is_best: bool) -> None:
        with nlp.use_params(optimizer.averages), whole_folder(last) as folder:
            before_to_disk(nlp).to_disk(folder)
        if is_best:
            with whole_folder(best) as folder:
                shutil.copytree(last, folder, dirs_exist_ok=True)

    checkpoints.clean()
    restore_folder(best)
    restore_folder(last)
    if not start:
        checkpoints.begin()
        loop.clean_output_dir(checkpoints.output)
    with nlp.select_pipes(disable=frozen):
        log_step, finalize_logger = settings["logger"](nlp, sys.stdout, sys.stderr)
    step, every = before["step"], checkpoints.steps
    try:
        for _, info, is_best in steps:
            if info["step"] < before["step"]:
                continue
            if start and info["step"] == before["step"]:
                _go_on(nlp, optimizer, batches, start, info)
            else:
                info["words"] += before["info"]["words"]
                info["seconds"] += before["info"]["seconds"]
            step, evaluated = info["step"], is_best is not None
            if evaluated:
                with nlp.select_pipes(disable=frozen):
                    loop.update_meta(settings, nlp, info)
            is_due = every is not None and step > 0 and step % every == 0
            stops = bool(stopped_by)
            if step > before["step"] and (evaluated or stops or is_due):
                state, arrays = training_state(nlp, optimizer)
                state["step"] = step
                state["results"] = [[float(score), evaluated_at] for score, evaluated_at in info["checkpoints"]]
                state["info"] = {name: info[name] for name in LOGGED}
                state["batches"] = {"random": batches.random, "fingerprint": batches.fingerprint}
                checkpoints.write(nlp, state, arrays)
                restart_cupy(step)
            # After the checkpoint: so that neither is ever newer, and both are saved again when it is gone on from.
            if evaluated:
                save(is_best)
                info["output_path"] = str(last)
            log_step(info if evaluated else None)
            if stops:
                return False
    except NotFinite as error:
        raise NotFinite(f"Step {step + 1}: {error}") from error
    finally:
        finalize_logger()
    save(is_best=False)
    checkpoints.finish()
    return True


def _evaluation(
    results: list[list[float]],
    nlp: Language,
    dev_corpus: Callable[[Language], Iterable[Example]],
    weights: dict[str, Any],
) -> Callable[[], tuple[float, dict[str, Any]]]:
    """An evaluation that first gives the scores of those before the checkpoint.

    spaCy's counts a score as 0 that could not be measured. The best pipeline would then be chosen by anything else, or
    be the first.
    """
    past = iter(results)
    evaluate = loop.create_evaluation_callback(nlp, dev_corpus, weights)
    expected = [name for name, weight in weights.items() if weight]

    def evaluate_or_recall() -> tuple[float, dict[str, Any]]:
        for score, _ in past:
            return score, {}
        score, scores = evaluate()
        lacking = [name for name in expected if name not in scores]
        if lacking:
            problem = f"The dev corpus, or the pipeline, gives no {', '.join(lacking)}, of [training.score_weights]."
            if lacking == expected:
                raise ValueError(f"{problem} So no pipeline can be the best. Give another corpus, or other weights.")
            warnings.warn(f"{problem} The best pipeline is chosen by the other scores.", stacklevel=2)
            expected.clear()  # reported once
        return score, scores

    return evaluate_or_recall


def _go_on(nlp: Language, optimizer: Optimizer, batches: Batches, start: Checkpoint, info: dict[str, Any]) -> None:
    """Make everything as it was when the checkpoint was made."""
    state = start.state
    if batches.fingerprint != state["batches"]["fingerprint"]:
        found = f"Training can't go on from {start.path}: the training corpus gives other examples, or another order"
        raise CheckpointError(f"{found}. Its reader must draw random numbers only from Python's 'random' or NumPy.")
    set_training_state(nlp, optimizer, state, start.arrays())
    restart_cupy(state["step"])
    losses = info["losses"]  # the loop goes on adding to this dictionary
    losses.clear()
    losses.update(state["info"]["losses"])
    info.update({**state["info"], "losses": losses})
