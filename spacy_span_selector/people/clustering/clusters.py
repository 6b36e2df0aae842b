"""From scored antecedents to clusters that are consistent as a whole.

The network scores each pair of mentions by itself. Here a mention is compared with whole clusters, strong evidence
first:

1. Names are divided into those of one entity each (`named_entities.py`), anywhere in the document, and the "I" of a
   known speaker is a name of this speaker. Labels, and the pronouns that the network links to a name, tell the type of
   its entity (`known_entities.py`).
2. A mention with a name joins its entity, where the network links the two.
3. All other mentions, from left to right, join the cluster C with the greatest

       1/2 log( sum of exp 2 s(i, j) over mentions j in C )  +  min(0, agreement of i with C)  -  costs

   or none, where no such score exceeds that of having no antecedent. So a cluster of several likely antecedents beats
   one that has the likeliest, but one of many unlikely ones, as that of a hero, does not. A definite noun has half a
   point more for a cluster that has it. Agreement only counts where it is negative: that a mention agrees with its
   antecedent is what the network has learnt, but it has not seen the cluster. It costs to be inside a mention of the
   cluster, to be a plural of another noun, or what keeps mentions apart (`apart.py`): an argument beside it, another
   person of the grammar. Up to four mentions of a sentence that are apart from each other are decided together. What is
   said of a subject ("she is a lawyer") has the evidence of that, too.
   "I" and "you" in quotations wait until all others are done.
4. A mention with a name also takes over the cluster without a name that it would have joined ("a stranger ... he ...
   Mr. Smith"). Clusters of two named entities are never joined.
5. Quotations are attributed to clusters (`attribution/`). "He" and "she" leave the cluster that says them, where they
   may be another. "I" and "you" in a quotation join as in step 3, where the log probability that the cluster speaks, or
   is spoken to, counts beside the links. Each "I" of a quotation is one, and its speaker; a tag, "said Ann", decides
   who.

The search is greedy: step 1 is as exact as `named_entities.py` says, and no later decision is undone. Time is linear in
the number of pairs that the network scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, inf, log
from operator import itemgetter
from typing import Literal, NamedTuple

from ..attribution import Attribution
from .apart import (
    ANAPHOR,
    ARGUMENT_COST,
    BOUND,
    GENDERED,
    IT,
    MOST_CLUSTERS,
    MOST_RIVALS,
    NEUTER,
    PERSON_COST,
    RIVAL_COST,
    Persons,
    assign,
)
from .entity_types import EntityTypes, Weights, add
from .forms import FIRST_PERSON, OF_TALK, Form
from .known_entities import EntityFinder
from .names import Name, NameReader
from .scored import LEAST_SCORE, Scored

Why = Literal[
    "name", "speaker", "addressee", "reflexive", "other name", "argument", "voice", "person", "type", "nested", "whole"
]

REACH = 300
"""How many mentions back the network may look for an antecedent. Training documents have about so many: it has learnt
nothing of greater distances, and would find the antecedent of "he" chapters away. Names are joined over any
distance."""

SAME_NAME, SAME_NOUN = 0.5, 0.5
"""What is added to the score of a name for the others of its entity, and to that of a definite noun for a cluster that
has it: networks doubt what stands far away."""

NESTING_COST = 1.5
"""The cost of a mention inside another one of its cluster: in gold clusters it is rare, but not unknown."""

OTHER_PLURAL = 1.5
"""The cost of a plural noun in a cluster of others, "the fishermen" in that of "the children"."""

ACRONYM = 4.0
"""What an acronym adds to its link with the name that it stands for, of which networks know nothing. Right behind the
name it is an apposition, and scores less than this."""

ESTABLISHED = 2
"""A named entity has one cluster of so many mentions or more, and of those with a title."""

DISAGREEMENT = -1.0
"""A cluster with which a mention agrees less differs in gender or number from it."""


TRUST, UNKNOWN, UNLINKED = 2.0, 0.02, -1.0
"""How much the log probability of a speaker counts, what is added to the probability, and what a cluster counts that
the network does not link to "I" or "you"."""

LIKELY = 0.5
"""A cluster that speaks with this probability is the reason why "I" has joined it."""

Attribute = Callable[[Sequence[int | None], Mapping[int, int]], Sequence[Attribution]]
"""Takes the cluster of each mention, None for one that waits, and of each speaker that is known, and tells who says
each quotation."""


class Reason(NamedTuple):
    """Why a mention was not linked to the antecedent that the network prefers.

    why (Why): "name": it has a name of the entity that it was joined with; "speaker": it is the "I" of one speaker;
        "addressee": it is the "you" of a quotation; "reflexive": it is its subject; "other name": the antecedent is of
        another named entity; "argument": both are arguments of one frame; "voice": "he" or "she" is not who says it;
        "person": the cluster has another person of the grammar; "type": gender, number or label; "nested": one mention
        is inside another; "whole": another cluster, or having no antecedent, is likelier as a whole.
    refused (int | None): The antecedent, by number; None if the network prefers to have none.
    """

    why: Why
    refused: int | None


class Clustering(NamedTuple):
    """Clusters of mentions.

    clusters (list[int]): The number of the cluster of each mention.
    antecedents (list[int | None]): The antecedent of each mention: of those before it in its cluster, the one that the
        network holds most likely, or the last if it scored none; None for the first mention of a cluster.
    reasons (list[Reason | None]): Why a mention was joined or kept apart against what the network alone would do.
    attributions (Sequence[Attribution]): Who says each quotation to whom; its clusters are not those above.
    """

    clusters: list[int]
    antecedents: list[int | None]
    reasons: list[Reason | None]
    attributions: Sequence[Attribution]


@dataclass(slots=True, eq=False)
class _Cluster:
    """A cluster: what its mentions are evidence of, the log probability of it, its named entity, its mentions, whether
    one has a title, the persons of the grammar, the nouns and the plural ones in it, and the cluster that took it
    over."""

    evidence: Weights
    log_p: float
    entity: int | None
    members: list[int] = field(default_factory=list)
    is_titled: bool = False
    persons: Persons = field(default_factory=Persons)
    nouns: set[str] = field(default_factory=set)
    plurals: set[str] = field(default_factory=set)
    joined: _Cluster | None = None

    def find(self) -> _Cluster:
        cluster = self
        while cluster.joined is not None:
            cluster = cluster.joined
        return cluster

    def leave(self, mention: int, forms: Sequence[Form], voices: Sequence[int]) -> None:
        """Take a pronoun out, and its person. Its evidence stays, which agreed with that of the others."""
        self.members.remove(mention)
        self.persons = Persons()
        for member in self.members:
            self.persons.add(forms[member].evidence, voices[member])


def cluster_mentions(
    forms: Sequence[Form],
    scored: Scored,
    reader: NameReader,
    types: EntityTypes,
    threshold: float = 0.0,
    attribute: Attribute | None = None,
) -> Clustering:
    """Cluster the mentions of a document."""
    return _Search(forms, scored, reader, types, threshold, attribute).run()


@dataclass(eq=False)
class _Search:
    forms: Sequence[Form]
    scored: Scored
    reader: NameReader
    types: EntityTypes
    threshold: float
    attribute: Attribute | None

    def __post_init__(self) -> None:
        forms, scored, types = self.forms, self.scored, self.types
        labels = scored.labels or [{}] * len(forms)
        labelled = [types.labelled(own) for own in labels]
        self.known = EntityFinder(forms, scored, labelled, self.reader, types).find()
        words = [types.words(form.evidence, own) for form, own in zip(forms, labels, strict=True)]
        self.evidence = [add(word, told) for word, (_, told) in zip(words, labelled, strict=True)]
        self.links = scored.links
        self.cluster_of: list[_Cluster | None] = [None] * len(forms)
        self.overlaps = _overlaps(scored.mentions)
        self.voices = [
            quotation if speaker == 0 else -1 - speaker
            for quotation, speaker in zip(scored.quotations, scored.speakers, strict=True)
        ]
        self.waiting: set[int] = set()
        self.talk: dict[int, Why] = {}
        self.parted: set[int] = set()

    def run(self) -> Clustering:
        self._link_names()
        if self.attribute:
            self.waiting = {
                mention
                for mention, quotation in enumerate(self.scored.quotations)
                if quotation >= 0 and self.cluster_of[mention] is None and self.forms[mention].evidence in OF_TALK
            }
        for mention, cluster in enumerate(self.cluster_of):
            if cluster is not None:
                self._take_over(mention, cluster)
            elif mention not in self.waiting:
                self._join_best(mention)
        told, clusters = self._attribute()
        self._part_from_speakers(told, clusters)
        attributions = [*told]
        talk: dict[tuple[int, str], list[int]] = {}
        for mention in sorted(self.waiting):
            talk.setdefault((self.scored.quotations[mention], self.forms[mention].evidence), []).append(mention)
        for (quotation, evidence), mentions in talk.items():
            if evidence == FIRST_PERSON:
                attributions[quotation] = self._join_speaker(mentions, attributions[quotation], clusters)
            else:
                self._join_talk(mentions, attributions[quotation], clusters)
        return self._result(attributions)

    # quotations

    def _attribute(self) -> tuple[Sequence[Attribution], list[_Cluster]]:
        """Who says each quotation, and the clusters by the numbers that they have there."""
        if self.attribute is None:
            return [], []
        numbers = _number(self.cluster_of)
        clusters = [*numbers]
        of_mention = [None if cluster is None else numbers[cluster] for cluster in self.cluster_of]
        of_entity = {cluster.entity: number for cluster, number in reversed(numbers.items())}
        of_speaker = {}
        for speaker, entity in self.known.of_speaker.items():
            if entity not in of_entity:  # neither named nor "I", but the "you" of others
                of_entity[entity] = len(clusters)
                clusters.append(_Cluster(self.types.nothing, self.types.log_probability(self.types.nothing), entity))
            of_speaker[speaker] = of_entity[entity]
        return self.attribute(of_mention, of_speaker), clusters

    def _part_from_speakers(self, attributions: Sequence[Attribution], clusters: Sequence[_Cluster]) -> None:
        """Let "he" and "she" leave the cluster that says them, where they may be another."""
        stay = {mention for told in attributions for mention in (told.mention, told.addressee_mention)}
        for mention, quotation in enumerate(self.scored.quotations if attributions else ()):
            own, speaker = self.cluster_of[mention], attributions[quotation].speaker if quotation >= 0 else None
            is_third = self.forms[mention].evidence in GENDERED and mention not in stay
            if speaker is None or own is None or not is_third or clusters[speaker].find() is not own:
                continue
            links, least = self._candidates(mention)
            others = [(cluster, score) for cluster, score in links if cluster is not own]
            other = self._options(mention, others, least, most=1)[0][1]
            if other is not None:
                own.leave(mention, self.forms, self.voices)
                self._add(mention, other)
                self.parted.add(mention)

    def _join_speaker(
        self, mentions: Sequence[int], attribution: Attribution, clusters: Sequence[_Cluster]
    ) -> Attribution:
        """Join each "I" of a quotation to one cluster, that of its speaker; tell who speaks after this.

        A tag decides alone; without one, the links of the first "I" count, too.
        """
        if attribution.speaker is None:
            self._join_talk(mentions, attribution, clusters)
            return attribution
        best = clusters[attribution.speaker].find()
        if not attribution.is_tagged:
            values = dict(self._trusted(self._by_cluster(mentions[0]), attribution.speakers, clusters)[0])
            evidence = self.evidence[mentions[0]]
            log_p = self.types.log_probability(evidence)
            best = max(values, key=lambda one: values[one] + self._disagreement(one, evidence, log_p))
        for mention in mentions:
            self._add(mention, best)
            self.talk[mention] = "speaker"
        if best is clusters[attribution.speaker].find():
            return attribution
        number = next((n for n in attribution.speakers if n is not None and clusters[n].find() is best), None)
        told = replace(attribution, cue=None, addressee=None, addressee_mention=None)
        return replace(told, speaker=number, mention=mentions[0])

    def _join_talk(self, mentions: Sequence[int], attribution: Attribution, clusters: Sequence[_Cluster]) -> None:
        """Join the first "I" of a quotation to its speaker, or the first "you" to its addressee, as far as they are
        probable; the others join the first."""
        mention, *others = mentions
        is_own = self.forms[mention].evidence == FIRST_PERSON
        told = attribution.speakers if is_own else attribution.addressees
        if not told:
            for one in mentions:
                self._join_best(one)
            return
        trusted, known = self._trusted(self._by_cluster(mention), told, clusters)
        speaker = attribution.speaker
        if not is_own and speaker is not None and attribution.speakers[speaker] == 1.0:  # that of a turn: it is known
            own = clusters[speaker].find()
            trusted = [found for found in trusted if found[0] is not own]
        best = self._join(mention, trusted, self.threshold + TRUST * log(told.get(None, 0.0) + UNKNOWN))
        if known.get(best, 0.0) >= LIKELY:
            self.talk |= dict.fromkeys(mentions, "speaker" if is_own else "addressee")
        for other in others:
            self._add(other, best)

    def _trusted(
        self,
        links: dict[_Cluster, float],
        told: Mapping[int | None, float],
        clusters: Sequence[_Cluster],
    ) -> tuple[list[tuple[_Cluster, float]], dict[_Cluster, float]]:
        """What clusters are worth by their links and by the probability that they speak, and this probability.

        Two witnesses: their logarithms add up. Clusters that were two when quotations were attributed may be one by
        now: their probabilities add up. One that the network does not link is a candidate all the same.
        """
        known: dict[_Cluster, float] = {}
        for number, probability in told.items():
            if number is not None:
                cluster = clusters[number].find()
                known[cluster] = known.get(cluster, 0.0) + probability
                links.setdefault(cluster, UNLINKED)
        return [(own, score + TRUST * log(known.get(own, 0.0) + UNKNOWN)) for own, score in links.items()], known

    # names

    def _link_names(self) -> None:
        """Join the mentions of each named entity that the network links, and then the clusters that are established.

        A name may be used without referring ("Copyright Information"), and the network knows: it does not link such
        mentions. So links count together with how often earlier uses of the name were joined, and how often left alone,
        as log odds; a mention that has no other of its entity within reach is joined if these are not against it.
        """
        clusters: dict[int, list[_Cluster]] = {}
        last: dict[int, int] = {}
        joined: Counter[tuple[int, Name | None]] = Counter()
        alone: Counter[tuple[int, Name | None]] = Counter()
        waiting = []
        for mention, entity in enumerate(self.known.of_mention):
            if entity is None:
                continue
            own = clusters.setdefault(entity, [])
            if mention in self.scored.unscored:
                waiting.append((mention, entity))
                continue
            form = self.forms[mention]
            use = entity, form.name
            refers = SAME_NAME + log((joined[use] + 1) / (alone[use] + 1)) + ACRONYM * form.is_acronym
            best = max(self._by_cluster(mention, entity).items(), key=itemgetter(1), default=None)
            if own and mention - last[entity] > REACH:  # the network has compared it with none of them
                best = (max(own, key=lambda cluster: len(cluster.members)), inf) if refers >= 0 else None
            if best is not None and best[1] + refers > self.threshold:
                self._add(mention, best[0])
                joined[use] += best[1] < inf
            else:
                alone[use] += bool(own)
                own.append(self._new(mention, entity))
            last[entity] = mention
        for mention, entity in waiting:
            use, own = (entity, self.forms[mention].name), clusters[entity]
            if own and joined[use] >= alone[use]:
                self._add(mention, max(own, key=lambda cluster: len(cluster.members)))
            else:
                own.append(self._new(mention, entity))
        for entity, own in clusters.items():
            self._join_established(own, entity in self.known.speaking)
            for cluster in own:
                if cluster.joined is None:
                    self._learn(cluster, self.known.told[entity])

    def _join_established(self, clusters: Sequence[_Cluster], speaks: bool) -> None:
        """Join the clusters of a named entity that have a title or several mentions, or all if it is known to speak."""
        established = [one for one in clusters if speaks or len(one.members) >= ESTABLISHED or one.is_titled]
        for cluster in established[1:]:
            self._merge(established[0], cluster)

    def _merge(self, cluster: _Cluster, other: _Cluster) -> None:
        for mention in other.members:
            self.cluster_of[mention] = cluster
        cluster.members += other.members
        other.joined = cluster
        cluster.persons.update(other.persons)
        cluster.nouns |= other.nouns
        cluster.plurals |= other.plurals
        self._learn(cluster, other.evidence)

    # clusters

    def _by_cluster(self, mention: int, entity: int | None = None) -> dict[_Cluster, float]:
        """The clusters of the antecedents of a mention, those of an entity if one is given, each with its score.

        That of who speaks is none of "he" and "she".
        """
        is_other = self.forms[mention].evidence.startswith("3 singular")
        speaker = self.known.of_speaker.get(self.scored.speakers[mention], -1) if is_other else -1
        antecedents, _, masses = self.links[mention]
        if mention in self.scored.bound:
            antecedents, masses = [*antecedents, self.scored.bound[mention]], [*masses, exp(BOUND)]
        sums: dict[_Cluster, float] = {}
        for cluster, mass in zip(map(self.cluster_of.__getitem__, antecedents), masses, strict=True):
            if cluster in sums:
                sums[cluster] += mass * mass
            elif cluster is not None and cluster.entity != speaker and (entity is None or cluster.entity == entity):
                sums[cluster] = mass * mass
        return {cluster: log(total) / 2 for cluster, total in sums.items()}

    def _join_best(self, mention: int) -> None:
        rivals = self._rivals(mention)
        if len(rivals) == 1:
            self._join(mention, *self._candidates(mention))
            return
        options = [self._options(rival, *self._candidates(rival)) for rival in rivals]
        apart = {
            (i, j): ARGUMENT_COST
            for j, rival in enumerate(rivals)
            for i in range(j)
            if rivals[i] in self.scored.apart.get(rival, ())
        }
        self._put(mention, assign(options, apart)[0][1])

    def _candidates(self, mention: int) -> tuple[list[tuple[_Cluster, float]], float]:
        """The clusters of the antecedents of a mention, and what they must be worth: less for "it", and where an
        argument beside "he" or "she" is all that the network would link it to, since these stand for something."""
        form = self.forms[mention]
        links = [*self._by_cluster(mention).items()]
        if form.is_definite:
            links = [(cluster, score + SAME_NOUN * (form.noun in cluster.nouns)) for cluster, score in links]
        beside = self.scored.apart.get(mention, ())
        is_anaphor = bool(beside) and form.evidence in GENDERED
        barred = is_anaphor and any(score > self.threshold and self._holds(one, beside) for one, score in links)
        return links, self.threshold - ANAPHOR * barred - IT * (form.evidence == NEUTER)

    def _rivals(self, mention: int) -> list[int]:
        """A mention, and those behind it that are still to be decided and are arguments beside one of these."""
        rivals = [mention]
        for rival in rivals:
            for other in self.scored.apart.get(rival, ()):
                is_open = other > mention and self.cluster_of[other] is None and other not in self.waiting
                if is_open and other not in rivals and len(rivals) < MOST_RIVALS:
                    rivals.append(other)
        return rivals

    def _join(self, mention: int, scored: Iterable[tuple[_Cluster, float]], least: float) -> _Cluster:
        """Join the cluster with the greatest score and agreement, if these are more than the least, or a new one; tell
        which it joined."""
        return self._put(mention, self._options(mention, scored, least, most=1)[0][1])

    def _put(self, mention: int, cluster: _Cluster | None) -> _Cluster:
        if cluster is None:
            return self._new(mention, None)
        self._add(mention, cluster)
        return cluster

    def _options(
        self, mention: int, scored: Iterable[tuple[_Cluster, float]], least: float, most: int = MOST_CLUSTERS
    ) -> list[tuple[float, _Cluster | None]]:
        """What the best clusters for a mention are worth, the best first, and what a new one is."""
        found: list[tuple[float, _Cluster | None]] = []
        evidence = self.evidence[mention]
        log_p = self.types.log_probability(evidence)
        for cluster, score in sorted(scored, key=itemgetter(1), reverse=True):
            if score <= least or (len(found) == most and score <= found[-1][0]):
                break
            worth = score + self._disagreement(cluster, evidence, log_p) - self._costs(mention, cluster)
            if worth > least:
                found.append((worth, cluster))
                found.sort(key=itemgetter(0), reverse=True)
                del found[most:]
        return [*found, (least, None)]

    def _take_over(self, mention: int, own: _Cluster) -> None:
        """Join the cluster without a name that a mention with a name continues with its entity."""
        links = self._by_cluster(mention)
        least = links.get(own, LEAST_SCORE)
        best, value = None, self.threshold
        for cluster, worth in links.items():
            if cluster.entity is None and worth > least:
                worth += self._disagreement(cluster, own.evidence, own.log_p) - self._costs(mention, cluster)
                worth -= PERSON_COST * own.persons.clash_with(cluster.persons)
                if worth > value:
                    best, value = cluster, worth
        if best is not None:
            self._merge(own, best)

    def _disagreement(self, cluster: _Cluster, evidence: Weights, log_p: float) -> float:
        """The agreement of a cluster with evidence of this log probability, as far as it is negative."""
        return min(0.0, self.types.log_probability(add(cluster.evidence, evidence)) - cluster.log_p - log_p)

    def _costs(self, mention: int, cluster: _Cluster) -> float:
        """What a cluster costs that has a mention around or inside of this one, or one that is apart from it."""
        cost = PERSON_COST * cluster.persons.clash(self.forms[mention].evidence, self.voices[mention])
        cost += NESTING_COST * self._holds(cluster, self.overlaps[mention])
        if (plural := self.forms[mention].plural) and cluster.plurals:
            cost += OTHER_PLURAL * (plural not in cluster.plurals)
        if self._holds(cluster, self.scored.apart.get(mention, ())):
            cost += RIVAL_COST if self._has_rival(mention) else ARGUMENT_COST
        return cost

    def _has_rival(self, mention: int) -> bool:
        """Check whether a mention may as well be somebody in its sentence or the one before, whom no frame excludes."""
        first, own, beside = self.scored.sentences[mention] - 1, self.evidence[mention], self.scored.apart[mention]
        near = (self.cluster_of[one] for one in self.links[mention][0] if self.scored.sentences[one] >= first)
        return any(
            not self._holds(other, beside) and self.types.agreement(other.evidence, own) >= DISAGREEMENT
            for other in near
            if other is not None
        )

    def _holds(self, cluster: _Cluster, mentions: Collection[int]) -> bool:
        return bool(mentions) and cluster in [self.cluster_of[other] for other in mentions]

    def _new(self, mention: int, entity: int | None) -> _Cluster:
        cluster = _Cluster(self.types.nothing, 0.0, entity)
        self._add(mention, cluster)
        return cluster

    def _add(self, mention: int, cluster: _Cluster) -> None:
        form = self.forms[mention]
        cluster.members.append(mention)
        cluster.is_titled |= form.name is not None and bool(form.name.titles)
        self.cluster_of[mention] = cluster
        cluster.persons.add(form.evidence, self.voices[mention])
        if form.noun:
            cluster.nouns.add(form.noun)
        if form.plural:
            cluster.plurals.add(form.plural)
        self._learn(cluster, self.evidence[mention])
        subject = self.scored.said.get(mention)
        if subject is not None and (own := self.cluster_of[subject]) not in (None, cluster):
            self._learn(cluster, own.evidence)

    def _learn(self, cluster: _Cluster, evidence: Weights) -> None:
        cluster.evidence = add(cluster.evidence, evidence)
        cluster.log_p = self.types.log_probability(cluster.evidence)

    # the result

    def _result(self, attributions: Sequence[Attribution]) -> Clustering:
        found = [cluster for cluster in self.cluster_of if cluster is not None]
        numbers = _number(found)
        clusters = [numbers[cluster] for cluster in found]
        last: dict[int, int] = {}
        antecedents: list[int | None] = []
        reasons: list[Reason | None] = []
        for mention, cluster in enumerate(clusters):
            links = sorted(zip(*self.links[mention][:2], strict=True), key=itemgetter(1), reverse=True)
            antecedent = next((other for other, _ in links if clusters[other] == cluster), last.get(cluster))
            antecedents.append(antecedent)
            preferred = links[0][0] if links and links[0][1] > self.threshold else None
            refused = preferred if preferred is not None and clusters[preferred] != cluster else None
            joined = preferred is None and antecedent is not None
            reasons.append(self._reason(mention, refused, found) if refused is not None or joined else None)
            last[cluster] = mention
        return Clustering(clusters, antecedents, reasons, attributions)

    def _reason(self, mention: int, refused: int | None, clusters: Sequence[_Cluster]) -> Reason:
        own = self.known.of_mention[mention]
        if mention in self.talk:
            return Reason(self.talk[mention], refused)
        subject = self.scored.bound.get(mention)
        if subject is not None and clusters[subject] is clusters[mention]:
            return Reason("reflexive", refused)
        if refused is None:
            if own is None:
                return Reason("whole", None)
            return Reason("name" if self.forms[mention].name is not None else "speaker", None)
        other = clusters[refused]
        if own is not None and other.entity is not None:
            return Reason("other name", refused)
        if refused in self.scored.apart.get(mention, ()):
            return Reason("argument", refused)
        if mention in self.parted:
            return Reason("voice", refused)
        if refused in self.overlaps[mention]:
            return Reason("nested", refused)
        if self.types.agreement(other.evidence, self.evidence[mention]) < DISAGREEMENT:
            return Reason("type", refused)
        if other.persons.clash(self.forms[mention].evidence, self.voices[mention]):
            return Reason("person", refused)
        return Reason("whole", refused)


def _number(clusters: Iterable[_Cluster | None]) -> dict[_Cluster, int]:
    """The numbers of clusters, in the order in which they come first."""
    return {cluster: number for number, cluster in enumerate(filter(None, dict.fromkeys(clusters)))}


def _overlaps(mentions: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The other mentions that share tokens with each: those inside it, and those that it is inside of."""
    overlaps: list[list[int]] = [[] for _ in mentions]
    still_open: list[int] = []
    for mention, (start, _) in enumerate(mentions):
        still_open = [other for other in still_open if mentions[other][1] > start]
        for other in still_open:
            overlaps[mention].append(other)
            overlaps[other].append(mention)
        still_open.append(mention)
    return overlaps
