"""What is wrong with the quotations of a document."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Doc

from ..annotation import describe_doc, get_clusters, get_quotations, has_clusters_annotated
from .files import Keys
from .problems import Kind, Problem, tokens
from .structure import find_crossing

CROSSING_QUOTATIONS = Kind(
    "quotations that cross an earlier one",
    "quotations that nest, or have no token in common",
    "Correct the span that is wrong.",
)
SAME_QUOTATION = Kind(
    "quotations that are there a second time",
    "each quotation once, with one speaker",
    "Remove one of the two.",
)
NO_MENTION = Kind(
    "speakers and addressees of quotations that are no mention of a cluster, so that nobody knows who they are",
    "a mention of a cluster, of one mention if need be",
    "Add it to its cluster, or name another mention of this one.",
)


def check_quotations(doc: Doc, file: str, keys: Keys) -> Iterator[Problem]:
    """Quotations that cross others or come twice, and speakers and addressees that are in no cluster.

    keys (Keys): Where the clusters are. In a document that is not annotated for them, anyone may speak.
    """
    document = describe_doc(doc)
    quotations = get_quotations(doc)
    for span, other in find_crossing((quotation.start, quotation.end) for quotation in quotations):
        found = f"{_shorten(doc, *span)} and {_shorten(doc, *other)}, {tokens(*other)}"
        yield Problem(CROSSING_QUOTATIONS, file, document, tokens(*span), found)
    mentions = {mention for cluster in get_clusters(doc, keys.clusters) for mention in cluster}
    seen: set[tuple[int, int]] = set()
    for quotation in quotations:
        place = (quotation.start, quotation.end)
        if place in seen:
            yield Problem(SAME_QUOTATION, file, document, tokens(*place), _shorten(doc, *place))
        seen.add(place)
        for role, person in (("speaker", quotation.speaker), ("addressee", quotation.addressee)):
            if person is not None and person not in mentions and has_clusters_annotated(doc, keys.clusters):
                found = f"{doc[slice(*person)].text!r}, the {role} of {_shorten(doc, *place)} at {tokens(*place)}"
                yield Problem(NO_MENTION, file, document, tokens(*person), found)


def _shorten(doc: Doc, start: int, end: int, most: int = 6) -> str:
    """The beginning of a quotation, which may be a page long."""
    return repr(doc[start : min(end, start + most)].text) + ("..." if end - start > most else "")
