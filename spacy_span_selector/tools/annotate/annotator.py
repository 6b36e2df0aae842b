"""Annotating one part: from records to the content of a file, and to what could not be annotated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from spacy.tokens import Doc

from ...annotation import get_speakers, set_title
from ...documents.tokenized import make_doc
from ...people.transcripts import mark_turns, set_turns
from ...pipeline.batches import batch_by_words
from ..formats.registry import formats
from .flat_tables import FlatTables
from .formats import Settings, WithTables, Writer, compress, make_writer, output_suffixes
from .pipelines import Job, find_keys, load_for
from .records import Part, Record, describe

Tick = Callable[[int, int], object]
"""Called after each batch with the bytes of input that have been read up to its end, and with its words."""


@dataclass
class PartResult:
    """The result of annotating a part.

    number (int): Its number.
    digest (str): The fingerprint of its records.
    end (int): The bytes of all inputs that come before its end.
    content (bytes): The content of its file.
    tables (dict[str, bytes]): The contents of the files of flat tables, by the names of the tables.
    documents, words (int): What is in it.
    plain (int): How many texts that were read as transcripts have no turns.
    errors (list[dict[str, Any]]): The records that could not be annotated: `part`, `id`, `source` and `reason` of each.
    """

    number: int
    digest: str
    end: int
    content: bytes = b""
    tables: dict[str, bytes] = field(default_factory=dict)
    documents: int = 0
    words: int = 0
    plain: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """Count its documents, words, plain texts and errors."""
        return {"documents": self.documents, "words": self.words, "plain": self.plain, "errors": len(self.errors)}

    def fail(self, record: Record, reason: str) -> None:
        """Note that a record could not be annotated."""
        self.errors.append({"part": self.number, "id": record.id, "source": record.source, "reason": reason})


def no_counts() -> Counter[str]:
    """The counts of no part, to which those of parts are added."""
    return Counter(PartResult(0, "", 0).counts())


class Annotator:
    """A pipeline that annotates parts, one after the other, in memory that does not grow with their number."""

    def __init__(self, job: Job) -> None:
        """Load the pipeline.

        job (Job): What to do.
        RAISES (OSError): If there is no such pipeline.
        RAISES (ValueError): If it can't be loaded, or not as the job says.
        """
        self.job = job
        self.nlp = load_for(job)
        self.settings = Settings(find_keys(self.nlp), job.tokens, job.columns)

    def __call__(self, part: Part, tick: Tick | None = None) -> PartResult:
        """Annotate a part. A document that can't be annotated, or written, costs no other one.

        part (Part): The part.
        tick (Tick | None): Called after each batch.
        RETURNS (PartResult): The content of its file, and the records that could not be annotated.
        """
        try:
            return self._annotate_part(part, part.records, tick)
        except MemoryError:  # for which no record is to blame
            raise
        except Exception:  # of what looks at all documents of the part at once: which of them is it?
            sound = [self._try_alone(record) for record in part.records]
            return self._annotate_part(part, sound)

    def _annotate_part(self, part: Part, records: Iterable[Record], tick: Tick | None = None) -> PartResult:
        writer = make_writer(formats.get(self.job.format), self.settings)
        tables = FlatTables(self.job.tables) if self.job.tables else None
        result = PartResult(part.number, part.digest(), part.end)
        both = WithTables(writer, tables, self.settings.keys) if tables else writer
        self.annotate(records, both, result, tick)
        suffixes = output_suffixes(self.job)
        result.content = compress(writer.finish(), suffixes[""])
        if tables:
            result.tables = {name: compress(content, suffixes[name]) for name, content in tables.finish().items()}
        return result

    def _try_alone(self, record: Record) -> Record:
        """The record itself, or with what is wrong if it is in a part of its own."""
        try:
            self._annotate_part(Part(0, [record]), [record])
        except Exception as error:
            return replace(record, problem=f"it can't be written: {describe(error)}")
        return record

    def annotate(self, records: Iterable[Record], writer: Writer, result: PartResult, tick: Tick | None = None) -> None:
        """Annotate records.

        records (Iterable[Record]): The records.
        writer (Writer): Gets the documents.
        result (PartResult): Counts them, and gets what could not be annotated.
        tick (Tick | None): Called after each batch.
        """
        for batch in batch_by_words(records, self.job.batch_words):
            before = result.words
            # What texts bring into the vocabulary is forgotten at the end of the block, and documents with it.
            with self.nlp.memory_zone():
                self._annotate_batch(batch, writer, result)
            if tick:
                tick(batch[-1].end, result.words - before)

    def _annotate_batch(self, batch: list[Record], writer: Writer, result: PartResult) -> None:
        problems = {i: record.problem for i, record in enumerate(batch) if record.problem}
        docs = self._make_docs({i: record for i, record in enumerate(batch) if not record.problem}, problems)
        annotated = self._annotate(docs, batch, problems)
        for i, record in enumerate(batch):
            if i in annotated:
                try:
                    writer.add(record, annotated[i])
                except Exception as error:  # components and fields may leave anything
                    problems[i] = f"it can't be written: {describe(error)}"
                else:
                    result.documents += 1
                    result.words += len(annotated[i])
                    if self.job.transcripts and isinstance(record.content, str) and not get_speakers(annotated[i]):
                        result.plain += 1
            if i in problems:
                result.fail(record, problems[i])

    def _make_docs(self, records: Mapping[int, Record], problems: dict[int, str]) -> dict[int, Doc]:
        docs = {}
        most = self.nlp.max_length
        for i, record in records.items():
            if isinstance(record.content, str) and len(record.content) > most:
                problems[i] = (
                    f"the text has {len(record.content):,} characters, more than {most:,}, the most that are allowed; "
                    "cut it, or allow more with --max-length"
                )
                continue
            try:
                docs[i] = self._make_doc(record)
            except Exception as error:  # a tokenizer may be of any kind
                problems[i] = f"it can't be split into tokens: {describe(error)}"
        return docs

    def _make_doc(self, record: Record) -> Doc:
        if isinstance(record.content, bytes):
            doc = Doc(self.nlp.vocab).from_bytes(record.content)
        else:
            doc = make_doc(self.nlp, record.content)
            if record.speakers:
                set_turns(doc, record.speakers)
            elif self.job.transcripts:
                mark_turns(doc)
        set_title(doc, record.id)
        return doc

    def _annotate(self, docs: Mapping[int, Doc], batch: list[Record], problems: dict[int, str]) -> dict[int, Doc]:
        """Run the pipeline on documents at once or, if it fails, one by one, to find those that it fails on."""
        try:
            annotated = dict(self._pipe(docs))
        except Exception as error:  # a component may be of any kind
            reason = describe(error)
            if len(docs) == 1:
                problems[next(iter(docs))] = f"the pipeline failed: {reason}"
                return {}
            annotated = {}
            for i in docs:  # made again, as the components that ran may have changed them
                fresh = self._make_docs({i: batch[i]}, problems)
                annotated |= self._annotate(fresh, batch, problems) if fresh else {}
            return annotated
        problems |= {i: "the pipeline dropped it: a component ignores errors" for i in docs if i not in annotated}
        return annotated

    def _pipe(self, docs: Mapping[int, Doc]) -> Iterator[tuple[int, Doc]]:
        pairs = ((doc, i) for i, doc in docs.items())
        for doc, i in self.nlp.pipe(pairs, as_tuples=True, batch_size=max(1, len(docs))):
            yield i, doc
