"""What text files can hold: each writer of one asks before anything of a document is written."""

from __future__ import annotations

import re

from spacy.tokens import Doc

from ..annotation import describe_doc

NOT_IN_A_TEXT = re.compile("[\0\ud800-\udfff]")


def check_writable(doc: Doc, text: str) -> str:
    """Check what is written of a document: whatever the reader can't take back would cost all documents of its file.

    doc (Doc): The document.
    text (str): What is written of it.
    RETURNS (str): The same.
    RAISES (ValueError): If it has the character 0 or half of a character.
    """
    match = NOT_IN_A_TEXT.search(text)
    if match:
        found = f"{match[0]!r} behind {text[max(0, match.start() - 20) : match.start()]!r}"
        cure = "Remove it from the text, the title or the label that has it."
        raise ValueError(f"Can't write {describe_doc(doc)}: found {found}, which no text file can hold. {cure}")
    return text


def one_line(text: str) -> str:
    """A text with one space for all white space between its words, and none around them."""
    return " ".join(text.split())
