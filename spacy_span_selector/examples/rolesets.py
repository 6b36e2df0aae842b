"""Which rolesets a predicate may have: those that its form, or else its lemma, was seen with, or that a lexicon has."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from spacy.tokens import Doc, Span

from ..annotation import get_frames
from ..annotation.lexicon import Lexicon
from ..extensions.english import base_forms
from ..layers.spans.layout import Spans
from ..layers.srl.pairs import Pairs
from ..layers.srl.rolesets import Senses

RolesetCounts = dict[str, dict[str, int]]
"""How often each form, and each lemma, was seen with each roleset."""


def count_rolesets(docs: Iterable[Doc], prefix: str) -> RolesetCounts:
    """Count the rolesets of the predicates of documents, by form and by lemma.

    docs (Iterable[Doc]): Documents with gold frames.
    prefix (str): Prefix of the keys of the frames in `doc.spans`.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for doc in docs:
        for frame in get_frames(doc, prefix):
            if frame.roleset:
                predicate = doc[frame.start : frame.end]
                for key in {*_form_and_lemma(predicate)}:
                    counts[key][frame.roleset] += 1
    return {key: dict(sorted(counts[key].items())) for key in sorted(counts)}


def add_rolesets(
    docs: Iterable[Doc], prefix: str, seen: RolesetCounts, known: RolesetCounts | None = None
) -> RolesetCounts:
    """Add rolesets that words are seen with for the first time. Counts of what was seen before stay.

    docs (Iterable[Doc]): Documents with gold frames.
    prefix (str): Prefix of the keys of the frames in `doc.spans`.
    seen (RolesetCounts): What was seen so far.
    known (RolesetCounts | None): The same with what else is known. A word that was looked up by its lemma, or in a
        lexicon, keeps the rolesets that it had there.
    RETURNS (RolesetCounts): The old and the new counts.
    """
    known = seen if known is None else known
    new: defaultdict[str, Counter[str]] = defaultdict(Counter)
    before: dict[str, dict[str, int]] = {}
    for doc in docs:
        for frame in get_frames(doc, prefix):
            predicate = doc[frame.start : frame.end]
            had = seen_rolesets(predicate, known)
            if not frame.roleset or frame.roleset in had:
                continue
            for key in {*_form_and_lemma(predicate)}:
                before.setdefault(key, seen.get(key, had))
                new[key][frame.roleset] += 1
    rows = {key: {**new[key], **before[key]} for key in new}
    return {key: dict(sorted(row.items())) for key, row in sorted({**seen, **rows}.items())}


def number_rolesets(counts: RolesetCounts, lexicon: Lexicon) -> dict[str, int]:
    """A number for each roleset, from 0: first those that were seen, then those that only the lexicon has."""
    seen = sorted({roleset for row in counts.values() for roleset in row})
    return {roleset: i for i, roleset in enumerate([*seen, *sorted(lexicon.keys() - {*seen})])}


def add_lexicon(counts: RolesetCounts, lexicon: Lexicon) -> RolesetCounts:
    """Add the words that were never seen, with each roleset that the lexicon has for them as if seen once."""
    words: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for roleset, entry in lexicon.items():
        for word in entry["words"]:
            words[word][roleset] = 1
    return {**words, **counts}


def seen_rolesets(predicate: Span, counts: RolesetCounts) -> dict[str, int]:
    """How often the form of a predicate, or else its lemma, or what may be its lemma, was seen with each roleset."""
    return next((counts[key] for key in _keys(predicate) if key in counts), {})


@dataclass(frozen=True)
class LookUpSenses:
    """The rolesets that the predicates of a batch may have.

    docs (Sequence[Doc]): The documents of the batch.
    counts (RolesetCounts): How often each form and lemma was seen with each roleset.
    numbers (Mapping[str, int]): The number of each roleset.
    """

    docs: Sequence[Doc]
    counts: RolesetCounts
    numbers: Mapping[str, int]

    def __call__(self, predicates: Spans) -> Senses:
        """Look up the rolesets of each predicate; one whose form and lemma were never seen has none."""
        edges = list(accumulate((len(doc) for doc in self.docs), initial=0))
        rows: list[tuple[int, int]] = []
        log_counts: list[float] = []
        for i, (start, end) in enumerate(zip(predicates.starts.tolist(), predicates.ends.tolist(), strict=True)):
            number = bisect_right(edges, start) - 1
            known = seen_rolesets(self.docs[number][start - edges[number] : end + 1 - edges[number]], self.counts)
            rows += [(i, self.numbers[roleset]) for roleset in known]
            log_counts += [math.log(count) for count in known.values()]
        device = predicates.starts.device
        index = torch.tensor(rows, dtype=torch.long, device=device).view(-1, 2)
        return Senses(Pairs(index[:, 0], index[:, 1]), torch.tensor(log_counts, device=device))


def _keys(predicate: Span) -> Iterator[str]:
    """What a predicate is looked up by: its form, then its lemma if it has one, then what its form may be a form of."""
    yield from _form_and_lemma(predicate)
    yield from base_forms(_form_and_lemma(predicate)[0])


def _form_and_lemma(predicate: Span) -> list[str]:
    lemma = predicate.lemma_.lower().strip()
    return [" ".join(predicate.text.lower().split()), *([lemma] if lemma else [])]
