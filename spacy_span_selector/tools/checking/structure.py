"""Check gold annotation: spans that no prediction can have, quotations, and texts that come twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from spacy.tokens import Doc

from ...annotation import (
    describe_doc,
    get_clusters,
    get_frames,
    get_labelled_spans,
    get_quotations,
    has_clusters_annotated,
)
from .files import Keys
from .problems import Kind, Problem, tokens
from .trainings import Pipe

CROSSING_MENTIONS = Kind(
    "mentions that cross an earlier one, so that not both can be selected",
    "mentions that nest, or have no token in common",
    "Correct the span that is wrong. Otherwise one of them is lost, unless the selector lets spans cross.",
)
CROSSING_LABELLED = Kind(
    "labelled spans that cross an earlier one, so that not both can be selected",
    "spans that nest, or have no token in common",
    "Correct the span that is wrong. Otherwise one of them is lost, unless the selector lets spans cross.",
)
CROSSING_ARGUMENTS = Kind(
    "arguments that cross an argument of another predicate, so that not both can be selected",
    "arguments of a sentence that nest, or have no token in common",
    "Correct the span that is wrong. Otherwise one of them is lost, unless the selector lets spans cross.",
)
OVERLAPPING = Kind(
    "arguments that overlap another one of their predicate, so that not both can be predicted",
    "arguments of a predicate that have no token in common",
    "Correct or remove one of the two.",
)
SAME_ROLE = Kind(
    "roles that a predicate has a second time, although they are among 'unique_roles'",
    "each of these roles once for each predicate",
    "Correct the role, write C- before it if the argument continues the first, or take it out of 'unique_roles'.",
)
SAME_PREDICATE = Kind(
    "predicates that have a second frame",
    "one frame for each predicate",
    "Put all arguments in one frame.",
)
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
IN_TWO_FILES = Kind(
    "documents whose text is in another file, too, so that what is scored may have been trained on",
    "each text in one file",
    "Remove it from one of them.",
)
IN_ONE_FILE = Kind(
    "documents whose text is in the same file a second time", "each text once", "Remove one of them.", loses=False
)

Span = tuple[int, int]


def check_clusters(doc: Doc, file: str, pipe: Pipe) -> Iterator[Problem]:
    """Find mentions that cross others, if the selector of a component lets no spans cross."""
    mentions = (mention for cluster in get_clusters(doc, pipe.settings.prefix) for mention in cluster)
    return _find_crossing_of(CROSSING_MENTIONS, mentions, doc, file, pipe)


def check_labelled_spans(doc: Doc, file: str, pipe: Pipe) -> Iterator[Problem]:
    """Find labelled spans that cross others, if the selector of a component lets no spans cross."""
    spans = ((span.start, span.end) for span in get_labelled_spans(doc, pipe.settings.spans_key))
    return _find_crossing_of(CROSSING_LABELLED, spans, doc, file, pipe)


def _find_crossing_of(kind: Kind, spans: Iterable[Span], doc: Doc, file: str, pipe: Pipe) -> Iterator[Problem]:
    for span, other in () if pipe.selector.spans_may_cross else find_crossing(spans):
        found = f"{doc[slice(*span)].text!r} and {doc[slice(*other)].text!r}, {tokens(*other)}"
        yield Problem(kind, file, describe_doc(doc), tokens(*span), found)


def check_frames(doc: Doc, file: str, pipe: Pipe) -> Iterator[Problem]:
    """Find frames of which not all can be predicted together, and arguments of different predicates that cross.

    A role of `unique_roles` is predicted once for each predicate. Arguments may cross if the selector lets them.
    """
    settings: Any = pipe.settings
    document = describe_doc(doc)
    frames = get_frames(doc, settings.prefix)
    seen: set[Span] = set()
    for frame in frames:
        predicate = doc[frame.start : frame.end].text
        if frame[:2] in seen:
            yield Problem(SAME_PREDICATE, file, document, tokens(*frame[:2]), repr(predicate))
        seen.add(frame[:2])
        for first, second in combinations(sorted(frame.arguments), 2):
            if second.start < first.end and first.start < second.end:
                found = f"{second.role} {doc[second.start : second.end].text!r} of {predicate!r}, which has "
                found += f"{first.role} at {tokens(*first[:2])}"
                yield Problem(OVERLAPPING, file, document, tokens(*second[:2]), found)
        roles: set[str] = set()
        for start, end, role in frame.arguments:
            if role in roles and role in settings.unique_roles:
                found = f"{role} {doc[start:end].text!r} of {predicate!r}"
                yield Problem(SAME_ROLE, file, document, tokens(start, end), found)
            roles.add(role)
    own = [{(argument.start, argument.end) for argument in frame.arguments} for frame in frames]
    arguments = {span for spans in own for span in spans}
    for span, other in () if pipe.selector.spans_may_cross else find_crossing(arguments):
        if not any(span in spans and other in spans for spans in own):
            found = f"{doc[slice(*span)].text!r} and {doc[slice(*other)].text!r}, {tokens(*other)}"
            yield Problem(CROSSING_ARGUMENTS, file, document, tokens(*span), found)


STRUCTURE_CHECKS: Mapping[str, Callable[[Doc, str, Pipe], Iterator[Problem]]] = {
    "cluster": check_clusters,
    "frame": check_frames,
    "labelled span": check_labelled_spans,
}
"""Checks of the annotation of a component, by the `group` of its task. Others have none."""


def check_quotations(doc: Doc, file: str, keys: Keys) -> Iterator[Problem]:
    """Find quotations that cross others or come twice, and speakers and addressees that are in no cluster.

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


def find_repeated(files: Mapping[str, Sequence[Doc]]) -> Iterator[Problem]:
    """Find documents with the words of an earlier one; white space does not count.

    files (Mapping[str, Sequence[Doc]]): The documents of each file.
    """
    first: dict[tuple[str, ...], tuple[str, str]] = {}
    for file, docs in files.items():
        for doc in docs:
            words = tuple(doc.text.split())
            here = (file, describe_doc(doc))
            before = first.setdefault(words, here) if words else here
            if before is not here:
                kind = IN_ONE_FILE if before[0] == file else IN_TWO_FILES
                yield Problem(kind, *here, found=f"as {before[1]} of {before[0]}, {len(words):,} words")


def find_crossing(spans: Iterable[Span]) -> Iterator[tuple[Span, Span]]:
    """Find each span that crosses an earlier one, with the widest that it crosses."""
    around: list[Span] = []
    for start, end in sorted({*spans}, key=lambda span: (span[0], -span[1])):
        around = [other for other in around if other[1] > start]
        crossed = [other for other in around if other[0] < start < other[1] < end]
        if crossed:
            yield (start, end), _widest(crossed)
        around.append((start, end))


def _widest(spans: Sequence[Span]) -> Span:
    return max(spans, key=lambda span: span[1] - span[0])


def _shorten(doc: Doc, start: int, end: int, most: int = 6) -> str:
    """The beginning of a quotation, which may be a page long."""
    return repr(doc[start : min(end, start + most)].text) + ("..." if end - start > most else "")
