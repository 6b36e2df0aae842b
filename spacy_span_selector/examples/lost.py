"""Gold or given spans that were left out: counted, and reported once for each reason."""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import spacy
import thinc

LIBRARIES = tuple(
    f"{folder}{os.sep}"
    for folder in (Path(__file__).parents[1], Path(spacy.__file__).parent, Path(str(thinc.__file__)).parent)
)
"""The folders of this package, and of those that call it for a user."""

MOST_NAMED = 20
"""How many labels a warning names."""


class LostSpan(NamedTuple):
    """A span that was left out: the reason, what and where it is, and its token offsets in the reference, if known."""

    reason: str
    place: str
    tokens: tuple[int, int] | None


@dataclass
class LostSpans:
    """Spans that were left out.

    counts (Counter[str]): How many, by reason.
    first (dict[str, str]): Where each reason was met first: document and span.
    told (set[str]): The reasons that were warned of before the spans of a training were counted.
    spans (list[LostSpan]): Each of them, where they are those of one batch.
    labels (dict[str, Counter[str]]): How many have each label, by reasons that are about labels.
    """

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    spans: list[LostSpan] = field(default_factory=list)
    labels: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, reason: str, place: str, tokens: tuple[int, int] | None = None, label: str | None = None) -> None:
        """Count a span, and the label that is the reason, if one is."""
        if label is not None:
            self.labels.setdefault(reason, Counter())[label] += 1
        self.spans.append(LostSpan(reason, place, tokens))
        self.counts[reason] += 1
        self.first.setdefault(reason, place)

    def take_over(self, other: LostSpans, name: str, what: str) -> None:
        """Add the counts of a batch, and warn of reasons that are new.

        what (str): What was done with what: "leaves out a gold mention", "cuts a sentence".
        """
        known = self.counts.keys() | self.told
        for reason in [reason for reason in other.counts if reason not in known]:  # as met, not as hashed
            so_far = f" ({other.counts[reason]:,} so far)" if other.counts[reason] > 1 else ""
            if reason in other.labels:
                labels = other.labels[reason]
                listed = ", ".join(f"{label} ({count:,})" for label, count in labels.most_common(MOST_NAMED))
                more = f" and {len(labels) - MOST_NAMED:,} more" if len(labels) > MOST_NAMED else ""
                so_far += f". These are {listed}{more}. nlp.get_pipe('{name}').add_labels, before training, adds such"
            warnings.warn(
                f"'{name}' {what} that {reason}: {other.first[reason]}{so_far}. Shown once; "
                f"nlp.get_pipe('{name}').lost.counts has the number of all.",
                stacklevel=level_of_caller(),
            )
        self.counts.update(other.counts)
        for reason, labels in other.labels.items():
            self.labels.setdefault(reason, Counter()).update(labels)
        self.first = other.first | self.first

    def start_again(self) -> None:
        """Forget what was counted, but not which reasons were warned of."""
        self.told |= {*self.counts}
        self.counts.clear()
        self.labels.clear()
        self.first.clear()


def level_of_caller() -> int:
    """The `stacklevel` of a warning that names the line of the user: the first outside the libraries."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(LIBRARIES):
        level, frame = level + 1, frame.f_back
    return level
