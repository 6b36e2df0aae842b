"""Features of candidates, by name: for the speaker of a quotation, or for no speech at all, and for its addressee.

A feature is a short string, of which a model has a weight. Several facts in one name are a conjunction.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from .scene import Scene

REACH = 50
"""A candidate stands within so many words of narration before or after the quotation."""

REMEMBERED = 3
"""So many speakers before are candidates, wherever they were mentioned last."""

DISTANCES = (0, 1, 2, 3, 4, 6, 9, 14, 20, 30)
TOGETHER = 40
"""Quotations with more words of narration between them are no conversation."""

PREPOSITIONS = frozenset(["to", "of", "at", "with", "by", "for", "from", "on", "in", "upon", "towards", "into", "and"])
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


def find_candidates(
    scene: Scene, quotation: int, speakers: Sequence[int | None], verbs: Mapping[str, object]
) -> list[Candidate]:
    """The candidates of a quotation.

    speakers (Sequence[int | None]): The clusters of the speakers of the quotations before it; None if nobody.
    """
    reader = _Reader(scene, quotation, speakers, verbs)
    mentioned = list(reader.mentioned())
    remembered = reader.remembered({candidate.cluster for candidate in mentioned})
    return [Candidate(None, None, list(reader.of_nobody())), *mentioned, *remembered]


def take_turns(
    scene: Scene,
    quotation: int,
    speakers: Sequence[int | None],
    told: Sequence[int | None],
    found: Sequence[Candidate],
) -> Sequence[Candidate]:
    """The candidates of a quotation, without nobody if its form tells that it is speech, and without who speaks those
    at its side: these are other turns, unless its own tag tells.

    told (Sequence[int | None]): The cluster that the tag of each quotation tells; None without one.
    """
    if not scene.is_turn(quotation):
        return found
    others: set[int | None] = {None}
    if scene.is_beside(quotation) and told[quotation] != speakers[-1]:
        others.add(speakers[-1])
    if scene.is_beside(quotation + 1):
        others.add(told[quotation + 1])
    return [candidate for candidate in found if candidate.cluster not in others] or found[:1]


class _Reader:
    def __init__(
        self, scene: Scene, quotation: int, speakers: Sequence[int | None], verbs: Mapping[str, object]
    ) -> None:
        self.scene, self.number, self.verbs = scene, quotation, verbs
        self.start, self.end = scene.quotations[quotation]
        self.gap = self._gap()
        last = list(dict.fromkeys(speaker for speaker in reversed(speakers[-8:]) if speaker is not None))
        self.turns = {cluster: turn for turn, cluster in enumerate(last[:REMEMBERED], start=1)}
        self.is_before_speech = quotation > 0 and bool(speakers) and speakers[-1] is not None
        spoken_of = [m for m in scene.inside[quotation] if not scene.evidence[m].startswith(("1", "2"))]
        self.spoken_of = {scene.clusters[m] for m in spoken_of}
        called = [m for m in scene.inside[quotation - 1] if is_called(scene, m)] if quotation else []
        self.called = {scene.clusters[m] for m in called}
        self.edges = self._edges()

    def _paragraph(self, word: int) -> int | None:
        paragraphs = self.scene.paragraphs
        return None if paragraphs is None else paragraphs[min(word, len(paragraphs) - 1)]

    def _gap(self) -> str:
        """The distance from the quotation before: words of narration between them, and paragraphs."""
        if self.number == 0:
            return "first"
        start, end = self.scene.quotations[self.number - 1]
        between = self.scene.narrated[self.start] - self.scene.narrated[end]
        words = "0" if between == 0 else "1" if between <= 6 else "2" if between <= 15 else "3"
        if between > TOGETHER:
            return "apart"
        here, there = self._paragraph(self.start), self._paragraph(start)
        new = "?" if here is None or there is None else str(min(here - there, 3))
        cut = "" if between == 0 or self.scene.lower[self.start - 1] not in (",", "--", "—") else ","
        return f"{words}{new}{cut}"

    def _edges(self) -> str:
        """Check whether the quotation begins a paragraph, and whether it ends one."""
        here = self._paragraph(self.start)
        if here is None:
            return "?"
        begins = self.start == 0 or self._paragraph(self.start - 1) != here
        ends = self.end >= len(self.scene.words) or self._paragraph(self.end) != self._paragraph(self.end - 1)
        return f"{'b' if begins else '-'}{'e' if ends else '-'}"

    def is_verb(self, word: int) -> bool:
        return self.scene.has_verb(word, self.verbs)

    def of_nobody(self) -> Iterator[str]:
        scene, start, end = self.scene, self.start, self.end
        words = scene.words[start + 1 : end - 1]
        length = bisect_left((1, 2, 4, 8, 16), len(words))
        last = next((word for word in reversed(words)), "")
        first = next((word for word in words if word[:1].isalpha()), "")
        said = any(self.is_verb(i) for i in (*range(start - 4, start), *range(end, end + 4)))
        is_dialogue = any(scene.evidence[m].startswith(("1", "2")) for m in scene.inside[self.number])
        before = scene.lower[start - 1] if start else ""
        case = "A" if first[:1].isupper() else "a"
        stop = "." if last in (".", "!", "?", ",", "--", "—", "...", "…") else "-"
        yield "nobody"
        yield f"nobody {length} {case}{stop}"
        yield f"nobody {case}{stop} {self.edges}"
        yield f"nobody said {said} {stop} {before in (',', ':')}"
        yield f"nobody you {is_dialogue}"
        yield f"nobody after {before if before in (',', ':', '.') else '-'} {case}{stop}"
        yield f"nobody gap {self.gap[:1]} {self.is_before_speech}"

    def mentioned(self) -> Iterator[Candidate]:
        scene = self.scene
        for side, mentions in (("<", scene.before(self.number, REACH)), (">", scene.after(self.number, REACH))):
            for rank, mention in enumerate(mentions):
                nested = any(_contains(scene.mentions[other], scene.mentions[mention]) for other in mentions)
                features = self._of_mention(mention, side, rank, nested)
                yield Candidate(scene.clusters[mention], mention, [*features, *self._of_cluster(mention)])

    def _of_mention(self, mention: int, side: str, rank: int, nested: bool) -> Iterator[str]:
        scene = self.scene
        first, last = scene.mentions[mention]
        low, high = (last, self.start) if side == "<" else (self.end, first)
        distance = bisect_left(DISTANCES, scene.narrated[high] - scene.narrated[low])
        others = min(2, len({*scene.quotation_of[low:high]} - {-1}))
        here, there = self._paragraph(self.start), self._paragraph(first)
        place = "?" if here is None or there is None else f"{max(-2, min(2, there - here)):+d}"
        edge = scene.sentences[max(self.start - 1, 0) if side == "<" else min(self.end, len(scene.words) - 1)]
        sentence = "s" if scene.sentences[first] == edge else "-"
        if side == "<":
            comma = self.start > 0 and scene.words[self.start - 1] in (",", ":")
        else:
            comma = self.end < len(scene.words) and scene.words[self.end][:1].islower()
        verb = self._verb(first, last)
        near = "n" if others == 0 else "f"
        yield f"at {side}{place}{others} {distance}"
        yield f"rank {side}{place}{near} {min(rank, 6)}"
        yield f"verb {side}{near} {verb} {'c' if comma else '-'}"
        yield f"verb {side}{near}{place} {verb} {sentence} {rank == 0}"
        yield f"verb between {side}{near} {any(self.is_verb(i) for i in range(max(low, high - REACH), high))}"
        yield f"after {self._before(first)} {near}"
        yield f"is {scene.evidence[mention]} {side}{near}"
        yield f"is {scene.evidence[mention].split(' ')[0]} {verb}"
        yield f"sentence {side}{place}{near} {sentence}{'c' if comma else '-'}"
        yield f"edges {side}{place}{near} {self.edges}"
        if nested:
            yield f"nested {near}"

    def _verb(self, first: int, last: int) -> str:
        """The place of a verb of speech beside a mention: "said X", "X said", "X softly said", "said softly X"."""
        if self.is_verb(first - 1):
            return "vX"
        if self.is_verb(last):
            return "Xv"
        if self.is_verb(last + 1) or self.is_verb(last + 2):
            return "X.v"
        return "v.X" if self.is_verb(first - 2) else "-"

    def _before(self, first: int) -> str:
        word = self.scene.lower[first - 1] if first else "."
        return (
            word
            if word in ("to", "of", "and", "'s", "’s")
            else "p"
            if word in PREPOSITIONS
            else "."
            if (word in OPENS_CLAUSE)
            else "-"
        )

    def _of_cluster(self, mention: int) -> Iterator[str]:
        cluster = self.scene.clusters[mention]
        turn = self.turns.get(cluster, 0) if cluster is not None else 0
        yield f"turn {turn} {self.gap}"
        yield f"turn {turn} {self.edges}"
        if cluster in self.spoken_of:
            yield "spoken of"
        if cluster in self.called:
            yield f"called {self.gap}"

    def remembered(self, mentioned: Collection[int | None]) -> Iterator[Candidate]:
        """The speakers before that no mention near by is of."""
        for cluster, turn in self.turns.items():
            if cluster in mentioned:
                continue
            features = [f"remembered {turn} {self.gap}", f"remembered {turn} {self.edges}"]
            if cluster in self.spoken_of:
                features.append("spoken of")
            if cluster in self.called:
                features.append(f"called {self.gap}")
            yield Candidate(cluster, None, features)


def is_called(scene: Scene, mention: int, greeted: bool = False) -> bool:
    """Check whether a mention in a quotation calls or greets somebody: a name or a noun before a mark, "Come, Tom!".

    greeted (bool): Whether only those behind a greeting count, "Dear Tom,".
    """
    if scene.evidence[mention][:1] in ("1", "2", "3"):
        return False
    first, last = scene.mentions[mention]
    before = scene.words[first - 1] if first else ""
    behind = scene.words[last] if last < len(scene.words) else ""
    return ((_is_mark(before) and not greeted) or before.lower() in GREETINGS) and _is_mark(behind)


def _is_mark(word: str) -> bool:
    return not any(map(str.isalnum, word))


def _contains(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    return outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]


NEAR = 12
"""The words of narration beside a quotation that may name its addressee."""


def find_addressees(
    scene: Scene, quotation: int, speakers: Sequence[int | None], verbs: Mapping[str, object]
) -> list[Candidate]:
    """The candidates for the addressee of a quotation; nobody is one.

    speakers (Sequence[int | None]): The cluster of the speaker of each quotation; None if nobody.
    """
    roles: dict[int, list[str]] = {}
    mentions: dict[int, int] = {}
    for cluster, role, mention in _roles(scene, quotation, speakers, verbs):
        if cluster is None:
            continue
        roles.setdefault(cluster, [])
        if role not in roles[cluster]:
            roles[cluster].append(role)
        if mention is not None:
            mentions.setdefault(cluster, mention)
    is_known = speakers[quotation] is not None
    found = [Candidate(None, None, ["to nobody", f"to nobody of {'somebody' if is_known else 'nobody'}"])]
    for cluster, names in roles.items():
        features = [*(f"to {name}" for name in names), "to " + " + ".join(sorted(name.split(" ")[0] for name in names))]
        found.append(Candidate(cluster, mentions.get(cluster), features))
    return found


def _roles(
    scene: Scene, quotation: int, speakers: Sequence[int | None], verbs: Mapping[str, object]
) -> Iterator[tuple[int | None, str, int | None]]:
    """Yield the roles of clusters in and around a quotation, each with the mention that has it."""
    own = speakers[quotation]
    yield own, "speaker", None
    for mention in scene.inside[quotation]:
        if is_called(scene, mention):
            yield scene.clusters[mention], "called", mention
        elif not scene.evidence[mention].startswith(("1", "2")):
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
            place = "to" if word == "to" else "verb" if word in verbs else "at" if word in ("at", "with") else "near"
            yield scene.clusters[mention], f"{place}{side} {scene.evidence[mention].split(' ')[0]}", mention


def _gap(scene: Scene, quotation: int, other: int) -> str:
    """The amount of narration between two quotations, and whether they are in one paragraph."""
    first, second = sorted((quotation, other))
    end, start = scene.quotations[first][1], scene.quotations[second][0]
    words = scene.narrated[start] - scene.narrated[end]
    paragraphs = scene.paragraphs
    same = "?" if paragraphs is None else "=" if paragraphs[start] == paragraphs[end - 1] else "-"
    return f"{'0' if not words else '1' if words <= 15 else '2' if words <= 40 else '3'}{same}"
