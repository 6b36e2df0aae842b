"""Documents written as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup

from .... import annotation
from ....extensions import Cluster, SrlFrame, doc_clusters, doc_frames
from ....people.arguments import EntityFinder
from ....people.characters import find_characters
from ....people.quotations import DocQuotation, find_quotations
from . import schema
from .schema import QUOTATION_PLACES, Thing, pack


def to_dict(
    doc: Doc,
    *,
    tokens: bool = False,
    cluster_prefix: str | None = None,
    mentions_key: str | None = None,
    frame_prefix: str | None = None,
    predicates_key: str = annotation.PREDICATES_KEY,
    spans_key: str | None = None,
    labelled_key: str | None = None,
) -> dict[str, Any]:
    """Write a document as plain data, which `json.dumps` takes and `from_dict` reads. What is not known is left out.

    tokens (bool): Whether to write where tokens are, so that the document can be read without a tokenizer.
    cluster_prefix, mentions_key, frame_prefix, predicates_key, spans_key, labelled_key (str | None): Where annotation
        is in `doc.spans`; `spans_key` is of the spans selected for semantic roles. None to find out.
    """
    cluster_prefix = annotation.find_cluster_prefix(doc) if cluster_prefix is None else cluster_prefix
    mentions_key = annotation.find_mentions_key(doc, cluster_prefix) if mentions_key is None else mentions_key
    frame_prefix = annotation.find_frame_prefix(doc) if frame_prefix is None else frame_prefix
    spans_key = annotation.find_spans_key(doc, frame_prefix) if spans_key is None else spans_key
    labelled_key = annotation.find_labelled_key(doc) if labelled_key is None else labelled_key
    data: dict[str, Any] = {"format": schema.FORMAT}
    if title := annotation.get_title(doc):
        data["id"] = title
    data["text"] = doc.text
    if doc.has_annotation("SENT_START"):
        data["sentences"] = pack([*map(_place, doc.sents)], schema.Places)
    if tokens:
        data["tokens"] = pack([{"start": token.idx, "end": token.idx + len(token)} for token in doc], schema.Places)
    if annotation.SPEAKERS_KEY in doc.spans:
        turns = filter(len, annotation.read_group(doc, annotation.SPEAKERS_KEY))
        data["speakers"] = pack([{**_place(turn), "speaker": turn.label_} for turn in turns], schema.Turns)
    clusters = doc_clusters(doc, cluster_prefix, labelled_key)
    if annotation.has_clusters_annotated(doc, cluster_prefix, mentions_key):
        data["clusters"] = pack(_cluster_rows(clusters), schema.Clusters)
        data["mentions"] = pack(mention_rows(clusters), schema.Mentions)
        if found := find_characters(clusters):
            people = [{**vars(one), "cluster": one.number, "gender": one.gender, "count": one.count} for one in found]
            data["characters"] = pack(people, schema.Characters)
        if len(doc.spans.get(mentions_key, ())):
            linked = {_offsets(mention) for cluster in clusters for mention in cluster}
            selected = _scored_rows(annotation.read_group(doc, mentions_key))
            unlinked = [row for span, row in selected if _offsets(span) not in linked]
            data["unlinked_mentions"] = pack(unlinked, schema.ScoredPlaces)
    if annotation.has_frames_annotated(doc, frame_prefix, predicates_key) or spans_key in doc.spans:
        frames = doc_frames(doc, frame_prefix)
        data |= _frames(frames, EntityFinder(clusters, frames))
    if annotation.has_quotations_annotated(doc):
        data["quotations"] = pack([*map(_quotation_row, find_quotations(doc, clusters))], schema.Quotations)
    if annotation.has_labelled_spans_annotated(doc, labelled_key):
        labelled = _scored_rows(annotation.read_group(doc, labelled_key))
        data["labelled_spans"] = pack([{**row, "label": span.label_} for span, row in labelled], schema.LabelledSpans)
    _check_scores(doc, data)
    return data


def mention_rows(clusters: Iterable[Cluster]) -> list[Thing]:
    """The mentions of clusters, those of the first one first. `antecedent` is a number among all of these."""
    rows: list[Thing] = []
    for number, cluster in enumerate(clusters):
        numbers = {_offsets(mention): len(rows) + i for i, mention in enumerate(cluster)}
        linked_to = zip(cluster.antecedents or (), cluster, strict=False)
        known: dict[str, Sequence[Any] | None] = {
            "score": cluster.scores,
            "link_score": cluster.link_scores,
            "antecedent": [numbers[_offsets(antecedent or mention)] for antecedent, mention in linked_to],
            "reason": [reason or None for reason in cluster.reasons or ()],
        }
        for i, mention in enumerate(cluster):
            values = {key: column[i] for key, column in known.items() if column}
            rows.append({**_place(mention), "cluster": number, **values})
    return rows


def _cluster_rows(clusters: Iterable[Cluster]) -> list[Thing]:
    rows = []
    first = 0  # the number of the first mention of the cluster
    for cluster in clusters:
        names = {"name": cluster.name, "entity_label": cluster.entity_label, "entity_id": cluster.entity_id}
        representative = first + [*map(_offsets, cluster)].index(_offsets(cluster.representative))
        rows.append({"representative": representative, **{key: name or None for key, name in names.items()}})
        first += len(cluster)
    return rows


def _frames(frames: Iterable[SrlFrame], find: EntityFinder) -> dict[str, Any]:
    """Frames, their arguments with the numbers of their clusters, and once what their rolesets mean."""
    predicates: list[Thing] = []
    arguments: list[Thing] = []
    for number, frame in enumerate(frames):
        labelled = frame.labelled_spans()
        scores: Sequence[float | None] = frame.scores or [None] * len(labelled)
        for (span, role), score in zip(labelled, scores, strict=True):
            row: Thing = {**_place(span), "score": score}
            if span is frame.predicate:
                roleset = frame.roleset if isinstance(frame.roleset, str) else None  # files may hold anything
                predicates.append({**row, "roleset": roleset or None, "roleset_name": frame.meaning or None})
            else:
                entity = find(span)
                row |= {"frame": number, "role": role, "description": frame.description(role) or None}
                arguments.append({**row, "cluster": None if entity is None else entity.number})
    rolesets = _rolesets(predicates, arguments)
    for row in arguments:
        if predicates[row["frame"]]["roleset"] in rolesets:
            row["description"] = None
    for row in predicates:
        if row["roleset"] in rolesets:
            row["roleset_name"] = None
    data = {"frames": pack(predicates, schema.Frames), "arguments": pack(arguments, schema.Arguments)}
    return data | ({"rolesets": pack([*rolesets.values()], schema.Rolesets)} if rolesets else {})


def _rolesets(predicates: Sequence[Thing], arguments: Iterable[Thing]) -> dict[str, Thing]:
    """The meanings of rolesets and of their roles; without those of which frames say different things."""
    of_predicates = [(row["roleset"], None, row["roleset_name"]) for row in predicates]
    of_roles = [(predicates[row["frame"]]["roleset"], row["role"], row["description"]) for row in arguments]
    said: dict[str, dict[str | None, str | None]] = {}  # of a roleset: its meaning under None, and those of its roles
    differ = set()
    for roleset, role, meaning in [*of_predicates, *of_roles]:
        if roleset and said.setdefault(roleset, {}).setdefault(role, meaning) != meaning:
            differ.add(roleset)
    return {
        roleset: {"roleset": roleset, "name": facts.pop(None), "roles": _roles(facts)}
        for roleset, facts in said.items()
        if roleset not in differ and any(facts.values())
    }


def _roles(facts: Mapping[Any, str | None]) -> dict[str, str | None]:
    """The meanings of roles, without those of references and continuations that mean what their base does."""
    bases = {role: schema.Rolesets.base(role) for role in facts}
    meant = {role: None if base == role else facts.get(base) for role, base in bases.items()}
    return {role: text for role, text in facts.items() if text != meant[role]}


def _quotation_row(quotation: DocQuotation) -> Thing:
    row: Thing = {**_place(quotation.span), "score": quotation.score}
    entities = {"speaker": quotation.speaker_entity, "addressee": quotation.addressee_entity}
    row |= {key: entity.number for key, entity in entities.items() if entity is not None}
    spans = (quotation.speaker_mention, quotation.addressee_mention, quotation.cue)
    for key, span in zip(QUOTATION_PLACES, spans, strict=True):
        if span is not None:
            row |= {f"{key}_start": span.start_char, f"{key}_end": span.end_char}
    return row


def _scored_rows(group: SpanGroup) -> list[tuple[Span, Thing]]:
    """The spans of a group that have tokens, and their rows with probabilities, if these are known."""
    scores: Sequence[float | None] = annotation.get_scores(group) or [None] * len(group)
    return [(span, {**_place(span), "score": scores[i]}) for i, span in enumerate(group) if len(span)]


def _check_scores(doc: Doc, data: Mapping[str, Any]) -> None:
    """Refuse scores that `from_dict` refuses."""
    for key, columns in data.items():
        for name in ("score", "link_score") if isinstance(columns, dict) else ():
            for i, score in enumerate(columns.get(name, ())):
                if score is not None and not 0 <= score <= 1:
                    found = f"{key}.{name}[{i}] is {score}; expected a probability from 0 to 1"
                    cure = "Set the scores of these spans anew, or remove them."
                    raise ValueError(f"Can't write {annotation.describe_doc(doc)}: {found}. {cure}")


def _offsets(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _place(span: Span) -> dict[str, int]:
    return {"start": span.start_char, "end": span.end_char}
