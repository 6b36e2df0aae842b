"""CoNLL-U, the format of Universal Dependencies: the words of each sentence and the space between them.

The format is described at https://universaldependencies.org/format.html.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

COLUMNS = 10
DOCUMENT = "# newdoc id = "
NOTHING = "_"
NO_SPACE = "SpaceAfter=No"
RANGE = re.compile(r"(\d+)-(\d+)")  # syntactic words that are written as one word: "don't" is "do" and "n't"
EMPTY_NODE = re.compile(r"\d+\.\d+")
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


class Sentence(NamedTuple):
    """A sentence.

    words (list[Word]): Its words.
    comments (dict[str, str]): The values of the lines `# KEY = VALUE` above it, by key.
    """

    words: list[Word]
    comments: dict[str, str]


def parse_conllu(text: str, source: str) -> dict[str, list[Sentence]]:
    """Read the sentences of each document; empty nodes are left out.

    text (str): The content of a file, with a line `# newdoc id = NAME` before each document.
    source (str): What error messages call the file.
    RETURNS (dict[str, list[Sentence]]): Sentences by document, in the order of the file. Syntactic words that are
        written as one word have no space between them, unless together they are spelt differently.
    RAISES (ValueError): If the text is malformed, naming file and line, what was found, and what was expected.
    """
    documents: dict[str, list[Sentence]] = {}
    sentences: list[Sentence] | None = None
    comments: dict[str, str] = {}
    rows: list[tuple[str, list[str]]] = []  # place and columns
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        place = f"{source}:{number}"
        if line.startswith(DOCUMENT):
            name = line.removeprefix(DOCUMENT).strip()
            if name in documents:
                raise ValueError(f"{place}: found a second document named {name!r}, expected each name once.")
            sentences = documents[name] = []
        elif match := COMMENT.fullmatch(line):
            comments[match["key"]] = match["value"]
        elif line and not line.startswith("#"):
            if sentences is None:
                raise ValueError(f"{place}: found {line!r}, expected `{DOCUMENT}NAME` before the first sentence.")
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                raise ValueError(f"{place}: found {len(columns)} columns separated by tabs, expected {COLUMNS}.")
            rows.append((place, columns))
        elif not line and rows and sentences is not None:
            sentences.append(Sentence(_parse_words(rows), comments))
            rows, comments = [], {}
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


def _parse_words(rows: Sequence[tuple[str, list[str]]]) -> list[Word]:
    words: list[Word] = []
    written_as_one: list[tuple[int, int, str, bool]] = []  # start and end, form, whether white space follows
    for place, (index, form, lemma, pos, tag, *_, misc) in rows:
        space = NO_SPACE not in misc.split("|")
        if index == str(len(words) + 1) and form:
            lemma, pos, tag = ("" if cell == NOTHING else cell for cell in (lemma, pos, tag))
            words.append(Word(form, lemma, pos, tag, space))
        elif (match := RANGE.fullmatch(index)) and int(match[1]) == len(words) + 1:
            written_as_one.append((len(words), int(match[2]), form, space))
        elif not EMPTY_NODE.fullmatch(index):
            raise ValueError(f"{place}: found {form!r} as word {index!r}, expected word {len(words) + 1}.")
    for start, end, form, space in written_as_one:
        parts = words[start:end]
        if len(parts) < end - start:
            raise ValueError(f"{rows[-1][0]}: found the last word, {len(words)}, expected word {end} of {form!r}.")
        inside = "".join(word.form for word in parts) != form
        words[start : end - 1] = [word._replace(space=inside) for word in parts[:-1]]
        words[end - 1] = parts[-1]._replace(space=space)
    return words
