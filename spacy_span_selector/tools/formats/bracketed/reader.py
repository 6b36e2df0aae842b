"""The bracketed plain-text format, coreference and semantic roles to type by hand, as docs/bracketed.md describes it.

=== the station
[[Her|ann] brother|tom] met [Dr. Bell|bell] at [a café].
> [ARG0 Her brother] [V=meet.03 met] [ARG1 Dr. Bell] [ARGM-LOC at a café].
@Ann Lee: [I|ann] know.
“Well,” said [he|tom].
< [tom>ann “Well,”] said he.
[] “Well,” said [PERSON he].
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple, NoReturn

from spacy.language import Language
from spacy.tokens import Doc

from .... import annotation
from ....annotation import PREDICATE_LABEL, Argument, Frame, LabelledSpan, Mention, Quotation
from ....people.speech import nearest_mention
from ....people.tokenized import make_doc
from ..files import read_text
from ..reports import DOCUMENTS, Report
from .brackets import (
    ADDRESSED,
    FRAME,
    GOES_ON,
    LABELLED,
    NOBODY,
    PREDICATE_FORM,
    QUOTATION,
    BracketedError,
    Lenient,
    Notation,
    Sentence,
    TypedBracket,
    TypedLine,
    UnalignedError,
    escape,
    parse_mentions,
    parse_under,
    reporting,
)

HEADING = "==="
COMMENT = "#"
SPEAKER = "@"
UNDER = {notation.sign: notation for notation in (FRAME, QUOTATION, LABELLED)}
UNDER_PATTERN = re.compile(rf"{FRAME.sign}|({QUOTATION.sign}|{re.escape(LABELLED.sign)})(?=\s|$)")
MOST_SUGGESTIONS = 5  # for so many names of a document another one is proposed
SPEAKER_PATTERN = re.compile(r"@((?:\\.|[^:\\])*):")


def read_bracketed(path: str | Path, nlp: Language, problems: Lenient | None = None) -> list[Doc]:
    """Read a UTF-8 file in the bracketed format; without a heading it is one document, titled with its name.

    problems (Lenient | None): None to raise the first error, which names line, column and cure. `Lenient` keeps all of
        them, and what is malformed is left out.
    """
    path = Path(path)
    docs = parse_bracketed(read_text(path), nlp, source=str(path), title=path.stem, problems=problems)
    if not docs:
        raise ValueError(f"{path}: found no document, expected one sentence per line.")
    return docs


def read_aligned(path: Path, nlp: Language) -> list[Doc]:
    """Read a file strictly, except that documents with a bracket inside a token are left out and counted."""
    with suppress(UnalignedError):
        return read_bracketed(path, nlp)
    report, docs = Report(), list[Doc]()
    for doc in read_separately(path, nlp, path.stem):
        if isinstance(doc, Doc):
            docs.append(doc)
        elif isinstance(doc, UnalignedError):
            report.leave_out(DOCUMENTS, str(doc))
        else:
            raise doc
    return report.finish(docs, path)


def read_separately(path: Path, nlp: Language, title: str) -> Iterator[Doc | ValueError]:
    """The documents of a file, or what is wrong with one: what remained of its annotation would teach mistakes."""
    lines = read_text(path).split("\n")
    starts = [number for number, line in enumerate(lines) if line.lstrip().startswith(HEADING)]
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        text = "\n" * start + "\n".join(lines[start:end])  # so that errors have the numbers of the lines
        try:
            yield from parse_bracketed(text, nlp, source=str(path), title=title)
        except ValueError as error:
            yield error


def parse_bracketed(
    text: str, nlp: Language, *, source: str = "text", title: str = "text", problems: Lenient | None = None
) -> list[Doc]:
    """Read documents from a string, as `read_bracketed` does from a file, which messages call `source`."""
    documents: list[TypedDocument] = []
    headings: dict[str, int] = {}
    first = TypedLine(source, 1, "")  # where the text starts
    for number, content in enumerate(text.split("\n"), start=1):
        start = len(content) - len(content.lstrip())
        line = TypedLine(source, number, content.strip(), start)
        if not line.body or line.body.startswith(COMMENT):
            continue
        if line.body.startswith(HEADING):
            name = f"line {number}"  # if the name can't be read
            with reporting(problems):
                name = _parse_heading(line)
                if documents and not headings:
                    first.fail(1, f"text before the first heading. Put a heading, `{HEADING} NAME`, above this line.")
                if name in headings:
                    line.fail(1, f"a second document named {name!r} (the first: line {headings[name]}). Rename one.")
            headings.setdefault(name, number)
            documents.append(TypedDocument(name, nlp, problems))
        elif match := UNDER_PATTERN.match(line.body):
            sign, name, *_ = notation = UNDER[match[0]]
            with reporting(problems):
                if not documents or not documents[-1].has_sentence:
                    cure = f"Put it under its sentence, or write `{escape(sign)}` if the text itself starts with it."
                    line.fail(start + 1, f"a {name} without a sentence above it. {cure}")
                documents[-1].read_under(notation, line.behind(len(sign)))
        else:
            if not documents:
                documents.append(TypedDocument(title, nlp, problems))
                first = line
            with reporting(problems):
                documents[-1].read_sentence(line)
    return [document.make_doc() for document in documents]


def _parse_heading(line: TypedLine) -> str:
    rest = line.body[len(HEADING) :]
    if rest and not rest[0].isspace():
        cure = f"Write `{HEADING} NAME`, with a space, or `\\=` if the text itself starts with it."
        line.fail(1, f"a heading was expected, found {line.body!r}. {cure}")
    name = " ".join(rest.split())
    if not name:
        line.fail(1, f"a heading without a name. Write `{HEADING} NAME`.")
    return name


def _parse_speaker(line: TypedLine) -> tuple[str | None, TypedLine]:
    """The speaker of a line, if it names one, and the rest of the line."""
    column = line.offset + 1
    if not line.body.startswith(SPEAKER):
        return None, line
    match = SPEAKER_PATTERN.match(line.body)
    if match is None:
        cure = f"Write `{SPEAKER}NAME: text`, or `\\{SPEAKER}` if the text itself starts with it."
        line.fail(column, f"a speaker without a colon. {cure}")
    speaker = " ".join(re.sub(r"\\(.)", r"\1", match[1]).split())
    if not speaker:
        line.fail(column, f"a speaker without a name. Write `{SPEAKER}NAME: text`.")
    rest = line.behind(match.end())
    if not rest.body.strip():
        line.fail(rest.offset + 1, f"no text after the speaker {speaker!r}. Write the sentence on the same line.")
    return speaker, rest


class TypedQuotation(NamedTuple):
    """A quotation as it was typed: its tokens, and the names of who speaks and is spoken to, "" if not known."""

    start: int
    end: int
    persons: tuple[str, str]
    bracket: TypedBracket


class TypedDocument:
    """A document, as far as its lines were read."""

    def __init__(self, title: str, nlp: Language, problems: Lenient | None) -> None:
        self.title = title
        self.nlp = nlp
        self.problems = problems
        self.has_sentence = False  # or one that can't be read
        self._above: Sentence | None = None  # the sentence above the line, None if it can't be read
        self._sentences: list[Sentence] = []
        self._named: list[TypedBracket] = []  # mentions with a name, also those that are no tokens
        self._mentions: list[tuple[Mention, str]] = []
        self._notations: set[Notation] = set()  # of the lines under its sentences
        self._frames: list[Frame] = []
        self._quotations: list[TypedQuotation] = []
        self._labelled: dict[LabelledSpan, None] = {}

    def read_sentence(self, line: TypedLine) -> None:
        self.has_sentence = True
        above, self._above = self._above, None
        speaker, line = _parse_speaker(line)
        if above is not None and _is_frame(line, above):
            self._above = above
            again = f"the words of line {above.line.number} again, with a predicate in brackets, but without"
            line.fail(line.offset + 1, f"{again} `{FRAME.sign}`. Put `{FRAME.sign}` before a frame.")
        text, brackets = parse_mentions(line)
        offset = self._sentences[-1].end if self._sentences else 0
        self._above = sentence = Sentence(line, speaker, text, make_doc(self.nlp, text), offset, [])
        self._sentences.append(sentence)
        self._named += [bracket for bracket in brackets if bracket.label]
        found: list[tuple[Mention, str]] = []
        for bracket in brackets:
            with reporting(self.problems):
                mention = (sentence.align(bracket, "a mention"), bracket.label)
                if bracket.label and mention in found:
                    _fail_twice(bracket, sentence)
                found.append(mention)
        self._mentions += found

    def read_under(self, notation: Notation, line: TypedLine) -> None:
        """Read a line under a sentence. One without words says that the document is annotated, and no more."""
        self._notations.add(notation)
        sentence = self._above
        if sentence is None:
            return
        if notation is FRAME:
            self._check_bare_frames(line, sentence.frame_lines)
        if not line.body.strip():
            return
        brackets = parse_under(line, notation, sentence)
        if notation is FRAME:
            self._frames.append(_make_frame(brackets, line, sentence))
            return
        read_bracket = self._read_quotation if notation is QUOTATION else self._read_labelled
        for bracket in brackets:
            with reporting(self.problems):
                read_bracket(bracket, sentence)

    def _read_quotation(self, bracket: TypedBracket, sentence: Sentence) -> None:
        start, end = sentence.align(bracket, "a quotation")
        speaker, sign, addressee = bracket.label.partition(ADDRESSED)
        if bracket.label == GOES_ON:
            above = self._quotations
            going_on = [i for i, quotation in enumerate(above) if quotation.end == start == sentence.offset]
            if not going_on:
                found = f"`[{GOES_ON}` continues no quotation: none reaches the end of the sentence above"
                bracket.fail(f"{found}. Begin one with `[SPEAKER words]` or `[{NOBODY} words]`.")
            outer = min(going_on, key=lambda i: above[i].start)
            above[outer] = above[outer]._replace(end=end)
        elif not speaker or bool(sign) != bool(addressee) or not may_speak(addressee):
            bracket.fail(f"found `[{bracket.label}`, expected {QUOTATION.forms}.")
        else:
            persons = ("" if speaker == NOBODY else speaker, addressee)
            self._quotations.append(TypedQuotation(start, end, persons, bracket))

    def _read_labelled(self, bracket: TypedBracket, sentence: Sentence) -> None:
        span = LabelledSpan(*sentence.align(bracket, "a labelled span"), bracket.label)
        if span in self._labelled:
            _fail_twice(bracket, sentence)
        self._labelled[span] = None

    def _check_bare_frames(self, line: TypedLine, lines: list[TypedLine]) -> None:
        """Add a line to those of a sentence, and report a bare one beside others once, be it the first or a later."""
        lines.append(line)
        for bare in lines if len(lines) == 2 else lines[1:][-1:]:
            if not bare.body.strip():
                sign = f"`{FRAME.sign}`"
                found = f"a bare {sign} means that the sentence has no predicate, but it has another {sign} line"
                with reporting(self.problems):
                    bare.fail(bare.offset, f"{found}. Remove one of them.")

    def make_doc(self) -> Doc:
        if self.problems is not None:
            self._doubt_names(self.problems.doubts)
        tokens = [token for sentence in self._sentences for token in sentence.tokens]
        spaces = [bool(token.whitespace_) or token.i + 1 == len(token.doc) for token in tokens]
        doc = Doc(
            self.nlp.vocab,
            words=[token.text for token in tokens],
            spaces=[*spaces[:-1], False][: len(spaces)],
            sent_starts=[token.i == 0 for token in tokens],
        )
        annotation.set_title(doc, self.title)
        clusters: dict[str | int, list[Mention]] = {}  # by name or, for a singleton without one, number
        for i, (mention, name) in enumerate(self._mentions):
            clusters.setdefault(name or i, []).append(mention)
        # A text without any annotation is annotated for coreference.
        if clusters or self._notations.isdisjoint((FRAME, LABELLED)):
            names = [name if isinstance(name, str) else "" for name in clusters]
            annotation.set_clusters(doc, [*clusters.values()], names=names)
        if FRAME in self._notations:
            annotation.set_frames(doc, self._frames)
        if QUOTATION in self._notations:
            annotation.set_quotations(doc, [*self._name_persons(clusters)])
        if LABELLED in self._notations:
            annotation.set_labelled_spans(doc, [*self._labelled])
        turns = [(each.offset, each.end, each.speaker) for each in self._sentences if each.speaker is not None]
        if turns:
            annotation.set_speakers(doc, turns)
        return doc

    def _name_persons(self, clusters: Mapping[str | int, Sequence[Mention]]) -> Iterator[Quotation]:
        """The quotations: who speaks is the mention of the name that is nearest, outside of quotations."""
        quoted = {i for quotation in self._quotations for i in range(quotation.start, quotation.end)}
        for quotation in self._quotations:
            place = (quotation.start, quotation.end)
            persons: list[Mention | None] = [None, None]
            for i, name in enumerate(quotation.persons):
                with reporting(self.problems):
                    if name and name not in clusters:
                        cure = f"Give one this name, `[words|{name}]`, or write `{NOBODY}` for a speaker who is not"
                        quotation.bracket.fail(f"no mention has the name {name!r}. {cure} known.")
                    persons[i] = nearest_mention(place, clusters[name], quoted) if name else None
            yield Quotation(*place, speaker=persons[0], addressee=persons[1])

    def _doubt_names(self, doubts: list[BracketedError]) -> None:
        """Note the names that are there only once: what is named corefers with something, as a rule."""
        persons = {name for quotation in self._quotations for name in quotation.persons}
        counts = Counter(bracket.label for bracket in self._named)
        once = [bracket for bracket in self._named if counts[bracket.label] == 1 and bracket.label not in persons]
        for number, bracket in enumerate(once):
            name = bracket.label
            # Each comparison with all names takes time, and nobody reads hundreds of them.
            others = sorted(counts.keys() - {name}) if number < MOST_SUGGESTIONS else []
            alike = get_close_matches(name, others, n=1)
            meant = f"Did you mean {alike[0]!r}? " if alike else ""
            cure = f"{meant}Write `[words]` for a mention of what is mentioned once."
            found = f"the name {name!r} is used only once in its document"
            doubts.append(BracketedError(bracket.line, bracket.open_column, f"{found}. {cure}"))


def is_predicate_role(role: str) -> bool:
    """Check whether a bracket with this role is the predicate: `V`, or `V=` and a roleset."""
    return role.partition("=")[0] == PREDICATE_LABEL


def may_speak(name: str) -> bool:
    """Check whether the name of a cluster can be that of a speaker."""
    return ADDRESSED not in name and name not in (NOBODY, GOES_ON)


def _make_frame(brackets: Sequence[TypedBracket], line: TypedLine, sentence: Sentence) -> Frame:
    predicates = [bracket for bracket in brackets if is_predicate_role(bracket.label)]
    if not predicates:
        line.fail(line.offset, f"a frame without a predicate. Write {PREDICATE_FORM}.")
    if len(predicates) > 1:
        found = f"a second predicate, {sentence.text[predicates[1].start : predicates[1].end]!r}, in one frame"
        cure = f"Give it a line of its own, or write `[C-{PREDICATE_LABEL} words]` if it continues the first."
        predicates[1].fail(f"{found}. {cure}")
    start, end = sentence.align(predicates[0], "a predicate")
    arguments = [
        Argument(*sentence.align(bracket, "an argument"), bracket.label)
        for bracket in brackets
        if bracket is not predicates[0]
    ]
    return Frame(start, end, arguments, predicates[0].label.partition("=")[2] or None)


def _fail_twice(bracket: TypedBracket, sentence: Sentence) -> NoReturn:
    words = sentence.text[bracket.start : bracket.end]
    bracket.fail(f"{words!r} is marked twice as {bracket.label!r}. Remove one pair of brackets.")


def _is_frame(line: TypedLine, above: Sentence) -> bool:
    """Check whether a line has a predicate in brackets, and the words of the sentence above it."""
    try:
        return any(is_predicate_role(bracket.label) for bracket in parse_under(line, FRAME, above))
    except BracketedError:
        return False
