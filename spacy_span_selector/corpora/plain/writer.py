"""Documents written as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup

from ...annotation import (
    LABELLED_KEY,
    PREDICATES_KEY,
    SPEAKER_MARKERS_KEY,
    SPEAKERS_KEY,
    find_cluster_prefix,
    find_frame_prefix,
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
from ...extensions import doc_clusters, doc_frames, doc_quotations, find_characters
from ...extensions.tables import span_to_dict
from .records import FORMAT


def to_dict(
    doc: Doc,
    *,
    tokens: bool = False,
    cluster_prefix: str | None = None,
    mentions_key: str | None = None,
    frame_prefix: str | None = None,
    predicates_key: str = PREDICATES_KEY,
    spans_key: str | None = None,
    labelled_key: str = LABELLED_KEY,
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
    labelled_key (str): Where labelled spans are.
    RETURNS (dict[str, Any]): The data, as the schema in docs/annotation.md describes it. Offsets count the characters
        of the text, end exclusive.
    """
    cluster_prefix = find_cluster_prefix(doc) if cluster_prefix is None else cluster_prefix
    mentions_key = find_mentions_key(doc, cluster_prefix) if mentions_key is None else mentions_key
    frame_prefix = find_frame_prefix(doc) if frame_prefix is None else frame_prefix
    spans_key = find_spans_key(doc, frame_prefix) if spans_key is None else spans_key
    data: dict[str, Any] = {"format": FORMAT}
    if title := get_title(doc):
        data["id"] = title
    data["text"] = doc.text
    if doc.has_annotation("SENT_START"):
        data["sentences"] = [_place(sentence) for sentence in doc.sents]
    if tokens:
        data["tokens"] = [{"start": token.idx, "end": token.idx + len(token)} for token in doc]
    if SPEAKERS_KEY in doc.spans:
        turns = filter(len, read_group(doc, SPEAKERS_KEY))
        data["speakers"] = [{"speaker": turn.label_, **_place(turn)} for turn in turns]
    if SPEAKER_MARKERS_KEY in doc.spans:
        data["speaker_markers"] = [span_to_dict(marker) for marker in filter(len, read_group(doc, SPEAKER_MARKERS_KEY))]
    if has_clusters_annotated(doc, cluster_prefix, mentions_key):
        clusters = doc_clusters(doc, cluster_prefix, labelled_key)
        data["clusters"] = [cluster.to_dict() for cluster in clusters]
        if characters := find_characters(clusters):
            data["characters"] = [character.to_dict() for character in characters]
        if len(doc.spans.get(mentions_key, ())):
            linked = (mention for cluster in clusters for mention in cluster)
            data["unlinked_mentions"] = _unlinked(read_group(doc, mentions_key), linked)
    if has_frames_annotated(doc, frame_prefix, predicates_key) or spans_key in doc.spans:
        data["frames"] = [frame.to_dict() for frame in doc_frames(doc, frame_prefix)]
    if has_quotations_annotated(doc):
        quotations = doc_quotations(doc, cluster_prefix=cluster_prefix)
        data["quotations"] = [quotation.to_dict() for quotation in quotations]
    if has_labelled_spans_annotated(doc, labelled_key):
        data["labelled_spans"] = _labelled(read_group(doc, labelled_key))
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
