"""Count the annotation of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spacy.tokens import Doc

from ... import annotation
from ...annotation import CLUSTER_PREFIX, ENTITY_TYPE, FRAME_PREFIX, LABELLED_KEY
from ..formats.nesting import find_crossing, nesting_depths

KEYS = {"cluster": CLUSTER_PREFIX, "frame": FRAME_PREFIX, "labelled span": LABELLED_KEY}
"""Where annotation is by default: prefixes of keys of `doc.spans`, and a key, by the `group` of a task."""

TITLES = {
    "clusters": "Clusters of several",
    "depth": "Deepest nesting",
    "nested": "Within others",
    "crossing": "Crossing others",
    "annotates": "Annotated for",
}
"""What tables call numbers whose names do not say enough."""

RAREST, MOST_FREQUENT = 3, 10


@dataclass
class Counts:
    documents: int = 0
    sentences: int = 0  # where there are boundaries
    tokens: int = 0
    mentions: int = 0
    clusters: int = 0  # of several mentions
    singletons: int = 0
    depth: int = 0  # how deep mentions nest: 1 if none lies in another
    widths: Counter[int] = field(default_factory=Counter)
    predicates: int = 0
    arguments: int = 0
    rolesets: Counter[str] = field(default_factory=Counter)
    roles: Counter[str] = field(default_factory=Counter)
    quotations: int = 0
    without_speaker: int = 0
    labelled_spans: int = 0
    nested: int = 0  # labelled spans within another one
    crossing: int = 0  # those that cross one that starts earlier
    labels: Counter[str] = field(default_factory=Counter)
    annotates: Counter[str] = field(default_factory=Counter)  # documents by type
    undeclared: Counter[str] = field(default_factory=Counter)  # labels of spans and clusters that no such type covers

    def as_data(self) -> dict[str, Any]:
        """Return the same as JSON holds it, the most frequent roles, rolesets and labels first."""
        counters = ("rolesets", "roles", "labels", "annotates", "undeclared")
        frequent = {name: dict(getattr(self, name).most_common()) for name in counters}
        return {**vars(self), "widths": dict(sorted(self.widths.items())), **frequent}

    def rows(self) -> dict[str, str]:
        """Return the counts as cells of a table, by title."""
        numbers: dict[str, int] = {}
        for name, count in vars(self).items():
            if name == "widths":
                widths = sorted(self.widths.elements()) or [0]
                numbers |= {"Median width": widths[len(widths) // 2], "Widest mention": widths[-1]}
            else:
                title = TITLES.get(name, name.replace("_", " ").capitalize())
                numbers[title] = count if isinstance(count, int) else len(count)
        cells = {title: f"{number:,}" if number else "" for title, number in numbers.items()}
        labels = ", ".join(f"{label} {count:,}" for label, count in self.labels.most_common(MOST_FREQUENT))
        rarest = ", ".join(f"{role} {count:,}" for role, count in self.roles.most_common()[: -RAREST - 1 : -1])
        return cells | {"Frequent labels": labels, "Rarest roles": rarest, "Annotated for": ", ".join(self.annotates)}


def count_docs(docs: Iterable[Doc], keys: Mapping[str, str] = KEYS) -> Counts:
    """Count what documents have under some keys, as in `KEYS`."""
    counts = Counts()
    for doc in docs:
        counts.documents += 1
        counts.tokens += len(doc)
        declared = annotation.get_annotates(doc)
        counts.annotates.update(declared or ())
        counts.sentences += sum(1 for _ in doc.sents) if doc.has_annotation("SENT_START") else 0
        clusters = annotation.get_clusters(doc, keys["cluster"])
        sizes = [len(cluster) for cluster in clusters]
        mentions = [mention for cluster in clusters for mention in cluster]
        counts.mentions += len(mentions)
        counts.singletons += sizes.count(1)
        counts.clusters += len(sizes) - sizes.count(1) - sizes.count(0)
        counts.widths.update(end - start for start, end in mentions)
        counts.depth = max([counts.depth, *nesting_depths(mentions).values()])
        for frame in annotation.get_frames(doc, keys["frame"]):
            counts.predicates += 1
            counts.arguments += len(frame.arguments)
            counts.roles.update(argument.role for argument in frame.arguments)
            counts.rolesets.update([frame.roleset] if frame.roleset else [])
        quotations = annotation.get_quotations(doc)
        counts.quotations += len(quotations)
        counts.without_speaker += sum(quotation.speaker is None for quotation in quotations)
        labelled = annotation.get_labelled_spans(doc, keys["labelled span"])
        places = [(span.start, span.end) for span in labelled]
        depths = nesting_depths(places)
        crossing = {span for span, _ in find_crossing(places)}
        counts.labelled_spans += len(labelled)
        counts.nested += sum(depths[place] > 1 for place in places)
        counts.crossing += sum(place in crossing for place in places)
        counts.labels.update(span.label for span in labelled)
        kinds = [annotation.get_text(group, ENTITY_TYPE) for group in annotation.cluster_groups(doc, keys["cluster"])]
        labels = filter(None, [*(span.label for span in labelled), *kinds])
        counts.undeclared.update(label for label in labels if annotation.as_declared(label, declared) is None)
    return counts
