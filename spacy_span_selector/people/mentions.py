"""The mentions that clusters are made of: those of the network, some of them cut short, and others beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, groupby, pairwise

import numpy as np
from spacy.attrs import LOWER
from spacy.tokens import Doc

from ..annotation import Mention, set_mentions
from ..annotation.scored_mentions import ScoredMentions, links_of_kept
from ..examples.token_facts import number_speakers
from ..extensions.english import POSSESSIVES, RELATIVES, words_of
from ..extensions.frames import MODAL, SrlFrame
from ..language import CLITICS
from .clustering.forms import read_words
from .coordinations import ASKED, find_coordinations

CONTINUING = words_of("ADP") | {"ago", "all", "both", "later", "that"}
DETERMINERS = words_of("DET", "ADV") | POSSESSIVES | {"her"}


def with_mentions(scored: ScoredMentions, added: Mapping[Mention, int]) -> ScoredMentions:
    """Mentions and others, which nothing was compared with.

    added (Mapping[Mention, int]): New mentions, each with the number of one that it is as probable as, of the same
        types.
    """
    mentions = sorted([*scored.mentions, *added])
    numbers = {mention: number for number, mention in enumerate(mentions)}
    new = np.array([numbers[mention] for mention in scored.mentions])
    antecedents = np.zeros((len(mentions), scored.antecedents.shape[1]), dtype=scored.antecedents.dtype)
    antecedents[new] = new[scored.antecedents.clip(0, len(new) - 1)]
    links = np.full(antecedents.shape, -np.inf, dtype=scored.links.dtype)
    links[new] = scored.links
    alike = {**{mention: number for number, mention in enumerate(scored.mentions)}, **added}
    rows = [alike[mention] for mention in mentions]
    return replace(
        scored,
        mentions=mentions,
        scores=[scored.scores[row] for row in rows],
        antecedents=antecedents,
        links=links,
        singletons=scored.singletons
        | {mention for mention, row in added.items() if scored.mentions[row] in scored.singletons},
        types={label: column[rows] for label, column in scored.types.items()},
    )


def without_overruns(doc: Doc, scored: ScoredMentions, frames: Sequence[SrlFrame]) -> ScoredMentions:
    """End mentions before the verb of their clause: "the boy who sold his bike" of "the boy who sold his bike left".

    Where this is a mention already, the longer one is none. Nor is the less probable of two of one noun, nor are two
    arguments of one verb side by side, nor the stamps of turns, "12:03", outside of them.
    """
    none = _doubles(doc, scored) | _side_by_side(scored, frames)
    ends = _ends_of_subjects(doc, frames)
    spoken = number_speakers(doc)[0]
    has_turns = spoken.any()
    kept: dict[int, Mention] = {}
    last = shortened = (0, 0)
    for number, mention in enumerate(scored.mentions):
        start, end = mention
        cut = (start, min([*(one for one in ends[start] if one < end), end])) if start in ends else mention
        is_stamp = has_turns and not spoken[start] and not any(map(str.isalpha, doc[start:end].text))
        crosses = shortened[0] < start < shortened[1] < end  # it was within one that has been cut
        if (cut == mention or last < cut) and not (is_stamp or crosses or number in none):
            kept[number] = last = cut
            shortened = cut if cut != mention else shortened
    mentions = [*kept.values()]
    if mentions == scored.mentions:
        return scored
    scores = [scored.scores[number] for number in kept]
    set_mentions(doc, mentions, scores, scored.mentions_key)
    singletons = {cut for number, cut in kept.items() if scored.mentions[number] in scored.singletons}
    antecedents, links = links_of_kept(scored.antecedents, scored.links, [*kept])
    types = {label: column[[*kept]] for label, column in scored.types.items()}
    return replace(
        scored,
        mentions=mentions,
        scores=scores,
        singletons=singletons,
        antecedents=antecedents,
        links=links,
        types=types,
    )


def with_coordinations(doc: Doc, scored: ScoredMentions, frames: Sequence[SrlFrame]) -> ScoredMentions:
    """Make mentions of the coordinations that a plural asks for, and link it to them."""
    asked = find_coordinations(doc, scored, frames)
    if not asked:
        return scored
    plurals = {scored.mentions[number]: own for number, (own, _) in asked.items()}
    scored = with_mentions(scored, dict(asked.values()))
    numbers = {mention: number for number, mention in enumerate(scored.mentions)}
    for plural, own in plurals.items():
        row, worst = numbers[plural], scored.links[numbers[plural]].argmin()
        best = max(scored.threshold, float(scored.links[row].max()))
        scored.antecedents[row, worst], scored.links[row, worst] = numbers[own], best + ASKED
    set_mentions(doc, scored.mentions, scored.scores, scored.mentions_key)
    return scored


def _doubles(doc: Doc, scored: ScoredMentions) -> set[int]:
    """The less probable of two mentions of one noun: "the garden" and "the garden by the lake", "all the gardens" and
    "the gardens"."""
    words, mentions, doubles = read_words(doc, LOWER), scored.mentions, set()
    by_end = sorted(range(len(mentions)), key=lambda number: mentions[number][::-1])
    for alike, order, is_double in ((0, range(len(mentions)), _continues), (1, by_end, _determines)):
        for _, beside in groupby(order, key=lambda number: mentions[number][alike]):
            for first, second in combinations(beside, 2):
                more = words[mentions[first][1 - alike] : mentions[second][1 - alike]]
                if is_double(more):
                    doubles.add(min(first, second, key=scored.scores.__getitem__))
    return doubles


def _side_by_side(scored: ScoredMentions, frames: Sequence[SrlFrame]) -> set[int]:
    """Mentions that are two mentions, both arguments of one verb: "him home" of "take him home"."""
    numbers = {mention: number for number, mention in enumerate(scored.mentions)}
    arguments = (sorted((a.start, a.end) for own in frame.arguments.values() for a in own) for frame in frames)
    return {
        numbers[first[0], second[1]]
        for own in arguments
        for first, second in pairwise(own)
        if first[1] == second[0] and first in numbers and second in numbers and (first[0], second[1]) in numbers
    }


def _continues(words: Sequence[str]) -> bool:
    """Check whether words behind a noun phrase belong to its noun, as a relative clause does."""
    if len(words) == 1 and words[0] in CLITICS:  # "Ann" and "Ann's"
        return True
    words = words[words[0] == "," :]
    return not RELATIVES.isdisjoint(words[:2]) or not CONTINUING.isdisjoint(words[:1])


def _determines(words: Sequence[str]) -> bool:
    """Check whether words are determiners of the noun phrase behind them."""
    return DETERMINERS.issuperset(words)


def _ends_of_subjects(doc: Doc, frames: Sequence[SrlFrame]) -> dict[int, list[int]]:
    """Where subjects with a relative clause end right before their verb, by their starts."""
    words = read_words(doc)
    predicates = {frame.predicate.start for frame in frames if not words[frame.predicate.end - 1].endswith("ing")}
    ends: dict[int, list[int]] = {}
    for frame in frames:
        modals = [modal.start for modal in frame.arguments.get(MODAL, ())]
        for span in frame.arguments.get("ARG0", []) + frame.arguments.get("ARG1", []):
            if (span.end in predicates or span.end in modals) and any(one.lower_ in RELATIVES for one in span[1:-1]):
                ends.setdefault(span.start, []).append(span.end)
    return ends
