"""What there is to correct: a text as a pipeline annotates it, or as it was corrected before.

A document is read from the bracketed format in either case, so that it has the words and sentences that the file will
have. What a file does not hold, the probabilities of links, is put back where the mentions are.
"""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, SpanGroup
from spacy.vocab import Vocab
from starlette.requests import Request

from ... import annotation
from ...annotation import ANTECEDENTS, LINK_SCORES, NAME, Mention
from ...documents.other_languages import describe_other_language, other_language
from ...extensions import representative_mention
from ...people.tokenized import make_doc
from ..formats.bracketed import Lenient, parse_bracketed, write_bracketed
from .corrections import doubts, fingerprint
from .folder import CORRECTED, RAW, GoneError, Source, TextFolder
from .pages import Entry, Form
from .worker import BusyError, NotAnnotatedError, Worker

LONGEST_NAME = 24
MOST_DRAFTS = 50  # so many are kept in memory
SECONDS = 3.0  # between two looks at the folder


class Draft(NamedTuple):
    """A document to correct, as bytes, the fingerprint of its text, and notes for whoever corrects it."""

    name: str
    doc: bytes
    text: str
    notes: list[str]

    def load(self) -> Doc:
        """The document, without its pipeline."""
        return Doc(Vocab()).from_bytes(self.doc)


class Drafting:
    """Makes drafts in the process of the pipeline."""

    def __init__(self, nlp: Language, form: Form) -> None:
        self.nlp = nlp
        self.form = form

    def __call__(self, source: Source) -> Draft:
        """Make the draft of a text; NotAnnotatedError says where and why it can't be read."""
        with self.nlp.memory_zone():  # what texts bring into the vocabulary is forgotten
            if source.is_corrected:
                doc = self._read(source)
                return Draft(source.name, doc.to_bytes(), fingerprint(doc), [])
            if not source.text.strip():
                raise NotAnnotatedError(f"{source.name}{RAW} has no text.")
            if len(source.text) > self.form.most_characters:
                length = f"{len(source.text):,} characters, more than {self.form.most_characters:,}"
                raise NotAnnotatedError(f"{source.name}{RAW} has {length}. Cut it, or serve with --max-characters.")
            return self._annotate(source)

    def _read(self, source: Source) -> Doc:
        file = f"{source.name}{CORRECTED}"
        try:
            docs = parse_bracketed(source.text, self.nlp, source=file, title=source.name)
        except ValueError as error:
            raise NotAnnotatedError(f"{error} Correct the file in an editor, or delete it to begin anew.") from error
        if len(docs) != 1 or not len(docs[0]):
            found = f"{len(docs)} documents, expected one" if docs else "no document"
            raise NotAnnotatedError(f"{file}: found {found}. Put each into a file of its own.")
        return docs[0]

    def _annotate(self, source: Source) -> Draft:
        annotated = self.nlp(make_doc(self.nlp, source.text))
        annotation.set_title(annotated, source.name)
        _name_clusters(annotated)
        language = other_language(annotated)
        problems = Lenient()
        with warnings.catch_warnings(record=True) as lost:
            warnings.simplefilter("always")
            (doc,) = parse_bracketed(write_bracketed([annotated]), self.nlp, source=source.name, problems=problems)
        _copy_links(annotated, doc)
        notes = [*map(str, (warning.message for warning in lost)), *map(str, problems.errors)]
        notes += [describe_other_language(language)] if language else []
        return Draft(source.name, doc.to_bytes(), fingerprint(doc), notes)


class Drafts:
    """The drafts of a folder, which are made when they are needed, and what is known of all of its documents."""

    def __init__(self, worker: Worker, folder: TextFolder) -> None:
        self._worker = worker
        self._folder = folder
        self._kept: dict[str, Draft] = {}  # by version, the latest last
        self._known: dict[str, Entry] = {}

    def entries(self) -> list[Entry]:
        """All documents: those first that are not corrected, of which the pipeline doubts a link most."""
        entries = []
        for name, is_corrected in self._folder.names().items():
            known = self._known.get(name)
            entries.append(known if known and known.is_corrected == is_corrected else Entry(name, is_corrected))
        return sorted(entries, key=Entry.order)

    async def open(self, name: str, request: Request | None = None) -> tuple[Source, Draft]:
        """Open a document that a request, if any, asks for; NotAnnotatedError says why it can't be opened."""
        try:
            source = await asyncio.to_thread(self._folder.read, name)
            draft = self._kept.get(source.version) or await self._worker.annotate(source, request)
        except (BusyError, GoneError):
            raise
        except (NotAnnotatedError, OSError, ValueError) as error:
            is_corrected = self._folder.names().get(name, False)
            self._known[name] = Entry(name, is_corrected, problem=str(error))
            raise NotAnnotatedError(str(error)) from error
        if source.version not in self._kept:
            doc = draft.load()
            self._known[name] = Entry(name, source.is_corrected, len(doc), tuple(doubts(doc)))
            self._kept[source.version] = draft
            if len(self._kept) > MOST_DRAFTS:
                del self._kept[next(iter(self._kept))]
        return source, draft

    async def recall(self, name: str, posted: Any, request: Request) -> Draft:
        """The draft that a page has corrected: of what the page has kept, from memory, or else as it is now."""
        sent: dict[str, Any] = posted if isinstance(posted, dict) else {}
        kept = [draft for draft in self._kept.values() if (draft.name, draft.text) == (name, sent.get("text"))]
        if isinstance(original := sent.get("original"), str):
            kept = [await self._worker.annotate(Source(name, original, True, ""), request)]
        return kept[-1] if kept else (await self.open(name, request))[1]

    async def look_at_all(self) -> None:
        """Make the drafts of all documents that are not corrected, one after the other, to know which are doubtful;
        of those that are added or changed, too."""
        seen: dict[str, int] = {}
        while True:
            with suppress(GoneError):
                for name, changed in self._folder.uncorrected().items():
                    if seen.get(name) != changed:
                        with suppress(NotAnnotatedError):
                            await self.open(name)
                        seen[name] = changed
            await asyncio.sleep(SECONDS)


def _name_clusters(doc: Doc) -> None:
    """Name the clusters of several mentions after the mention that represents each, for those who read the file."""
    used: set[str] = set()
    for number, group in enumerate(annotation.cluster_groups(doc), start=1):
        if len(group) < 2:
            continue
        words = re.findall(r"\w+", representative_mention(list(group)).text)
        wanted = "-".join(words)[:LONGEST_NAME].strip("-_") or f"c{number}"
        group.attrs[NAME] = wanted if wanted not in used else f"{wanted}-{number}"
        used.add(group.attrs[NAME])


def _copy_links(annotated: Doc, doc: Doc) -> None:
    """Give the mentions of a document the links of one with the same text, but for white space."""
    links: dict[Mention, tuple[float, Mention | None]] = {}
    for group, places in _clusters(annotated):
        scores, antecedents = annotation.get_scores(group, LINK_SCORES), annotation.get_antecedents(group)
        if scores is not None and antecedents is not None:
            to = (None if number is None else places[number] for number in antecedents)
            links.update(zip(places, zip(scores, to, strict=True), strict=True))
    if not links:
        return
    for group, places in _clusters(doc):
        known = [links.get(place, (1.0, None)) for place in places]  # one that was lost on the way is not doubtful
        group.attrs[LINK_SCORES] = [score for score, _ in known]
        group.attrs[ANTECEDENTS] = [places.index(to) if to in places else None for _, to in known]


def _clusters(doc: Doc) -> Iterator[tuple[SpanGroup, list[Mention]]]:
    """The clusters of a document, with the places of mentions among the characters that are no white space."""
    before = [0, *accumulate(len("".join(token.text.split())) for token in doc)]
    for group in annotation.cluster_groups(doc):
        yield group, [(before[span.start], before[span.end]) for span in group]
