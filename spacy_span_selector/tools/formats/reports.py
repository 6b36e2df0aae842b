"""Say what is wrong with a corpus, in one warning: annotation left out, documents that come twice, other counts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

from spacy.tokens import Doc

from ...annotation import annotates_all_predicates, describe_doc, get_annotates, get_title, has_frames_annotated

MOST_NAMES = 5
LONGEST_QUOTE = 60
LEFT_OUT = "Left out "
DOCUMENTS = "documents that can't be read"
REPEATED_DOCUMENTS = "documents that come a second time"
TYPES = "the types that documents are annotated for, without which they are for all: give them to 'convert' again"
GIVEN = "that frames are of given predicates alone, without which no other word is a predicate"
SAME_TITLE = "Kept different documents of the same name"


class CorpusWarning(UserWarning):
    """A problem of a corpus that could be read all the same: `findings` as those of its `Report`."""

    def __init__(self, findings: dict[str, list[str]]) -> None:
        super().__init__(findings)  # so that it can be pickled, and sent to another process
        self.findings = findings

    def __str__(self) -> str:
        return "\n".join(map(_describe, self.findings, self.findings.values()))


class Report:
    """Collects what is wrong in a corpus, for one warning at the end: `findings` has the cases of what was found."""

    def __init__(self) -> None:
        self.findings: dict[str, list[str]] = {}

    def add(self, what: str, case: str) -> None:
        """Add a case of something, named in the plural: its file and line, what was found, and what was expected."""
        self.findings.setdefault(what, []).append(case)

    def leave_out(self, what: str, case: str, times: int = 1) -> None:
        """Add a case that is left out, such as one of the "parses that can't be read", or several that are alike."""
        for _ in range(times):
            self.add(f"{LEFT_OUT}{what}", case)

    def leave_out_scope(self, doc: Doc, *, types: bool = True, frames: bool = False) -> None:
        """Add that only some types or predicates of a document are annotated, of which a format can't say this."""
        self.leave_out(TYPES, describe_doc(doc), types and get_annotates(doc) is not None)
        self.leave_out(GIVEN, describe_doc(doc), frames and has_frames_annotated(doc) > annotates_all_predicates(doc))

    def first(self, what: str) -> str:
        """The first case of what was left out, "" without one."""
        return next(iter(self.findings.get(f"{LEFT_OUT}{what}", [])), "")

    def require(self, docs: Sequence[object], source: object, cure: str = "") -> None:
        """Fail if no document of a source could be read, with the first left out, else another finding, or the cure."""
        if not docs:
            findings = [case for cases in self.findings.values() for case in cases]
            reason = self.first(DOCUMENTS) or (findings[0] if findings else cure)
            raise ValueError(f"{source}: found no document that can be read. {reason}".rstrip())

    def finish(self, docs: list[Doc], source: object, cure: str = "") -> list[Doc]:
        """Return the documents of a source, which has some, see `require`, and warn about everything that was found."""
        self.require(docs, source, cure)
        self.warn(stacklevel=4)
        return docs

    def warn(self, stacklevel: int = 3) -> None:
        """Warn once about everything that was found: how much of each kind, and the first different cases of it."""
        if self.findings:
            warnings.warn(CorpusWarning(self.findings), stacklevel=stacklevel)


def shorten(text: str) -> str:
    """A text as messages quote it."""
    return repr(text) if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]!r}..."


def _describe(what: str, cases: Sequence[str]) -> str:
    first = list(dict.fromkeys(cases))[:MOST_NAMES]
    return f"{what}: {len(cases):,}. The first: " + "\n    ".join(first)


def leave_out_repeated(docs: Iterable[tuple[str, Doc]], report: Report) -> list[Doc]:
    """Leave out documents that have the title and the words of an earlier one; each comes with its place.

    Different texts may have the same title by chance, and are kept. Documents without a title may repeat each other.
    """
    first: dict[str, tuple[Doc, str]] = {}
    kept: list[Doc] = []
    for place, doc in docs:
        title = get_title(doc)
        same, before = first.setdefault(title, (doc, place))
        if not title or same is doc:
            kept.append(doc)
        elif [token.orth for token in doc] == [token.orth for token in same]:
            report.leave_out(REPEATED_DOCUMENTS, f"{place}: document {title!r}, as in {before}.")
        else:
            report.add(SAME_TITLE, f"{place}: document {title!r}, as in {before}. Rename one.")
            kept.append(doc)
    return kept


def check_counts(source: object, docs: Sequence[Doc], expected: tuple[int, int], cure: str) -> None:
    """Warn if a copy of a corpus has other numbers of documents and words than the one that `project.yml` pins."""
    counts = len(docs), sum(map(len, docs))
    if counts != expected:
        found, wanted = (f"{n_docs:,} documents of {n_words:,} words" for n_docs, n_words in (counts, expected))
        problem = f"found {found}, expected {wanted}: not the copy that project.yml pins, or not all of it"
        warnings.warn(f"{source}: {problem}. {cure} 'python -m spacy project assets' downloads it.", stacklevel=3)
