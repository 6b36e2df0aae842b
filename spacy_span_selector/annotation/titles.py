"""The title of a document, `doc.user_data["title"]`, and what messages call a document."""

from __future__ import annotations

import re

from spacy.tokens import Doc

SURROGATE = re.compile("[\ud800-\udfff]")
TITLE_KEY = "title"  # displaCy reads the same key


def get_title(doc: Doc) -> str:
    """The title of a document, "" if it has none."""
    return str(doc.user_data.get(TITLE_KEY) or "")


def set_title(doc: Doc, title: str) -> None:
    """Replace the title of a document, which has no half of a character, as that can't be saved."""
    if not isinstance(title, str) or SURROGATE.search(title):
        raise ValueError(f"Can't name {describe_doc(doc)}: title is {title!r}; expected a string without surrogates.")
    doc.user_data[TITLE_KEY] = title


def describe_doc(doc: Doc) -> str:
    """Name a document in a message: by its title if it has one, otherwise by its first words."""
    title = get_title(doc)
    if title:
        return f"document {title!r}"
    opening = doc[:8].text
    return f"document starting {opening!r}" if opening else "an empty document"
