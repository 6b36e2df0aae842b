"""Files whose rows were deleted, doubled, swapped or moved: what their columns can tell is not read without a word."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_constituents
from spacy_span_selector.tools.formats.conll2012 import read_conll2012, write_conll2012
from spacy_span_selector.tools.formats.conllu import parse_conllu
from spacy_span_selector.tools.formats.reports import Report

Rows = list[tuple[int, int]]
"""The sentence of each row, and its number in the sentence."""

LENGTHS = [3, 6, 1, 4, 9, 5, 2, 7]
ROWS: Rows = [(sentence, i) for sentence, length in enumerate(LENGTHS) for i in range(length)]
WORDS = [f"w{sentence}.{i}" for sentence, i in ROWS]
N_FILES = 50


def delete(rows: list[str], places: Sequence[int], rng: random.Random) -> None:
    del rows[rng.choice(places)]


def double(rows: list[str], places: Sequence[int], rng: random.Random) -> None:
    i = rng.choice(places)
    rows.insert(i, rows[i])


def swap(rows: list[str], places: Sequence[int], rng: random.Random) -> None:
    i, j = rng.sample(places, 2)
    rows[i], rows[j] = rows[j], rows[i]


def move(rows: list[str], places: Sequence[int], rng: random.Random) -> None:
    i, j = rng.sample(places, 2)
    rows.insert(j, rows.pop(i))


@pytest.fixture(params=[delete, double, swap, move])
def damage(request: pytest.FixtureRequest) -> Callable[[str, random.Random], str]:
    """A function that damages one or two rows of a text: lines that have the column with a word."""

    def damage_text(text: str, rng: random.Random) -> str:
        lines = text.split("\n")
        request.param(lines, [i for i, line in enumerate(lines) if "\tw" in line], rng)
        return "\n".join(lines)

    return damage_text


def count_quiet(
    text: str, damage: Callable[[str, random.Random], str], read: Callable[[str], list[tuple[str, bool]]]
) -> tuple[int, int]:
    """How many damaged files are read without a word, and in how many of them the numbers of the rows are right."""
    original = read(text)
    assert [word for word, _ in original] == WORDS
    quiet = right = 0
    for seed in range(N_FILES):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                found = read(damage(text, random.Random(seed)))
            except (UserWarning, ValueError):
                continue
        if found != original:
            quiet += 1
            numbers = [int(word.partition(".")[2]) for word, _ in found]
            starts = [i for i, (_, start) in enumerate(found) if start]
            sizes = [end - start for start, end in zip(starts, [*starts[1:], len(found)], strict=True)]
            right += numbers == [i for size in sizes for i in range(size)]
    return quiet, right


def describe(doc: Doc) -> list[tuple[str, bool]]:
    return [(token.text, bool(token.is_sent_start)) for token in doc]


@pytest.mark.parametrize("parsed", [False, True])
def test_rows_of_conll2012(tmp_path: Path, damage: Callable[[str, random.Random], str], parsed: bool):
    path = tmp_path / "tale.conll"
    doc = Doc(Vocab(), words=WORDS, sent_starts=[i == 0 for _, i in ROWS])
    if parsed:
        set_constituents(doc, [(sentence.start, sentence.end, "S") for sentence in doc.sents])
    path.write_text(write_conll2012([doc]), encoding="utf-8")

    def read(text: str) -> list[tuple[str, bool]]:
        path.write_text(text, encoding="utf-8")
        (doc,) = read_conll2012(path)
        return describe(doc)

    quiet, right = count_quiet(path.read_text(encoding="utf-8"), damage, read)
    assert quiet == right  # the last row of a sentence is missing, or two rows with the same number are swapped


def test_rows_of_conllu(damage: Callable[[str, random.Random], str]):
    lines = ["# newdoc id = tale"]
    for sentence, length in enumerate(LENGTHS, start=1):
        words = [word for word in WORDS if word.startswith(f"w{sentence - 1}.")]
        lines += [f"# sent_id = tale-{sentence}", f"# text = {' '.join(words)}"]
        lines += ["\t".join([str(i + 1), words[i], *["_"] * 8]) for i in range(length)]
        lines.append("")

    def read(text: str) -> list[tuple[str, bool]]:
        documents, unreadable = parse_conllu(text, "tale.conllu", Report())
        if unreadable:
            raise ValueError(unreadable)
        return [(word.form, i == 0) for sentence in documents["tale"] for i, word in enumerate(sentence.words)]

    assert count_quiet("\n".join([*lines, ""]), damage, read) == (0, 0)
