"""Gold and given mentions as tensors: what cannot be learnt or linked is left out and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from spacy.training import Example

from ..annotation import ENTITY_TYPE, cluster_groups, describe_doc, get_text, has_clusters_annotated, read_group
from ..documents.cleaned import CleanDoc
from ..documents.visible import is_blank
from ..layers.coref.loss import GoldMentions
from ..layers.selection.candidates import CandidateStrategy, Given
from ..layers.selection.selectors import GoldTypes
from ..layers.spans.layout import Lengths, SpanLayout
from .alignment import CROSSES_SENTENCES, EMPTY, WHITE_SPACE, SpanAligner
from .gold_labels import declared_types, type_mask
from .lost import LostSpans

REPEATED = "is also in an earlier cluster"
TWICE = "comes a second time in its cluster"


def gold_mentions(
    examples: Sequence[Example],
    sentences: Sequence[Lengths],
    *,
    prefix: str,
    mentions_key: str,
    types: Mapping[str, int],
    max_width: int | None,
    device: torch.device | None,
) -> tuple[GoldMentions, LostSpans]:
    """Align the gold clusters, whose types their mentions have, with the predicted documents of a batch; see
    `SpanAligner`."""
    lost = LostSpans()
    mentions: dict[tuple[int, int], int] = {}
    allowed: list[list[bool]] = []
    offset = cluster_number = 0
    for example, runs in zip(examples, sentences, strict=True):
        align = SpanAligner(example, runs, max_width)
        for group in cluster_groups(example.reference, prefix):
            known = type_mask([get_text(group, ENTITY_TYPE) or ""], types)
            for start, end in ((span.start, span.end) for span in group):
                aligned = align(start, end)
                if isinstance(aligned, str):
                    reason = aligned
                elif (mention := (offset + aligned[0], offset + aligned[1])) in mentions:
                    reason = TWICE if mentions[mention] == cluster_number else REPEATED
                else:
                    mentions[mention] = cluster_number
                    allowed.append(known if any(known) else [True] * len(types))
                    continue
                place = f"{example.reference[start:end].text!r} in {describe_doc(example.reference)}"
                lost.add(reason, place, (start, end))
            cluster_number += 1
        offset += len(example.predicted)
    spans = torch.tensor(list(mentions), dtype=torch.long, device=device).view(-1, 2)
    annotated = [has_clusters_annotated(example.reference, prefix, mentions_key) for example in examples]
    gold = GoldMentions(
        starts=spans[:, 0],
        ends=spans[:, 1],
        clusters=torch.tensor(list(mentions.values()), dtype=torch.long, device=device),
        annotated=torch.tensor(annotated, dtype=torch.bool, device=device),
        types=GoldTypes(
            torch.tensor(allowed, dtype=torch.bool, device=device).view(len(allowed), len(types)),
            declared_types([example.reference for example in examples], types, device),
        ),
    )
    return gold, lost


TOO_WIDE_HERE = "is wider than 'max_span_width' of the model, in a sentence too long for a chart of all spans"


def given_mentions(
    cleaned: Sequence[CleanDoc], layout: SpanLayout, key: str, choose: CandidateStrategy
) -> tuple[CandidateStrategy, LostSpans]:
    """The strategy that links the spans that a document is given, and in one without those that another strategy
    chooses; and given spans that can't be linked."""
    lost = LostSpans()
    closed = [key in document.source.spans for document in cleaned]
    if not any(closed):
        return choose, lost
    sentence = layout.sentence.tolist()
    rows: dict[tuple[int, int], str] = {}
    offset = 0
    for document in cleaned:
        doc = document.doc
        for span in read_group(document.source, key):
            if span and is_blank(span.text):
                lost.add(WHITE_SPACE, f"{span.text!r} in {describe_doc(doc)}")
        for span in read_group(doc, key):
            first, last = offset + span.start, offset + span.end - 1
            place = f"{span.text!r} in {describe_doc(doc)}"
            if first > last:
                lost.add(EMPTY, place)
            elif sentence[first] != sentence[last]:
                lost.add(CROSSES_SENTENCES, place)
            else:
                rows[first, last] = place
        offset += len(doc)
    device = layout.document.device
    spans = torch.tensor(sorted(rows), dtype=torch.long, device=device).view(-1, 2)
    possible = layout.has_index(spans[:, 0], spans[:, 1])
    for first, last in spans[~possible].tolist():
        lost.add(TOO_WIDE_HERE, rows[first, last])
    flat = layout.flat_index(*spans[possible].T)
    return Given(flat, torch.tensor(closed, dtype=torch.bool, device=device), choose), lost
