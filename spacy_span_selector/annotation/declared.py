"""What a document is annotated for: the types of spans of which all are marked. Of other types nothing is known.

`doc.user_data["annotates"]` lists them. One that is written "LOC|FAC|GPE" stands for several that the annotation does
not tell apart: a span of this type is one of them, and nobody knows which. Without a list, every type is annotated; so
it is for a `DocBin` that was written without `store_user_data`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spacy.tokens import Doc, Span, SpanGroup

from .checks import check_list, check_text, fail
from .clusters import ENTITY_TYPE
from .frames import CONSTITUENTS_KEY
from .groups import FRAME_NOTE, OURS, attrs_of_kept, get_text, read_all_groups
from .labelled_spans import LABELLED_KEY
from .structure import COUNTERPARTS_KEY, SPEAKERS_KEY

ANNOTATES_KEY = "annotates"
ONE_OF = "|"


def types_of(label: str) -> list[str]:
    """The types that a label may stand for."""
    return label.split(ONE_OF)


def as_declared(label: str, annotates: Sequence[str] | None) -> str | None:
    """What a label is called where these types are annotated, such as "LOC|FAC|GPE" for "LOC"; None if it is none."""
    if annotates is None or label in annotates:
        return label
    return next((one for one in annotates if label in types_of(one)), None)


def get_annotates(doc: Doc) -> list[str] | None:
    """The types that a document is annotated for; None for all."""
    found = doc.user_data.get(ANNOTATES_KEY)
    return [label for label in found if isinstance(label, str)] if isinstance(found, list | tuple) else None


def set_annotates(doc: Doc, types: Sequence[str]) -> None:
    """Say what types a document is annotated for: all spans of these are marked, in clusters and as labelled spans."""
    types = check_list(doc, types, ANNOTATES_KEY, "strings")
    for i, label in enumerate(types):
        if not all(types_of(check_text(doc, label, f"{ANNOTATES_KEY}[{i}]"))):
            fail(doc, f"{ANNOTATES_KEY}[{i}]", label, "a type, or several with one | between them")
    doc.user_data[ANNOTATES_KEY] = [*dict.fromkeys(types)]


def declare(doc: Doc, annotates: Mapping[str, str] | Sequence[str] | None) -> Doc:
    """Say what types a document is annotated for, and let its labelled spans and clusters, under any key, have these.

    annotates (Mapping[str, str] | Sequence[str] | None): The types, or the type of each label that stands for one.
        Other labels stay: what has them is known, but not that there is no more. None for what the document says.
    RETURNS (Doc): The same document.
    """
    if not isinstance(annotates, Mapping):
        if annotates is not None:
            set_annotates(doc, annotates)
        return doc
    set_annotates(doc, [*annotates.values()])
    for key, group in read_all_groups(doc, (SPEAKERS_KEY, COUNTERPARTS_KEY, CONSTITUENTS_KEY)).items():
        if kind := annotates.get(get_text(group, ENTITY_TYPE) or ""):
            doc.spans[key].attrs[ENTITY_TYPE] = kind
        of_ours = key != LABELLED_KEY and (OURS.fullmatch(key) or FRAME_NOTE in group.attrs)
        if of_ours or annotates.keys().isdisjoint(span.label_ for span in group):
            continue
        new: dict[tuple[int, int, str], int] = {}  # of those that become one, the first stays
        numbers = {
            i: new.setdefault((span.start, span.end, annotates.get(span.label_, span.label_)), len(new))
            for i, span in enumerate(group)
        }
        firsts = {number: group[i] for i, number in reversed(numbers.items())}
        spans = [Span(doc, *named, kb_id=firsts[i].kb_id, span_id=firsts[i].id) for named, i in new.items()]
        doc.spans[key] = SpanGroup(doc, name=group.name, attrs=attrs_of_kept(group, numbers), spans=spans)
    return doc
