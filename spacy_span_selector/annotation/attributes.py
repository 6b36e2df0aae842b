"""What the `attrs` of a span group say of each of its spans: scores and antecedents.

Whoever changes a group need not change its `attrs`, and files may hold anything there. So `attrs` that are not as they
should be count as missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from numbers import Real
from typing import Any

from spacy.tokens import SpanGroup

from .checks import are_scores

SCORES = "scores"
LINK_SCORES = "link_scores"
ANTECEDENTS = "antecedents"
REASONS = "reasons"


def get_scores(group: SpanGroup, name: str = SCORES) -> list[float] | None:
    """The scores of the spans of a group.

    group (SpanGroup): The group.
    name (str): Their key in `attrs`.
    RETURNS (list[float] | None): The scores, None if there is not a finite one for each span.
    """
    scores = _values(group, name)
    if scores is None or are_scores(scores):
        return scores
    are_numbers = all(isinstance(score, Real) and not isinstance(score, bool) for score in scores)
    return [float(score) for score in scores] if are_numbers and all(map(isfinite, scores)) else None


def get_antecedents(group: SpanGroup) -> list[int | None] | None:
    """The antecedents of the mentions of a cluster.

    group (SpanGroup): The cluster.
    RETURNS (list[int | None] | None): The number of the antecedent of each mention in the group, None for a mention
        without one. None if they are unknown, or one is not the number of an earlier mention.
    """
    antecedents = _values(group, ANTECEDENTS)
    if antecedents is None:
        return None
    offsets = [(span.start, span.end) for span in group]
    for mention, antecedent in zip(offsets, antecedents, strict=True):
        if antecedent is not None and (
            type(antecedent) is not int or not 0 <= antecedent < len(offsets) or offsets[antecedent] >= mention
        ):
            return None
    return antecedents


def get_reasons(group: SpanGroup) -> list[str] | None:
    """Why each mention of a cluster was joined or kept apart, in words; None if there is not a string for each."""
    reasons = _values(group, REASONS)
    return reasons if reasons is not None and all(isinstance(reason, str) for reason in reasons) else None


def _values(group: SpanGroup, name: str) -> list[Any] | None:
    """The values of the spans of a group, None if there is not one for each."""
    values = group.attrs.get(name)
    if not isinstance(values, Iterable):
        return None
    values = list(values)
    return values if len(values) == len(group) else None
