"""Documents written as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup

from ...annotation import (
    CLUSTER_PREFIX,
    FRAME_PREFIX,
    MENTIONS_KEY,
    PREDICATES_KEY,
    SELECTED_KEY,
    SPEAKER_MARKERS_KEY,
    SPEAKERS_KEY,
    get_scores,
    get_title,
    has_clusters_annotated,
    has_frames_annotated,
)
from ...extensions import doc_clusters, doc_frames
from ...extensions.characters import span_to_dict
from .records import FORMAT


def to_dict(
    doc: Doc,
    *,
    tokens: bool = False,
    cluster_prefix: str = CLUSTER_PREFIX,
    mentions_key: str = MENTIONS_KEY,
    frame_prefix: str = FRAME_PREFIX,
    predicates_key: str = PREDICATES_KEY,
    spans_key: str = SELECTED_KEY,
) -> dict[str, Any]:
    """Write a document as plain data, which `json.dumps` takes. `from_dict` reads it.

    What is not known is left out: a document without `clusters` is not annotated for coreference, one with
    `"clusters": []` has none. Spans without tokens are left out.

    doc (Doc): The document.
    tokens (bool): Whether to write where tokens are, so that the document can be read without a tokenizer.
    cluster_prefix, mentions_key (str): Where clusters and selected mentions are in `doc.spans`.
    frame_prefix, predicates_key, spans_key (str): Where frames, given predicates and the spans that the component for
        semantic roles selected are in `doc.spans`.
    RETURNS (dict[str, Any]): The data, as the schema in docs/annotation.md describes it. Offsets count the characters
        of the text, end exclusive.
    """
    data: dict[str, Any] = {"format": FORMAT}
    if title := get_title(doc):
        data["id"] = title
    data["text"] = doc.text
    if doc.has_annotation("SENT_START"):
        data["sentences"] = [_place(sentence) for sentence in doc.sents]
    if tokens:
        data["tokens"] = [{"start": token.idx, "end": token.idx + len(token)} for token in doc]
    if SPEAKERS_KEY in doc.spans:
        data["speakers"] = [{"speaker": turn.label_, **_place(turn)} for turn in filter(len, doc.spans[SPEAKERS_KEY])]
    if SPEAKER_MARKERS_KEY in doc.spans:
        data["speaker_markers"] = [span_to_dict(marker) for marker in filter(len, doc.spans[SPEAKER_MARKERS_KEY])]
    if has_clusters_annotated(doc, cluster_prefix, mentions_key):
        clusters = doc_clusters(doc, cluster_prefix)
        data["clusters"] = [cluster.to_dict() for cluster in clusters]
        if len(doc.spans.get(mentions_key, ())):
            linked = (mention for cluster in clusters for mention in cluster)
            data["unlinked_mentions"] = _unlinked(doc.spans[mentions_key], linked)
    if has_frames_annotated(doc, frame_prefix, predicates_key) or spans_key in doc.spans:
        data["frames"] = [frame.to_dict() for frame in doc_frames(doc, frame_prefix)]
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


def _place(span: Span) -> dict[str, int]:
    return {"start": span.start_char, "end": span.end_char}
