"""Texts that come at the same time take turns."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from .worker import NotAnnotatedError, Worker


class SenderLeftError(Exception):
    """There is nobody to answer any more."""


class Turns:
    """Lets texts that come at the same time take turns."""

    def __init__(self, worker: Worker, most_waiting: int) -> None:
        """Initialize it.

        worker (Worker): Annotates them.
        most_waiting (int): How many texts may wait while one is annotated.
        """
        self._worker = worker
        self._most_waiting = most_waiting
        self._texts = 0
        self._turn = asyncio.Lock()  # those who wait get it in the order in which they came
        self._under_way: asyncio.Task[Any] | None = None

    async def annotate(self, text: Any, left: Coroutine[Any, Any, None]) -> Any:
        """Annotate a text when it is its turn.

        A text whose sender has left before its turn is dropped. One that is under way then goes on for as long as it
        takes to load the pipeline, which the next one would have to wait for if it were ended.

        text (Any): The text, as the worker takes it.
        left (Coroutine[Any, Any, None]): Returns when its sender has left.
        RETURNS (Any): What the worker makes of it.
        RAISES (NotAnnotatedError): If it was not annotated, or too many wait.
        RAISES (SenderLeftError): If its sender has left.
        """
        gone = asyncio.create_task(left)
        self._texts += 1
        try:
            if self._texts > 1 + self._most_waiting:
                problem = "Too many texts are waiting. Send yours again in a minute."
                raise NotAnnotatedError(problem, later=True)
            answer = asyncio.create_task(self._annotate(text))
            await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            if answer is not self._under_way:
                answer.cancel()
            while not (await asyncio.wait({answer}, timeout=self._worker.seconds_to_load))[0]:
                await asyncio.to_thread(self._worker.give_up)
            await asyncio.gather(answer, return_exceptions=True)  # whatever it is
            raise SenderLeftError
        finally:
            self._texts -= 1
            gone.cancel()

    async def _annotate(self, text: Any) -> Any:
        async with self._turn:
            self._under_way = asyncio.current_task()
            return await asyncio.to_thread(self._worker.annotate, text)
