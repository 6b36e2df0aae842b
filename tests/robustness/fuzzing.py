"""Test properties with drawn inputs: few and always the same in the test suite, many new ones in a long run."""

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

HANG = 60  # seconds that one input may take: all take some milliseconds
times = 0  # the option of a long run; 0 in the test suite
shrink = True  # whether to make an input that fails as small as possible
inputs: Counter[str] = Counter()
"""The number of inputs tried, by test module."""


def fuzz(examples: int, **strategies: SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try a test with drawn arguments; others are fixtures.

    examples (int): How many inputs a long run tries, times its option `--times`; the test suite tries half as many.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def counted(*arguments: Any, **named: Any) -> None:
            inputs[test.__module__] += 1
            with no_hang():
                test(*arguments, **named)

        return settings(
            max_examples=examples * times or (examples + 1) // 2,
            derandomize=not times,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if shrink else [])],
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        )(given(**strategies)(counted))

    return decorate


class Hang(BaseException):
    """Raised where something takes too long; only pytest catches it."""


@contextmanager
def no_hang(seconds: int = HANG) -> Iterator[None]:
    """Fail what takes too long, where the system has alarms."""

    def fail(*_: object) -> None:
        raise Hang(f"still running after {seconds} seconds")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
