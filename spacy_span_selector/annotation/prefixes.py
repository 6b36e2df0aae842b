"""Under which prefixes a document is annotated.

The keys of clusters and frames start with a prefix, which a component may be given another of. A group under another
prefix than the default has it in `attrs["cluster_prefix"]` or `attrs["frame_prefix"]`, and so has the group of the
selected spans. So whoever reads a document finds its annotation without asking the component.
"""

from __future__ import annotations

from spacy.tokens import Doc

from .clusters import CLUSTER_PREFIX, MENTIONS_KEY, cluster_keys
from .frames import FRAME_PREFIX, PREDICATES_KEY, SELECTED_KEY, frame_keys
from .keys import CLUSTER_NOTE, FRAME_NOTE


def cluster_prefixes(doc: Doc) -> list[str]:
    """The prefixes under which a document has clusters, or was found to have none.

    doc (Doc): The document.
    RETURNS (list[str]): The default prefix first, the others in the order in which components have annotated. Empty if
        the document is not annotated.
    """
    is_default = bool(cluster_keys(doc)) or _is_annotated(doc, CLUSTER_NOTE, MENTIONS_KEY)
    return [*dict.fromkeys([*([CLUSTER_PREFIX] if is_default else ()), *_noted(doc, CLUSTER_NOTE)])]


def frame_prefixes(doc: Doc) -> list[str]:
    """The prefixes under which a document has frames, or was found to have none: see `cluster_prefixes`."""
    is_default = bool(frame_keys(doc)) or _is_annotated(doc, FRAME_NOTE, SELECTED_KEY)
    is_default = is_default or (PREDICATES_KEY in doc.spans and not len(doc.spans[PREDICATES_KEY]))
    return [*dict.fromkeys([*([FRAME_PREFIX] if is_default else ()), *_noted(doc, FRAME_NOTE)])]


def find_cluster_prefix(doc: Doc) -> str:
    """The prefix of the clusters that attributes show: the first of `cluster_prefixes`, or the default."""
    return CLUSTER_PREFIX if cluster_keys(doc) else next(iter(cluster_prefixes(doc)), CLUSTER_PREFIX)


def find_frame_prefix(doc: Doc) -> str:
    """The prefix of the frames that attributes show: the first of `frame_prefixes`, or the default."""
    return FRAME_PREFIX if frame_keys(doc) else next(iter(frame_prefixes(doc)), FRAME_PREFIX)


def find_mentions_key(doc: Doc, prefix: str) -> str:
    """The key of the selected spans that belong to the clusters of a prefix; the default if none is noted."""
    keys = {*cluster_keys(doc, prefix)}
    noted = (key for key, group in doc.spans.items() if group.attrs.get(CLUSTER_NOTE) == prefix and key not in keys)
    return next(noted, MENTIONS_KEY)


def find_spans_key(doc: Doc, prefix: str) -> str:
    """The key of the selected spans that belong to the frames of a prefix; the default if none is noted."""
    keys = {*frame_keys(doc, prefix)}
    noted = (key for key, group in doc.spans.items() if group.attrs.get(FRAME_NOTE) == prefix and key not in keys)
    return next(noted, SELECTED_KEY)


def _is_annotated(doc: Doc, note: str, key: str) -> bool:
    """Whether a document has a group of selected spans that belongs to no other prefix."""
    return key in doc.spans and note not in doc.spans[key].attrs


def _noted(doc: Doc, note: str) -> list[str]:
    prefixes = (group.attrs.get(note) for group in doc.spans.values())
    return [prefix for prefix in prefixes if isinstance(prefix, str)]
