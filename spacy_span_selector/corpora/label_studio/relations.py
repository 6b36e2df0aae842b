"""Clusters and frames from regions and relations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...annotation import Argument, Frame, Mention
from ..coreference_column import REPEATED
from ..left_out import Report, shorten
from ..starred_column import REPEATED_ARGUMENTS
from .names import COREFERENT, MENTION, NO_MENTIONS, PREDICATE
from .records import Relation

UNKNOWN_REGIONS = "relations of regions that are missing or left out"
WITHOUT_ROLE = "relations of predicates that have no label, the role"


class Labelled(NamedTuple):
    """A region: token offsets, labels, and note."""

    place: Mention
    labels: list[str]
    note: str


class Cluster(NamedTuple):
    """A cluster with its name and entity type, "" if they are not known."""

    mentions: list[Mention]
    name: str
    entity_type: str


def find_annotation(
    regions: Mapping[str, Labelled], relations: Sequence[Relation], place: str, report: Report
) -> tuple[list[Cluster], list[Frame]]:
    """Find the clusters and frames of a document.

    A region is a mention if it has any label but `Predicate` and `Argument`, or if it is in a relation of coreference.
    A relation of a predicate is that to an argument, whose role is its label, unless it is labelled `coreferent`. Any
    other relation means that both regions are in one cluster. A mention without such a relation is a singleton.

    regions (Mapping[str, Labelled]): The regions by their ids.
    relations (Sequence[Relation]): The relations.
    place (str): What messages call the annotation.
    report (Report): Gets the relations that are left out.
    """
    mentions = [name for name, region in regions.items() if not NO_MENTIONS.issuperset(region.labels)]
    links: list[tuple[str, str]] = []
    arguments: defaultdict[str, list[Argument]] = defaultdict(list)
    for relation in relations:
        ends = relation.ends
        if not all(end in regions for end in ends):
            report.leave_out(UNKNOWN_REGIONS, f"{place}: from {shorten(ends[0])} to {shorten(ends[1])}.")
            continue
        of_predicate = [PREDICATE in regions[end].labels for end in ends]
        labels = relation.labels or []
        if COREFERENT in labels or not any(of_predicate):
            links.append(ends)
        elif not labels:
            report.leave_out(WITHOUT_ROLE, f"{place}: from {shorten(ends[0])} to {shorten(ends[1])}.")
        else:
            predicate, argument = ends if of_predicate[0] else reversed(ends)
            for found in (Argument(*regions[argument].place, role) for role in labels):
                if found in arguments[predicate]:
                    report.leave_out(REPEATED_ARGUMENTS, f"{place}: {found.role} at token {found.start}.")
                else:
                    arguments[predicate].append(found)
    frames = [
        Frame(*region.place, arguments[name], region.note or None)
        for name, region in regions.items()
        if PREDICATE in region.labels
    ]
    groups = _join(dict.fromkeys([*mentions, *(end for link in links for end in link)]), links)
    return [_make_cluster([regions[name] for name in group], place, report) for group in groups], frames


def _join(names: Iterable[str], links: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups of names that are linked, directly or by way of others."""
    groups = {name: [name] for name in names}
    for first, second in links:
        if groups[first] is not groups[second]:
            small, large = sorted((groups[first], groups[second]), key=len)
            large += small
            groups |= dict.fromkeys(small, large)
    return list({id(group): group for group in groups.values()}.values())


def _make_cluster(regions: Sequence[Labelled], place: str, report: Report) -> Cluster:
    ordered = sorted(regions, key=lambda region: region.place)
    mentions = dict.fromkeys(region.place for region in ordered)
    for _ in range(len(ordered) - len(mentions)):
        report.leave_out(REPEATED, f"{place}: the cluster that starts at token {ordered[0].place[0]}.")
    types = [label for region in ordered for label in region.labels if label not in NO_MENTIONS | {MENTION}]
    names = [region.note for region in ordered if region.note and PREDICATE not in region.labels]
    return Cluster([*mentions], next(iter(names), ""), next(iter(types), ""))
