"""The words of a document, read at once: to make an object for each token takes longer than what is done with most."""

from __future__ import annotations

from spacy.tokens import Doc


def token_strings(doc: Doc, *attributes: int) -> list[list[str]]:
    """For each attribute, such as `spacy.attrs.ORTH`, its string of each token."""
    columns = doc.to_array([*attributes]).reshape(-1, len(attributes)).T.tolist()
    return [[*map(doc.vocab.strings.__getitem__, column)] for column in columns]
