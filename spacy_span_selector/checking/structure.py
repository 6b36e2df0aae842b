"""Gold annotation that no prediction can have, because of what selected spans and frames must be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from spacy.tokens import Doc

from ..annotation import describe_doc, get_clusters, get_frames
from .files import Keys
from .problems import Kind, Problem, tokens

CROSSING_MENTIONS = Kind(
    "mentions that cross an earlier one, so that not both can be selected",
    "mentions that nest, or have no token in common",
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

Span = tuple[int, int]


def check_clusters(doc: Doc, file: str, keys: Keys) -> Iterator[Problem]:
    """Mentions that cross others."""
    mentions = [mention for cluster in get_clusters(doc, keys.clusters) for mention in cluster]
    for span, other in find_crossing(mentions):
        found = f"{doc[slice(*span)].text!r} and {doc[slice(*other)].text!r}, {tokens(*other)}"
        yield Problem(CROSSING_MENTIONS, file, describe_doc(doc), tokens(*span), found)


def check_arguments(doc: Doc, file: str, keys: Keys) -> Iterator[Problem]:
    """Arguments of different predicates that cross."""
    frames = get_frames(doc, keys.frames)
    own = [{(argument.start, argument.end) for argument in frame.arguments} for frame in frames]
    for span, other in find_crossing({span for spans in own for span in spans}):
        if not any(span in spans and other in spans for spans in own):
            found = f"{doc[slice(*span)].text!r} and {doc[slice(*other)].text!r}, {tokens(*other)}"
            yield Problem(CROSSING_ARGUMENTS, file, describe_doc(doc), tokens(*span), found)


def check_frames(doc: Doc, file: str, keys: Keys, unique_roles: Collection[str]) -> Iterator[Problem]:
    """Frames of which not all can be predicted together.

    unique_roles (Collection[str]): The roles that a predicate has at most once.
    """
    document = describe_doc(doc)
    seen: set[Span] = set()
    for frame in get_frames(doc, keys.frames):
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
            if role in roles and role in unique_roles:
                found = f"{role} {doc[start:end].text!r} of {predicate!r}"
                yield Problem(SAME_ROLE, file, document, tokens(start, end), found)
            roles.add(role)


def find_crossing(spans: Iterable[Span]) -> Iterator[tuple[Span, Span]]:
    """Each span that crosses an earlier one, with the widest that it crosses."""
    around: list[Span] = []
    for start, end in sorted({*spans}, key=lambda span: (span[0], -span[1])):
        around = [other for other in around if other[1] > start]
        crossed = [other for other in around if other[0] < start < other[1] < end]
        if crossed:
            yield (start, end), _widest(crossed)
        around.append((start, end))


def _widest(spans: Sequence[Span]) -> Span:
    return max(spans, key=lambda span: span[1] - span[0])
