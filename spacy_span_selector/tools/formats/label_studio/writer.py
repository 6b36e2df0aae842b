"""Documents as tasks of Label Studio, and the labeling interface in which annotators see them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any
from xml.etree import ElementTree

import typer
from spacy.tokens import Doc, Span, SpanGroup

from .... import annotation
from ..commands import Data, OutPath, read_all, save_texts
from ..files import check_writable
from ..plain import to_dict
from ..plain.schema import LabelledSpans, pack
from ..reports import Report, shorten

MENTION = "Mention"  # whose cluster has no entity type; otherwise the type is the label
PREDICATE, ARGUMENT = "Predicate", "Argument"  # an argument that is no mention
NO_MENTIONS = frozenset({PREDICATE, ARGUMENT})
COREFERENT = "coreferent"  # from a mention to its antecedent; from a predicate to an argument it is the role
ROLES = ("ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARGM-LOC", "ARGM-MNR", "ARGM-TMP")  # to choose from without frames

TEXT_FIELD, TITLE_FIELD = "text", "title"
DOCUMENT_FIELD = "document"  # of the data, which Label Studio hands back as they are
IN_DOCUMENT = ("format", "id", "sentences", "tokens", "speakers", "quotations")
LABELLED_FIELD = "labelled_spans"

LABELS_TAG, TEXT_TAG = "label", "text"
LABELLED_TAG = "labelled"  # where labelled spans come from, so that they are no mentions, whatever their labels
MODEL_VERSION = "spacy-span-selector"
NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_label_studio(docs: Iterable[Doc], *, annotations: bool = False) -> str:
    """Write documents as tasks of Label Studio, the content of a JSON file to import.

    Mentions, predicates, arguments and labelled spans are regions, that is labelled characters. A relation links a
    mention to its antecedent, or to the mention before it if the antecedent is not known, and a predicate to its
    arguments. The note of a predicate is its roleset, that of a mention the name of its cluster.

    annotations (bool): Whether to write annotations, as if made in Label Studio, or predictions to start from.
    """
    report = Report()
    key = "annotations" if annotations else "predictions"
    tasks = [check_writable(doc, json.dumps(_write_task(doc, key, report), ensure_ascii=False)) for doc in docs]
    report.warn()
    return "[\n" + ",\n".join(tasks) + "\n]\n"


def _write_task(doc: Doc, key: str, report: Report) -> dict[str, Any]:
    document = {name: value for name, value in to_dict(doc, tokens=True).items() if name in IN_DOCUMENT}
    is_labelled = annotation.has_labelled_spans_annotated(doc)
    if is_labelled:
        document[LABELLED_FIELD] = pack([], LabelledSpans)  # it is annotated, with as many as there will be regions
    document[annotation.ANNOTATES_KEY] = annotation.get_annotates(doc)
    report.leave_out_scope(doc, types=False, frames=True)
    data = {TEXT_FIELD: doc.text, TITLE_FIELD: annotation.get_title(doc), DOCUMENT_FIELD: document}
    task: dict[str, Any] = {"data": data}
    if annotation.has_clusters_annotated(doc) or annotation.has_frames_annotated(doc) or is_labelled:
        version = {"model_version": MODEL_VERSION} if key == "predictions" else {}
        task[key] = [{**version, "result": _Regions(doc, report).result}]
    return task


class _Regions:
    """The regions and relations of a document, all in `result` as Label Studio has them."""

    def __init__(self, doc: Doc, report: Report) -> None:
        self.result: list[dict[str, Any]] = []
        self._document = annotation.describe_doc(doc)
        self._report = report
        self._ids: dict[tuple[int, int], str] = {}  # regions that arguments may be
        for group in annotation.cluster_groups(doc):
            self._add_cluster(group)
        for group in annotation.frame_groups(doc):
            self._add_frame(group)
        if annotation.has_labelled_spans_annotated(doc):
            self._add_labelled(annotation.read_group(doc, annotation.LABELLED_KEY))

    def _add_cluster(self, group: SpanGroup) -> None:
        kind = annotation.get_text(group, annotation.ENTITY_TYPE) or MENTION
        label = MENTION if kind in NO_MENTIONS else kind
        antecedents = annotation.get_antecedents(group) or [None] * len(group)
        ids: dict[int, str] = {}
        before: str | None = None
        for i, (span, score) in enumerate(_scored(group)):
            if not len(span):
                continue
            note = (annotation.get_text(group, annotation.NAME) or "") if before is None else ""
            ids[i] = self._add_region(span, label, note, score)
            self._ids.setdefault((span.start, span.end), ids[i])
            antecedent = antecedents[i]
            target = before if antecedent is None else ids.get(antecedent, before)
            if target is not None:
                self._add_relation(ids[i], target, COREFERENT)
            before = ids[i]

    def _add_frame(self, group: SpanGroup) -> None:
        (predicate, score), *arguments = _scored(group)
        if not len(predicate):
            return
        source = self._add_region(predicate, PREDICATE, annotation.get_text(group, "roleset") or "", score)
        for argument, _ in arguments:
            place = argument.start, argument.end
            if not argument.label_ and len(argument):
                what = "arguments without a role, which is the label of their relation"
                self._report.leave_out(what, f"{self._document}, {shorten(argument.text)}")
            elif len(argument):
                if place not in self._ids:
                    self._ids[place] = self._add_region(argument, ARGUMENT)
                self._add_relation(source, self._ids[place], argument.label_)

    def _add_labelled(self, group: SpanGroup) -> None:
        for span, score in _scored(group):
            if len(span) and not span.label_:
                case = f"{self._document}, {shorten(span.text)}"
                self._report.leave_out("labelled spans without a label", case)
            elif len(span):
                self._add_region(span, span.label_, score=score, tag=LABELLED_TAG)

    def _add_region(
        self, span: Span, label: str, note: str = "", score: float | None = None, tag: str = LABELS_TAG
    ) -> str:
        region: dict[str, Any] = {
            "id": f"r{len(self.result) + 1}",
            "from_name": tag,
            "to_name": TEXT_TAG,
            "type": "labels",
            "value": {"start": span.start_char, "end": span.end_char, "text": span.text, "labels": [label]},
        }
        if note:
            region["meta"] = {"text": [note]}
        if score is not None:
            region["score"] = round(score, 4)
        self.result.append(region)
        return region["id"]

    def _add_relation(self, source: str, target: str, label: str) -> None:
        ends = {"from_id": source, "to_id": target}
        self.result.append({"type": "relation", **ends, "direction": "right", "labels": [label]})


def _scored(group: SpanGroup) -> list[tuple[Span, float | None]]:
    scores: Sequence[float | None] = annotation.get_scores(group) or [None] * len(group)
    return list(zip(group, scores, strict=True))


def write_interface(docs: Sequence[Doc]) -> str:
    """Write the labeling interface, XML to be pasted under Settings, Labeling Interface, Code: for what the documents
    are annotated for, or else mentions and frames, with the labels that they have, which XML must be able to hold."""
    for_clusters = any(map(annotation.has_clusters_annotated, docs))
    for_frames = any(map(annotation.has_frames_annotated, docs))
    labelled = {span.label for doc in docs for span in annotation.get_labelled_spans(doc)} - {""}
    for_any = for_clusters or for_frames or bool(labelled)
    labels: list[str] = []
    relations: list[str] = []
    if for_clusters or not for_any:
        groups = [group for doc in docs for group in annotation.cluster_groups(doc)]
        types = {annotation.get_text(group, annotation.ENTITY_TYPE) or "" for group in groups}
        labels += [MENTION, *sorted(types - NO_MENTIONS - {"", MENTION})]
        relations.append(COREFERENT)
    if for_frames or not for_any:
        roles = {argument.role for doc in docs for frame in annotation.get_frames(doc) for argument in frame.arguments}
        labels += [PREDICATE, ARGUMENT]
        relations += [role for role in sorted(roles - {""}) or ROLES if role not in relations]
    view = ElementTree.Element("View")
    _add_choices(ElementTree.SubElement(view, "Relations"), "Relation", relations)
    for tag, choices in {LABELS_TAG: labels, LABELLED_TAG: sorted(labelled)}.items():
        if choices:
            _add_choices(ElementTree.SubElement(view, "Labels", name=tag, toName=TEXT_TAG), "Label", choices)
    # Whole words are chosen: no mention or argument begins or ends within a token.
    ElementTree.SubElement(view, "Text", name=TEXT_TAG, value=f"${TEXT_FIELD}", granularity="word")
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _add_choices(parent: ElementTree.Element, tag: str, values: Iterable[str]) -> None:
    for value in values:
        if NOT_IN_XML.search(value):
            found = f"the label {value!r} has a character that XML can't hold"
            raise ValueError(f"Can't write the interface: {found}. Rename it in the documents.")
        ElementTree.SubElement(parent, tag, value=value)


def export_label_studio(
    data: Data,
    out_path: OutPath,
    config: Annotated[Path | None, typer.Option(help="Write the labeling interface, XML, to this file")] = None,
    annotations: Annotated[
        bool, typer.Option("--annotations", help="Write annotations, not predictions that annotators start from")
    ] = False,
) -> None:
    """Write coreference, semantic roles and labelled spans as tasks of Label Studio, to correct them there."""
    docs = read_all(data)
    texts = [(out_path, write_label_studio(docs, annotations=annotations))]
    save_texts(texts if config is None else [*texts, (config, write_interface(docs))], [data])
