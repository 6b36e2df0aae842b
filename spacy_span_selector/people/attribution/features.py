"""Features of candidates, by name: for the speaker of a quotation, or for no speech at all, and for its addressee.

A feature is a short string, of which a model has a weight. Several facts in one name are a conjunction.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import NamedTuple

from ...documents.quotations import MARKS
from .scene import Range, Scene

REACH = 50
"""A candidate stands within so many words of narration before or after the quotation."""

REMEMBERED = 3
"""So many speakers before are candidates, wherever they were mentioned last."""

DISTANCES = (0, 1, 2, 3, 4, 6, 9, 14, 20, 30)
BUCKETS = [bisect_left(DISTANCES, words) for words in range(REACH + 1)]
TOGETHER = 40
"""Quotations with more words of narration between them are no conversation."""

PREPOSITIONS = frozenset(["to", "of", "at", "with", "by", "for", "from", "on", "in", "upon", "towards", "into", "and"])
NEAR = 12
"""The words of narration beside a quotation that may name its addressee."""

GREETINGS = frozenset(["dear", "hello", "hey", "hi", "oh"])
OPENS_CLAUSE = frozenset(",:;.!?-—–--")


class Candidate(NamedTuple):
    """Who may have said a quotation.

    cluster (int | None): The cluster; None for nobody: no speech.
    mention (int | None): The mention; None for a speaker who is remembered.
    features (list[str]): What speaks for or against it.
    """

    cluster: int | None
    mention: int | None
    features: list[str]


class CandidateFinder:
    """Finds who may have said each quotation of a document, and to whom."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.said_before = [0, *accumulate(map(scene.said.__contains__, range(len(scene.words))))]
        self._told: dict[int, _Mention] = {}

    def speakers(self, quotation: int, speakers: Sequence[int | None]) -> list[Candidate]:
        """The candidates for the speaker of a quotation.

        speakers (Sequence[int | None]): The clusters of the speakers of the quotations before it; None if nobody.
        """
        scene, own = self.scene, _Quotation(self, quotation, speakers)
        found = [Candidate(None, None, own.of_nobody())]
        found += own.mentioned("<", scene.before(quotation, REACH))
        found += own.mentioned(">", scene.after(quotation, REACH))
        return found + own.remembered({candidate.cluster for candidate in found})

    def addressees(self, quotation: int, speakers: Sequence[int | None]) -> list[Candidate]:
        """The candidates for the addressee of a quotation; nobody is one.

        speakers (Sequence[int | None]): The cluster of the speaker of each quotation; None if nobody.
        """
        roles: dict[int, dict[str, None]] = {}
        mentions: dict[int, int] = {}
        for cluster, role, mention in self._roles(quotation, speakers):
            if cluster is not None:
                roles.setdefault(cluster, {})[role] = None
                if mention is not None:
                    mentions.setdefault(cluster, mention)
        is_known = speakers[quotation] is not None
        found = [Candidate(None, None, ["to nobody", f"to nobody of {'somebody' if is_known else 'nobody'}"])]
        for cluster, names in roles.items():
            kinds = sorted([name.split(" ")[0] for name in names])
            features = [*[f"to {name}" for name in names], "to " + " + ".join(kinds)]
            found.append(Candidate(cluster, mentions.get(cluster), features))
        return found

    def take_turns(
        self, quotation: int, speakers: Sequence[int | None], told: Sequence[int | None], found: Sequence[Candidate]
    ) -> Sequence[Candidate]:
        """The candidates of a quotation, without who is called in it unless its tag tells; without nobody if its form
        tells that it is speech, and without who speaks those at its side: these are other turns, likewise.

        Of 429 called in LitBank's training texts 16 are the speaker, half of these introducing themselves.

        told (Sequence[int | None]): The cluster that the tag of each quotation tells; None without one.
        """
        called = self.called_in(quotation) - {None, told[quotation]}
        found = [candidate for candidate in found if candidate.cluster not in called]
        if not self.scene.is_turn(quotation):
            return found
        others: set[int | None] = {None}
        if self.scene.is_beside(quotation) and told[quotation] != speakers[-1]:
            others.add(speakers[-1])
        if self.scene.is_beside(quotation + 1):
            others.add(told[quotation + 1])
        return [candidate for candidate in found if candidate.cluster not in others] or found[:1]

    @cached_property
    def called(self) -> frozenset[int]:
        """The mentions in quotations that call somebody."""
        return frozenset([m for inside in self.scene.inside for m in inside if is_called(self.scene, m)])

    def called_in(self, quotation: int) -> set[int | None]:
        """The clusters that a quotation calls."""
        return {self.scene.clusters[m] for m in self.scene.inside[quotation] if m in self.called}

    def told(self, mention: int) -> _Mention:
        """What a mention in the narration tells of any quotation, read once."""
        if mention in self._told:
            return self._told[mention]
        scene, said = self.scene, self.scene.said
        first, last = scene.mentions[mention]
        verb = "v.X" if first - 2 in said else "-"
        if last + 1 in said or last + 2 in said:
            verb = "X.v"
        if last in said:
            verb = "Xv"
        if first - 1 in said:
            verb = "vX"
        word = scene.lower[first - 1] if first else "."
        if word not in ("to", "of", "and", "'s", "’s"):
            word = "p" if word in PREPOSITIONS else "." if word in OPENS_CLAUSE else "-"
        edges = bisect_right(scene.quotations, last, key=itemgetter(1)), bisect_left(scene.quotations, (first,))
        return self._told.setdefault(mention, _Mention(scene.evidence[mention].split(" ")[0], verb, word, *edges))

    def _roles(self, quotation: int, speakers: Sequence[int | None]) -> Iterator[tuple[int | None, str, int | None]]:
        """Yield the roles of clusters in and around a quotation, each with the mention that has it."""
        scene, verbs, own = self.scene, self.scene.verbs, speakers[quotation]
        yield own, "speaker", None
        for mention in scene.inside[quotation]:
            if mention in self.called:
                yield scene.clusters[mention], "called", mention
            elif scene.evidence[mention][:1] not in ("1", "2"):
                yield scene.clusters[mention], "spoken-of", mention
        for step, name in ((-1, "before"), (1, "next")):
            other, turns = quotation + step, 0
            while 0 <= other < len(speakers) and abs(other - quotation) <= 4:
                if speakers[other] not in (own, None):
                    turns += 1
                    yield speakers[other], f"{name}{turns} {_gap(scene, quotation, other)}", None
                    if turns == 2:
                        break
                other += step
        for side, mentions in (("<", scene.before(quotation, NEAR)), (">", scene.after(quotation, NEAR))):
            for mention in mentions:
                if scene.clusters[mention] == own:
                    continue
                first = scene.mentions[mention][0]
                word = scene.lower[first - 1] if first else ""
                kind = "to" if word == "to" else "verb" if word in verbs else "at" if word in ("at", "with") else "near"
                yield scene.clusters[mention], f"{kind}{side} {self.told(mention).person}", mention


class _Mention(NamedTuple):
    """What a mention in the narration tells of any quotation.

    person (str): The first word of its evidence.
    verb (str): The place of a verb of speech beside it: "vX" (said X), "Xv", "X.v" (X softly said), "v.X"; "-".
    before (str): The word before it, or its kind.
    over, begun (int): How many quotations end before its end, and begin before it.
    """

    person: str
    verb: str
    before: str
    over: int
    begun: int


class _Quotation:
    """A quotation whose speaker is asked for."""

    def __init__(self, finder: CandidateFinder, quotation: int, speakers: Sequence[int | None]) -> None:
        self.finder, self.scene, self.number = finder, finder.scene, quotation
        scene = finder.scene
        self.start, self.end = scene.quotations[quotation]
        self.gap = self._gap()
        last = dict.fromkeys([speaker for speaker in reversed(speakers[-8:]) if speaker is not None])
        self.turns: dict[int | None, int] = {one: turn for turn, one in enumerate([*last][:REMEMBERED], start=1)}
        self.is_before_speech = quotation > 0 and bool(speakers) and speakers[-1] is not None
        inside = scene.inside[quotation]
        spoken_of = [m for m in inside if scene.evidence[m][:1] not in ("1", "2")]
        self.is_dialogue, self.spoken_of = len(spoken_of) < len(inside), {scene.clusters[m] for m in spoken_of}
        self.called = finder.called_in(quotation - 1) if quotation else set()
        self.edges = self._edges()

    def _gap(self) -> str:
        """The distance from the quotation before: words of narration between them, and paragraphs."""
        if self.number == 0:
            return "first"
        start, end = self.scene.quotations[self.number - 1]
        between = self.scene.narrated[self.start] - self.scene.narrated[end]
        words = "0" if between == 0 else "1" if between <= 6 else "2" if between <= 15 else "3"
        if between > TOGETHER:
            return "apart"
        paragraphs = self.scene.paragraphs
        new = "?" if paragraphs is None else str(min(paragraphs[self.start] - paragraphs[start], 3))
        cut = "" if between == 0 or self.scene.lower[self.start - 1] not in (",", "--", "—") else ","
        return f"{words}{new}{cut}"

    def _edges(self) -> str:
        """Check whether the quotation begins a paragraph, and whether it ends one."""
        paragraphs, start, end = self.scene.paragraphs, self.start, self.end
        if paragraphs is None:
            return "?"
        begins = start == 0 or paragraphs[start - 1] != paragraphs[start]
        ends = end >= len(paragraphs) or paragraphs[end] != paragraphs[end - 1]
        return f"{'b' if begins else '-'}{'e' if ends else '-'}"

    def of_nobody(self) -> list[str]:
        """The features of no speech."""
        scene, start, end = self.scene, self.start, self.end
        words = scene.words[start + 1 : end - 1]
        length = bisect_left((1, 2, 4, 8, 16), len(words))
        last = words[-1] if words else ""
        first = next((word for word in words if word[:1].isalpha()), "")
        said = not scene.said.isdisjoint([*range(start - 4, start), *range(end, end + 4)])
        before = scene.lower[start - 1] if start else ""
        case = "A" if first[:1].isupper() else "a"
        stop = "." if last in (".", "!", "?", ",", "--", "—", "...", "…") else "-"
        return [
            "nobody",
            f"nobody {length} {case}{stop}",
            f"nobody {case}{stop} {self.edges}",
            f"nobody said {said} {stop} {before in (',', ':')}",
            f"nobody you {self.is_dialogue}",
            f"nobody after {before if before in (',', ':', '.') else '-'} {case}{stop}",
            f"nobody gap {self.gap[:1]} {self.is_before_speech}",
        ]

    def mentioned(self, side: str, mentions: Sequence[int]) -> list[Candidate]:
        """The candidates that are mentioned before (<) or after (>) the quotation, nearest first."""
        scene, narrated, sentences = self.scene, self.scene.narrated, self.scene.sentences
        paragraphs, said_before = scene.paragraphs, self.finder.said_before
        found: list[Candidate] = []
        edge = self.start - 1 if side == "<" else min(self.end, len(scene.words) - 1)
        comma = scene.words[edge] in (",", ":") if side == "<" else scene.words[edge][:1].islower()
        mark = "c" if comma else "-"
        nested = _nested([scene.mentions[mention] for mention in mentions])
        for rank, mention in enumerate(mentions):
            (first, last), cluster, evidence = scene.mentions[mention], scene.clusters[mention], scene.evidence[mention]
            person, verb, before, over, begun = self.finder.told(mention)
            low, high = (last, self.start) if side == "<" else (self.end, first)
            others = self.number - over if side == "<" else begun - self.number - 1
            distance = BUCKETS[narrated[high] - narrated[low]]
            away = None if paragraphs is None else paragraphs[first] - paragraphs[self.start]
            place = "?" if away is None else f"{away:+d}" if -2 < away < 2 else "+2" if away > 0 else "-2"
            sentence = "s" if sentences[first] == sentences[edge] else "-"
            between = said_before[high] > said_before[low if low > high - REACH else high - REACH]
            near = "n" if others == 0 else "f"
            features = [
                f"at {side}{place}{others if others < 2 else 2} {distance}",
                f"rank {side}{place}{near} {rank if rank < 6 else 6}",
                f"verb {side}{near} {verb} {mark}",
                f"verb {side}{near}{place} {verb} {sentence} {rank == 0}",
                f"verb between {side}{near} {between}",
                f"after {before} {near}",
                f"is {evidence} {side}{near}",
                f"is {person} {verb}",
                f"sentence {side}{place}{near} {sentence}{mark}",
                f"edges {side}{place}{near} {self.edges}",
            ]
            if (first, last) in nested:
                features.append(f"nested {near}")
            features += self._of_cluster(cluster, f"turn {self.turns.get(cluster, 0)}")
            found.append(Candidate(cluster, mention, features))
        return found

    def remembered(self, mentioned: Collection[int | None]) -> list[Candidate]:
        """The speakers before that no mention near by is of."""
        others = [(cluster, turn) for cluster, turn in self.turns.items() if cluster not in mentioned]
        return [Candidate(cluster, None, self._of_cluster(cluster, f"remembered {turn}")) for cluster, turn in others]

    def _of_cluster(self, cluster: int | None, turn: str) -> list[str]:
        features = [f"{turn} {self.gap}", f"{turn} {self.edges}"]
        if cluster in self.spoken_of:
            features.append("spoken of")
        if cluster in self.called:
            features.append(f"called {self.gap}")
        return features


def is_called(scene: Scene, mention: int, greeted: bool = False) -> bool:
    """Check whether a mention in a quotation calls or greets somebody: a name or a noun before a mark, "Come, Tom!".

    greeted (bool): Whether only those behind a greeting count, "Dear Tom,".
    """
    if scene.evidence[mention][:1] in ("1", "2", "3"):
        return False
    first, last = scene.mentions[mention]
    before = scene.words[first - 1] if first else ""
    number = scene.quotation_of[first]
    opens = number >= 0 and scene.quotations[number][0] == first - 1
    is_apart = _is_mark(before) and (opens or before not in MARKS)  # 'Hamlet' within a quotation is a title
    behind = scene.words[last] if last < len(scene.words) else ""
    return ((is_apart and not greeted) or before.lower() in GREETINGS) and _is_mark(behind)


def _is_mark(word: str) -> bool:
    return not any(map(str.isalnum, word))


def _nested(places: Iterable[Range]) -> set[Range]:
    """Those of some mentions that are inside of another one of them."""
    nested, reach = set(), 0
    for (start, end), (after, _) in pairwise([*sorted(places), (-1, -1)]):
        if end <= reach or start == after:
            nested.add((start, end))
        reach = end if end > reach else reach
    return nested


def _gap(scene: Scene, quotation: int, other: int) -> str:
    """The amount of narration between two quotations, and whether they are in one paragraph."""
    first, second = sorted((quotation, other))
    end, start = scene.quotations[first][1], scene.quotations[second][0]
    words = scene.narrated[start] - scene.narrated[end]
    paragraphs = scene.paragraphs
    same = "?" if paragraphs is None else "=" if paragraphs[start] == paragraphs[end - 1] else "-"
    return f"{'0' if not words else '1' if words <= 15 else '2' if words <= 40 else '3'}{same}"
