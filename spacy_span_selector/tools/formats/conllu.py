"""CoNLL-U, the format of Universal Dependencies: the words of each sentence and the space between them.

The format is described at https://universaldependencies.org/format.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import compress, pairwise
from typing import NamedTuple

from spacy.parts_of_speech import IDS as PARTS_OF_SPEECH
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...annotation import set_speakers, set_title
from ...people.speech import find_turns
from .reports import REPEATED_DOCUMENTS, Report, shorten

COLUMNS = 10
DOCUMENT = "# newdoc id = "
UNNAMED_DOCUMENT = "# newdoc"
NOTHING = "_"
NO_SPACE = "SpaceAfter=No"
RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")  # words that are written as one: "don't" is "do" and "n't"
EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")
COMMENT = re.compile(r"# *(?P<key>\S+) = (?P<value>.*)")


class Word(NamedTuple):
    """A syntactic word: lemma, universal part of speech and the treebank's own tag are "" if there is none."""

    form: str
    lemma: str
    pos: str
    tag: str
    space: bool  # whether white space follows


class Row(NamedTuple):
    """The columns of a line; file and number of the line, for messages."""

    place: str
    columns: list[str]


class Sentence(NamedTuple):
    """A sentence: words, the values of the lines `# KEY = VALUE` above it, and all rows, of which some are no words."""

    words: list[Word]
    comments: dict[str, str]
    rows: list[Row]


def parse_conllu(text: str, source: str, report: Report) -> tuple[dict[str, list[Sentence]], dict[str, str]]:
    """Read the sentences of each document, and say why others can't be read: `# newdoc` without a name is `document 2`.

    The words of a sentence must be numbered one after the other, and be those of its comment `# text`.
    """
    documents: dict[str, list[Sentence]] = {}
    unreadable: dict[str, str] = {}
    for name, start, lines in split_documents(text):
        if name in documents or name in unreadable:
            report.leave_out(REPEATED_DOCUMENTS, f"{source}:{start}: found a second document named {name!r}.")
            continue
        try:
            sentences = parse_document(name, start, lines, source, report)
        except ValueError as error:
            unreadable[name] = str(error)
        else:
            if name:
                documents[name] = sentences
    return documents, unreadable


def parse_all(text: str, source: str, report: Report) -> dict[str, list[Sentence]]:
    """Read the sentences of each document as `parse_conllu` does, but raise the first error."""
    documents, unreadable = parse_conllu(text, source, report)
    for message in unreadable.values():
        raise ValueError(message)
    return documents


def make_doc(title: str, sentences: Sequence[Sentence], vocab: Vocab) -> Doc:
    """Make a document of sentences, with spaces, lemmas, parts of speech, sentence starts, and speakers if any."""
    words = [word for sentence in sentences for word in sentence.words]
    doc = Doc(
        vocab,
        words=[word.form for word in words],
        spaces=[word.space for word in words],
        tags=[word.tag for word in words],
        pos=[word.pos for word in words],
        lemmas=[word.lemma for word in words],
        sent_starts=[i == 0 for sentence in sentences for i in range(len(sentence.words))],
    )
    set_title(doc, title)
    if turns := find_turns([sentence.comments.get("speaker") for sentence in sentences for _ in sentence.words]):
        set_speakers(doc, turns)
    return doc


def split_documents(text: str) -> Iterator[tuple[str, int, list[str]]]:
    """The name of each document, "" for lines before the first, the number of its first line, and its lines."""
    lines = text.split("\n")
    begins = [line.startswith(DOCUMENT) or line.strip() == UNNAMED_DOCUMENT for line in lines]
    starts = [0, *compress(range(len(lines)), begins), len(lines)]
    for number, (start, end) in enumerate(pairwise(starts)):
        named = number and lines[start].startswith(DOCUMENT)
        name = lines[start].removeprefix(DOCUMENT).strip() if named else ""
        yield name or (f"document {number}" if number else ""), start + 1, lines[start:end]


def parse_document(name: str, start: int, lines: Sequence[str], source: str, report: Report) -> list[Sentence]:
    """Read the sentences of a document that `split_documents` found, or raise an error that names the line."""
    sentences: list[Sentence] = []
    comments: dict[str, str] = {}
    rows: list[Row] = []
    for number, line in enumerate([*lines, ""], start=start):
        place = f"{source}:{number}"
        if match := COMMENT.fullmatch(line):
            comments[match["key"]] = match["value"]
        elif line.strip() and not line.startswith("#"):
            if not name:
                expected = f"expected `{DOCUMENT}NAME` before the first sentence"
                raise ValueError(f"{place}: found {shorten(line)}, {expected}.")
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                raise ValueError(f"{place}: found {len(columns)} columns separated by tabs, expected {COLUMNS}.")
            rows.append(Row(place, columns))
        elif not line.strip() and rows:
            sentences.append(Sentence(_parse_words(rows, report), comments, rows))
            _check_text(sentences[-1])
            rows, comments = [], {}
    return sentences


def _check_text(sentence: Sentence) -> None:
    """Check that a sentence has the words of its comment `# text`."""
    _, comments, rows = sentence
    forms: list[str] = []  # as they are written: "du", not "de" and "le"
    last = 0  # the last word of those that are written as one
    for _, (index, form, *_) in rows:
        match = RANGE.fullmatch(index)
        if match or (not EMPTY_NODE.fullmatch(index) and int(index) > last):
            forms.append(form)
            last = int(match[2]) if match else last
    expected = comments.get("text")
    if expected is not None and "".join("".join(forms).split()) != "".join(expected.split()):
        found = shorten(" ".join(forms))
        raise ValueError(f"{rows[0].place}: found the words {found}, expected those of `# text`, {shorten(expected)}.")


def _parse_words(rows: Sequence[Row], report: Report) -> list[Word]:
    """The words of a sentence. Those that are written as one have no space between them, unless spelt differently."""
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
                expected = f"inside {written_as_one[-1][2]!r}, expected them after it"
                raise ValueError(f"{place}: found words {index} {expected}.")
            written_as_one.append((len(words), int(match[2]), form, space))
        elif not EMPTY_NODE.fullmatch(index):
            found, wanted = f"{shorten(form)} as word {shorten(index)}", len(words) + 1
            raise ValueError(f"{place}: found {found}, expected word {wanted}.")
    for start, end, form, space in written_as_one:
        parts = words[start:end]
        if not parts or len(parts) < end - start:
            raise ValueError(f"{rows[-1].place}: found the last word, {len(words)}, expected word {end} of {form!r}.")
        inside = "".join(word.form for word in parts) != form
        words[start : end - 1] = [word._replace(space=inside) for word in parts[:-1]]
        words[end - 1] = parts[-1]._replace(space=space)
    return words
