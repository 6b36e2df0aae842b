"""The process that annotates. It is not the one that answers, so it may take long, or end."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import Any

from spacy.language import Language
from starlette.requests import ClientDisconnect, Request

from ..files.runs import prepare_worker
from .pages import Form, View

Load = Callable[[], Language]
"""Loads a pipeline, in another process: a function of a module, or a `functools.partial` of one."""

MakeView = Callable[[Language, Form], Callable[[Any], Any]]
"""Makes, in that process, what annotates a text as it is sent there, and returns what is sent back."""


class NotAnnotatedError(Exception):
    """Says why a text is not annotated, to whoever sent it."""


class BusyError(NotAnnotatedError):
    """Says why a text is not annotated now. Sent again later, it may be."""


class Worker:
    """A process that loads a pipeline once and annotates one text at a time, in the order in which they come.

    A process that ends, or takes too long, is replaced.
    """

    def __init__(
        self,
        load: Load,
        *,
        name: str,
        most_characters: int = 50_000,
        max_seconds: float = 120,
        most_waiting: int = 8,
        make_view: MakeView = View,
    ) -> None:
        """Start the process, and wait until it has loaded the pipeline."""
        self._arguments = load, Form(name, most_characters), make_view
        self._max_seconds = max_seconds
        self._most_waiting = most_waiting
        self._texts = 0
        self._turn = asyncio.Lock()  # those who wait get it in the order in which they came
        self._start()
        try:
            self.form = self._loading.result()
        except BrokenProcessPool:
            raise ValueError("The process that loads the pipeline ended, perhaps for lack of memory.") from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._pool.shutdown(wait=False)

    async def stop(self) -> None:
        """End the process after those are answered who wait: a server that ends has cancelled their requests."""
        async with self._turn:
            self.close()

    async def annotate(self, text: Any, request: Request | None = None) -> Any:
        """Annotate a text as the view does, when it is its turn.

        request (Request | None): What it came with: one too many is refused, one whose sender has left is dropped.
        """
        if request is not None and self._texts > self._most_waiting:
            raise BusyError("Too many texts are waiting. Send yours again in a minute.")
        self._texts += 1
        try:
            async with self._turn:
                if request is not None and await request.is_disconnected():
                    raise ClientDisconnect
                return await self._annotate(text)
        except asyncio.CancelledError:
            if request is None:
                raise
            raise BusyError("The server is being stopped.") from None
        finally:
            self._texts -= 1

    async def _annotate(self, text: Any) -> Any:
        if not self._process.is_alive():
            self._restart()
        try:
            await asyncio.wrap_future(self._loading)
        except (BrokenProcessPool, ValueError) as error:
            self._restart()
            raise BusyError(f"The pipeline can't be loaded: {error}") from None
        try:
            answer = asyncio.wrap_future(self._pool.submit(_annotate, text))
            return await asyncio.wait_for(answer, self._max_seconds)
        except asyncio.TimeoutError:
            problem = f"The text took more than {self._max_seconds:g} seconds, and was given up. Send it in parts."
        except BrokenProcessPool:
            problem = "The process that annotates ended at this text, perhaps for lack of memory."
        self._restart()
        raise NotAnnotatedError(problem)

    def _restart(self) -> None:
        self.close()
        self._start()

    def _start(self) -> None:
        others = active_children()
        context = get_context("spawn")  # torch and GPUs do not survive a fork in every state
        self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=prepare_worker)
        # The pipeline is the first task instead of a part of the initializer, whose errors a pool keeps to itself.
        self._loading: Future[Form] = self._pool.submit(_load, *self._arguments)
        (self._process,) = (process for process in active_children() if process not in others)


def _load(load: Load, form: Form, make_view: MakeView) -> Form:
    """Load the pipeline, and keep what annotates with it for `_annotate`."""
    global _view
    try:
        nlp = load()
    except (ImportError, OSError, ValueError) as error:  # not all of them survive the way to the other process
        raise ValueError(str(error)) from None
    form = Form(form.name, min(form.most_characters, nlp.max_length))
    _view = make_view(nlp, form)
    return form


def _annotate(text: Any) -> Any:
    try:
        return _view(text)
    except NotAnnotatedError:
        raise
    except Exception as error:  # a component may be of any kind
        traceback.print_exc()
        raise NotAnnotatedError(f"The pipeline failed at this text: {type(error).__name__}: {error}") from None


_view: Callable[[Any], Any]
