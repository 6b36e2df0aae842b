"""Documents written as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup

from ....annotation import (
    PREDICATES_KEY,
    SPEAKER_MARKERS_KEY,
    SPEAKERS_KEY,
    find_cluster_prefix,
    find_frame_prefix,
    find_labelled_key,
    find_mentions_key,
    find_spans_key,
    get_scores,
    get_title,
    has_clusters_annotated,
    has_frames_annotated,
    has_labelled_spans_annotated,
    has_quotations_annotated,
    read_group,
)
from ....extensions import Cluster, SrlFrame, doc_clusters, doc_frames
from ....extensions.tables import span_to_dict
from ....people.characters import find_characters
from ....people.events import EntityFinder
from ....people.quotations import DocQuotation, find_quotations
from .columns import (
    FORMAT,
    SPOTS,
    Arguments,
    Characters,
    Clusters,
    Frames,
    LabelledSpans,
    Mentions,
    Places,
    Quotations,
    Rolesets,
    ScoredPlaces,
    Turns,
    pack,
)


def to_dict(
    doc: Doc,
    *,
    tokens: bool = False,
    cluster_prefix: str | None = None,
    mentions_key: str | None = None,
    frame_prefix: str | None = None,
    predicates_key: str = PREDICATES_KEY,
    spans_key: str | None = None,
    labelled_key: str | None = None,
) -> dict[str, Any]:
    """Write a document as plain data, which `json.dumps` takes. `from_dict` reads it.

    What is not known is left out: a document without `clusters` is not annotated for coreference, one with
    `"clusters": []` has none. Spans without tokens are left out.

    doc (Doc): The document.
    tokens (bool): Whether to write where tokens are, so that the document can be read without a tokenizer.
    cluster_prefix, mentions_key (str | None): Where clusters and selected mentions are in `doc.spans`; None to find
        out.
    frame_prefix, spans_key (str | None): Where frames and the spans that the component for semantic roles selected are;
        None to find out.
    predicates_key (str): Where given predicates are.
    labelled_key (str | None): Where labelled spans are; None to find out.
    RETURNS (dict[str, Any]): The data, as the schema in docs/annotation.md describes it. Offsets count the characters
        of the text, end exclusive.
    """
    cluster_prefix = find_cluster_prefix(doc) if cluster_prefix is None else cluster_prefix
    mentions_key = find_mentions_key(doc, cluster_prefix) if mentions_key is None else mentions_key
    frame_prefix = find_frame_prefix(doc) if frame_prefix is None else frame_prefix
    spans_key = find_spans_key(doc, frame_prefix) if spans_key is None else spans_key
    labelled_key = find_labelled_key(doc) if labelled_key is None else labelled_key
    data: dict[str, Any] = {"format": FORMAT}
    if title := get_title(doc):
        data["id"] = title
    data["text"] = doc.text
    if doc.has_annotation("SENT_START"):
        data["sentences"] = pack([_place(sentence) for sentence in doc.sents], Places)
    if tokens:
        data["tokens"] = pack([{"start": token.idx, "end": token.idx + len(token)} for token in doc], Places)
    if SPEAKERS_KEY in doc.spans:
        turns = filter(len, read_group(doc, SPEAKERS_KEY))
        data["speakers"] = pack([{"speaker": turn.label_, **_place(turn)} for turn in turns], Turns)
    if SPEAKER_MARKERS_KEY in doc.spans:
        markers = filter(len, read_group(doc, SPEAKER_MARKERS_KEY))
        data["speaker_markers"] = pack([*map(_place, markers)], Places)
    clusters = doc_clusters(doc, cluster_prefix, labelled_key)
    if has_clusters_annotated(doc, cluster_prefix, mentions_key):
        written, mentions = number_mentions(clusters)
        data |= {"clusters": pack(written, Clusters), "mentions": pack(mentions, Mentions)}
        if characters := find_characters(clusters):
            people = [{**person.to_dict(), "names": person.names} for person in characters]
            data["characters"] = pack(people, Characters)
        if len(doc.spans.get(mentions_key, ())):
            linked = (mention for cluster in clusters for mention in cluster)
            data["unlinked_mentions"] = pack(_unlinked(read_group(doc, mentions_key), linked), ScoredPlaces)
    if has_frames_annotated(doc, frame_prefix, predicates_key) or spans_key in doc.spans:
        data |= _frames(doc_frames(doc, frame_prefix), EntityFinder(clusters))
    if has_quotations_annotated(doc):
        data["quotations"] = pack([*map(_quotation, find_quotations(doc, clusters))], Quotations)
    if has_labelled_spans_annotated(doc, labelled_key):
        data["labelled_spans"] = pack(_labelled(read_group(doc, labelled_key)), LabelledSpans)
    return data


def number_mentions(clusters: Iterable[Cluster]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Number the mentions of clusters from the first of the first cluster to the last of the last.

    clusters (Iterable[Cluster]): The clusters.
    RETURNS (tuple[list[dict[str, Any]], list[dict[str, Any]]]): The clusters and their mentions as plain data; other
        mentions are named by these numbers.
    """
    written, mentions = [], list[dict[str, Any]]()
    for number, cluster in enumerate(clusters):
        data, first = cluster.to_dict(), len(mentions)
        for mention in data["mentions"]:
            if "antecedent" in mention:
                antecedent = mention["antecedent"]
                mention["antecedent"] = len(mentions) if antecedent is None else first + antecedent
            mentions.append({**mention, "cluster": number})
        written.append({**data, "representative": first + data["representative"]})
    return written, mentions


def _frames(frames: Sequence[SrlFrame], find: EntityFinder) -> dict[str, Any]:
    """Frames, their arguments with the numbers of their clusters, and once what their rolesets mean."""
    written = [frame.to_dict() for frame in frames]
    rolesets = _rolesets(written)
    arguments = []
    for number, (frame, data) in enumerate(zip(frames, written, strict=True)):
        is_known = data.get("roleset") in rolesets
        if is_known:
            data.pop("roleset_name", None)
        spans = (span for span, _ in frame.labelled_spans() if span is not frame.predicate)
        for span, argument in zip(spans, data["arguments"], strict=True):
            if is_known:
                argument.pop("description", None)
            entity = find(span)
            arguments.append({**argument, "frame": number, **({} if entity is None else {"cluster": entity.number})})
    predicates = [{**data, **data["predicate"]} for data in written]
    known = {"rolesets": pack([*rolesets.values()], Rolesets)} if rolesets else {}
    return {"frames": pack(predicates, Frames), "arguments": pack(arguments, Arguments), **known}


def _rolesets(frames: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The meanings of rolesets and of their roles; without those of which frames say different things."""
    said: dict[str, dict[str | None, str | None]] = {}
    differ = set()
    for frame in frames:
        if roleset := frame.get("roleset"):
            facts = said.setdefault(roleset, {})
            texts = [(argument["role"], argument.get("description")) for argument in frame["arguments"]]
            for key, text in [(None, frame.get("roleset_name")), *texts]:
                if facts.setdefault(key, text) != text:
                    differ.add(roleset)
    return {
        roleset: {
            "roleset": roleset,
            "name": facts.pop(None),
            "roles": {role: text for role, text in facts.items() if text != _known_meaning(role, facts)},
        }
        for roleset, facts in said.items()
        if roleset not in differ and any(facts.values())
    }


def _known_meaning(role: str | None, facts: Mapping[str | None, str | None]) -> str | None:
    """What a reader takes for the meaning of a role of a roleset if nothing is said of it."""
    base = Rolesets.base(role or "")
    return facts.get(base) if base != role else None


def _quotation(quotation: DocQuotation) -> dict[str, Any]:
    """A quotation, with both ends of what belongs to it as values."""
    data = quotation.to_dict()
    for key, spot in SPOTS.items():
        if place := data.get(key):
            data |= {f"{spot}_start": place["start"], f"{spot}_end": place["end"]}
    return data


def _unlinked(selected: SpanGroup, linked: Iterable[Span]) -> list[dict[str, Any]]:
    """The selected spans that are in no cluster, with their selection probabilities."""
    in_cluster = {(mention.start, mention.end) for mention in linked}
    scores = get_scores(selected)
    return [
        {**span_to_dict(span), **({} if scores is None else {"score": scores[i]})}
        for i, span in enumerate(selected)
        if len(span) and (span.start, span.end) not in in_cluster
    ]


def _labelled(group: SpanGroup) -> list[dict[str, Any]]:
    """The spans of a group with their labels and, if they are known, their probabilities."""
    scores = get_scores(group)
    return [
        {**span_to_dict(span), **({} if scores is None else {"score": scores[i]}), "label": span.label_}
        for i, span in enumerate(group)
        if len(span)
    ]


def _place(span: Span) -> dict[str, int]:
    return {"start": span.start_char, "end": span.end_char}
