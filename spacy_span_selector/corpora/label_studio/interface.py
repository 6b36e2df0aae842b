"""The labeling interface of Label Studio: which labels and relations annotators choose from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from spacy.tokens import Doc

from ...annotation import ENTITY_TYPE, cluster_groups, get_frames, has_clusters_annotated, has_frames_annotated
from .names import ARGUMENT, COREFERENT, LABELS_TAG, MENTION, NO_MENTIONS, PREDICATE, TEXT_FIELD, TEXT_TAG

ROLES = ("ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARGM-LOC", "ARGM-MNR", "ARGM-TMP")
"""What annotators choose from for documents without frames."""

NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_interface(docs: Sequence[Doc]) -> str:
    """Write the labeling interface for documents.

    docs (Sequence[Doc]): The documents. The interface has what they are annotated for; if they are not annotated, it
        has mentions and frames.
    RETURNS (str): XML, to be pasted under Settings, Labeling Interface, Code.
    RAISES (ValueError): If XML can't hold a label, naming it.
    """
    for_clusters = any(map(has_clusters_annotated, docs))
    for_frames = any(map(has_frames_annotated, docs))
    labels: dict[str, None] = {}
    relations: dict[str, None] = {}
    if for_clusters or not for_frames:
        types = {str(group.attrs.get(ENTITY_TYPE) or "") for doc in docs for group in cluster_groups(doc)}
        labels |= dict.fromkeys([MENTION, *sorted(types - NO_MENTIONS - {""})])
        relations[COREFERENT] = None
    if for_frames or not for_clusters:
        roles = {argument.role for doc in docs for frame in get_frames(doc) for argument in frame.arguments}
        labels |= dict.fromkeys([PREDICATE, ARGUMENT])
        relations |= dict.fromkeys(sorted(roles - {""}) or ROLES)
    view = ElementTree.Element("View")
    _add_choices(ElementTree.SubElement(view, "Relations"), "Relation", relations)
    _add_choices(ElementTree.SubElement(view, "Labels", name=LABELS_TAG, toName=TEXT_TAG), "Label", labels)
    # Whole words are chosen: no mention or argument begins or ends within a token.
    ElementTree.SubElement(view, "Text", name=TEXT_TAG, value=f"${TEXT_FIELD}", granularity="word")
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _add_choices(parent: ElementTree.Element, tag: str, values: dict[str, None]) -> None:
    for value in values:
        if NOT_IN_XML.search(value):
            found = f"the label {value!r} has a character that XML can't hold"
            raise ValueError(f"Can't write the interface: {found}. Rename it in the documents.")
        ElementTree.SubElement(parent, tag, value=value)
