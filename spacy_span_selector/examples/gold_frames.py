"""From examples to gold frames: what cannot be learnt is left out and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from spacy.training import Example

from ..annotation import annotates_all_predicates, describe_doc, get_frames, has_frames_annotated
from ..layers.spans.layout import Lengths, Spans, is_long
from ..layers.srl.arguments import GoldFrames
from ..layers.srl.roles import is_near
from .alignment import SpanAligner
from .lost import LostSpans
from .rolesets import RolesetCounts, seen_rolesets

TOO_FAR = "lies further from its predicate than arguments are looked for in a long sentence"
OTHER_SENTENCE = "lies in another sentence of the predicted document than its predicate"
UNKNOWN_ROLE = "has a role that is not among the labels of the component"
UNKNOWN_ROLESET = "is not among the rolesets of the component"
UNSEEN_ROLESET = "is not among the rolesets that the component knows of its word"


def gold_frames(
    examples: Sequence[Example],
    sentences: Sequence[Lengths],
    *,
    prefix: str,
    predicates_key: str,
    roles: Mapping[str, int],
    rolesets: Mapping[str, int],
    seen: RolesetCounts | None,
    max_width: int | None,
    band_width: int | None,
    device: torch.device | None,
) -> tuple[GoldFrames, LostSpans]:
    """Align the gold frames of a batch with its predicted documents.

    sentences, max_width: As for `SpanAligner`; of all examples.
    seen (RolesetCounts | None): The rolesets that each form and lemma may have; None if rolesets are not learnt.
    band_width (int | None): As in `NetworkSettings`.
    RETURNS (tuple[GoldFrames, LostSpans]): What can be learnt, and what was left out: predicates that don't align,
        with all of their arguments; arguments; and rolesets, whose predicates are kept.
    """
    lost = LostSpans()
    frames: list[tuple[int, int, int, list[tuple[int, int, int]]]] = []
    offset = 0
    for example, runs in zip(examples, sentences, strict=True):
        reference = example.reference
        align = SpanAligner(example, runs, max_width)
        for frame in get_frames(reference, prefix):
            predicate = align(frame.start, frame.end, any_width=True)
            if isinstance(predicate, str):
                place = f"predicate {reference[frame.start : frame.end].text!r} in {describe_doc(reference)}"
                lost.add(predicate, place, (frame.start, frame.end))
                continue
            arguments: list[tuple[int, int, int]] = []
            for start, end, role in frame.arguments:
                aligned = align(start, end)
                if isinstance(aligned, str):
                    reason = aligned
                elif not align.in_one_sentence(predicate[0], aligned[0]):
                    reason = OTHER_SENTENCE
                elif is_long(align.sentence_length(predicate[0]), band_width) and not is_near(aligned, predicate[0]):
                    reason = TOO_FAR
                elif role not in roles:
                    reason = UNKNOWN_ROLE
                else:
                    arguments.append((offset + aligned[0], offset + aligned[1], roles[role]))
                    continue
                label = role if reason == UNKNOWN_ROLE else None
                lost.add(
                    reason, f"{role} {reference[start:end].text!r} in {describe_doc(reference)}", (start, end), label
                )
            if frame.roleset and seen is not None:
                words = example.predicted[predicate[0] : predicate[1] + 1]
                if frame.roleset not in seen_rolesets(words, seen):
                    reason = UNSEEN_ROLESET if frame.roleset in rolesets else UNKNOWN_ROLESET
                    place = f"{frame.roleset!r} of {words.text!r} in {describe_doc(reference)}"
                    lost.add(reason, place, (frame.start, frame.end), frame.roleset)
            roleset = rolesets.get(frame.roleset or "", -1)
            frames.append((offset + predicate[0], offset + predicate[1], roleset, arguments))
        offset += len(example.predicted)
    frames.sort(key=lambda frame: frame[:2])
    predicates = (
        torch.tensor([frame[:3] for frame in frames], dtype=torch.long, device=device).view(-1, 3).T.contiguous()
    )
    arguments_of = [(*argument, i) for i, frame in enumerate(frames) for argument in frame[3]]
    rows = torch.tensor(arguments_of, dtype=torch.long, device=device).view(-1, 4).T.contiguous()
    annotated = [has_frames_annotated(example.reference, prefix, predicates_key) for example in examples]
    complete = [annotates_all_predicates(example.reference, predicates_key) for example in examples]
    gold = GoldFrames(
        predicates=Spans(predicates[0], predicates[1]),
        rolesets=predicates[2],
        arguments=Spans(rows[0], rows[1]),
        frames=rows[3],
        roles=rows[2],
        annotated=torch.tensor(annotated, dtype=torch.bool, device=device),
        complete=torch.tensor(complete, dtype=torch.bool, device=device),
    )
    return gold, lost
