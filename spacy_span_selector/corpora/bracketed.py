"""The bracketed plain-text format: coreference that a person can type.

    === the station
    [[Her|ann] brother|tom] met [Dr. Bell|bell] at [a café].
    @Ann Lee: [I|ann] know.

One sentence a line; `docs/bracketed.md` describes the format in full, `bracketed_writer` writes it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, NoReturn

from spacy.language import Language
from spacy.tokens import Doc

from ..annotation import TITLE_KEY, Mention, set_clusters, set_mentions, set_speakers

HEADING = "==="
COMMENT = "#"
SPEAKER = "@"
ESCAPABLE = "[]|\\#=@:"
SPEAKER_PATTERN = re.compile(r"@((?:\\.|[^:\\])*):")
NAME_PATTERN = re.compile(r"[^\s\[\]|\\]+")


class Place(NamedTuple):
    """A line of a file, for messages."""

    source: str
    line: int


class Line(NamedTuple):
    """A sentence as it was typed: who speaks, and what of the line is text, from column `offset` + 1."""

    place: Place
    speaker: str | None
    body: str
    offset: int


class Edges(NamedTuple):
    """A mention in characters of the plain text of a line, with the columns of its brackets."""

    start: int
    end: int
    name: str | None
    open_column: int
    close_column: int


def read_bracketed(path: str | Path, nlp: Language) -> list[Doc]:
    """Read a UTF-8 file in the bracketed format.

    path (str | Path): The file. Without a heading it is one document, named for the file's stem.
    nlp (Language): Its tokenizer splits each line.
    RETURNS (list[Doc]): Documents with text, sentence starts, clusters, speakers and title.
    RAISES: ValueError naming file, line and column, what was found, and the cure.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8. Save the file with the encoding UTF-8.") from error
    return parse_bracketed(text, nlp, source=str(path), title=path.stem)


def parse_bracketed(text: str, nlp: Language, *, source: str = "text", title: str = "text") -> list[Doc]:
    """Read documents from a string in the bracketed format.

    text (str): The documents.
    nlp (Language): Its tokenizer splits each line.
    source (str): What error messages call the text.
    title (str): Name of the document where the text has no heading.
    RETURNS (list[Doc]): Documents with text, sentence starts, clusters, speakers and title.
    RAISES: ValueError naming source, line and column, what was found, and the cure.
    """
    return [_make_doc(name, lines, nlp) for name, lines in _split_documents(text, source, title)]


def _fail(place: Place, column: int, message: str) -> NoReturn:
    raise ValueError(f"{place.source}:{place.line}:{column}: {message}")


def _split_documents(text: str, source: str, title: str) -> list[tuple[str, list[Line]]]:
    documents: list[tuple[str, list[Line]]] = []
    headings: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        place = Place(source, number)
        content = line.strip()
        if not content or content.startswith(COMMENT):
            continue
        if content.startswith(HEADING):
            name = _parse_heading(content, place)
            if documents and not headings:
                first = documents[0][1][0].place
                _fail(first, 1, f"text before the first heading. Put a heading, `{HEADING} NAME`, above this line.")
            if name in headings:
                _fail(place, 1, f"a second document named {name!r} (the first: line {headings[name]}). Rename one.")
            headings[name] = number
            documents.append((name, []))
            continue
        if not documents:
            documents.append((title, []))
        documents[-1][1].append(_parse_speaker(line, place))
    return documents


def _parse_heading(content: str, place: Place) -> str:
    rest = content[len(HEADING) :]
    if rest and not rest[0].isspace():
        cure = f"Write `{HEADING} NAME`, with a space, or `\\=` where the text itself starts so."
        _fail(place, 1, f"a heading was expected, found {content!r}. {cure}")
    name = " ".join(rest.split())
    if not name:
        _fail(place, 1, f"a heading without a name. Write `{HEADING} NAME`.")
    return name


def _parse_speaker(line: str, place: Place) -> Line:
    content = line.rstrip()
    start = len(content) - len(content.lstrip())
    if content[start] != SPEAKER:
        return Line(place, None, content[start:], start)
    match = SPEAKER_PATTERN.match(content, start)
    if match is None:
        cure = f"Write `{SPEAKER}NAME: text`, or `\\{SPEAKER}` where the text itself starts so."
        _fail(place, start + 1, f"a speaker without a colon. {cure}")
    speaker = " ".join(re.sub(r"\\(.)", r"\1", match[1]).split())
    if not speaker:
        _fail(place, start + 1, f"a speaker without a name. Write `{SPEAKER}NAME: text`.")
    body = content[match.end() :]
    if not body.strip():
        _fail(place, match.end() + 1, f"no text after the speaker {speaker!r}. Write the sentence on the same line.")
    return Line(place, speaker, body, match.end())


def _parse_line(line: Line) -> tuple[str, list[Edges]]:
    """Separate the text of a line, white space normalised, from its mentions."""
    characters: list[str] = []
    opened: list[tuple[int, int]] = []  # offset of the first character, column of the bracket
    mentions: list[Edges] = []
    body = line.body
    i = 0
    while i < len(body):
        character, column = body[i], line.offset + i + 1
        i += 1
        if character == "\\":
            if i == len(body) or body[i] not in ESCAPABLE:
                found = body[i - 1 : i + 1]
                _fail(line.place, column, f"unknown escape {found!r}. Write `\\\\` for a backslash.")
            characters.append(body[i])
            i += 1
        elif character == "[":
            opened.append((len(characters), column))
        elif character in "]|":
            if not opened:
                cure = f"Open one with `[`, or write `\\{character}`."
                _fail(line.place, column, f"`{character}` outside a mention. {cure}")
            name = None
            if character == "|":
                close = body.find("]", i)
                if close < 0:
                    _fail(line.place, opened[-1][1], "a mention that is not closed. Add `]` after its name.")
                name = _check_name(body[i:close], line.place, line.offset + i + 1)
                i = close + 1
            start, open_column = opened.pop()
            end = len(characters)
            while start < end and characters[start] == " ":
                start += 1
            while start < end and characters[end - 1] == " ":
                end -= 1
            if start == end:
                _fail(line.place, open_column, "a mention without words. Write `[words]` or `[words|name]`.")
            mentions.append(Edges(start, end, name, open_column, line.offset + i))
        elif not character.isspace():
            characters.append(character)
        elif characters and characters[-1] != " ":
            characters.append(" ")
    if opened:
        words = "".join(characters[opened[-1][0] :]).strip()
        _fail(line.place, opened[-1][1], f"a mention that is not closed: {words!r}. Add `]`, or write `\\[`.")
    return "".join(characters).rstrip(), mentions


def _check_name(name: str, place: Place, column: int) -> str:
    if not name:
        _fail(place, column, "an empty name after `|`. Write `[words|name]`, or `[words]` for a singleton.")
    if not NAME_PATTERN.fullmatch(name):
        _fail(
            place,
            column,
            f"the name {name!r} holds white space, a bracket, a bar or a backslash. "
            "Use letters, digits, `-` or `_`; write `\\|` for a bar in the text.",
        )
    return name


def _make_doc(title: str, lines: list[Line], nlp: Language) -> Doc:
    words: list[str] = []
    spaces: list[bool] = []
    sentence_starts: list[bool | int | None] = []
    turns: list[tuple[int, int, str]] = []
    clusters: list[list[Mention]] = []
    names: list[str] = []
    numbers: dict[str, int] = {}  # index of each named cluster
    for line in lines:
        text, mentions = _parse_line(line)
        sentence = nlp.make_doc(text)
        offset = len(words)
        for edges in mentions:
            start, end = _align(edges, sentence, line.place)
            mention = (offset + start, offset + end)
            if edges.name is None or edges.name not in numbers:
                clusters.append([mention])
                names.append(edges.name or "")
                if edges.name is not None:
                    numbers[edges.name] = len(clusters) - 1
            elif mention in (cluster := clusters[numbers[edges.name]]):
                found = f"{sentence[start:end].text!r} is marked twice as {edges.name!r}"
                _fail(line.place, edges.open_column, f"{found}. Remove one pair of brackets.")
            else:
                cluster.append(mention)
        words.extend(token.text for token in sentence)
        spaces.extend(bool(token.whitespace_) for token in sentence)
        sentence_starts.extend(i == 0 for i in range(len(sentence)))
        if spaces:
            spaces[-1] = line is not lines[-1]
        if line.speaker is not None:
            turns.append((offset, len(words), line.speaker))
    doc = Doc(nlp.vocab, words=words, spaces=spaces, sent_starts=sentence_starts)
    doc.user_data[TITLE_KEY] = title
    set_clusters(doc, clusters, names=names)
    if not clusters:
        set_mentions(doc, [], [])  # annotated, but there is nothing to annotate
    if turns:
        set_speakers(doc, turns)
    return doc


def _align(edges: Edges, sentence: Doc, place: Place) -> Mention:
    span = sentence.char_span(edges.start, edges.end)
    if span is not None:
        return span.start, span.end
    inside = [token for token in sentence if token.idx < edges.start < token.idx + len(token)]
    verb, column = ("starts", edges.open_column) if inside else ("ends", edges.close_column)
    inside = inside or [token for token in sentence if token.idx < edges.end < token.idx + len(token)]
    cure = "Move the bracket to an edge of the token, or put a space there."
    _fail(place, column, f"a mention {verb} inside the token {inside[0].text!r}. {cure}")
