"""Documents to the bracketed plain-text format, the inverse of the reader."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from spacy.tokens import Doc, Span

from ...annotation import (
    PREDICATE_LABEL,
    Frame,
    Mention,
    cluster_groups,
    describe_doc,
    frame_groups,
    get_frames,
    get_quotations,
    get_sentences,
    get_speakers,
    get_title,
    has_frames_annotated,
    has_quotations_annotated,
)
from ...documents.speaker_markers import remove_speaker_markers
from ..left_out import list_names
from ..turns import spread_turns
from .frames import FRAME, is_predicate_role
from .lines import NAME_PATTERN
from .quotations import GOES_ON, QUOTATION, label_quotation, may_speak
from .reader import HEADING, SPEAKER

ESCAPED_TEXT = "[]|\\"
ESCAPED_START = "#=@><"
ESCAPED_SPEAKER = "\\:"
MENTION_NAME = re.compile(rf"(?<!\\)\|({NAME_PATTERN.pattern})\]")


class Brackets(NamedTuple):
    """The brackets of a span: `opening` before its first token, `closing` before the token `end`."""

    end: int
    opening: str
    closing: str


def write_bracketed(docs: Iterable[Doc]) -> str:
    """Write documents in the bracketed format.

    docs (Iterable[Doc]): Documents with clusters, frames, quotations or several of them. A document without sentence
        boundaries becomes one line; white space is written as one space. A sentence gets the speaker of the turn that
        covers its first token; speaker markers are left out. Clusters keep the name in `attrs["name"]`; clusters
        without a name are called `c1`, `c2`, ..., except singletons that speak in no quotation. A document without a
        title, or with a title that was used before, gets a new one.
    RETURNS (str): The text of a file that `read_bracketed` reads.
    WARNS: Once, counting the mentions that the format cannot hold and that are left out: those that cross a sentence
        boundary or another mention that starts earlier. Once, counting the same of frames: predicates that cross a
        sentence boundary, with their frames; arguments that leave the sentence of their predicate, overlap it or
        another argument that starts earlier, or have a role that cannot be typed; rolesets that cannot be typed.
        Once, counting the same of quotations: those that cross another one that starts earlier; speakers and
        addressees that are no mention of a cluster with a name that can be typed.
    """
    text = BracketedText()
    for doc in docs:
        text.add(doc)
    text.warn(stacklevel=3)
    return text.finish()


class BracketedText:
    """A text that documents are added to; it does not keep them."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._titles: set[str] = set()
        self._lost_mentions: Counter[str] = Counter()
        self._lost_frames: Counter[str] = Counter()
        self._lost_quotations: Counter[str] = Counter()

    def add(self, doc: Doc) -> None:
        """Add a document, as `write_bracketed` describes it."""
        doc = remove_speaker_markers(doc)
        title = " ".join((get_title(doc) or f"document {len(self._blocks) + 1}").split())
        title = _unused(title, self._titles)
        lines, mentions, frames, quotations = _write_doc(doc)
        self._titles.add(title)
        self._blocks.append("\n".join([f"{HEADING} {title}", *lines]) + "\n")
        self._lost_mentions[describe_doc(doc)] += mentions
        self._lost_frames[describe_doc(doc)] += frames
        self._lost_quotations[describe_doc(doc)] += quotations

    def finish(self) -> str:
        """The text of a file that `read_bracketed` reads."""
        return "\n".join(self._blocks)

    def warn(self, stacklevel: int = 2) -> None:
        """Warn about what the format could not hold, if there is anything."""
        _warn_of(self._lost_mentions, "mention(s)", "they cross a sentence boundary or another mention", stacklevel)
        _warn_of(
            self._lost_frames,
            "predicate(s), argument(s) or roleset(s)",
            "they cross a sentence boundary, overlap in their frame, or have a name that is empty or cannot be typed",
            stacklevel,
        )
        _warn_of(
            self._lost_quotations,
            "quotation(s), speaker(s) or addressee(s)",
            "they cross another quotation, or are in no cluster with a name that can be typed",
            stacklevel,
        )


def _warn_of(lost: Counter[str], what: str, why: str, stacklevel: int) -> None:
    """Warn about what is left out of documents, if anything is."""
    names = [name for name, number in lost.items() if number]
    if names:
        found = f"{lost.total()} {what} left out of the bracketed text: {why}"
        warnings.warn(f"{found}, which brackets cannot show ({list_names(names)}).", stacklevel=stacklevel + 1)


def _write_doc(doc: Doc) -> tuple[list[str], int, int, int]:
    """The lines of a document, and the numbers of mentions, of parts of frames and of quotations left out."""
    mentions, lost_mentions = _mention_brackets(doc)
    frames, lost_frames = _frames_by_start(doc)
    speakers = spread_turns(get_speakers(doc), len(doc))
    sentences = [(sentence, *_write_words(sentence, mentions)) for sentence in get_sentences(doc)]
    names = {name for _, line, _ in sentences for name in MENTION_NAME.findall(line)}
    quotations, lost_quotations = _labelled_quotations(doc, names)
    lines: list[str] = []
    for sentence, line, lost in sentences:
        lost_mentions += lost
        if not line:
            continue  # nothing but white space
        speaker = " ".join((speakers[sentence.start] or "").split())
        if speaker:
            lines.append(f"{SPEAKER}{_escape(speaker, chars=ESCAPED_SPEAKER)}: {line}")
        else:
            lines.append(f"\\{line}" if line[0] in ESCAPED_START else line)
        for frame in (frame for token in sentence for frame in frames.get(token.i, ())):
            frame_lines, lost_parts = _write_frame(frame, sentence)
            lines.extend(frame_lines)
            lost_frames += lost_parts
        lines.extend(_write_quotations(quotations, sentence))
    if lines and has_frames_annotated(doc) and not frame_groups(doc):
        lines.insert(1, FRAME)  # under the first sentence, but for all: the document has no predicate
    if lines and has_quotations_annotated(doc) and not quotations:
        lines.insert(1, QUOTATION)  # the same
    return lines, lost_mentions, lost_frames, lost_quotations


def _mention_brackets(doc: Doc) -> tuple[dict[int, list[Brackets]], int]:
    """The brackets of mentions by their first token, outer ones first, and the number of mentions without words."""
    brackets: dict[int, list[Brackets]] = {}
    lost = 0
    for mention, name in _named_mentions(doc):
        start, end = _without_outer_spaces(doc, mention)
        if start < end:
            brackets.setdefault(start, []).append(Brackets(end, "[", f"|{name}]" if name else "]"))
        else:
            lost += 1
    for started in brackets.values():
        started.reverse()  # of equal spans the first cluster becomes the innermost, which is read first
        started.sort(key=lambda item: -item.end)
    return brackets, lost


def _named_mentions(doc: Doc) -> Iterator[tuple[Mention, str]]:
    """Every mention with the name to write, which is empty for singletons without a name."""
    names: list[str] = []
    persons = {person for quotation in get_quotations(doc) for person in (quotation.speaker, quotation.addressee)}
    for group in cluster_groups(doc):
        name = str(group.attrs.get("name", ""))
        names.append(name if NAME_PATTERN.fullmatch(name) and name not in names else "")
    for number, group in enumerate(cluster_groups(doc), start=1):
        mentions = {(span.start, span.end) for span in group}
        if not names[number - 1] and (len(mentions) > 1 or not mentions.isdisjoint(persons)):
            names[number - 1] = _unused(f"c{number}", set(names))
        yield from ((mention, names[number - 1]) for mention in sorted(mentions))


def _labelled_quotations(doc: Doc, written: Container[str]) -> tuple[list[tuple[Mention, str]], int]:
    """The quotations, outer ones first, labelled with the names of who speaks, and the number of what is left out.

    written (Container[str]): The names that can be used: those of mentions that could be written.
    """
    names: dict[Mention | None, str] = {}
    for mention, name in _named_mentions(doc):
        if name in written and may_speak(name):
            names.setdefault(mention, name)
    labelled: list[tuple[Mention, str]] = []
    around: list[int] = []  # the ends of the quotations that one may be within
    lost = 0
    for quotation in sorted(get_quotations(doc), key=lambda quotation: (quotation.start, -quotation.end)):
        place = _without_outer_spaces(doc, (quotation.start, quotation.end))
        around = [end for end in around if end > place[0]]
        if place[0] == place[1] or any(end < place[1] for end in around):
            lost += 1
            continue
        around.append(place[1])
        persons = (quotation.speaker, quotation.addressee)
        lost += sum(person is not None and not names.get(person) for person in persons)
        labelled.append((place, label_quotation(*(names.get(person, "") for person in persons))))
    return labelled, lost


def _write_quotations(quotations: Sequence[tuple[Mention, str]], sentence: Span) -> Iterator[str]:
    """The lines of the quotations of a sentence, of one each."""
    for (start, end), label in quotations:
        first, last = _without_outer_spaces(sentence.doc, (max(start, sentence.start), min(end, sentence.end)))
        if first < last:
            bracket = Brackets(last, f"[{label if start >= sentence.start else GOES_ON} ", "]")
            line, _ = _write_words(sentence, {first: [bracket]})
            yield f"{QUOTATION} {line}"


def _frames_by_start(doc: Doc) -> tuple[dict[int, list[Frame]], int]:
    """The frames by the first token of their predicates, and the number of predicates without words."""
    frames: dict[int, list[Frame]] = {}
    lost = 0
    for frame in get_frames(doc):
        start, end = _without_outer_spaces(doc, (frame.start, frame.end))
        if start < end:
            frames.setdefault(start, []).append(frame)
        else:
            lost += 1
    return frames, lost


def _write_frame(frame: Frame, sentence: Span) -> tuple[list[str], int]:
    """The line of a frame, if its predicate can be written, and the number of its parts left out."""
    start, end = _without_outer_spaces(sentence.doc, (frame.start, frame.end))
    if end > sentence.end:
        return [], 1
    lost = 0
    role = PREDICATE_LABEL
    if frame.roleset:
        if NAME_PATTERN.fullmatch(frame.roleset):
            role = f"{PREDICATE_LABEL}={frame.roleset}"
        else:
            lost += 1
    brackets = {start: Brackets(end, f"[{role} ", "]")}
    for argument in sorted(frame.arguments, key=lambda argument: (argument.start, -argument.end)):
        start, end = _without_outer_spaces(sentence.doc, (argument.start, argument.end))
        typable = NAME_PATTERN.fullmatch(argument.role) and not is_predicate_role(argument.role)
        inside = sentence.start <= start < end <= sentence.end
        if typable and inside and all(end <= other or start >= brackets[other].end for other in brackets):
            brackets[start] = Brackets(end, f"[{argument.role} ", "]")
        else:
            lost += 1
    line, _ = _write_words(sentence, {start: [item] for start, item in brackets.items()})
    return [f"{FRAME} {line}"], lost


def _without_outer_spaces(doc: Doc, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    while start < end and doc[start].is_space:
        start += 1
    while start < end and doc[end - 1].is_space:
        end -= 1
    return start, end


def _write_words(sentence: Span, brackets: Mapping[int, Sequence[Brackets]]) -> tuple[str, int]:
    """The words of a sentence with brackets, and the number of pairs left out because they cross others."""
    pieces: list[str] = []
    opened: list[Brackets] = []
    lost = 0
    space_due = False
    for token in sentence:
        if token.is_space:
            space_due = True
            continue
        if space_due and pieces:
            pieces.append(" ")
        for item in brackets.get(token.i, ()):
            if item.end > (opened[-1].end if opened else sentence.end):
                lost += 1
            else:
                opened.append(item)
                pieces.append(item.opening)
        pieces.append(_escape(" ".join(token.text.split()), chars=ESCAPED_TEXT))
        while opened and opened[-1].end == token.i + 1:
            pieces.append(opened.pop().closing)
        space_due = bool(token.whitespace_)
    return "".join(pieces), lost


def _escape(text: str, *, chars: str) -> str:
    return "".join(f"\\{character}" if character in chars else character for character in text)


def _unused(wanted: str, used: Container[str]) -> str:
    """The wanted name, or the first of `wanted-2`, `wanted-3`, ... that is not used."""
    candidates = (wanted if i == 1 else f"{wanted}-{i}" for i in count(1))
    return next(candidate for candidate in candidates if candidate not in used)
