"""Who is meant in talk whose speakers are known: the scenes of a TV series, of the corpus Character Identification.

python -m lab talk FILE.json MODEL

FILE.json is that of github.com/emorynlp/character-identification. Each scene is a document of its turns. Scored are the
gold mentions of single persons; a noun is annotated by its head, so that the shortest mention around it counts, and one
without a mention is a cluster of its own. For all of them, and for those of each kind, it prints B3, precision, recall
and F1, and how many are right: most others of its cluster are of its person, or it has no others in either.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import Mention, get_clusters, set_speakers
from spacy_span_selector.people.clustering import read_forms

from ..measuring import Output, add_results


class Scene(NamedTuple):
    """A scene, and the person of each gold mention."""

    doc: Doc
    gold: dict[Mention, str]


def read_scenes(nlp: Language, path: Path) -> Iterator[Scene]:
    """The scenes of a file that have words. Mentions of several persons, or of any, are left out."""
    for episode in json.loads(path.read_text(encoding="utf-8"))["episodes"]:
        for scene in episode["scenes"]:
            words: list[str] = []
            starts: set[int] = set()
            turns, gold = [], {}
            for utterance in scene["utterances"]:
                start = len(words)
                for sentence, mentions in zip(utterance["tokens"], utterance["character_entities"], strict=True):
                    for first, last, *persons in mentions:
                        if len(persons) == 1 and not persons[0].startswith("#"):
                            gold[len(words) + first, len(words) + last] = persons[0]
                    starts.add(len(words))
                    words += sentence
                if len(words) > start and len(utterance["speakers"]) == 1:
                    turns.append((start, len(words), utterance["speakers"][0]))
            if words:
                doc = Doc(nlp.vocab, words, sent_starts=[i in starts for i in range(len(words))])
                set_speakers(doc, turns)
                yield Scene(doc, gold)


def find_numbers(gold: Sequence[Mention], clusters: Sequence[Sequence[Mention]]) -> dict[Mention, int]:
    """The cluster of each gold mention: that of the same mention, or else of the shortest around it that is free."""
    number = {mention: k for k, cluster in enumerate(clusters) for mention in cluster}
    free = sorted(set(number) - set(gold), key=lambda mention: mention[1] - mention[0])
    found = {mention: number.get(mention, -1) for mention in gold}
    for k, mention in enumerate(mention for mention in gold if mention not in number):
        around = next((one for one in free if one[0] <= mention[0] and mention[1] <= one[1]), None)
        found[mention] = -1 - k if around is None else number[around]
        if around is not None:
            free.remove(around)
    return found


def count(scene: Scene, clusters: Sequence[Sequence[Mention]], counts: dict[str, dict[str, float]]) -> None:
    """Add precision and recall of each gold mention of a scene, by kind."""
    mentions = sorted(scene.gold)
    number = find_numbers(mentions, clusters)
    for mention, form in zip(mentions, read_forms(scene.doc, mentions), strict=True):
        person = scene.gold[mention]
        same = {other for other in mentions if number[other] == number[mention]}
        right = {other for other in mentions if scene.gold[other] == person}
        others = Counter(scene.gold[other] for other in same - {mention})
        kind = form.evidence if form.is_pronoun else "name" if form.name else "noun"
        for name in ("all", "he, she" if kind.startswith("3 singular") else kind):
            counts[name]["all"] += 1
            counts[name]["right"] += max(others, key=others.__getitem__) == person if others else len(right) == 1
            counts[name]["precision"] += len(same & right) / len(same)
            counts[name]["recall"] += len(same & right) / len(right)


def main(
    path: Annotated[Path, typer.Argument(metavar="FILE.json", help="Scenes of Character Identification")],
    model: Annotated[str, typer.Argument(help="A trained pipeline with structured_coref and entity_resolver")],
    output: Output = None,
) -> None:
    """Print B3 of persons in talk, by kind of mention."""
    nlp: Any = spacy.load(model)
    counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for scene in read_scenes(nlp, path):
        count(Scene(nlp(scene.doc), scene.gold), get_clusters(scene.doc), counts)
    rows = {}
    for name, found in sorted(counts.items(), key=lambda item: -item[1]["all"]):
        p, r = (100 * found[key] / found["all"] for key in ("precision", "recall"))
        rows[name] = {"right": found["right"], "of": found["all"], "f": 0.02 * p * r / (p + r)}
        typer.echo(
            f"{name:15s} {p:5.1f} {r:5.1f} {2 * p * r / (p + r):5.1f}   right {found['right']} of {found['all']}"
        )
    add_results(output, "talk", nlp, rows)
