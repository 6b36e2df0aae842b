"""Problems of gold annotation: spans that no prediction can have, quotations, and texts that come twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from spacy.tokens import Doc

from ...annotation import describe_doc, get_clusters, get_frames, get_quotations, has_clusters_annotated
from ...pipeline.selector_pipe import SelectorPipe
from ...scoring.task import Task
from ..formats.nesting import find_crossing

Pipe = SelectorPipe[Any, Any, Any]
Span = tuple[int, int]


@dataclass(frozen=True)
class Kind:
    """A kind of problem: what it is, and the annotation that was expected."""

    title: str
    expected: str = ""
    cure: str = ""
    loses: bool = True  # data, or leaks it into what is scored; other problems are only worth knowing


@dataclass(frozen=True)
class Problem:
    """One problem: its file, its document as messages name it, its place there, and what was found."""

    kind: Kind
    file: str
    document: str = ""
    place: str = ""
    found: str = ""

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.document, self.place) if part)
        return " ".join(": ".join(part for part in (self.file, where, self.found) if part).split())


def tokens(start: int, end: int) -> str:
    """Describe the place of tokens in a document, counted from 0, end exclusive."""
    return f"tokens {start}:{end}"


Finding = tuple[Kind, Span, str]  # the tokens that have a problem, and what was found

NESTING = "that nest, or have no token in common"
CURE = "Correct the span that is wrong. Otherwise one of them is lost, unless the selector lets spans cross."
CROSSING = {
    group: Kind(f"{spans} that cross an earlier one, so that not both can be selected", f"{expected} {NESTING}", CURE)
    for group, spans, expected in (("cluster", "mentions", "mentions"), ("labelled span", "labelled spans", "spans"))
}
"""The kinds of crossing spans by the `group` of a task."""

CROSSING_ARGUMENTS = Kind(
    "arguments that cross an argument of another predicate, so that not both can be selected",
    f"arguments of a sentence {NESTING}",
    CURE,
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
SAME_PREDICATE = Kind("predicates that have a second frame", "one frame for each", "Put all arguments in one frame.")
CROSSING_QUOTATIONS = Kind("quotations that cross an earlier one", f"quotations {NESTING}", "Correct the wrong span.")
SAME_QUOTATION = Kind("quotations that are there twice", "each once, with one speaker", "Remove one of the two.")
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
IN_ONE_FILE = Kind("documents whose text is in the same file twice", "each text once", "Remove one.", loses=False)


def check_spans(doc: Doc, task: Task, pipe: Pipe) -> Iterator[Finding]:
    """Find gold annotation of which a component can't predict all at once."""
    if task.group == "frame":
        yield from _check_frames(doc, pipe)
    elif task.group in CROSSING and not pipe.selector.spans_may_cross:
        spans = ((span.start, span.end) for group in task.groups(doc, pipe) for span in group)
        yield from _check_crossing(CROSSING[task.group], spans, doc)


def _check_frames(doc: Doc, pipe: Pipe) -> Iterator[Finding]:
    """Find frames of which not all can be predicted together, and arguments of different predicates that cross."""
    frames = get_frames(doc, pipe.prefix)
    seen: set[Span] = set()
    for frame in frames:
        predicate = doc[frame.start : frame.end].text
        if frame[:2] in seen:
            yield SAME_PREDICATE, frame[:2], repr(predicate)
        seen.add(frame[:2])
        for first, second in combinations(sorted(frame.arguments), 2):
            if second.start < first.end and first.start < second.end:
                found = f"{second.role} {doc[second.start : second.end].text!r} of {predicate!r}, which has "
                yield OVERLAPPING, second[:2], f"{found}{first.role} at {tokens(*first[:2])}"
        roles: set[str] = set()
        for start, end, role in frame.arguments:
            if role in roles and role in pipe.unique_roles:
                yield SAME_ROLE, (start, end), f"{role} {doc[start:end].text!r} of {predicate!r}"
            roles.add(role)
    if not pipe.selector.spans_may_cross:
        own = [{argument[:2] for argument in frame.arguments} for frame in frames]
        yield from _check_crossing(CROSSING_ARGUMENTS, set().union(*own), doc, own)


def check_quotations(doc: Doc, cluster_prefix: str) -> Iterator[Finding]:
    """Find quotations that cross others or come twice, and speakers and addressees that are in none of the clusters."""
    quotations = get_quotations(doc)
    for span, other in find_crossing((quotation.start, quotation.end) for quotation in quotations):
        yield CROSSING_QUOTATIONS, span, f"{_shorten(doc, *span)} and {_shorten(doc, *other)}, {tokens(*other)}"
    mentions = {mention for cluster in get_clusters(doc, cluster_prefix) for mention in cluster}
    seen: set[Span] = set()
    for quotation in quotations:
        span = (quotation.start, quotation.end)
        text = _shorten(doc, *span)
        if span in seen:
            yield SAME_QUOTATION, span, text
        seen.add(span)
        for role, person in (("speaker", quotation.speaker), ("addressee", quotation.addressee)):
            if person is not None and person not in mentions and has_clusters_annotated(doc, cluster_prefix):
                yield NO_MENTION, person, f"{doc[slice(*person)].text!r}, the {role} of {text} at {tokens(*span)}"


def find_repeated(files: Mapping[str, Sequence[Doc]]) -> Iterator[Problem]:
    """Find documents with the words of an earlier one, by file; white space does not count."""
    first: dict[tuple[str, ...], tuple[str, str]] = {}
    for file, docs in files.items():
        for doc in docs:
            words = tuple(doc.text.split())
            here = (file, describe_doc(doc))
            before = first.setdefault(words, here) if words else here
            if before is not here:
                kind = IN_ONE_FILE if before[0] == file else IN_TWO_FILES
                yield Problem(kind, *here, found=f"as {before[1]} of {before[0]}, {len(words):,} words")


def _check_crossing(
    kind: Kind, spans: Iterable[Span], doc: Doc, together: Iterable[set[Span]] = ()
) -> Iterator[Finding]:
    """Find spans that cross others, except those that are in one set with them."""
    for span, other in find_crossing(spans):
        if not any({span, other} <= own for own in together):
            yield kind, span, f"{doc[slice(*span)].text!r} and {doc[slice(*other)].text!r}, {tokens(*other)}"


def _shorten(doc: Doc, start: int, end: int, most: int = 6) -> str:
    """The beginning of a quotation, which may be a page long."""
    return repr(doc[start : min(end, start + most)].text) + ("..." if end - start > most else "")
