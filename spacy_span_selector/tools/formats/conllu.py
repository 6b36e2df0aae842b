"""CoNLL-U, the format of Universal Dependencies: the words of each sentence and the space between them.

The format is described at https://universaldependencies.org/format.html.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from spacy.parts_of_speech import IDS as PARTS_OF_SPEECH
from spacy.tokens import Doc
from spacy.vocab import Vocab

from .reports import REPEATED_DOCUMENTS, Report, shorten

COLUMNS = 10
DOCUMENT = "# newdoc id = "
UNNAMED_DOCUMENT = "# newdoc"
NOTHING = "_"
NO_SPACE = "SpaceAfter=No"
RANGE = re.compile(
    r"([0-9]{1,9})-([0-9]{1,9})"
)  # syntactic words that are written as one word: "don't" is "do" and "n't"
EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")
NUMBER = re.compile(r"[0-9]+")
COMMENT = re.compile(r"# *(?P<key>\S+) = (?P<value>.*)")


class Word(NamedTuple):
    """A syntactic word.

    form (str): The word.
    lemma, pos, tag (str): Lemma, universal part of speech and the treebank's own tag; "" if there is none.
    space (bool): Whether white space follows.
    """

    form: str
    lemma: str
    pos: str
    tag: str
    space: bool


class Row(NamedTuple):
    """A line of ten columns: a word, words that are written as one, or an empty node.

    place (str): File and line, for messages.
    columns (list[str]): The columns.
    """

    place: str
    columns: list[str]


class Sentence(NamedTuple):
    """A sentence.

    words (list[Word]): Its words.
    comments (dict[str, str]): The values of the lines `# KEY = VALUE` above it, by key.
    rows (list[Row]): Its lines, of which some are no words.
    """

    words: list[Word]
    comments: dict[str, str]
    rows: list[Row]


class Block(NamedTuple):
    """The lines of a document.

    name (str): Its name, "" for lines before the first document.
    start (int): The number of the first line.
    lines (list[str]): The lines.
    """

    name: str
    start: int
    lines: list[str]


def parse_conllu(text: str, source: str, report: Report) -> tuple[dict[str, list[Sentence]], dict[str, str]]:
    """Read the sentences of each document; empty nodes are left out.

    What a sentence says of itself is checked: that its words are numbered one after the other; that they are those of
    `# text`; that sentences with a `# sent_id` of the form NAME-3 are numbered one after the other, from 0 or 1.

    text (str): The content of a file, with a line `# newdoc id = NAME` before each document. A document after a line
        `# newdoc` is called `document 2` if it is the second one.
    source (str): What error messages call the file.
    report (Report): Gets what is left out: second documents of a name, and parts of speech that spaCy does not know.
    RETURNS (tuple[dict[str, list[Sentence]], dict[str, str]]): Sentences by document, in the order of the file.
        Syntactic words that are written as one word have no space between them, unless together they are spelt
        differently. For each document that can't be read, a message with file and line, what was found and what was
        expected; its name is "" for sentences before the first document.
    """
    documents: dict[str, list[Sentence]] = {}
    unreadable: dict[str, str] = {}
    for block in _split_documents(text):
        place = f"{source}:{block.start}"
        if block.name in documents or block.name in unreadable:
            report.leave_out(REPEATED_DOCUMENTS, f"{place}: found a second document named {block.name!r}.")
            continue
        try:
            documents[block.name] = _parse_document(block, source, report)
        except ValueError as error:
            unreadable[block.name] = str(error)
    if not documents.get("", True):
        del documents[""]
    return documents, unreadable


def parse_all(text: str, source: str, report: Report) -> dict[str, list[Sentence]]:
    """Read the sentences of each document as `parse_conllu` does, but raise the first error."""
    documents, unreadable = parse_conllu(text, source, report)
    for message in unreadable.values():
        raise ValueError(message)
    return documents


def make_doc(sentences: Sequence[Sequence[Word]], vocab: Vocab) -> Doc:
    """Make a document of sentences, with spaces, lemmas, parts of speech and sentence starts."""
    words = [word for sentence in sentences for word in sentence]
    return Doc(
        vocab,
        words=[word.form for word in words],
        spaces=[word.space for word in words],
        tags=[word.tag for word in words],
        pos=[word.pos for word in words],
        lemmas=[word.lemma for word in words],
        sent_starts=[i == 0 for sentence in sentences for i in range(len(sentence))],
    )


def _split_documents(text: str) -> list[Block]:
    blocks = [Block("", 1, [])]
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith(DOCUMENT) or line.strip() == UNNAMED_DOCUMENT:
            name = line.removeprefix(DOCUMENT).strip() if line.startswith(DOCUMENT) else ""
            blocks.append(Block(name or f"document {len(blocks)}", number, []))
        blocks[-1].lines.append(line)
    return blocks


def _parse_document(block: Block, source: str, report: Report) -> list[Sentence]:
    sentences: list[Sentence] = []
    comments: dict[str, str] = {}
    rows: list[Row] = []
    for number, line in enumerate([*block.lines, ""], start=block.start):
        place = f"{source}:{number}"
        if match := COMMENT.fullmatch(line):
            comments[match["key"]] = match["value"]
        elif line and not line.startswith("#"):
            if not block.name:
                raise ValueError(
                    f"{place}: found {shorten(line)}, expected `{DOCUMENT}NAME` before the first sentence."
                )
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                raise ValueError(f"{place}: found {len(columns)} columns separated by tabs, expected {COLUMNS}.")
            rows.append(Row(place, columns))
        elif not line and rows:
            sentences.append(Sentence(_parse_words(rows, report), comments, rows))
            _check_sentence(sentences, block.name)
            rows, comments = [], {}
    return sentences


def _check_sentence(sentences: Sequence[Sentence], name: str) -> None:
    """Check that the last sentence has the words and the number that its comments say."""
    _, comments, rows = sentences[-1]
    place = rows[0].place
    forms, expected = _written_forms(rows), comments.get("text")
    if expected is not None and "".join("".join(forms).split()) != "".join(expected.split()):
        found = shorten(" ".join(forms))
        raise ValueError(f"{place}: found the words {found}, expected those of `# text`, {shorten(expected)}.")
    sentence, separator, number = comments.get("sent_id", "").rpartition("-")
    if separator and sentence == name and NUMBER.fullmatch(number):
        _, _, first = sentences[0].comments.get("sent_id", "").rpartition("-")
        wanted = len(sentences) - (set(first) == {"0"})
        if (number.lstrip("0") or "0") != str(wanted):
            raise ValueError(f"{place}: found sentence {shorten(number)}, expected sentence {wanted}.")


def _written_forms(rows: Sequence[Row]) -> list[str]:
    """The words of a sentence as they are written: "du", not "de" and "le"."""
    forms: list[str] = []
    last = 0  # the last word of those that are written as one
    for _, (index, form, *_) in rows:
        if match := RANGE.fullmatch(index):
            forms.append(form)
            last = int(match[2])
        elif not EMPTY_NODE.fullmatch(index) and int(index) > last:
            forms.append(form)
    return forms


def _parse_words(rows: Sequence[Row], report: Report) -> list[Word]:
    words: list[Word] = []
    written_as_one: list[tuple[int, int, str, bool]] = []  # start and end, form, whether white space follows
    for place, (index, form, lemma, pos, tag, *_, misc) in rows:
        space = NO_SPACE not in misc.split("|")
        if index == str(len(words) + 1) and form.strip():
            lemma, pos, tag = ("" if cell == NOTHING else cell for cell in (lemma, pos, tag))
            if pos not in PARTS_OF_SPEECH:
                report.leave_out("parts of speech that spaCy does not know", f"{place}: found {shorten(pos)}.")
                pos = ""
            words.append(Word(form, lemma, pos, tag, space))
        elif (match := RANGE.fullmatch(index)) and int(match[1]) == len(words) + 1:
            if written_as_one and len(words) < written_as_one[-1][1]:
                raise ValueError(
                    f"{place}: found words {index} inside {written_as_one[-1][2]!r}, expected them after it."
                )
            written_as_one.append((len(words), int(match[2]), form, space))
        elif not EMPTY_NODE.fullmatch(index):
            raise ValueError(
                f"{place}: found {shorten(form)} as word {shorten(index)}, expected word {len(words) + 1}."
            )
    for start, end, form, space in written_as_one:
        parts = words[start:end]
        if not parts or len(parts) < end - start:
            raise ValueError(f"{rows[-1][0]}: found the last word, {len(words)}, expected word {end} of {form!r}.")
        inside = "".join(word.form for word in parts) != form
        words[start : end - 1] = [word._replace(space=inside) for word in parts[:-1]]
        words[end - 1] = parts[-1]._replace(space=space)
    return words
