"""Coordinations that a plural refers to: "Lucas and Emma" of "Lucas and Emma missed the train. They took a taxi."

Corpora annotate few (of LitBank's gold 2 of 274 pairs of mentions with an "and" between them, of OntoGUM's 113 of
1,257), so networks hardly ever select one. One is a mention here where a plural asks for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from spacy.attrs import LOWER
from spacy.tokens import Doc

from ..annotation import Mention
from ..annotation.scored_mentions import ScoredMentions
from ..examples.token_facts import sentence_numbers
from ..extensions.clusters import Cluster
from ..extensions.frames import SrlFrame
from ..extensions.mention_types import part_of_speech
from ..language import PRONOUNS, language_words
from .arguments import EntityFinder
from .clustering import Form, read_forms
from .clustering.forms import read_words

SENTENCES_BACK = 1
THEY = {"person": 3, "number": "plural"}
PERSONS = frozenset({"noun person", "noun male", "noun female", "title male", "title female"})
ASKED = 2.0
"""How much more than its best antecedent a coordination scores for the plural that asks for it."""


def find_coordinations(doc: Doc, scored: ScoredMentions, frames: Sequence[SrlFrame]) -> dict[int, tuple[Mention, int]]:
    """The coordination that each plural refers to if no other plural is its antecedent, by the number of the plural,
    with the number of its first member; none that is a mention."""
    mentions, words = scored.mentions, read_words(doc, LOWER)
    pronouns = language_words(doc.vocab, PRONOUNS)
    they = {word for word in {*words} if word in pronouns and THEY.items() <= pronouns[word].items()} | {"both"}
    asking = [n for n, (start, end) in enumerate(mentions) if words[start] in (they if end == start + 1 else ("both",))]
    if not asking:
        return {}
    sentences = sentence_numbers(doc).tolist()
    near = {sentences[mentions[number][0]] - back for number in asking for back in range(SENTENCES_BACK + 1)}
    beside = [mention for mention in mentions if sentences[mention[0]] in near]
    pairs = _coordinations(doc, beside, [frame for frame in frames if sentences[frame.predicate.start] in near])
    if not pairs:
        return {}
    forms = read_forms(doc, mentions)
    form_of = dict(zip(mentions, forms, strict=True))
    known = [
        own
        for own, members in pairs.items()
        if own not in form_of and _are_people(doc, members, [form_of[one] for one in members])
    ]
    known.sort()
    numbers, found = {mention: number for number, mention in enumerate(mentions)}, {}
    for number in asking:
        start = mentions[number][0]
        least = sentences[start] - SENTENCES_BACK
        near_by = known[bisect_left(known, least, key=lambda one: sentences[one[0]]) : bisect_left(known, (start, 0))]
        antecedents = scored.antecedents[number][scored.links[number] > scored.threshold].tolist()
        plurals = {mentions[one] for one in antecedents if forms[one].evidence.endswith("plural")}
        own = max((one for one in near_by if one[1] <= start and plurals <= {*pairs[one]}), default=None)
        if own is not None:
            found[number] = own, numbers[pairs[own][0]]
    return found


def _are_people(doc: Doc, members: Sequence[Mention], forms: Sequence[Form]) -> bool:
    """Check whether members have names or are nouns for persons, beside whom "her pupils" may stand."""
    known = [form.name is not None or form.evidence in PERSONS for form in forms]
    owned = [part_of_speech(doc[start]) in ("DET", "PRON") for start, _ in members]
    return any(known) and all(
        is_known or (is_owned and form.evidence == "noun plural")
        for is_known, is_owned, form in zip(known, owned, forms, strict=True)
    )


def _coordinations(doc: Doc, mentions: Sequence[Mention], frames: Sequence[SrlFrame]) -> dict[Mention, list[Mention]]:
    """The arguments that are coordinations of mentions, each with its members."""
    finder = EntityFinder([Cluster([doc[start:end]]) for start, end in mentions], frames)
    spans = {(one.start, one.end): one for frame in frames for own in frame.arguments.values() for one in own}
    found = {}
    for _, span in sorted(spans.items()):
        members = finder.members(span, only_mentions=True)
        if len(members) > 1:
            found[members[0].start, span.end] = [(one.start, one.end) for one in members]
    return found
