"""The entities that a document has before any cluster: those with names, and the known speakers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from .entity_types import EntityTypes, Kind, Weights, add
from .forms import FIRST_PERSON, Form
from .named_entities import NamedEntities, NameUse
from .names import Name, NameReader, split_label
from .scored import LEAST_SCORE, Scored

DOUBT = 0.5
"""How probably a pronoun is not that of the name that the network links it to, when it tells the type of the entity."""

MOST_VOTES = 20.0
"""The most pronouns that count as evidence of a name, so that a title can outweigh them."""

MOST_OF_A_LINK = 4.0
"""A link between two names counts for no more, and no less than the negative of this."""

ONE_PERSON = frozenset({"same", "full", "given", "nickname", "titles"})
"""How the name of a speaker is related to a name in the text if both are of one person."""


@dataclass(frozen=True, slots=True)
class KnownEntities:
    """Entities by number, those with names first.

    of_mention (list[int | None]): The entity of each mention, None without a name that is no "I" of a known speaker.
    of_speaker (dict[int, int]): That of each known speaker.
    told (list[Weights]): What the pronouns that the network links to its names tell of the type of each.
    speaking (frozenset[int]): Those that are known to speak.
    """

    of_mention: list[int | None]
    of_speaker: dict[int, int]
    told: list[Weights]
    speaking: frozenset[int]


@dataclass(frozen=True, slots=True)
class EntityFinder:
    """Finds the entities that have names, or are known speakers.

    labelled (Sequence[tuple[Kind, Weights]]): What the labels of each mention tell.
    """

    forms: Sequence[Form]
    scored: Scored
    labelled: Sequence[tuple[Kind, Weights]]
    reader: NameReader
    types: EntityTypes

    def find(self) -> KnownEntities:
        """Number the entities, and tell which mentions are theirs."""
        uses: dict[tuple[Name, Kind], list[int]] = {}
        kinds = self._kinds_of_names()
        for mention, (form, (kind, _)) in enumerate(zip(self.forms, self.labelled, strict=True)):
            if form.name is not None:
                uses.setdefault((form.name, kind or kinds.get(form.name, "")), []).append(mention)
        name_of = {mention: number for number, mentions in enumerate(uses.values()) for mention in mentions}
        told = self._told_by_pronouns(name_of, len(uses))
        described = []
        for ((used, _), mentions), row in zip(uses.items(), told, strict=True):
            labels = (self.labelled[mention][1] for mention in mentions)
            evidence = self._sum((self.types.evidence(self.forms[mentions[0]].evidence), row, *labels))
            sentences = frozenset(self.scored.sentences[mention] for mention in mentions)
            described.append(NameUse(used, evidence, sentences))
        groups = NamedEntities(described, self._links_of_names(name_of), self.reader, self.types).groups()
        of_name = {name: entity for entity, group in enumerate(groups) for name in group}
        count = max([len(self.scored.speaker_names), *self.scored.speakers])
        speakers = {speaker: len(groups) + speaker for speaker in range(1, count + 1)}
        speakers |= self._entities_of_speakers(of_name, [name if kind != "thing" else None for name, kind in uses])
        of_mention = [of_name[name_of[mention]] if mention in name_of else None for mention in range(len(self.forms))]
        speaking = set()
        for mention, (form, speaker) in enumerate(zip(self.forms, self.scored.speakers, strict=True)):
            speaker = self.scored.named.get(mention, speaker if form.evidence == FIRST_PERSON else 0)
            if speaker:
                of_mention[mention] = speakers[speaker]
                speaking.add(speakers[speaker])
        told_of_entity = [self._sum(told[name] for name in group) for group in groups]
        told_of_entity += [self.types.nothing] * (1 + count)
        return KnownEntities(of_mention, speakers, told_of_entity, frozenset(speaking))

    def _kinds_of_names(self) -> dict[Name, Kind]:
        """The kind that the labels of a name tell most often: mentions without a label are of it, too."""
        counts: dict[Name, Counter[Kind]] = {}
        for form, (kind, _) in zip(self.forms, self.labelled, strict=True):
            if form.name is not None and kind:
                counts.setdefault(form.name, Counter())[kind] += 1
        return {name: kinds.most_common(1)[0][0] for name, kinds in counts.items()}

    def _entities_of_speakers(self, of_name: dict[int, int], names: Sequence[Name | None]) -> dict[int, int]:
        """The entity of each speaker whose name is that of one entity of the text, and of no other.

        names (Sequence[Name | None]): The names, None for those of things.
        """
        entities: dict[int, int] = {}
        for speaker, label in enumerate(self.scored.speaker_names, start=1):
            own = self.reader.read(split_label(label))
            if own is not None:
                related = {
                    of_name[i] for i, name in enumerate(names) if name and self.reader.relate(own, name) in ONE_PERSON
                }
                if len(related) == 1:
                    (entities[speaker],) = related
        return entities

    def _sum(self, rows: Iterable[Weights]) -> Weights:
        return reduce(add, rows, self.types.nothing)

    def _told_by_pronouns(self, name_of: dict[int, int], count: int) -> list[Weights]:
        """Sum the evidence of pronouns for the type of each name, weighted by the probabilities of their links."""
        votes: list[dict[str, float]] = [{} for _ in range(count)]
        for mention, form in enumerate(self.forms):
            if not form.is_pronoun or not form.evidence.startswith("3 singular "):
                continue
            antecedents, _, masses = self.scored.links[mention]
            norm = 1.0 + sum(masses)
            for antecedent, mass in zip(antecedents, masses, strict=True):
                if antecedent in name_of:
                    own = votes[name_of[antecedent]]
                    own[form.evidence] = own.get(form.evidence, 0.0) + mass / norm
        told = []
        for counts in votes:
            share = min(1.0, MOST_VOTES / max(sum(counts.values()), 1e-9))
            rows = (tuple(share * n * x for x in self.types.doubted(kind, DOUBT)) for kind, n in sorted(counts.items()))
            told.append(self._sum(rows))
        return told

    def _links_of_names(self, name_of: dict[int, int]) -> dict[tuple[int, int], tuple[float, int]]:
        """The mean score of the best links between the mentions of two names, and how many there are."""
        sums: dict[tuple[int, int], list[float]] = {}
        for mention, name in name_of.items():
            best: dict[int, float] = {}
            antecedents, scores, _ = self.scored.links[mention]
            for other, score in [(name_of[a], s) for a, s in zip(antecedents, scores, strict=True) if a in name_of]:
                if other != name and score > best.get(other, LEAST_SCORE):
                    best[other] = score
            for other, score in best.items():
                total = sums.setdefault((min(name, other), max(name, other)), [0.0, 0.0])
                total[0] += max(-MOST_OF_A_LINK, min(MOST_OF_A_LINK, score))
                total[1] += 1
        return {pair: (total / count, int(count)) for pair, (total, count) in sums.items()}
