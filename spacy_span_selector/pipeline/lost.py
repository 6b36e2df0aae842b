"""Gold or given spans that were left out: counted, and reported once for each reason."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class LostSpans:
    """Spans that were left out.

    counts (Counter[str]): How many, by reason.
    first (dict[str, str]): Where each reason was met first: document and span.
    """

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)

    def add(self, reason: str, place: str) -> None:
        """Count a span."""
        self.counts[reason] += 1
        self.first.setdefault(reason, place)

    def take_over(self, other: LostSpans, name: str, what: str) -> None:
        """Add the counts of a batch, and warn of reasons that are new.

        other (LostSpans): What the batch lost.
        name (str): Name of the component.
        what (str): What was done with what: "leaves out a gold mention", "cuts a sentence".
        """
        for reason in other.counts.keys() - self.counts.keys():
            warnings.warn(
                f"'{name}' {what} that {reason}: {other.first[reason]}. Shown once; "
                f"nlp.get_pipe('{name}').lost.counts has the number of all.",
                stacklevel=4,
            )
        self.counts.update(other.counts)
        self.first = other.first | self.first
