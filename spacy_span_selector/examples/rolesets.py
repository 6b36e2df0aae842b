"""The rolesets of a component: those that words were seen with in the training corpus, and those of a lexicon."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate

import torch
from spacy.attrs import LEMMA, ORTH
from spacy.tokens import Doc, Span
from torch import Tensor

from ..annotation import get_frames
from ..annotation.lexicon import Lexicon
from ..extensions.english import verbs_in_perfect, words_of_form
from ..layers.spans.layout import Spans
from ..layers.srl.predicates import Senses
from ..layers.srl.roles import ABSENT, NO_TAG, FrameTable, Pairs

RolesetCounts = dict[str, dict[str, int]]
"""How often each form, and each lemma, was seen with each roleset."""
MOST_BETWEEN = 3
"""How many words may stand between the auxiliary of the perfect and its verb."""


def count_rolesets(docs: Iterable[Doc], prefix: str) -> RolesetCounts:
    """Count the rolesets of the predicates of documents, by form and by lemma."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for doc in docs:
        for frame in get_frames(doc, prefix):
            if frame.roleset:
                predicate = doc[frame.start : frame.end]
                for key in {*_form_and_lemma(predicate.text, predicate.lemma_)}:
                    counts[key][frame.roleset] += 1
    return {key: dict(sorted(counts[key].items())) for key in sorted(counts)}


def add_rolesets(
    docs: Iterable[Doc], prefix: str, seen: RolesetCounts, known: RolesetCounts | None = None
) -> RolesetCounts:
    """Add rolesets that words are seen with for the first time. Counts of what was seen before stay.

    known (RolesetCounts | None): The same with what else is known. A word that was looked up by its lemma, or in a
        lexicon, keeps the rolesets that it had there.
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
            for key in {*_form_and_lemma(predicate.text, predicate.lemma_)}:
                before.setdefault(key, seen.get(key, had))
                new[key][frame.roleset] += 1
    rows = {key: {**new[key], **before[key]} for key in new}
    return {key: dict(sorted(row.items())) for key, row in sorted({**seen, **rows}.items())}


def number_rolesets(counts: RolesetCounts, lexicon: Lexicon) -> dict[str, int]:
    """A number for each roleset, from 0: first those that were seen, then those that only the lexicon has."""
    seen = sorted({roleset for row in counts.values() for roleset in row})
    return {roleset: i for i, roleset in enumerate([*seen, *sorted(lexicon.keys() - {*seen})])}


def add_lexicon(counts: RolesetCounts, lexicon: Lexicon) -> RolesetCounts:
    """Add the words that were never seen, with each roleset that the lexicon has for them as if seen once.

    Of these the first is the most common: frames number the senses of a word so, each "fry.01" before "fried.02".
    """
    words: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for roleset in sorted(lexicon, key=lambda name: name.rpartition(".")[::-1]):
        for word in lexicon[roleset]["words"]:
            words[word][roleset] = 1
    return {**words, **counts}


def seen_rolesets(predicate: Span, counts: RolesetCounts) -> dict[str, int]:
    """Count how often the form of a predicate, else its lemma, else a possible lemma, was seen with each roleset."""
    return _rolesets_of(_form_and_lemma(predicate.text, predicate.lemma_), (), counts, None)


def _rolesets_of(
    form_and_lemma: Iterable[str], verbs: Iterable[str], counts: RolesetCounts, lexicon: Lexicon | None
) -> dict[str, int]:
    """`seen_rolesets` of these words.

    lexicon (Lexicon | None): The words of rolesets. Those of other words, such as "learn.01" of "leaned", count only
        if there is no other: corpora hold slips. Nor does the adjective "drunk.01" of "had drunk".
    """
    form, *lemma = form_and_lemma
    keys = [form, *lemma, *words_of_form(form)]
    known = [counts[key] for key in keys if key in counts]
    if lexicon:
        words = {key.partition(" ")[0] for key in keys}
        for allowed in filter(None, (words, {*verbs})):
            own = ({name: n for name, n in row.items() if _may_be_of(name, lexicon, allowed)} for row in known)
            known = [*filter(None, own), *known]
    return known[0] if known else {}


def _may_be_of(roleset: str, lexicon: Lexicon, words: Set[str]) -> bool:
    """Check whether a roleset belongs to one of some words, particles apart, or is not in the lexicon."""
    if roleset not in lexicon:
        return True
    names = [roleset.rpartition(".")[0].replace("_", " "), *lexicon[roleset]["words"]]
    return any(name.partition(" ")[0] in words for name in names)


@dataclass(frozen=True)
class LookUpSenses:
    """The rolesets that the predicates of a batch may have.

    lexicon (Lexicon | None): Those whose words are known.
    """

    docs: Sequence[Doc]
    counts: RolesetCounts
    numbers: Mapping[str, int]
    lexicon: Lexicon | None = None

    def __call__(self, predicates: Spans) -> Senses:
        """Look up the rolesets of each predicate; one whose form and lemma were never seen has none."""
        edges = list(accumulate((len(doc) for doc in self.docs), initial=0))
        words = [_texts_and_lemmas(doc) for doc in self.docs]

        @cache  # most words come again
        def find(text: str, lemma: str, verbs: tuple[str, ...]) -> tuple[list[int], list[float]]:
            known = _rolesets_of(_form_and_lemma(text, lemma), verbs, self.counts, self.lexicon)
            return [*map(self.numbers.__getitem__, known)], [*map(math.log, known.values())]

        which, rolesets, log_counts = list[int](), list[int](), list[float]()
        for i, (start, end) in enumerate(zip(predicates.starts.tolist(), predicates.ends.tolist(), strict=True)):
            number = bisect_right(edges, start) - 1
            first = start - edges[number]
            texts, lemmas = words[number]
            text, lemma = texts[first], lemmas[first]
            if start < end:
                predicate = self.docs[number][first : end + 1 - edges[number]]
                text, lemma = predicate.text, predicate.lemma_
            before = texts[max(0, first - MOST_BETWEEN - 1) : first + 1]
            numbers, logs = find(text, lemma, tuple(verbs_in_perfect(before)))
            which += [i] * len(numbers)
            rolesets += numbers
            log_counts += logs
        device = predicates.starts.device
        pairs = (torch.tensor(column, dtype=torch.long, device=device) for column in (which, rolesets))
        return Senses(Pairs(*pairs), torch.tensor(log_counts, device=device))


def _texts_and_lemmas(doc: Doc) -> list[list[str]]:
    strings = doc.vocab.strings
    return [[strings[number] for number in column] for column in doc.to_array([ORTH, LEMMA]).reshape(-1, 2).T.tolist()]


def _form_and_lemma(text: str, lemma: str) -> list[str]:
    lemma = lemma.lower().strip()
    return [" ".join(text.lower().split()), *([lemma] if lemma else [])]


CORE_ROLE = re.compile(r"(?:[RC]-)*(ARG[0-9A])(?:-.*)?")
"""A role that frames define, a reference to it or a continuation of it."""
RAREST_TAG = 10
"""How many roles of the lexicon share a function tag at least: what is learnt of rarer ones helps nobody."""


@dataclass(frozen=True)
class KnownRolesets:
    """Rolesets by number.

    lexicon (Lexicon): What is known of rolesets, seen or not.
    labels (Sequence[str]): The roles of the component.
    """

    seen_counts: RolesetCounts
    lexicon: Lexicon
    labels: Sequence[str]

    @cached_property
    def counts(self) -> RolesetCounts:
        """The rolesets that each form and lemma may have, with counts."""
        return add_lexicon(self.seen_counts, self.lexicon)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each roleset; those that were seen come first."""
        return number_rolesets(self.seen_counts, self.lexicon)

    @cached_property
    def seen(self) -> int:
        """The number of rolesets that were seen."""
        return len(number_rolesets(self.seen_counts, {}))

    @property
    def tags(self) -> int:
        """The number of function tags, ABSENT among them; 0 without a lexicon."""
        return 1 + len(self._tag_numbers) if self.lexicon else 0

    def frame_table(self, device: torch.device, unique_roles: Sequence[str], *, strict: bool) -> FrameTable:
        """The frames of all rolesets as tensors; the arguments are the fields of `FrameTable`."""
        unique = torch.tensor([label in unique_roles for label in self.labels], dtype=torch.bool, device=device)
        if device not in self._tables:
            self._tables[device] = self._table.to(device)
        return FrameTable(self._tables[device], unique, strict)

    def describe(self, roleset: str | None, roles: Iterable[str]) -> tuple[str | None, dict[str, str] | None]:
        """Look up the meaning of a roleset and of some roles, also references and continuations, in the lexicon."""
        entry = self.lexicon.get(roleset or "")
        if entry is None:
            return None, None
        texts = {}
        for role in roles:
            core = CORE_ROLE.fullmatch(role)
            known = entry["roles"].get(core[1]) if core else None
            if known and known["description"]:
                texts[role] = known["description"]
        return entry["name"] or None, texts or None

    @cached_property
    def _tag_numbers(self) -> dict[str, int]:
        uses = Counter(role["tag"] for entry in self.lexicon.values() for role in entry["roles"].values())
        frequent = sorted(tag for tag, count in uses.items() if tag and count >= RAREST_TAG)
        return {tag: ABSENT + i for i, tag in enumerate(frequent, start=1)}

    @cached_property
    def _tables(self) -> dict[torch.device, Tensor]:
        """The table on each device that asked for it. It is large, so it is not copied for each batch."""
        return {}

    @cached_property
    def _table(self) -> Tensor:
        core = [match and match[1] for match in map(CORE_ROLE.fullmatch, self.labels)]
        rows = []
        for roleset in self.numbers:
            roles = self.lexicon[roleset]["roles"] if roleset in self.lexicon else None
            tags = {label: self._tag_numbers.get(role["tag"], NO_TAG) for label, role in (roles or {}).items()}
            other = NO_TAG if roles is None else ABSENT
            rows.append([NO_TAG if label is None else tags.get(label, other) for label in core])
        return torch.tensor(rows, dtype=torch.long).view(len(rows), len(core))
