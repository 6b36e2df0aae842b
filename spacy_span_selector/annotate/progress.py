"""How far a run is: words per second, and the time that is left."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from tqdm import tqdm

KNOWN = "{percentage:3.0f}% |{bar}| {desc} [{elapsed}, left {remaining}]"
UNKNOWN = "{desc} [{elapsed}]"
SECONDS_IN_LOG = 30  # between two lines, where nobody watches


class Progress:
    """A bar that counts the bytes of input that have been read, and the words of documents that have been annotated."""

    def __init__(self, total: int | None) -> None:
        """Begin.

        total (int | None): The bytes of all inputs; None if unknown.
        """
        self.words = 0
        self.seconds = 0.0
        self.begin()
        self._bar = tqdm(
            total=total,
            bar_format=KNOWN if total else UNKNOWN,
            smoothing=0,
            dynamic_ncols=True,
            mininterval=0.1 if sys.stderr.isatty() else SECONDS_IN_LOG,
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()

    def begin(self) -> None:
        """Start the clock of words per second: the pipeline has been loaded."""
        self._begin = time.perf_counter()

    def skip(self, end: int) -> None:
        """Note what was done by an earlier run; it does not count for the time that is left."""
        self._bar.initial += max(0, end - self._bar.n)
        self._bar.n = max(end, self._bar.n)

    def tick(self, end: int, words: int) -> None:
        """Note what has been annotated.

        end (int): The bytes of input that were read up to it.
        words (int): Its words.
        """
        self.words += words
        self.seconds = time.perf_counter() - self._begin
        self._bar.set_description_str(f"{self.words:,} words, {self.rate:,.0f} words/s", refresh=False)
        self._bar.update(max(0, end - self._bar.n))

    @property
    def rate(self) -> float:
        """Words per second."""
        return self.words / self.seconds if self.seconds else 0.0
