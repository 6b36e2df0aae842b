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
    """Add the labels of texts to the components that learn them, and return what is new, in words.

    allowed (bool): Whether any may be new, beside those that are `declared`. Otherwise a ValueError says where a new
        one stands, and the known label that is most like it.
    """
    meant = {label for each in declared for label in types_of(each)}
    new: list[tuple[str, Collection[str]]] = []
    for component in texts.learning:
        pipe: Any = nlp.get_pipe(component)
        if hasattr(pipe, "add_labels"):  # others than ours need not
            known = {*pipe.labels, *getattr(pipe, "rolesets", ())}
            added = pipe.add_labels(texts.train).values()
            new += [(label, known) for labels in added for label in labels if label not in known]
    # Each is compared with all known ones, and looked for in all texts.
    told = [_tell(label, known, texts.train) for label, known in new[:MOST_NAMED]]
    if len(new) > MOST_NAMED:
        told.append(f"and {len(new) - MOST_NAMED} more")
    if not allowed and any(label not in meant for label, _ in new):
        cure = "Correct what is a typing error. --allow-new-labels lets all of them be learnt."
        raise ValueError(f"The pipeline does not know {'; '.join(told)}. {cure}")
    return told


def _tell(label: str, known: Collection[str], docs: Iterable[Doc]) -> str:
    alike = get_close_matches(label, known, n=1)
    meant = f", did you mean {alike[0]!r}?" if alike else ""
    return f"{label!r}, as in {next(_places(label, docs), 'a declaration')}{meant}"


def _places(label: str, docs: Iterable[Doc]) -> Iterator[str]:
    for doc in docs:
        for group in read_all_groups(doc).values():
            for span in group:
                if label in (span.label_, *types_of(span.label_), group.attrs.get("roleset")):
                    yield f"{describe_doc(doc)} at {span.text!r}"
