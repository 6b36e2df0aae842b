"""A warning for texts in another language than that of their pipeline."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from spacy.tokens import Doc

from ..annotation import MENTIONS_KEY, SELECTED_KEY, describe_doc
from ..documents.other_languages import describe_other_language, other_language
from ..examples.lost import level_of_caller

TOLD: set[str] = set()
"""The languages that were warned of: once in a process, not for each component, text and part of a text."""


def warn_of_other_languages(docs: Iterable[Doc]) -> None:
    """Warn of the first document in each other language.

    docs (Iterable[Doc]): Documents that are annotated. Those that another component has annotated before were looked at
        then.
    """
    for doc in docs:
        if MENTIONS_KEY in doc.spans or SELECTED_KEY in doc.spans:
            continue
        language = other_language(doc)
        if language is not None and language not in TOLD:
            TOLD.add(language)
            warnings.warn(
                f"{describe_other_language(language)} This is {describe_doc(doc)}; further ones are not named.",
                stacklevel=level_of_caller(),
            )
