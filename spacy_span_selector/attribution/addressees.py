"""What speaks for a candidate as the addressee of a quotation, when all speakers are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .features import Candidate, is_called
from .scene import Scene

NEAR = 12
"""The words of narration beside a quotation that may name its addressee."""


def find_addressees(
    scene: Scene, quotation: int, speakers: Sequence[int | None], verbs: Mapping[str, object]
) -> list[Candidate]:
    """The candidates for the addressee of a quotation; nobody is one.

    scene (Scene): The document.
    quotation (int): The number of the quotation.
    speakers (Sequence[int | None]): The cluster of the speaker of each quotation; None if nobody.
    verbs (Mapping[str, object]): Forms of verbs of speech, in lower case.
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
    """What clusters do about a quotation, and the mention that does it."""
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
    """How much narration stands between two quotations, and whether they are in one paragraph."""
    first, second = sorted((quotation, other))
    end, start = scene.quotations[first][1], scene.quotations[second][0]
    words = scene.narrated[start] - scene.narrated[end]
    paragraphs = scene.paragraphs
    same = "?" if paragraphs is None else "=" if paragraphs[start] == paragraphs[end - 1] else "-"
    return f"{'0' if not words else '1' if words <= 15 else '2' if words <= 40 else '3'}{same}"
