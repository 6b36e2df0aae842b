"""The process that annotates. It is not the one that answers, so it may take long, or end."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from spacy.language import Language

from ..files.processes import prepare_worker
from .view import Form, UnreadableError, View

Load = Callable[[], Language]
"""Loads a pipeline, in another process: a function of a module, or a `functools.partial` of one."""

MakeView = Callable[[Language, Form], Callable[[Any], Any]]
"""Makes, in that process, what annotates a text as it is sent there, and returns what is sent back."""


class NotAnnotatedError(Exception):
    """Tells those who sent a text why they do not see it annotated.

    later (bool): Whether the same text may be annotated if it is sent again.
    """

    def __init__(self, reason: str, *, later: bool) -> None:
        """Initialize it."""
        super().__init__(reason)
        self.later = later


@dataclass(frozen=True)
class Failure:
    """The answer of a process that can't load the pipeline, or annotate a text."""

    reason: str


class Worker:
    """A process that loads a pipeline once, and annotates one text at a time. If it ends, another one is started.

    form (Form): The form that texts are typed into.
    seconds_to_load (float): How long it took to start the process and to load the pipeline.
    """

    def __init__(
        self,
        load: Load,
        *,
        name: str,
        most_characters: int = 50_000,
        max_seconds: float = 120,
        make_view: MakeView = View,
    ) -> None:
        """Start the process, and wait until it has loaded the pipeline.

        load (Load): Loads the pipeline.
        name (str): What the page calls it.
        most_characters (int): How long a text may be.
        max_seconds (float): How long a text may take.
        make_view (MakeView): Makes what annotates: by default, what makes a page of a text.
        RAISES (ValueError): If the pipeline can't be loaded.
        """
        self._arguments = (load, Form(name, most_characters), make_view)
        self._max_seconds = max_seconds
        self._lock = threading.Lock()  # to start the process, and to end it
        self._is_annotating = self._is_closed = False
        begun = time.monotonic()
        self._start()
        try:
            self.form = self._wait_until_loaded()
        except NotAnnotatedError as error:
            raise ValueError(str(error)) from None
        except BaseException:
            self.close()
            raise
        self.seconds_to_load = time.monotonic() - begun

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def annotate(self, text: Any) -> Any:
        """Annotate a text. One thread at a time may ask for it.

        text (Any): The text, as the view takes it.
        RETURNS (Any): What the view makes of it: a page.
        RAISES (NotAnnotatedError): If the text can't be annotated, takes too long, or ends the process.
        """
        try:
            with self._lock:
                self._start_if_ended()
            self._wait_until_loaded()
            with self._lock:
                self._is_annotating = True
            is_answered = True
            with suppress(OSError):  # it has ended, which shows below
                self._connection.send(text)
                is_answered = self._connection.poll(self._max_seconds)
            if not is_answered:
                self.give_up()
                problem = f"The text took more than {self._max_seconds:g} seconds, and was given up. Send it in parts."
                raise NotAnnotatedError(problem, later=False)
            answer = self._receive("The process that annotates ended at this text", later=False)
        finally:
            with self._lock:
                self._is_annotating = False
                self._start_if_ended()
        if isinstance(answer, Failure):
            raise NotAnnotatedError(answer.reason, later=False)
        return answer

    def give_up(self) -> None:
        """End the process if it is annotating a text. While it loads the pipeline it goes on."""
        with self._lock:
            if self._is_annotating:
                self._end()

    def close(self) -> None:
        """End the process, whatever it does, and start no other one."""
        with self._lock:
            self._is_closed = True
            self._end()

    def _start_if_ended(self) -> None:
        if not self._process.is_alive() and not self._is_closed:
            self._start()

    def _start(self) -> None:
        context = get_context("spawn")  # torch and GPUs do not survive a fork in every state
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other, *self._arguments), daemon=True)
        self._process.start()
        other.close()
        self._loaded: Form | None = None

    def _end(self) -> None:
        self._process.kill()
        self._process.join(5)

    def _wait_until_loaded(self) -> Form:
        if self._loaded is None:
            answer = self._receive("The process that loads the pipeline ended", later=True)
            if isinstance(answer, Failure):
                with self._lock:
                    self._end()
                raise NotAnnotatedError(answer.reason, later=True)
            self._loaded = answer
        return self._loaded

    def _receive(self, problem: str, *, later: bool) -> Any:
        """Receive the next answer of the process.

        RAISES (NotAnnotatedError): If it has ended. This is the problem.
        """
        try:
            return self._connection.recv()
        except (EOFError, OSError):
            with self._lock:
                if self._is_closed:
                    raise NotAnnotatedError("The server is being stopped.", later=True) from None
                self._process.join(5)
                code = self._process.exitcode
        cause = ", perhaps for lack of memory" if code == -9 else ""
        raise NotAnnotatedError(f"{problem} (exit code {code}){cause}.", later=later)


def _work(connection: Connection, load: Load, form: Form, make_view: MakeView) -> None:
    """Load the pipeline and send its form; then receive texts, and send what the view makes of each."""
    prepare_worker()
    try:
        nlp = load()
    except (ImportError, OSError, ValueError) as error:  # they say what is missing or wrong
        connection.send(Failure(str(error)))
        return
    form = Form(form.name, min(form.most_characters, nlp.max_length))
    view = make_view(nlp, form)
    connection.send(form)
    while True:
        try:
            text = connection.recv()
        except EOFError:  # whoever asked is gone
            return
        try:
            answer = view(text)
        except UnreadableError as error:
            answer = Failure(str(error))
        except Exception as error:  # a component may be of any kind
            traceback.print_exc()
            answer = Failure(f"The pipeline failed at this text: {type(error).__name__}: {error}")
        connection.send(answer)
