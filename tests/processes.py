"""Processes of their own that start at once.

A new Python takes seconds to import spaCy and the rest. These are forked from a server of processes that has imported
it once, and is otherwise as fresh: nothing that tests have registered, patched or loaded is there.
"""

import os
from collections.abc import Callable
from functools import cache
from multiprocessing import forkserver, get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

MODULES = (
    "lab.experiments.runner",
    "spacy_span_selector.tools.annotate.run",
    "spacy_span_selector.tools.cli",
    "spacy_span_selector.tools.serving",
    "spacy_span_selector.tools.training.loop",
    "spacy_transformers",
    "tests.tools.serving.server_process",
    "tests.tools.training.trainings",
)
"""What the server imports; it does without what is not there."""


@cache
def fresh_context() -> ForkServerContext:
    """What starts processes. The server has the environment that this process has at first."""
    if os.name != "posix":
        pytest.skip("processes can't be forked on this platform")
    context = get_context("forkserver")
    context.set_forkserver_preload([*MODULES])
    folder = os.getcwd()
    os.chdir(ROOT)  # where it finds the tests
    try:
        forkserver.ensure_running()
    finally:
        os.chdir(folder)
    return context


def start(function: Callable[..., None], *arguments: Any, **environment: str) -> Any:
    """Call a function of a module in a process of its own, and return the process.

    environment (str): Variables in addition to those of this process.
    """
    process = fresh_context().Process(target=_call, args=({**os.environ, **environment}, function, *arguments))
    process.start()
    return process


def run_spacy(arguments: list[str]) -> None:
    """What `python -m spacy` does."""
    from spacy.cli import app

    import spacy_span_selector.tools.cli  # noqa: F401  adds its commands to spaCy's

    app(arguments)


def _call(environment: dict[str, str], function: Callable[..., None], *arguments: Any) -> None:
    os.environ.clear()
    os.environ.update(environment)
    function(*arguments)


def spawn_fresh(method: str) -> ForkServerContext:
    """In the place of `get_context`, which the package asks for processes without anything of this one."""
    assert method == "spawn"
    return fresh_context()
