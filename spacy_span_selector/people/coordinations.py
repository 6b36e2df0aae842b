"""Coordinations that a plural refers to: "Lucas and Emma" of "Lucas and Emma missed the train. They took a taxi."

Corpora annotate few (of LitBank's gold 2 of 274 pairs of mentions with an "and" between them, of OntoGUM's 113 of
1,257), so networks hardly ever select one. One is a mention here where a plural asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc

from ..annotation import Mention
from ..annotation.scored_mentions import ScoredMentions
from ..examples.token_facts import sentence_numbers
from ..extensions.frames import doc_frames
from ..extensions.mention_types import part_of_speech
from .arguments import EntityFinder
from .clustering import Form, read_forms

SENTENCES_BACK = 1
PERSONS = frozenset({"noun person", "noun male", "noun female", "title male", "title female"})
ASKED = 2.0
"""How much more than its best antecedent a coordination scores for the plural that asks for it."""


def find_coordinations(doc: Doc, scored: ScoredMentions) -> dict[int, tuple[Mention, int]]:
    """The coordination that each plural refers to without being linked to a plural, by the number of the plural, with
    the number of its first member."""
    forms = read_forms(doc, scored.mentions)
    asking = [number for number, form in enumerate(forms) if _asks(doc, scored.mentions[number], form)]
    if not asking:
        return {}
    sentences = sentence_numbers(doc).tolist()
    numbers = {mention: number for number, mention in enumerate(scored.mentions)}
    pairs = {
        own: members
        for own, members in _coordinations(doc, scored.mentions).items()
        if _are_people(doc, members, [forms[numbers[one]] for one in members])
    }
    found = {}
    for number in asking:
        start = scored.mentions[number][0]
        near = [
            (own, members)
            for own, members in pairs.items()
            if own[1] <= start and sentences[own[0]] >= sentences[start] - SENTENCES_BACK
        ]
        antecedents = scored.antecedents[number][scored.links[number] > scored.threshold].tolist()
        plurals = [scored.mentions[one] for one in antecedents if forms[one].evidence.endswith("plural")]
        near = [(own, members) for own, members in near if all(one in members for one in plurals)]
        if near:
            own, members = max(near)
            found[number] = own, numbers[members[0]]
    return found


def _are_people(doc: Doc, members: Sequence[Mention], forms: Sequence[Form]) -> bool:
    """Check whether members have names or are nouns for persons, beside whom "her pupils" may stand."""
    known = [form.name is not None or form.evidence in PERSONS for form in forms]
    owned = [part_of_speech(doc[start]) in ("DET", "PRON") for start, _ in members]
    return any(known) and all(
        is_known or (is_owned and form.evidence == "noun plural")
        for is_known, is_owned, form in zip(known, owned, forms, strict=True)
    )


def _asks(doc: Doc, mention: Mention, form: Form) -> bool:
    return form.evidence == "3 plural" or doc[mention[0]].lower_ == "both"


def _coordinations(doc: Doc, mentions: Sequence[Mention]) -> dict[Mention, list[Mention]]:
    """The arguments that are coordinations of mentions, each with its members."""
    frames = doc_frames(doc)
    finder = EntityFinder([[doc[start:end]] for start, end in mentions], frames)
    spans = {(one.start, one.end) for frame in frames for own in frame.arguments.values() for one in own}
    found = {}
    for start, end in sorted(spans):
        members = finder.members(doc[start:end], only_mentions=True)
        if len(members) > 1:
            found[members[0].start, end] = [(one.start, one.end) for one in members]
    return found
