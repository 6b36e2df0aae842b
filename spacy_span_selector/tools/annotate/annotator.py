"""Annotating one part: from records to the content of a file, and to what could not be annotated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import spacy
import torch
from spacy.tokens import Doc
from spacy.util import import_file

from ...annotation import get_speakers, set_title
from ...people.tokenized import make_doc
from ...people.transcripts import read_transcript, set_turns
from ...pipeline.batches import batch_by_words
from ..files.pipelines import find_keys, load_pipeline
from .formats import TABLES, Rows, Settings, TableKind, find_rows, make_writer, output_format, write_tables
from .records import Part, Record, describe

Add = Callable[[Record, Doc], object]
Tick = Callable[[int, int], object]
"""Called after each batch with the bytes of input that have been read up to its end, and with its words."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """The settings of a run: all that a process must know to annotate any part. It can be pickled."""

    model: str
    code: Path | None = None  # a file with registered functions that the pipeline needs
    format: str = "jsonl"
    transcripts: bool = False  # whether texts are searched for who speaks
    tokens: bool = False  # whether plain data says where tokens are
    columns: bytes | None = None  # those that tables pass on to tables, as `passed_columns` returns them
    tables: TableKind | None = None
    max_length: int | None = None  # the most characters of a text; None for what the pipeline says
    batch_words: int = 20_000  # about how many are annotated at once
    gpu_id: int = -1  # -1 for the CPU
    threads: int | None = None  # None for as many as torch takes by itself


def no_counts() -> Counter[str]:
    """How many documents, words, texts read as transcripts that are plain, and errors: none, to begin with."""
    return Counter(documents=0, words=0, plain=0, errors=0)


@dataclass
class PartResult:
    number: int
    digest: str  # the fingerprint of its records
    end: int  # the bytes of all inputs that come before its end
    content: bytes = b""  # of its file
    tables: dict[str, bytes] = field(default_factory=dict)  # the contents of the files of flat tables
    errors: list[dict[str, Any]] = field(default_factory=list)  # `part`, `id`, `source` and `reason` of each
    counts: Counter[str] = field(default_factory=no_counts)


class Annotator:
    """A pipeline that annotates parts, one after the other, in memory that does not grow with their number."""

    def __init__(self, job: Job) -> None:
        """Load the pipeline, which raises an OSError if there is none, and a ValueError if it or its code fails."""
        self.job = job
        if job.threads is not None:
            torch.set_num_threads(job.threads)
        if job.gpu_id >= 0:
            spacy.require_gpu(job.gpu_id)
        if job.code is not None:
            try:
                import_file("python_code", job.code)
            except Exception as error:
                raise ValueError(f"{job.code}: this code can't be run ({type(error).__name__}: {error})") from error
        self.nlp = load_pipeline(job.model)
        self.nlp.max_length = job.max_length or self.nlp.max_length
        self.settings = Settings(find_keys(self.nlp), job.tokens, job.columns)

    def __call__(self, part: Part, tick: Tick | None = None) -> PartResult:
        """Annotate a part. A document that can't be annotated, or written, costs no other one."""
        try:
            return self._annotate_part(part, part.records, tick)
        except MemoryError:  # for which no record is to blame
            raise
        except Exception:  # of what looks at all documents of the part at once: which of them is it?
            return self._annotate_part(part, [self._try_alone(record) for record in part.records])

    def _annotate_part(self, part: Part, records: Iterable[Record], tick: Tick | None = None) -> PartResult:
        writer = make_writer(output_format(self.job.format), self.settings)
        rows: Rows = {name: [] for name in TABLES}

        def add(record: Record, doc: Doc) -> None:
            found = find_rows(doc, self.settings.keys) if self.job.tables else {}
            writer.add(record, doc)
            for name in found:  # last, as it can't fail: a document is in the file and in the tables, or in neither
                rows[name] += found[name]

        result = PartResult(part.number, part.digest(), part.end)
        self.annotate(records, add, result, tick)
        result.content = writer.finish()
        result.tables = write_tables(rows, self.job.tables) if self.job.tables else {}
        return result

    def _try_alone(self, record: Record) -> Record:
        """The record itself, or with what is wrong if it is in a part of its own."""
        try:
            self._annotate_part(Part(0, [record]), [record])
        except Exception as error:
            return replace(record, problem=f"it can't be written: {describe(error)}")
        return record

    def annotate(self, records: Iterable[Record], add: Add, result: PartResult, tick: Tick | None = None) -> None:
        """Annotate records, and count them or note why they can't be; an error that `add` raises costs its document."""
        for batch in batch_by_words(records, self.job.batch_words):
            before = result.counts["words"]
            # What texts bring into the vocabulary is forgotten at the end of the block, and documents with it.
            with self.nlp.memory_zone():
                self._annotate_batch(batch, add, result)
            if tick:
                tick(batch[-1].end, result.counts["words"] - before)

    def _annotate_batch(self, batch: list[Record], add: Add, result: PartResult) -> None:
        for record, doc in zip(batch, self._run_pipeline(batch), strict=True):
            if isinstance(doc, Doc):
                try:
                    add(record, doc)
                except Exception as error:  # components and fields may leave anything
                    doc = f"it can't be written: {describe(error)}"
                else:
                    is_plain = self.job.transcripts and isinstance(record.content, str) and not get_speakers(doc)
                    result.counts.update(documents=1, words=len(doc), plain=is_plain)
            if isinstance(doc, str):
                names = {"part": result.number, "id": record.id, "source": record.source}
                result.errors.append({**names, "reason": doc})
                result.counts["errors"] += 1

    def _run_pipeline(self, batch: list[Record]) -> list[Doc | str]:
        """Annotate records at once or, if that fails, one by one: their documents, or why there is none."""
        docs = [record.problem or self._make_doc(record) for record in batch]
        pairs = [(doc, i) for i, doc in enumerate(docs) if isinstance(doc, Doc)]
        try:
            annotated = {i: doc for doc, i in self.nlp.pipe(pairs, as_tuples=True, batch_size=max(1, len(pairs)))}
        except Exception as error:  # a component may be of any kind
            reason = describe(error)
            if len(batch) == 1:
                return [f"the pipeline failed: {reason}"]
            # All documents are made again, as the components that ran may have changed them.
            return [self._run_pipeline([record])[0] for record in batch]
        dropped = "the pipeline dropped it: a component ignores errors"
        return [annotated.get(i, dropped) if isinstance(doc, Doc) else doc for i, doc in enumerate(docs)]

    def _make_doc(self, record: Record) -> Doc | str:
        """The document of a record as the pipeline gets it, or why there is none."""
        content, most = record.content, self.nlp.max_length
        if isinstance(content, str) and len(content) > most:
            return f"the text has {len(content):,} characters, more than {most:,}; cut it, or raise --max-length"
        try:
            make = read_transcript if self.job.transcripts and not record.speakers else make_doc
            doc = make(self.nlp, content) if isinstance(content, str) else Doc(self.nlp.vocab).from_bytes(content)
            if record.speakers:
                set_turns(doc, record.speakers)
        except Exception as error:  # a tokenizer may be of any kind
            return f"it can't be split into tokens: {describe(error)}"
        set_title(doc, record.id)
        return doc
