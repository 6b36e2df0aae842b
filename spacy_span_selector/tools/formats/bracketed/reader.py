"""The bracketed plain-text format: coreference and semantic roles to type by hand.

    === the station
    [[Her|ann] brother|tom] met [Dr. Bell|bell] at [a café].
    > [ARG0 Her brother] [V=meet.03 met] [ARG1 Dr. Bell] [ARGM-LOC at a café].
    @Ann Lee: [I|ann] know.
    “Well,” said [he|tom].
    < [tom>ann “Well,”] said he.
    [] “Well,” said [PERSON he].

There is one sentence per line. `docs/bracketed.md` describes the format in full. This module reads documents and the
kinds of lines, `brackets` the brackets in them, and `writer` writes the format.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ....annotation import (
    Frame,
    LabelledSpan,
    Mention,
    set_clusters,
    set_frames,
    set_labelled_spans,
    set_quotations,
    set_speakers,
    set_title,
)
from ....documents.tokenized import make_doc
from ..files import read_text
from .brackets import (
    FRAME,
    LABELLED,
    QUOTATION,
    TypedQuotation,
    align_mentions,
    group_mentions,
    is_predicate_role,
    name_persons,
    parse_frame,
    parse_mentions,
    read_frames,
    read_labelled,
    read_quotations,
)
from .lines import Bracket, BracketedError, Line, Place, Sentence, Stop, escape, fail, reporting

HEADING = "==="
COMMENT = "#"
SPEAKER = "@"
UNDER_PATTERN = re.compile(rf"{FRAME}|({QUOTATION}|{re.escape(LABELLED)})(?=\s|$)")
"""Start of a line under a sentence."""
UNDER = {FRAME: "frame", QUOTATION: "quotation", LABELLED: "line of labelled spans"}
SPEAKER_PATTERN = re.compile(r"@((?:\\.|[^:\\])*):")


class TypedSentence(NamedTuple):
    """A sentence as it was typed: its speaker, its line, None if that can't be read, and the lines under it by their
    sign."""

    speaker: str | None
    line: Line | None
    under: dict[str, list[Line]]


def read_bracketed(path: str | Path, nlp: Language, problems: Stop | None = None) -> list[Doc]:
    """Read a UTF-8 file in the bracketed format.

    path (str | Path): The file. Without a heading it is one document, titled with the name of the file.
    nlp (Language): Its tokenizer splits each line.
    problems (Stop | None): What is done about text that is malformed: None to raise the first error. `Collect` keeps
        all of them, and what is malformed is left out.
    RETURNS (list[Doc]): Documents with text, sentence starts, clusters, frames, quotations, labelled
        spans, speakers and title.
    RAISES (FileNotFoundError): If the file is missing, naming it.
    RAISES (ValueError): If the file is malformed, naming file, line and column, what was found, and the cure; or if it
        has no document, naming it.
    """
    path = Path(path)
    docs = parse_bracketed(read_text(path), nlp, source=str(path), title=path.stem, problems=problems)
    if not docs:
        raise ValueError(f"{path}: found no document, expected one sentence per line.")
    return docs


def parse_bracketed(
    text: str, nlp: Language, *, source: str = "text", title: str = "text", problems: Stop | None = None
) -> list[Doc]:
    """Read documents from a string in the bracketed format.

    text (str): The documents.
    nlp (Language): Its tokenizer splits each line.
    source (str): What error messages call the text.
    title (str): Title of the document if the text has no heading.
    problems (Stop | None): As for `read_bracketed`.
    RETURNS (list[Doc]): Documents with text, sentence starts, clusters, frames, quotations, labelled
        spans, speakers and title.
    RAISES (ValueError): If the text is malformed, naming source, line and column, what was found, and the cure.
    """
    problems = problems or Stop()
    documents = _split_documents(text, source, title, problems)
    return [_make_doc(name, sentences, nlp, problems) for name, sentences in documents]


def _split_documents(text: str, source: str, title: str, problems: Stop) -> list[tuple[str, list[TypedSentence]]]:
    documents: list[tuple[str, list[TypedSentence]]] = []
    headings: dict[str, int] = {}
    first = Place(source, 1)  # where the text starts
    for number, line in enumerate(text.split("\n"), start=1):
        place = Place(source, number)
        content = line.strip()
        if not content or content.startswith(COMMENT):
            continue
        if content.startswith(HEADING):
            name = f"line {number}"  # if the name can't be read
            with reporting(problems):
                name = _parse_heading(content, place)
                if documents and not headings:
                    fail(first, 1, f"text before the first heading. Put a heading, `{HEADING} NAME`, above this line.")
                if name in headings:
                    fail(place, 1, f"a second document named {name!r} (the first: line {headings[name]}). Rename one.")
            headings.setdefault(name, number)
            documents.append((name, []))
            continue
        if match := UNDER_PATTERN.match(content):
            sign = match[0]
            start = line.index(sign)
            with reporting(problems):
                if not documents or not documents[-1][1]:
                    cure = f"Put it under its sentence, or write `{escape(sign)}` if the text itself starts with it."
                    fail(place, start + 1, f"a {UNDER[sign]} without a sentence above it. {cure}")
                offset = start + len(sign)
                documents[-1][1][-1].under[sign].append(Line(place, line[offset:].rstrip(), offset))
            continue
        if not documents:
            documents.append((title, []))
            first = place
        typed = TypedSentence(None, None, _nothing_under())
        with reporting(problems):
            typed = _parse_speaker(line, place)
        documents[-1][1].append(typed)
    return documents


def _parse_heading(content: str, place: Place) -> str:
    rest = content[len(HEADING) :]
    if rest and not rest[0].isspace():
        cure = f"Write `{HEADING} NAME`, with a space, or `\\=` if the text itself starts with it."
        fail(place, 1, f"a heading was expected, found {content!r}. {cure}")
    name = " ".join(rest.split())
    if not name:
        fail(place, 1, f"a heading without a name. Write `{HEADING} NAME`.")
    return name


def _parse_speaker(line: str, place: Place) -> TypedSentence:
    content = line.rstrip()
    start = len(content) - len(content.lstrip())
    if content[start] != SPEAKER:
        return TypedSentence(None, Line(place, content[start:], start), _nothing_under())
    match = SPEAKER_PATTERN.match(content, start)
    if match is None:
        cure = f"Write `{SPEAKER}NAME: text`, or `\\{SPEAKER}` if the text itself starts with it."
        fail(place, start + 1, f"a speaker without a colon. {cure}")
    speaker = " ".join(re.sub(r"\\(.)", r"\1", match[1]).split())
    if not speaker:
        fail(place, start + 1, f"a speaker without a name. Write `{SPEAKER}NAME: text`.")
    body = content[match.end() :]
    if not body.strip():
        fail(place, match.end() + 1, f"no text after the speaker {speaker!r}. Write the sentence on the same line.")
    return TypedSentence(speaker, Line(place, body, match.end()), _nothing_under())


def _nothing_under() -> dict[str, list[Line]]:
    return {sign: [] for sign in UNDER}


def _make_doc(title: str, typed_sentences: list[TypedSentence], nlp: Language, problems: Stop) -> Doc:
    words: list[str] = []
    spaces: list[bool] = []
    sentence_starts: list[bool | int | None] = []
    turns: list[tuple[int, int, str]] = []
    brackets: list[tuple[Place, Bracket]] = []
    mentions: list[tuple[Mention, str]] = []
    frames: list[Frame] = []
    quotations: list[TypedQuotation] = []
    labelled: list[LabelledSpan] = []
    sentence: Sentence | None = None  # the one above the line

    def read_lines_under(sentence: Sentence, under: dict[str, list[Line]]) -> None:
        frames.extend(read_frames(under[FRAME], sentence, problems))
        read_quotations(under[QUOTATION], sentence, quotations, problems)
        labelled.extend(read_labelled(under[LABELLED], sentence, problems))

    for speaker, line, under in typed_sentences:
        if line is None:
            continue
        no_sentence = frame_without_sign(line, sentence)
        if sentence is not None and no_sentence is not None and problems.leaves_out(no_sentence):
            read_lines_under(sentence, under)
            continue
        sentence = None
        with reporting(problems):
            text, found = parse_mentions(line)
            sentence = Sentence(line.place, text, make_doc(nlp, text), len(words))
        if sentence is None:
            continue
        brackets.extend((line.place, bracket) for bracket in found)
        mentions.extend(align_mentions(found, sentence, problems))
        read_lines_under(sentence, under)
        if spaces:
            spaces[-1] = True
        words.extend(token.text for token in sentence.tokens)
        spaces.extend(bool(token.whitespace_) for token in sentence.tokens)
        sentence_starts.extend(i == 0 for i in range(len(sentence.tokens)))
        if speaker is not None:
            turns.append((sentence.offset, len(words), speaker))
    doubt_names(brackets, {name for quotation in quotations for name in quotation.persons}, problems)
    if spaces:
        spaces[-1] = False
    doc = Doc(nlp.vocab, words=words, spaces=spaces, sent_starts=sentence_starts)
    set_title(doc, title)
    has_lines = {sign: any(typed.under[sign] for typed in typed_sentences) for sign in UNDER}
    if mentions or not (has_lines[FRAME] or has_lines[LABELLED]):  # a text without any is annotated for coreference
        clusters, names = group_mentions(mentions)
        set_clusters(doc, clusters, names=names)
    if has_lines[FRAME]:
        set_frames(doc, frames)
    if has_lines[QUOTATION]:
        of_name: dict[str, list[Mention]] = {}
        for mention, name in mentions:
            of_name.setdefault(name, []).append(mention)
        set_quotations(doc, list(name_persons(quotations, of_name, problems)))
    if has_lines[LABELLED]:
        set_labelled_spans(doc, labelled)
    if turns:
        set_speakers(doc, turns)
    return doc


def doubt_names(brackets: Sequence[tuple[Place, Bracket]], persons: Collection[str], problems: Stop) -> None:
    """Report the names that a document has only once: what is named corefers with something, as a rule.

    brackets (Sequence[tuple[Place, Bracket]]): The mentions of a document with their lines.
    persons (Collection[str]): The names that its quotations use.
    problems (Stop): Gets the doubts.
    """
    names = [bracket.label for _, bracket in brackets]
    for place, bracket in brackets:
        name = bracket.label
        if name and names.count(name) == 1 and name not in persons:
            alike = get_close_matches(name, sorted({*names} - {name, ""}), n=1)
            meant = f"Did you mean {alike[0]!r}? " if alike else ""
            cure = f"{meant}Write `[words]` for a mention of what is mentioned once."
            found = f"the name {name!r} is used only once in its document"
            problems.doubt(BracketedError(place, bracket.open_column, f"{found}. {cure}"))


def frame_without_sign(line: Line, above: Sentence | None) -> BracketedError | None:
    """The error about a line that was meant as a frame, but does not start with `>`; None for a sentence.

    line (Line): A line that is read as a sentence.
    above (Sentence | None): The sentence above it. A frame repeats its words, and has a predicate in brackets.
    """
    if above is None:
        return None
    try:
        text, brackets = parse_frame(line)
    except BracketedError:
        return None
    if str(text).split() != above.text.split() or not any(is_predicate_role(bracket.label) for bracket in brackets):
        return None
    found = f"the words of line {above.place.line} again, with a predicate in brackets, but without `{FRAME}`"
    return BracketedError(line.place, line.offset + 1, f"{found}. Put `{FRAME}` before a frame.")
