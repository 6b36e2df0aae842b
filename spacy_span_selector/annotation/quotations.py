"""Quotations: one span group per quotation, with who speaks to whom.

`doc.spans["quotations_1"]`, `["quotations_2"]`, ... hold one quotation each, in the order of the text: first the words
that are quoted, marks included, labelled `QUOTATION`, then, each where it is known, a mention of the speaker, labelled
`SPEAKER`, a mention of the addressee, labelled `ADDRESSEE`, and the words that introduce the quotation, labelled `CUE`.
A mention stands for its cluster. `attrs["score"]` is the probability of the speaker. A quotation within another lies
within its span.

A document that is annotated, but has no quotation, has the empty group `doc.spans["quotations"]`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import NamedTuple

from spacy.tokens import Doc

from .checks import check_list, check_offsets, check_score, fail
from .clusters import Mention
from .groups import numbered_keys, read_spans, write_group, write_numbered_groups

QUOTATION_PREFIX = "quotations"
QUOTATION_LABEL, SPEAKER_LABEL, ADDRESSEE_LABEL, CUE_LABEL = "QUOTATION", "SPEAKER", "ADDRESSEE", "CUE"
SCORE = "score"


class Quotation(NamedTuple):
    """A quotation: token offsets, end exclusive.

    start, end (int): Of the words that are quoted, with their marks.
    speaker, addressee (Mention | None): A mention of who speaks, and of who is spoken to, where they are known.
    cue (Mention | None): The words that introduce the quotation, such as "said the elder", where there are some.
    score (float | None): The probability of the speaker, where it is known.
    """

    start: int
    end: int
    speaker: Mention | None = None
    addressee: Mention | None = None
    cue: Mention | None = None
    score: float | None = None

    def moved(self, move: Callable[[int, int], Mention]) -> Quotation:
        """The same quotation at other token offsets."""
        speaker, addressee, cue = (None if span is None else move(*span) for span in self[2:5])
        return Quotation(*move(self.start, self.end), speaker, addressee, cue, self.score)


def quotation_keys(doc: Doc, prefix: str = QUOTATION_PREFIX) -> list[str]:
    """The keys `{prefix}_1`, `{prefix}_2`, ... that a document has, in numeric order."""
    return numbered_keys(doc, prefix)


def has_quotations_annotated(doc: Doc, prefix: str = QUOTATION_PREFIX) -> bool:
    """Check whether a document is annotated for quotations: it has some, or an empty group."""
    return prefix in doc.spans or bool(quotation_keys(doc, prefix))


def get_quotations(doc: Doc, prefix: str = QUOTATION_PREFIX) -> list[Quotation]:
    """The quotations of a document. The first span of a group is the quotation, whatever its label; empty groups are
    left out."""
    quotations = []
    for group, spans in read_spans(doc, quotation_keys(doc, prefix)):
        if not spans:
            continue
        quoted, *others = [(span.start, span.end, span.label_) for span in spans]
        of_label = {label: (start, end) for start, end, label in reversed(others)}
        score = group.attrs.get(SCORE)
        quotations.append(
            Quotation(
                *quoted[:2],
                speaker=of_label.get(SPEAKER_LABEL),
                addressee=of_label.get(ADDRESSEE_LABEL),
                cue=of_label.get(CUE_LABEL),
                score=score if isinstance(score, float) and isfinite(score) else None,
            )
        )
    return quotations


def set_quotations(doc: Doc, quotations: Sequence[Quotation], prefix: str = QUOTATION_PREFIX) -> None:
    """Replace every quotation of a document; they are numbered in the order of the text, outer ones first."""
    quotations = [
        _check_quotation(doc, quotation, f"quotations[{i}]")
        for i, quotation in enumerate(check_list(doc, quotations, "quotations", "Quotation"))
    ]
    groups = []
    for quotation in sorted(quotations, key=lambda q: (q.start, -q.end)):
        spans = [(quotation.start, quotation.end, QUOTATION_LABEL)]
        named = zip((SPEAKER_LABEL, ADDRESSEE_LABEL, CUE_LABEL), quotation[2:5], strict=True)
        spans += [(*place, label) for label, place in named if place is not None]
        groups.append((spans, {} if quotation.score is None else {SCORE: quotation.score}))
    write_numbered_groups(doc, prefix, groups)
    doc.spans.pop(prefix, None)
    if not groups:
        write_group(doc, prefix, [])


def _check_quotation(doc: Doc, quotation: Quotation, place: str) -> Quotation:
    if not isinstance(quotation, Quotation):
        fail(doc, place, quotation, "a Quotation")
    start, end = check_offsets(doc, quotation[:2], f"(start, end) of {place}")
    speaker, addressee, cue = (
        None if span is None else check_offsets(doc, span, f"{place}.{name}")
        for name, span in zip(("speaker", "addressee", "cue"), quotation[2:5], strict=True)
    )
    score = None if quotation.score is None else check_score(doc, quotation.score, f"{place}.score")
    return Quotation(start, end, speaker, addressee, cue, score)
