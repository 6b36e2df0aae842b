"""The scores of semantic role labelling: arguments with and without their roles, predicates and their senses.

Arguments with roles are counted as by `srl-eval.pl`, the official scorer of the CoNLL-2005 shared task (Carreras and
Màrquez, "Introduction to the CoNLL-2005 Shared Task: Semantic Role Labeling", CoNLL 2005). `docs/scores.md` has the
differences, since that scorer expects given predicates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from .counts import Counts

PREDICATE_ROLE = "V"
CONTINUATION = "C-"

Span = tuple[int, int]
"""Start and end of a span, in tokens or in characters, end exclusive."""

Occurrence = tuple[Span, int]
"""The span of a predicate, and the number of earlier propositions with the same span."""


class Proposition(NamedTuple):
    """A predicate with its arguments and their roles, in any order, and its sense, such as "give.01", if known."""

    predicate: Span
    arguments: Sequence[tuple[Span, str]]
    roleset: str | None = None


@dataclass
class SrlScores:
    """Scores of semantic role labelling over a corpus, added up document by document.

    Propositions are matched by the span of their predicate. If several in a document have the same span, the n-th gold
    one is compared with the n-th predicted one.

    labelled (Counts): Arguments: found if proposition, role and every piece are the same. `C-X` is a piece of the
        nearest `X` before it; the predicate, `V` with its `C-V`, is none. Those of a missed predicate are missed.
    per_role (dict[str, Counts]): The same by role, without `C-`; `R-X` is a separate role.
    unlabelled (Counts): Distinct spans of arguments in each document, whatever their predicate and role: the span
        accuracy of Liu et al. (2022). Pieces count as separate spans, `C-V` included; `V` is left out.
    predicates (Counts): Predicates, by their span.
    rolesets (Counts): Correct rolesets of predicates that were found and have a gold roleset. Recall, over all of these
        predicates, is the accuracy; precision is over those with a predicted roleset.
    """

    labelled: Counts = field(default_factory=Counts)
    per_role: dict[str, Counts] = field(default_factory=dict)
    unlabelled: Counts = field(default_factory=Counts)
    predicates: Counts = field(default_factory=Counts)
    rolesets: Counts = field(default_factory=Counts)

    def add_document(self, gold: Sequence[Proposition], predicted: Sequence[Proposition]) -> None:
        """Add the counts of one document."""
        gold_by_predicate, predicted_by_predicate = _number_occurrences(gold), _number_occurrences(predicted)
        gold_by_role, predicted_by_role = _group_by_role(gold_by_predicate), _group_by_role(predicted_by_predicate)
        for role in gold_by_role.keys() | predicted_by_role.keys():
            counts = count_matches(gold_by_role.get(role, set()), predicted_by_role.get(role, set()))
            self.per_role[role] = self.per_role.get(role, Counts()) + counts
            self.labelled += counts
        self.unlabelled += count_matches(argument_spans(gold), argument_spans(predicted))
        self.predicates += count_matches(gold_by_predicate.keys(), predicted_by_predicate.keys())
        self.rolesets += _count_rolesets(gold_by_predicate, predicted_by_predicate)


def join_continuations(arguments: Iterable[tuple[Span, str]]) -> list[tuple[str, tuple[Span, ...]]]:
    """Join the pieces of discontinuous arguments, and leave out the predicate.

    arguments (Iterable[tuple[Span, str]]): Spans and roles of one proposition. A `C-X` belongs to the last `X` that
        starts before it; without one it becomes an `X`, which further pieces may continue.
    RETURNS (list[tuple[str, tuple[Span, ...]]]): Role and pieces of each argument except `V`, in text order.
    """
    joined: list[tuple[str, list[Span]]] = []
    latest: dict[str, list[Span]] = {}
    for span, label in sorted(arguments, key=lambda argument: (argument[0][0], -argument[0][1])):
        role = label.removeprefix(CONTINUATION)
        if label != role and role in latest:
            latest[role].append(span)
        else:
            latest[role] = [span]
            joined.append((role, latest[role]))
    return [(role, tuple(pieces)) for role, pieces in joined if role != PREDICATE_ROLE]


def argument_spans(propositions: Iterable[Proposition]) -> set[Span]:
    """The distinct spans that are an argument, or a piece of one, of any proposition."""
    return {span for proposition in propositions for span, role in proposition.arguments if role != PREDICATE_ROLE}


def count_matches(gold: AbstractSet[object], predicted: AbstractSet[object]) -> Counts:
    """Count the elements that two sets have in common."""
    common = float(len(gold & predicted))
    return Counts(common, float(len(gold)), common, float(len(predicted)))


def _number_occurrences(propositions: Iterable[Proposition]) -> dict[Occurrence, Proposition]:
    numbered: dict[Occurrence, Proposition] = {}
    n_seen: Counter[Span] = Counter()
    for proposition in propositions:
        numbered[proposition.predicate, n_seen[proposition.predicate]] = proposition
        n_seen[proposition.predicate] += 1
    return numbered


def _group_by_role(propositions: dict[Occurrence, Proposition]) -> dict[str, set[tuple[Occurrence, tuple[Span, ...]]]]:
    by_role: dict[str, set[tuple[Occurrence, tuple[Span, ...]]]] = {}
    for occurrence, proposition in propositions.items():
        for role, pieces in join_continuations(proposition.arguments):
            by_role.setdefault(role, set()).add((occurrence, pieces))
    return by_role


def _count_rolesets(gold: dict[Occurrence, Proposition], predicted: dict[Occurrence, Proposition]) -> Counts:
    pairs = [
        (proposition.roleset, predicted[occurrence].roleset)
        for occurrence, proposition in gold.items()
        if proposition.roleset and occurrence in predicted
    ]
    right = float(sum(wanted == found for wanted, found in pairs))
    return Counts(right, float(len(pairs)), right, float(sum(found is not None for _, found in pairs)))
