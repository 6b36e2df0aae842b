"""Labels that a pipeline does not know are learnt only if they are meant: a typing error would be a label for ever."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ...annotation import describe_doc, types_of
from ...annotation.groups import read_all_groups
from .texts import Texts

MOST_NAMED = 10


def learn_labels(texts: Texts, nlp: Language, *, allowed: bool, declared: Iterable[str] = ()) -> list[str]:
    """Add the labels of texts to the components that learn them.

    allowed (bool): Whether any may be new.
    declared (Iterable[str]): Those that may be.
    RETURNS (list[str]): What is new, in words.
    RAISES (ValueError): If others are new, naming where each stands first, and the known label that is most like it.
    """
    meant = {label for each in declared for label in types_of(each)}
    told: list[str] = []
    refused = 0
    for component in texts.learning:
        pipe: Any = nlp.get_pipe(component)
        if not hasattr(pipe, "add_labels"):  # others than ours need not
            continue
        known = {*pipe.labels, *getattr(pipe, "rolesets", ())}
        new = [label for labels in pipe.add_labels(texts.train).values() for label in labels if label not in known]
        refused += not meant.issuperset(new)
        told += [_tell(label, known, texts.train) for label in new]
    if refused and not allowed:
        more = f" (and {len(told) - MOST_NAMED} more)" if len(told) > MOST_NAMED else ""
        raise ValueError(
            f"The pipeline does not know {'; '.join(told[:MOST_NAMED])}{more}. Correct what is a typing error. "
            "--allow-new-labels lets all of them be learnt."
        )
    return told


def _tell(label: str, known: Collection[str], docs: Iterable[Doc]) -> str:
    alike = get_close_matches(label, known, n=1)
    meant = f", did you mean {alike[0]!r}?" if alike else ""
    return f"{label!r}, first in {next(_places(label, docs), 'a declaration')}{meant}"


def _places(label: str, docs: Iterable[Doc]) -> Iterator[str]:
    for doc in docs:
        for group in read_all_groups(doc).values():
            for span in group:
                if label in types_of(span.label_) or label == group.attrs.get("roleset"):
                    yield f"{describe_doc(doc)} at {span.text!r}"
