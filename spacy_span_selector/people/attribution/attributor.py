"""The speakers and addressees of quotations, the likeliest from left to right.

The speaker of a quotation is one of the entities that are mentioned near it, or have spoken shortly before, or nobody,
if it is no speech. A candidate is a mention, or a remembered speaker; features of a candidate (`features.py`) add up to
its score, a softmax makes probabilities of scores, and those of the candidates of an entity add up to its own. Features
look at the speakers of the quotations before, which are decided already. Addressees are found afterwards, in the same
way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import exp

from spacy.vocab import Vocab

from ...language import QUOTATION_WEIGHTS, SOURCES, language_words
from .features import Candidate, CandidateFinder, is_called
from .scene import Range, Scene
from .tags import Tag, TagReader

CUE = 6
"""The words that introduce a quotation stand within so many words beside it."""

TAGGED, TOLD, CALLED = 0.98, 0.75, 0.94
"""How often a tag is right: of 552 in LitBank's training texts 545 name the speaker, and 8 of 11 the addressee. And how
often "you" of a turn is the speaker of another one whom it calls: 73 of 78 times in Character Identification."""

Probabilities = Mapping[int | None, float]
"""Of clusters; None stands for nobody."""


@dataclass(frozen=True)
class Attribution:
    """Who says a quotation to whom.

    speaker, addressee (int | None): Clusters; None for nobody.
    speakers, addressees (Mapping[int | None, float]): The probability of each.
    mention, addressee_mention (int | None): The mentions that tell who they are, or else those nearest.
    cue (tuple[int, int] | None): The words that introduce the quotation: a verb of speech and the speaker.
    is_speech (bool): Whether it is said by somebody, although nobody is known.
    is_tagged (bool): Whether its tag tells who speaks.
    """

    speaker: int | None = None
    addressee: int | None = None
    speakers: Probabilities = field(default_factory=dict)
    addressees: Probabilities = field(default_factory=dict)
    mention: int | None = None
    addressee_mention: int | None = None
    cue: Range | None = None
    is_speech: bool = False
    is_tagged: bool = False


class Attributor:
    """Finds speakers and addressees with the tables of a language. Without tables, nobody is found."""

    def __init__(self, vocab: Vocab) -> None:
        self._weights = weights = language_words(vocab, QUOTATION_WEIGHTS)
        self._weight = cache(lambda name: weights.get(name, 0.0))
        self._sources = language_words(vocab, SOURCES)

    def attribute(self, scene: Scene) -> list[Attribution]:
        """The speaker and the addressee of each quotation."""
        if not self._weights:
            return [Attribution() for _ in scene.quotations]
        speakers: list[int | None] = []
        found: list[tuple[dict[int | None, float], int | None]] = []
        reader, finder = TagReader(scene, self._sources), CandidateFinder(scene)
        tags = [reader.read(number) for number in range(len(scene.quotations))]
        told = [None if tag is None else scene.clusters[tag.speaker] for tag in tags]
        for number, tag in enumerate(tags):
            if tag is None and scene.goes_on(number):
                speakers.append(speakers[-1])
                found.append(found[-1])
                continue
            candidates = finder.speakers(number, speakers)
            clusters, best = self._choose(finder.take_turns(number, speakers, told, candidates))
            if tag is not None:
                clusters = _trust(clusters, told[number], TAGGED)
                best[told[number]] = tag.speaker
            speakers.append(max(clusters, key=clusters.__getitem__))
            found.append((clusters, best.get(speakers[-1])))
        return [
            self._complete(reader, finder, number, speakers, clusters, mention, tags[number])
            for number, (clusters, mention) in enumerate(found)
        ]

    def address(self, scene: Scene, speakers: Sequence[int | None]) -> list[Attribution]:
        """The probable addressees of each quotation, or turn of a dialogue, whose speaker is known; no mentions.

        speakers (Sequence[int | None]): The cluster of each speaker; None if it is not known.
        """
        if not self._weights:
            return [Attribution() for _ in speakers]
        finder, known = CandidateFinder(scene), {*speakers}
        found = []
        for number, speaker in enumerate(speakers):
            if speaker is None:
                found.append(Attribution(speakers={None: 1.0}))
                continue
            addressees = self._choose(finder.addressees(number, speakers))[0]
            called = finder.called_in(number) & known
            greeted = {scene.clusters[m] for m in scene.inside[number] if is_called(scene, m, greeted=True)}
            called = (greeted or called) - {speaker, None}
            if not called and len(others := known - {speaker, None}) == 1:
                called = others
            if len(called) == 1:
                addressees = _trust(addressees, called.pop(), CALLED)
            found.append(Attribution(speaker=speaker, speakers={speaker: 1.0}, addressees=addressees))
        return found

    def _complete(
        self,
        reader: TagReader,
        finder: CandidateFinder,
        number: int,
        speakers: Sequence[int | None],
        clusters: Probabilities,
        mention: int | None,
        tag: Tag | None,
    ) -> Attribution:
        scene, speaker = reader.scene, speakers[number]
        if speaker is None:
            return Attribution(speakers=clusters, is_speech=scene.is_turn(number) or reader.is_said(number))
        addressees, named = self._choose(finder.addressees(number, speakers))
        if tag is not None and tag.addressee is not None and (told := scene.clusters[tag.addressee]) != speaker:
            addressees = _trust(addressees, told, TOLD)
            named[told] = tag.addressee
        likeliest = max(addressees, key=addressees.__getitem__)
        addressee = None if likeliest == speaker else likeliest
        if mention is None:
            own, cue = scene.nearest(number, speaker), None
        else:
            own, cue = mention, self._cue(scene, number, mention)
        to = None if addressee is None else named.get(addressee)
        if addressee is not None and to is None:
            to = scene.nearest(number, addressee)
        return Attribution(
            speaker=speaker,
            addressee=addressee,
            speakers=clusters,
            addressees=addressees,
            mention=own,
            addressee_mention=to,
            cue=cue,
            is_tagged=tag is not None,
        )

    def _choose(self, candidates: Sequence[Candidate]) -> tuple[dict[int | None, float], dict[int | None, int]]:
        """The probability of each cluster, and its likeliest mention."""
        scores = [sum(map(self._weight, candidate.features)) for candidate in candidates]
        greatest = max(scores)
        masses = [*map(exp, [score - greatest for score in scores])]
        total = sum(masses)
        clusters: dict[int | None, float] = {}
        mentions: dict[int | None, int] = {}
        for number in sorted(range(len(scores)), key=scores.__getitem__, reverse=True):
            cluster, mention, _ = candidates[number]
            clusters[cluster] = clusters.get(cluster, 0.0) + masses[number] / total
            if mention is not None:
                mentions.setdefault(cluster, mention)
        return clusters, mentions

    def _cue(self, scene: Scene, number: int, mention: int) -> Range | None:
        """The words from a verb of speech to the speaker, or from the speaker to the verb, beside a quotation."""
        start, end = scene.quotations[number]
        first, last = scene.mentions[mention]
        if first >= end and scene.narrated[first] - scene.narrated[end] <= CUE and first - end <= CUE:
            low, high = end, min(last + CUE, len(scene.words))
        elif last <= start and start - last <= CUE:
            low, high = max(0, first - CUE), start
        else:
            return None
        found = [i for i in range(low, high) if i in scene.said]
        if not found:
            return None
        verb = min(found, key=lambda i: min(abs(i - first), abs(i - last + 1)))
        cue = min(verb, first), max(verb + 1, last)
        return cue if len({*scene.sentences[cue[0] : cue[1]]}) == 1 else None


def _trust(clusters: Probabilities, told: int | None, trust: float) -> dict[int | None, float]:
    """Probabilities of clusters, one of which is told with so much trust."""
    known = {cluster: (1 - trust) * probability for cluster, probability in clusters.items()}
    return {**known, told: known.get(told, 0.0) + trust}
