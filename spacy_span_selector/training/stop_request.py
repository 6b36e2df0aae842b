"""Stopping at the end of a training step, when a user or a cluster asks for it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopRequest:
    """While it is entered, the first SIGINT (Ctrl-C) or SIGTERM is only noted. A second one acts as it always does.

    announce (Callable): Called with the signal when it comes. It must not write to a stream of Python's, which the
        signal may have interrupted in the same.
    received (signal.Signals | None): The signal.
    """

    def __init__(self, announce: Callable[[signal.Signals], object]) -> None:
        self.announce = announce
        self.received: signal.Signals | None = None
        self._handlers: dict[signal.Signals, Any] = {}

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():  # Python allows handlers nowhere else
            self._handlers = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._restore()
        self.received = signal.Signals(number)
        self.announce(self.received)

    def _restore(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers = {}
