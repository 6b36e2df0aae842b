"""From examples to gold mentions: what can be learnt is kept, what can't is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from spacy.training import Example

from ..annotation import describe_doc, get_clusters, is_annotated
from ..layers.gold import GoldMentions


@dataclass
class LostMentions:
    """Gold mentions that training left out.

    counts (Counter[str]): How many, by reason.
    first (dict[str, str]): Where each reason was met first: document and mention.
    """

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)

    def add(self, reason: str, place: str) -> None:
        """Count a mention."""
        self.counts[reason] += 1
        self.first.setdefault(reason, place)


MISALIGNED = "does not start and end at token boundaries of the predicted document"
CROSSES_SENTENCES = "crosses a sentence boundary of the predicted document"
TOO_WIDE = "is wider than 'max_span_width' of the model"
EMPTY = "has no tokens"
REPEATED = "is also in an earlier cluster"


def gold_mentions(
    examples: Sequence[Example],
    sentence_lengths: Sequence[Sequence[int]],
    *,
    prefix: str,
    mentions_key: str,
    max_width: int | None,
    device: torch.device | None,
) -> tuple[GoldMentions, LostMentions]:
    """Align the gold clusters of a batch with its predicted documents.

    examples (Sequence[Example]): The examples.
    sentence_lengths (Sequence[Sequence[int]]): The sentences of the predicted documents.
    prefix, mentions_key (str): Where the annotation is kept in `doc.spans`.
    max_width (int | None): The greatest number of tokens of a mention, None for no limit.
    device (torch.device | None): Where the tensors go.
    RETURNS (tuple[GoldMentions, LostMentions]): What can be learnt, and what was left out.
    RAISES (ValueError): If the two sides of an example have different texts.
    """
    lost = LostMentions()
    mentions: dict[tuple[int, int], int] = {}
    offset = cluster_number = 0
    for example, lengths in zip(examples, sentence_lengths, strict=True):
        sentence = np.repeat(np.arange(len(lengths)), lengths)
        clusters = get_clusters(example.reference, prefix)
        first, last = _aligned_edges(example) if clusters else ([], [])
        for cluster in clusters:
            for start, end in cluster:
                # A span without tokens may lie behind the last token, where there is nothing to look up.
                aligned = (first[start], last[end - 1]) if start < end else (-1, -1)
                mention = (offset + aligned[0], offset + aligned[1])
                if start == end:
                    reason = EMPTY
                elif min(aligned) < 0:
                    reason = MISALIGNED
                elif sentence[aligned[0]] != sentence[aligned[1]]:
                    reason = CROSSES_SENTENCES
                elif max_width is not None and aligned[1] - aligned[0] >= max_width:
                    reason = TOO_WIDE
                elif mention in mentions:
                    reason = REPEATED
                else:
                    mentions[mention] = cluster_number
                    continue
                lost.add(reason, f"{example.reference[start:end].text!r} in {describe_doc(example.reference)}")
            cluster_number += 1
        offset += len(example.predicted)
    spans = torch.tensor(list(mentions), dtype=torch.long, device=device).view(-1, 2)
    annotated = [is_annotated(example.reference, prefix, mentions_key) for example in examples]
    gold = GoldMentions(
        starts=spans[:, 0],
        ends=spans[:, 1],
        clusters=torch.tensor(list(mentions.values()), dtype=torch.long, device=device),
        annotated=torch.tensor(annotated, dtype=torch.bool, device=device),
    )
    return gold, lost


def _aligned_edges(example: Example) -> tuple[list[int], list[int]]:
    """For each token of the reference, the predicted token that starts where it starts, and the one that ends
    where it ends; -1 where there is none."""
    try:
        alignment = example.alignment
    except ValueError as error:
        raise ValueError(
            f"Can't align {describe_doc(example.reference)}: its text differs from the text that was annotated. "
            f"The reference starts {example.reference.text[:60]!r}, the prediction {example.predicted.text[:60]!r}. "
            "Make both from the same text, whitespace and case aside."
        ) from error
    to_predicted, to_reference = alignment.y2x, alignment.x2y
    first = _edge(to_predicted.data, to_predicted.lengths, 0)
    last = _edge(to_predicted.data, to_predicted.lengths, -1)
    first_back = _edge(to_reference.data, to_reference.lengths, 0)
    last_back = _edge(to_reference.data, to_reference.lengths, -1)
    places = np.arange(len(first))
    starts_together = (first >= 0) & (first_back[first] == places)
    ends_together = (last >= 0) & (last_back[last] == places)
    return np.where(starts_together, first, -1).tolist(), np.where(ends_together, last, -1).tolist()


def _edge(data: np.ndarray, lengths: np.ndarray, which: int) -> np.ndarray:
    """The first (0) or last (-1) partner of each token in a ragged alignment, -1 for tokens without any."""
    stops = np.cumsum(lengths)
    index = stops - lengths if which == 0 else stops - 1
    padded = np.append(data, -1).astype(np.int64)
    return np.where(lengths > 0, padded[np.where(lengths > 0, index, -1)], -1)
