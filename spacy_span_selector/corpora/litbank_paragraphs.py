"""The paragraphs of LitBank: its texts are the beginnings of novels, whose files have blank lines."""

from __future__ import annotations

import re
from pathlib import Path

from spacy.tokens import Doc

from ..annotation import get_title, set_paragraphs
from .files import FILES, read_text
from .left_out import Report

FOLDER, SUFFIX = Path("original"), "_brat"
FURTHEST = 40
"""A word stands so many characters behind the one before at most; the first may stand anywhere."""

LEAST_FOUND = 0.98
"""The share of the words that must be found in the novel: else it is another text."""


def add_paragraphs(doc: Doc, source: Path, report: Report) -> None:
    """Add the paragraphs of a document, if the corpus has the novel.

    doc (Doc): A document, as `read_litbank_file` reads it.
    source (Path): The folder that holds `original`.
    report (Report): Gets a novel that can't be read, or is another text.
    """
    path = source / FOLDER / f"{get_title(doc).removesuffix(SUFFIX)}.txt"
    if not path.is_file():
        return
    try:
        starts = _paragraph_starts([token.text for token in doc], read_text(path))
    except (OSError, ValueError) as error:
        report.leave_out(FILES, f"{path}: {error}")
        return
    ends = [*starts[1:], len(doc)]
    set_paragraphs(doc, list(zip(starts, ends, strict=True)))


def _paragraph_starts(words: list[str], text: str) -> list[int]:
    """Which words stand behind a blank line.

    RAISES (ValueError): If most of the words are not found.
    """
    places = [(i, character) for i, character in enumerate(text) if not character.isspace()]
    characters = "".join(character for _, character in places)
    starts = [0]
    position, last, found = 0, 0, 0
    for number, word in enumerate(words):
        place = characters.find(word, position, position + FURTHEST + len(word) if found else len(characters))
        if place < 0:
            continue
        if found and re.fullmatch(r"\s*\n\s*\n\s*", text[last : places[place][0]]):
            starts.append(number)
        position, found = place + len(word), found + 1
        last = places[position - 1][0] + 1
    if found < LEAST_FOUND * len(words):
        raise ValueError(f"found {found:,} of the {len(words):,} words of the document; expected its novel.")
    return starts
