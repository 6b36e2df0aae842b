"""Documents to the bracketed plain-text format, the inverse of the reader."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from ....annotation import (
    PREDICATE_LABEL,
    Frame,
    LabelledSpan,
    Mention,
    cluster_groups,
    describe_doc,
    frame_groups,
    get_frames,
    get_labelled_spans,
    get_quotations,
    get_sentences,
    get_speakers,
    get_title,
    has_frames_annotated,
    has_labelled_spans_annotated,
    has_quotations_annotated,
)
from ....people.dialogue import remove_speaker_markers
from ..files import check_writable, one_line
from ..reports import list_names
from ..speech import spread_turns
from .brackets import FRAME, GOES_ON, LABELLED, QUOTATION, is_predicate_role, label_quotation, may_speak
from .lines import NAME_PATTERN, escape
from .reader import HEADING, SPEAKER

ESCAPED_TEXT = "[]|\\"
ESCAPED_START = "#=@><"
ESCAPED_SPEAKER = "\\:"
MENTION_NAME = re.compile(rf"(?<!\\)\|({NAME_PATTERN.pattern})\]")

MENTIONS = "mention(s)"
FRAMES = "predicate(s), argument(s) or roleset(s)"
QUOTATIONS = "quotation(s), speaker(s) or addressee(s)"
LABELLED_SPANS = "labelled span(s)"
NAMES = "name(s) of clusters"
SPEAKERS = "speaker(s) of sentences"
LOST = {
    MENTIONS: "they cross a sentence boundary or another mention, which brackets cannot show",
    FRAMES: "they cross a sentence boundary, overlap in their frame, or have a name that is empty or cannot be typed, "
    "which brackets cannot show",
    QUOTATIONS: "they cross another quotation, or are in no cluster with a name that can be typed, which brackets "
    "cannot show",
    LABELLED_SPANS: "they cross a sentence boundary, have a label that is empty or cannot be typed, or differ from "
    "others in white space alone, which brackets cannot show",
    NAMES: "they cannot be typed, or are those of other clusters",
    SPEAKERS: "they change within the sentence, or have other white space in their name than single spaces",
}
"""Annotation that the format cannot hold, and why."""


class Brackets(NamedTuple):
    """The brackets of a span: `opening` before its first token, `closing` before the token `end`."""

    end: int
    opening: str
    closing: str


def write_bracketed(docs: Iterable[Doc]) -> str:
    """Write documents in the bracketed format.

    docs (Iterable[Doc]): Documents with clusters, frames, quotations, labelled spans or several of them. A document
        without sentence boundaries becomes one line; white space is written as one space. A sentence gets the speaker
        of the turn that covers its first word; speaker markers are left out. Clusters keep the name in `attrs["name"]`;
        clusters without a name are called `c1`, `c2`, ..., except singletons that speak in no quotation. A document
        without a title, or with a title that was used before, gets a new one.
    RETURNS (str): The text of a file that `read_bracketed` reads.
    RAISES (ValueError): If a document has a character that no text file can hold, naming it.
    WARNS: Once, counting the mentions that the format cannot hold and that are left out: those that cross a sentence
        boundary or another mention that starts earlier. Once, counting the same of frames: predicates that cross a
        sentence boundary, with their frames; arguments that leave the sentence of their predicate, overlap it or
        another argument that starts earlier, or have a role that cannot be typed; rolesets that cannot be typed.
        Once, counting the same of quotations: those that cross another one that starts earlier; speakers and
        addressees that are no mention of a cluster with a name that can be typed. Once, counting the same of labelled
        spans: those that cross a sentence boundary or have a label that cannot be typed. Once, counting the names of
        clusters that cannot be typed or are those of others; once, the sentences that are not said by one speaker with
        a name.
    """
    blocks: list[str] = []
    titles: set[str] = set()
    lost_of: dict[str, Counter[str]] = {what: Counter() for what in LOST}  # numbers by document
    for number, doc in enumerate(map(remove_speaker_markers, docs), start=1):
        title = _unused(one_line(get_title(doc)) or f"document {number}", titles)
        titles.add(title)
        lines, lost = _write_doc(doc)
        blocks.append(check_writable(doc, "\n".join([f"{HEADING} {title}", *lines]) + "\n"))
        for what, times in lost.items():
            lost_of[what][describe_doc(doc)] += times
    for what, why in LOST.items():
        if total := lost_of[what].total():
            names = list_names(name for name, times in lost_of[what].items() if times)
            warnings.warn(f"{total} {what} left out of the bracketed text: {why} ({names}).", stacklevel=2)
    return "\n".join(blocks)


def _write_doc(doc: Doc) -> tuple[list[str], Counter[str]]:
    """The lines of a document, and the numbers of what is left out."""
    lost: Counter[str] = Counter()
    named = sum(bool(group.attrs.get("name")) for group in cluster_groups(doc))
    lost[NAMES] = named - sum(map(bool, _typed_names(doc)))
    mentions = _mention_brackets(doc, lost)
    frames = _frames_by_start(doc, lost)
    speakers = spread_turns(get_speakers(doc), len(doc))
    sentences = [(sentence, _write_words(sentence, mentions, lost)) for sentence in get_sentences(doc)]
    names = {name for _, line in sentences for name in MENTION_NAME.findall(line)}
    quotations = _labelled_quotations(doc, names, lost)
    labelled = _labelled_by_start(doc, lost)
    has_labelled = False
    lines: list[str] = []
    for sentence, line in sentences:
        words = [token.i for token in sentence if not _is_blank(token)]
        if not words:
            continue
        said_by = {speakers[i] for i in words}
        speaker = one_line(speakers[words[0]] or "")
        lost[SPEAKERS] += not said_by <= {speaker or None}
        if speaker:
            lines.append(f"{SPEAKER}{escape(speaker, chars=ESCAPED_SPEAKER)}: {line}")
        else:
            lines.append(f"\\{line}" if line[0] in ESCAPED_START else line)
        for frame in (frame for token in sentence for frame in frames.get(token.i, ())):
            lines.extend(_write_frame(frame, sentence, lost))
        lines.extend(_write_quotations(quotations, sentence))
        labelled_lines = _write_labelled(labelled, sentence, lost)
        lines.extend(labelled_lines)
        has_labelled = has_labelled or bool(labelled_lines)
    if lines and has_frames_annotated(doc) and not frame_groups(doc):
        lines.insert(1, FRAME)  # under the first sentence, but for all: the document has no predicate
    if lines and has_quotations_annotated(doc) and not quotations:
        lines.insert(1, QUOTATION)  # the same
    if lines and has_labelled_spans_annotated(doc) and not has_labelled:
        lines.insert(1, LABELLED)  # the same
    return lines, lost


def _mention_brackets(doc: Doc, lost: Counter[str]) -> dict[int, list[Brackets]]:
    """The brackets of mentions by their first token, outer ones first. Mentions without words are lost."""
    brackets: dict[int, list[Brackets]] = {}
    for mention, name in _named_mentions(doc):
        start, end = _without_outer_spaces(doc, mention)
        if start < end:
            brackets.setdefault(start, []).append(Brackets(end, "[", f"|{name}]" if name else "]"))
        else:
            lost[MENTIONS] += 1
    for started in brackets.values():
        started.reverse()  # of equal spans the first cluster becomes the innermost, which is read first
        started.sort(key=lambda item: -item.end)
    return brackets


def _named_mentions(doc: Doc) -> Iterator[tuple[Mention, str]]:
    """Every mention with the name to write, which is empty for singletons without a name."""
    names = _typed_names(doc)
    persons = {person for quotation in get_quotations(doc) for person in (quotation.speaker, quotation.addressee)}
    for number, group in enumerate(cluster_groups(doc), start=1):
        mentions = {(span.start, span.end) for span in group}
        if not names[number - 1] and (len(mentions) > 1 or not mentions.isdisjoint(persons)):
            names[number - 1] = _unused(f"c{number}", set(names))
        yield from ((mention, names[number - 1]) for mention in sorted(mentions))


def _typed_names(doc: Doc) -> list[str]:
    """The name of each cluster, "" for one that has none, or none that can be typed and that no cluster before has."""
    names: list[str] = []
    for group in cluster_groups(doc):
        name = str(group.attrs.get("name", ""))
        names.append(name if NAME_PATTERN.fullmatch(name) and name not in names else "")
    return names


def _labelled_quotations(doc: Doc, written: Container[str], lost: Counter[str]) -> list[tuple[Mention, str]]:
    """The quotations, outer ones first, labelled with the names of who speaks.

    written (Container[str]): The names that can be used: those of mentions that could be written.
    """
    names: dict[Mention | None, str] = {}
    for mention, name in _named_mentions(doc):
        if name in written and may_speak(name):
            names.setdefault(mention, name)
    labelled: list[tuple[Mention, str]] = []
    around: list[int] = []  # the ends of the quotations that one may be within
    for quotation in sorted(get_quotations(doc), key=lambda quotation: (quotation.start, -quotation.end)):
        place = _without_outer_spaces(doc, (quotation.start, quotation.end))
        around = [end for end in around if end > place[0]]
        if place[0] == place[1] or any(end < place[1] for end in around):
            lost[QUOTATIONS] += 1
            continue
        around.append(place[1])
        persons = (quotation.speaker, quotation.addressee)
        lost[QUOTATIONS] += sum(person is not None and not names.get(person) for person in persons)
        labelled.append((place, label_quotation(*(names.get(person, "") for person in persons))))
    return labelled


def _write_quotations(quotations: Sequence[tuple[Mention, str]], sentence: Span) -> Iterator[str]:
    """The lines of the quotations of a sentence, of one each."""
    for (start, end), label in quotations:
        first, last = _without_outer_spaces(sentence.doc, (max(start, sentence.start), min(end, sentence.end)))
        if first < last:
            bracket = Brackets(last, f"[{label if start >= sentence.start else GOES_ON} ", "]")
            yield f"{QUOTATION} {_write_words(sentence, {first: [bracket]}, Counter())}"


def _labelled_by_start(doc: Doc, lost: Counter[str]) -> dict[int, list[LabelledSpan]]:
    """The labelled spans by their first token, longer ones first. Those that brackets can't show are lost."""
    known = get_labelled_spans(doc)
    trimmed = {LabelledSpan(*_without_outer_spaces(doc, (start, end)), label) for start, end, label in known}
    kept = [span for span in trimmed if span.start < span.end and NAME_PATTERN.fullmatch(span.label)]
    lost[LABELLED_SPANS] += len(known) - len(kept)
    by_start: dict[int, list[LabelledSpan]] = {}
    for span in sorted(kept, key=lambda span: (span.start, -span.end, span.label)):
        by_start.setdefault(span.start, []).append(span)
    return by_start


def _write_labelled(labelled: Mapping[int, Sequence[LabelledSpan]], sentence: Span, lost: Counter[str]) -> list[str]:
    """The lines of the labelled spans of a sentence: one or, if spans cross, several."""
    lines: list[dict[int, list[Brackets]]] = []
    around: list[list[int]] = []  # by line, the ends of the brackets that one may be within
    for start, end, label in (span for token in sentence for span in labelled.get(token.i, ())):
        if end > sentence.end:
            lost[LABELLED_SPANS] += 1
            continue
        around = [[other for other in ends if other > start] for ends in around]
        fits = (i for i, ends in enumerate(around) if not ends or ends[-1] >= end)
        line = next(fits, len(lines))
        if line == len(lines):
            lines.append({})
            around.append([])
        around[line].append(end)
        lines[line].setdefault(start, []).append(Brackets(end, f"[{label} ", "]"))
    return [f"{LABELLED} {_write_words(sentence, line, Counter())}" for line in lines]


def _frames_by_start(doc: Doc, lost: Counter[str]) -> dict[int, list[Frame]]:
    """The frames by the first token of their predicates. Those of predicates without words are lost."""
    frames: dict[int, list[Frame]] = {}
    for frame in get_frames(doc):
        start, end = _without_outer_spaces(doc, (frame.start, frame.end))
        if start < end:
            frames.setdefault(start, []).append(frame)
        else:
            lost[FRAMES] += 1
    return frames


def _write_frame(frame: Frame, sentence: Span, lost: Counter[str]) -> list[str]:
    """The line of a frame, if its predicate can be written."""
    start, end = _without_outer_spaces(sentence.doc, (frame.start, frame.end))
    if end > sentence.end:
        lost[FRAMES] += 1
        return []
    role = PREDICATE_LABEL
    if frame.roleset:
        if NAME_PATTERN.fullmatch(frame.roleset):
            role = f"{PREDICATE_LABEL}={frame.roleset}"
        else:
            lost[FRAMES] += 1
    brackets = {start: Brackets(end, f"[{role} ", "]")}
    for argument in sorted(frame.arguments, key=lambda argument: (argument.start, -argument.end)):
        start, end = _without_outer_spaces(sentence.doc, (argument.start, argument.end))
        typable = NAME_PATTERN.fullmatch(argument.role) and not is_predicate_role(argument.role)
        inside = sentence.start <= start < end <= sentence.end
        if typable and inside and all(end <= other or start >= brackets[other].end for other in brackets):
            brackets[start] = Brackets(end, f"[{argument.role} ", "]")
        else:
            lost[FRAMES] += 1
    line = _write_words(sentence, {start: [item] for start, item in brackets.items()}, Counter())
    return [f"{FRAME} {line}"]


def _without_outer_spaces(doc: Doc, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    while start < end and _is_blank(doc[start]):
        start += 1
    while start < end and _is_blank(doc[end - 1]):
        end -= 1
    return start, end


def _write_words(sentence: Span, brackets: Mapping[int, Sequence[Brackets]], lost: Counter[str]) -> str:
    """The words of a sentence with brackets. Mentions that cross others are lost."""
    pieces: list[str] = []
    opened: list[Brackets] = []
    space_due = False
    for token in sentence:
        if _is_blank(token):
            space_due = True
            continue
        if space_due and pieces:
            pieces.append(" ")
        for item in brackets.get(token.i, ()):
            if item.end > (opened[-1].end if opened else sentence.end):
                lost[MENTIONS] += 1
            else:
                opened.append(item)
                pieces.append(item.opening)
        pieces.append(escape(one_line(token.text), chars=ESCAPED_TEXT))
        while opened and opened[-1].end == token.i + 1:
            pieces.append(opened.pop().closing)
        space_due = bool(token.whitespace_)
    return "".join(pieces)


def _is_blank(token: Token) -> bool:
    """Check whether a token is white space; `token.is_space` does not know it in a vocabulary without a language."""
    return not token.text.strip()


def _unused(wanted: str, used: Container[str]) -> str:
    """The wanted name, or the first of `wanted-2`, `wanted-3`, ... that is not used."""
    candidates = (wanted if i == 1 else f"{wanted}-{i}" for i in count(1))
    return next(candidate for candidate in candidates if candidate not in used)
