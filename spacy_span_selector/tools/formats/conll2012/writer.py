"""Documents to CoNLL-2012, which the official coreference scorer compares: the inverse of the reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count

from spacy.tokens import Doc, Span

from .... import annotation
from ....annotation import PREDICATE_LABEL, Frame, Mention
from ....people.speech import spread_turns
from ..columns import (
    EMPTY_CELL,
    EMPTY_CELLS,
    WRITABLE_LABEL,
    by_sentence,
    escape_brackets,
    find_nested,
    unescape_brackets,
    write_coreference_column,
    write_starred_column,
)
from ..files import check_writable, one_line
from ..reports import Report, shorten
from .reader import END, TRANSCRIBED_STOPS

READ_AS_ESCAPE = re.compile(r"(?<=\\)[/*]")
LINE_BLANKS = re.compile(r"[ \t\r\n]+")
PLACEHOLDER = "_"
PART = re.compile(r"(?P<name>.+)_(?P<part>0|[1-9][0-9]{0,8})", re.DOTALL)
UNTITLED = "untitled"
DIGITS = re.compile("[0-9]+")
NO_COREFERENCE = "that documents with frames are not annotated for coreference, without which they have no mentions"
BAD_LABEL = "whose label has blanks, brackets or stars"


def write_conll2012(docs: Iterable[Doc]) -> str:
    """Write documents in the format of CoNLL-2012, with tabs between columns, as the official scorer requires.

    There is no column for spacing, scores, and names of clusters that are not numbers. A title that was used before
    gets another part: the scorer reads only one document of each name and part. Named entities are not read back.
    """
    report = Report()
    used: set[tuple[str, int]] = set()
    texts: list[str] = []
    for doc in docs:
        lines = _Writer(doc, report).write(*_name_doc(doc, used, report))
        texts.append(check_writable(doc, "".join(f"{line}\n" for line in lines)))
    report.warn()
    return "".join(texts)


def _name_doc(doc: Doc, used: set[tuple[str, int]], report: Report) -> tuple[str, int]:
    """A name and a part for a document, which no document before it has: `bc/tale` and 3 for `bc/tale_3`."""
    title = one_line(annotation.get_title(doc)) or UNTITLED
    match = PART.fullmatch(title)
    name, part = (match["name"], int(match["part"])) if match else (title, 0)
    if (name, part) in used:
        if annotation.get_title(doc):
            report.add("Wrote another part for titles that were used before", annotation.describe_doc(doc))
        part = next(part for part in count() if (name, part) not in used)
    used.add((name, part))
    return name, part


class _Writer:
    def __init__(self, doc: Doc, report: Report) -> None:
        self.doc = doc
        self.sentences = annotation.get_sentences(doc)
        self.report = report
        self._lose = partial(report.leave_out, case=annotation.describe_doc(doc))
        report.leave_out_scope(doc, frames=True)
        self._lose(NO_COREFERENCE, times=annotation.has_frames_annotated(doc) > annotation.has_clusters_annotated(doc))

    def write(self, name: str, part: int) -> Iterator[str]:
        doc = self.doc
        yield f"#begin document ({name}); part {part:03}"
        turns = spread_turns(annotation.get_speakers(doc), len(doc))
        speakers = [EMPTY_CELL if speaker is None else _write_cell(speaker) for speaker in turns]
        for speaker, cell in dict.fromkeys(zip(turns, speakers, strict=True)):
            if speaker and speaker != cell:
                what = f"Wrote `{PLACEHOLDER}` for white space in speakers, or nobody for `{PLACEHOLDER}` and the like"
                self.report.add(what, f"{annotation.describe_doc(doc)}: {shorten(speaker)}")
        coreference = write_coreference_column(self._number_clusters(), len(doc))
        frames = by_sentence(annotation.get_frames(doc), self.sentences)
        lost = len(annotation.get_frames(doc)) - sum(map(len, frames))
        self._lose("predicates without tokens, or that cross the end of a sentence", times=lost)
        parses = self._write_spans(annotation.read_group(doc, annotation.CONSTITUENTS_KEY), "constituents")
        entities = self._write_spans(doc.ents, "entities")
        first_cell = re.sub("^#", PLACEHOLDER, _write_cell(name))
        for i, sentence in enumerate(self.sentences):
            n_tokens = len(sentence)
            columns = [
                [first_cell] * n_tokens,
                [str(part)] * n_tokens,
                [str(number) for number in range(n_tokens)],
                [self._escape(token.text) for token in sentence],
                [_write_cell(token.tag_) for token in sentence],
                [EMPTY_CELL] * n_tokens if {*parses[i]} == {"*"} else parses[i],
                *self._write_rolesets(frames[i], sentence),
                [EMPTY_CELL] * n_tokens,  # word senses
                speakers[sentence.start : sentence.end],
                entities[i],
                *(self._write_frame(frame, sentence) for frame in frames[i]),
                coreference[sentence.start : sentence.end],
            ]
            yield from ("\t".join(row) for row in zip(*columns, strict=True))
            if n_tokens:
                yield ""
        yield END

    def _number_clusters(self) -> dict[str, list[Mention]]:
        """The mentions of each cluster that can be written, by the number of the cluster."""
        groups = annotation.cluster_groups(self.doc)
        names = [annotation.get_text(group, annotation.NAME) or "" for group in groups]
        kept = {name for name in names if DIGITS.fullmatch(name) and names.count(name) == 1}
        free = (number for i in count() if (number := str(i)) not in kept)
        clusters = {}
        for group, name in zip(groups, names, strict=True):
            nested = find_nested([(span.start, span.end, "") for span in group if len(span)])
            lost = len(group) - len(nested)
            self._lose("mentions without tokens, or that cross another mention of their cluster", times=lost)
            clusters[name if name in kept else next(free)] = [mention[:2] for mention in nested]
        return clusters

    def _write_spans(self, spans: Iterable[Span], what: str) -> list[list[str]]:
        known = [(span.start, span.end, span.label_) for span in spans]
        good = [span for span in known if WRITABLE_LABEL.fullmatch(span[2])]
        nested = [find_nested(inside) for inside in by_sentence(good, self.sentences)]
        lost = len(known) - sum(map(len, nested))
        self._lose(f"{what} without tokens, that cross others or the end of a sentence, or {BAD_LABEL}", times=lost)
        places = (range(sentence.start, sentence.end) for sentence in self.sentences)
        return [*map(write_starred_column, nested, places)]

    def _write_frame(self, frame: Frame, sentence: Span) -> list[str]:
        good: list[tuple[int, int, str]] = []
        for start, end, role in frame.arguments:
            crosses = start < frame.start < end < frame.end or frame.start < start < frame.end < end
            inside = sentence.start <= start < end <= sentence.end
            if inside and not crosses and role != PREDICATE_LABEL and WRITABLE_LABEL.fullmatch(role):
                good.append((start, end, role))
        nested = find_nested(good)
        lost = len(frame.arguments) - len(nested)
        self._lose(f"arguments without tokens, outside of the sentence, that cross others, or {BAD_LABEL}", times=lost)
        spans = find_nested([(frame.start, frame.end, PREDICATE_LABEL), *nested])
        return write_starred_column(spans, range(sentence.start, sentence.end))

    def _write_rolesets(self, frames: Sequence[Frame], sentence: Span) -> tuple[list[str], list[str]]:
        rolesets: dict[int, str] = {}
        for frame in frames:
            if frame.roleset and all(_write_cell(part) == part for part in frame.roleset.rpartition(".")):
                rolesets.setdefault(frame.start, frame.roleset)
        for frame in frames:
            read = next((rolesets[i] for i in range(frame.start, frame.end) if i in rolesets), None)
            if (frame.roleset or None) != read:
                self._lose("rolesets that are not lemma and number, or not the only one of their word")
        parts = [rolesets.get(token.i, f"{EMPTY_CELL}.{EMPTY_CELL}").rpartition(".") for token in sentence]
        return [lemma for lemma, _, _ in parts], [frameset for _, _, frameset in parts]

    def _escape(self, word: str) -> str:
        written = LINE_BLANKS.sub(PLACEHOLDER, word)
        if written != word or unescape_brackets(word) != word:
            what = f"Wrote `{PLACEHOLDER}` for white space in words, or words that are read back as brackets"
            self.report.add(what, f"{annotation.describe_doc(self.doc)}: {shorten(word)}")
        if written in TRANSCRIBED_STOPS:
            return f"\\{written}"
        return escape_brackets(READ_AS_ESCAPE.sub(r"\\\g<0>", written))


def _write_cell(text: str) -> str:
    """A cell with a text, or an empty cell if the reader would treat the text as empty."""
    cell = PLACEHOLDER.join(text.split())
    return EMPTY_CELL if cell in EMPTY_CELLS else cell
