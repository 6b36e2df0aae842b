"""Count the annotation of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from spacy.tokens import Doc

from ...annotation import get_clusters, get_frames, get_labelled_spans, get_quotations
from .files import Keys
from .structure import find_crossing

RAREST = 3
MOST_FREQUENT = 10


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
    labelled_spans, nested, crossing (int): Labelled spans; those that lie within another one; and those that cross one
        that starts earlier.
    labels (Counter[str]): How often each label occurs.
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
    labelled_spans: int = 0
    nested: int = 0
    crossing: int = 0
    labels: Counter[str] = field(default_factory=Counter)

    def as_data(self) -> dict[str, Any]:
        """The same as JSON holds it, the most frequent roles, rolesets and labels first."""
        counters = {"roles": self.roles, "rolesets": self.rolesets, "labels": self.labels}
        frequent = {name: dict(counter.most_common()) for name, counter in counters.items()}
        return {**vars(self), "widths": dict(sorted(self.widths.items())), **frequent}

    def rows(self) -> dict[str, str]:
        """The counts as cells of a table, by title."""
        rarest = ", ".join(f"{role} {count:,}" for role, count in self.roles.most_common()[: -RAREST - 1 : -1])
        labels = ", ".join(f"{label} {count:,}" for label, count in self.labels.most_common(MOST_FREQUENT))
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
            "Labelled spans": self.labelled_spans,
            "Within others": self.nested,
            "Crossing others": self.crossing,
            "Labels": len(self.labels),
        }
        cells = {title: f"{number:,}" if number else "" for title, number in numbers.items()}
        return cells | {"Frequent labels": labels, "Rarest roles": rarest}


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
        labelled = get_labelled_spans(doc, keys.labelled)
        places = [(span.start, span.end) for span in labelled]
        depths = nesting_depths(places)
        crossing = {span for span, _ in find_crossing(places)}
        counts.labelled_spans += len(labelled)
        counts.nested += sum(depths[place] > 1 for place in places)
        counts.crossing += sum(place in crossing for place in places)
        counts.labels.update(span.label for span in labelled)
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
