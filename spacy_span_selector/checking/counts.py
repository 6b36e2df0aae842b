"""Count the annotation of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from spacy.tokens import Doc

from ..annotation import get_clusters, get_frames, get_quotations
from .files import Keys

RAREST = 3


@dataclass
class Counts:
    """Counts of the documents of a file.

    sentences (int): Sentences of the documents that have sentence boundaries.
    mentions, clusters, singletons (int): Mentions of all clusters; clusters with several mentions; those with one.
    widths (Counter[int]): How many mentions have so many tokens.
    depth (int): How deep mentions nest: 1 if none lies in another.
    predicates, arguments (int): Frames, and their spans beside the predicates.
    roles, rolesets (Counter[str]): How often each occurs.
    quotations, without_speaker (int): Quotations, and those of which no speaker is known.
    """

    documents: int = 0
    sentences: int = 0
    tokens: int = 0
    mentions: int = 0
    clusters: int = 0
    singletons: int = 0
    depth: int = 0
    widths: Counter[int] = field(default_factory=Counter)
    predicates: int = 0
    arguments: int = 0
    roles: Counter[str] = field(default_factory=Counter)
    rolesets: Counter[str] = field(default_factory=Counter)
    quotations: int = 0
    without_speaker: int = 0

    def as_data(self) -> dict[str, Any]:
        """The same as JSON holds it, the most frequent roles and rolesets first."""
        frequent = {"roles": dict(self.roles.most_common()), "rolesets": dict(self.rolesets.most_common())}
        return {**vars(self), "widths": dict(sorted(self.widths.items())), **frequent}

    def rows(self) -> dict[str, str]:
        """The counts as cells of a table, by title."""
        rarest = ", ".join(f"{role} {count:,}" for role, count in self.roles.most_common()[: -RAREST - 1 : -1])
        widths = sorted(self.widths.elements())
        numbers = {
            "Documents": self.documents,
            "Sentences": self.sentences,
            "Tokens": self.tokens,
            "Mentions": self.mentions,
            "Clusters of several": self.clusters,
            "Singletons": self.singletons,
            "Deepest nesting": self.depth,
            "Median width": widths[len(widths) // 2] if widths else 0,
            "Widest mention": widths[-1] if widths else 0,
            "Predicates": self.predicates,
            "Arguments": self.arguments,
            "Rolesets": len(self.rolesets),
            "Roles": len(self.roles),
            "Quotations": self.quotations,
            "Without speaker": self.without_speaker,
        }
        return {title: f"{number:,}" if number else "" for title, number in numbers.items()} | {"Rarest roles": rarest}


def count_docs(docs: Iterable[Doc], keys: Keys) -> Counts:
    """Count what documents have."""
    counts = Counts()
    for doc in docs:
        counts.documents += 1
        counts.tokens += len(doc)
        counts.sentences += sum(1 for _ in doc.sents) if doc.has_annotation("SENT_START") else 0
        clusters = get_clusters(doc, keys.clusters)
        sizes = [len(cluster) for cluster in clusters]
        mentions = [mention for cluster in clusters for mention in cluster]
        counts.mentions += len(mentions)
        counts.singletons += sizes.count(1)
        counts.clusters += len(sizes) - sizes.count(1) - sizes.count(0)
        counts.widths.update(end - start for start, end in mentions)
        counts.depth = max([counts.depth, *nesting_depths(mentions).values()])
        for frame in get_frames(doc, keys.frames):
            counts.predicates += 1
            counts.arguments += len(frame.arguments)
            counts.roles.update(argument.role for argument in frame.arguments)
            counts.rolesets.update([frame.roleset] if frame.roleset else [])
        quotations = get_quotations(doc)
        counts.quotations += len(quotations)
        counts.without_speaker += sum(quotation.speaker is None for quotation in quotations)
    return counts


def nesting_depths(spans: Iterable[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Compute the nesting depth of each span: 1 if no other contains it, else 1 more than the deepest that does.

    Crossing spans do not contain each other; a span that is given twice counts once.

    spans (Iterable[tuple[int, int]]): The spans of a document, end exclusive.
    RETURNS (dict[tuple[int, int], int]): The depth of each span.
    """
    depths: dict[tuple[int, int], int] = {}
    around: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        around = [span for span in around if span[1] > start]
        depths[start, end] = 1 + max((depths[span] for span in around if span[1] >= end), default=0)
        around.append((start, end))
    return depths
