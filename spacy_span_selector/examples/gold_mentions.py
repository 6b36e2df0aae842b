"""From examples to gold mentions: what cannot be learnt is left out and counted."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from spacy.training import Example

from ..annotation import describe_doc, get_clusters, has_clusters_annotated
from ..layers.coref.gold import GoldMentions
from ..layers.spans.layout import Runs
from .alignment import SpanAligner
from .lost import LostSpans

REPEATED = "is also in an earlier cluster"
TWICE = "comes a second time in its cluster"


def gold_mentions(
    examples: Sequence[Example],
    sentences: Sequence[Runs],
    *,
    prefix: str,
    mentions_key: str,
    max_width: int | None,
    device: torch.device | None,
) -> tuple[GoldMentions, LostSpans]:
    """Align the gold clusters of a batch with its predicted documents.

    examples (Sequence[Example]): The examples.
    sentences (Sequence[Runs]): The sentences of the predicted documents.
    prefix, mentions_key (str): Where the annotation is kept in `doc.spans`.
    max_width (int | None): The greatest number of tokens of a mention, None for no limit.
    device (torch.device | None): Where the tensors go.
    RETURNS (tuple[GoldMentions, LostSpans]): What can be learnt, and what was left out.
    RAISES (ValueError): If the two sides of an example have different texts.
    """
    lost = LostSpans()
    mentions: dict[tuple[int, int], int] = {}
    offset = cluster_number = 0
    for example, runs in zip(examples, sentences, strict=True):
        align = SpanAligner(example, runs, max_width)
        for cluster in get_clusters(example.reference, prefix):
            for start, end in cluster:
                aligned = align(start, end)
                if isinstance(aligned, str):
                    reason = aligned
                elif (mention := (offset + aligned[0], offset + aligned[1])) in mentions:
                    reason = TWICE if mentions[mention] == cluster_number else REPEATED
                else:
                    mentions[mention] = cluster_number
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
    )
    return gold, lost
