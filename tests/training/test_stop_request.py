from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from spacy_span_selector.training.stop_request import StopRequest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_is_noted_and_the_second_acts(number: signal.Signals) -> None:
    caught: list[int] = []
    before = signal.signal(number, lambda received, _: caught.append(received))
    try:
        announced: list[signal.Signals] = []
        with StopRequest(announced.append) as stop:
            assert stop.received is None
            signal.raise_signal(number)
            assert (stop.received, announced, caught) == (number, [number], [])
            signal.raise_signal(number)
            assert (announced, caught) == ([number], [number])
    finally:
        signal.signal(number, before)


def test_handlers_are_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    with StopRequest(print):
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before


def test_other_threads_can_train() -> None:
    def enter() -> None:
        with StopRequest(print):
            pass

    with ThreadPoolExecutor(1) as threads:
        threads.submit(enter).result()
