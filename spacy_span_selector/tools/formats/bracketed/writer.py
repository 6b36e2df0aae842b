"""Documents to the bracketed plain-text format, the inverse of the reader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from spacy.tokens import Doc, Span, Token

from .... import annotation
from ....annotation import PREDICATE_LABEL, Argument, Frame, LabelledSpan, Mention, Quotation, describe_doc
from ....people.speech import spread_turns
from ..columns import by_sentence, find_nested
from ..files import check_writable, make_unique, one_line
from ..reports import Report
from .brackets import ADDRESSED, FRAME, GOES_ON, LABELLED, NAME_PATTERN, NOBODY, QUOTATION, Notation, escape
from .reader import HEADING, SPEAKER, is_predicate_role, may_speak

ESCAPED_TEXT = "[]|\\"
ESCAPED_START = "#=@><"
ESCAPED_SPEAKER = "\\:"

MENTIONS = "mentions that cross the end of a sentence or another mention, which brackets can't show"
FRAMES = "predicates, arguments and rolesets that cross a sentence, overlap, or have a name that can't be typed"
QUOTATIONS = "quotations that cross another one, and who says them if no mention has a name that can be typed"
LABELLED_SPANS = "labelled spans that cross a sentence, are there twice, or have a label that can't be typed"
NAMES = "names of clusters that can't be typed, or are those of others"
SPEAKERS = "speakers who change within a sentence, or with other white space in their name than single spaces"

Item = TypeVar("Item", Argument, Frame, LabelledSpan, Quotation)


def write_bracketed(docs: Iterable[Doc]) -> str:
    """Write documents in the bracketed format.

    A document without sentence boundaries becomes one line; white space is written as one space. A sentence gets the
    speaker of the turn that covers its first word. Clusters without a name are called `c1`, `c2`, ..., except
    singletons that speak in no quotation.
    """
    report = Report()
    blocks: list[str] = []
    titles: set[str] = set()
    for number, doc in enumerate(docs, start=1):
        title = make_unique(one_line(annotation.get_title(doc)) or f"document {number}", titles)
        lines = _Writer(doc, report).write()
        blocks.append(check_writable(doc, "\n".join([f"{HEADING} {title}", *lines]) + "\n"))
    report.warn()
    return "\n".join(blocks)


class _Writer:
    def __init__(self, doc: Doc, report: Report) -> None:
        self.doc = doc
        self.sentences = annotation.get_sentences(doc)
        self._lose = partial(report.leave_out, case=describe_doc(doc))
        report.leave_out_scope(doc, frames=True)

    def write(self) -> list[str]:
        doc = self.doc
        speakers = spread_turns(annotation.get_speakers(doc), len(doc))
        mentions, names = self._find_mentions()
        quotations = [*self._find_quotations(names)]
        frames = sorted(map(self._trim, annotation.get_frames(doc)), key=lambda frame: frame.start)
        given = {*(annotation.get_predicates(doc) or ())}
        self._lose("given predicates without frames", times=len(given.difference(frame[:2] for frame in frames)))
        frames_inside = by_sentence(frames, self.sentences)
        self._lose(FRAMES, times=len(frames) - sum(map(len, frames_inside)))
        labelled = self._find_labelled()
        lines: list[str] = []
        for sentence, spans, inside, groups in zip(
            self.sentences, mentions, frames_inside, map(_split_crossing, labelled), strict=True
        ):
            words = [token.i for token in sentence if not _is_blank(token)]
            if not words:
                continue
            line = self._write_words(sentence, ((a, b, "[", f"|{name}]" if name else "]") for a, b, name in spans))
            speaker = one_line(speakers[words[0]] or "")
            self._lose(SPEAKERS, times=not {speakers[i] for i in words} <= {speaker or None})
            if speaker:
                lines.append(f"{SPEAKER}{escape(speaker, chars=ESCAPED_SPEAKER)}: {line}")
            else:
                lines.append(f"\\{line}" if line[0] in ESCAPED_START else f" {line}" if line[0] == "\ufeff" else line)
            lines += [self._write_under(FRAME, sentence, self._frame_spans(frame, sentence)) for frame in inside]
            for start, end, label in quotations:
                part = LabelledSpan(max(start, sentence.start), min(end, sentence.end), label)
                part = self._trim(part if start >= sentence.start else part._replace(label=GOES_ON))
                if part.start < part.end:
                    lines.append(self._write_under(QUOTATION, sentence, [part]))
            lines += [self._write_under(LABELLED, sentence, group) for group in groups]
        # A line without words under the first sentence says that the document is annotated, but has nothing.
        bare = {
            LABELLED: annotation.has_labelled_spans_annotated(doc) and not any(labelled),
            QUOTATION: annotation.has_quotations_annotated(doc) and not quotations,
            FRAME: annotation.has_frames_annotated(doc) and not frames,
        }
        lines[1:1] = [notation.sign for notation, is_bare in bare.items() if is_bare and lines]
        return lines

    def _find_mentions(self) -> tuple[list[list[tuple[int, int, str]]], dict[Mention, str]]:
        """The mentions of each sentence with the names to write, and the names that speakers can have.

        Singletons that are no speaker and have no name get none.
        """
        groups = annotation.cluster_groups(self.doc)
        given = [annotation.get_text(group, annotation.NAME) or "" for group in groups]
        names: list[str] = []
        taken: set[str] = set()
        for name in given:
            names.append(name if NAME_PATTERN.fullmatch(name) and name not in taken else "")
            taken.add(name)
        self._lose(NAMES, times=sum(map(bool, given)) - sum(map(bool, names)))
        persons = {person for quotation in annotation.get_quotations(self.doc) for person in quotation[2:4]}
        mentions: list[LabelledSpan] = []
        for i, group in enumerate(groups):
            offsets = {(span.start, span.end) for span in group}
            if not names[i] and (len(offsets) > 1 or not offsets.isdisjoint(persons)):
                names[i] = make_unique(f"c{i + 1}", taken)
            mentions += [LabelledSpan(*mention, names[i]) for mention in sorted(offsets)]
        mentions.reverse()  # of equal spans the first cluster becomes the innermost, which is read first
        inside = by_sentence(map(self._trim, mentions), self.sentences)
        kept = [find_nested(spans) for spans in inside]
        self._lose(MENTIONS, times=len(mentions) - sum(map(len, kept)))
        typed = {name for spans in kept for *_, name in spans if name and may_speak(name)}
        return kept, {(start, end): name for start, end, name in mentions if name in typed}

    def _find_quotations(self, names: Mapping[Mention, str]) -> Iterator[LabelledSpan]:
        """The quotations, outer ones first, labelled with the names of who speaks."""
        around: list[int] = []  # the ends of the quotations that one may be within
        for quotation in sorted(
            annotation.get_quotations(self.doc), key=lambda quotation: (quotation.start, -quotation.end)
        ):
            start, end, *persons = self._trim(quotation)[:4]
            around = [other for other in around if other > start]
            if start == end or any(other < end for other in around):
                self._lose(QUOTATIONS)
                continue
            around.append(end)
            speaker, addressee = (names.get(person, "") if person else "" for person in persons)
            self._lose(QUOTATIONS, times=sum(map(bool, persons)) - bool(speaker) - bool(addressee))
            self._lose("cues of quotations", times=quotation.cue is not None and quotation.score is None)
            yield LabelledSpan(start, end, (speaker or NOBODY) + (f"{ADDRESSED}{addressee}" if addressee else ""))

    def _find_labelled(self) -> list[list[LabelledSpan]]:
        """The labelled spans of each sentence, outer ones first."""
        known = annotation.get_labelled_spans(self.doc)
        typable = {span for span in map(self._trim, known) if NAME_PATTERN.fullmatch(span.label)}
        ordered = sorted(typable, key=lambda span: (span.start, -span.end, span.label))
        inside = by_sentence(ordered, self.sentences)
        self._lose(LABELLED_SPANS, times=len(known) - sum(map(len, inside)))
        return inside

    def _frame_spans(self, frame: Frame, sentence: Span) -> list[LabelledSpan]:
        """The predicate of a frame and its arguments, which do not overlap."""
        roleset = frame.roleset if NAME_PATTERN.fullmatch(frame.roleset or "") else None
        self._lose(FRAMES, times=bool(frame.roleset) - bool(roleset))
        spans = [LabelledSpan(frame.start, frame.end, f"{PREDICATE_LABEL}={roleset}" if roleset else PREDICATE_LABEL)]
        for argument in sorted(frame.arguments, key=lambda argument: (argument.start, -argument.end)):
            start, end, role = self._trim(argument)
            typable = NAME_PATTERN.fullmatch(role) and not is_predicate_role(role)
            inside = sentence.start <= start < end <= sentence.end
            if typable and inside and all(end <= other.start or start >= other.end for other in spans):
                spans.append(LabelledSpan(start, end, role))
            else:
                self._lose(FRAMES)
        return spans

    def _write_under(self, notation: Notation, sentence: Span, spans: Iterable[LabelledSpan]) -> str:
        brackets = ((start, end, f"[{label} ", "]") for start, end, label in spans)
        return f"{notation.sign} {self._write_words(sentence, brackets)}"

    def _write_words(self, sentence: Span, brackets: Iterable[tuple[int, int, str, str]]) -> str:
        """The words of a sentence with brackets around spans, outer ones first."""
        opening, closing = defaultdict[int, str](str), defaultdict[int, str](str)
        for start, end, before, behind in brackets:
            opening[start] += before
            closing[end - 1] = behind + closing[end - 1]
        pieces: list[str] = []
        space_due = False
        for token in sentence:
            if _is_blank(token):
                space_due = True
                continue
            if space_due and pieces:
                pieces.append(" ")
            pieces.append(opening[token.i] + escape(one_line(token.text), chars=ESCAPED_TEXT) + closing[token.i])
            space_due = bool(token.whitespace_)
        return "".join(pieces)

    def _trim(self, item: Item) -> Item:
        """A span without the white space at its edges."""
        start, end = item.start, item.end
        while start < end and _is_blank(self.doc[start]):
            start += 1
        while start < end and _is_blank(self.doc[end - 1]):
            end -= 1
        return item._replace(start=start, end=end)


def _split_crossing(spans: Iterable[LabelledSpan]) -> list[list[LabelledSpan]]:
    """Spans in as many lines as it takes for those of each to nest."""
    lines: list[list[LabelledSpan]] = []
    for span in spans:
        nesting = (line for line in lines if not any(span.start < other.end < span.end for other in line))
        if (line := next(nesting, None)) is None:
            lines.append(line := [])
        line.append(span)
    return lines


def _is_blank(token: Token) -> bool:
    """Check whether a token is white space; `token.is_space` does not know it in a vocabulary without a language."""
    return not token.text.strip()
