"""Who is meant in talk: gold mentions, their clusters, and B3."""

import json
from collections import defaultdict
from pathlib import Path

import pytest
import spacy

from lab.benchmarks.talk import count, find_numbers, read_scenes
from spacy_span_selector.annotation import get_speakers

UTTERANCES = [
    {
        "speakers": ["Ann"],
        "tokens": [["I", "saw", "him", "."], ["You", "did", "?"]],
        "character_entities": [[[0, 1, "Ann"], [2, 3, "Tom"]], [[0, 1, "Ann", "Bob"]]],
    },
    {"speakers": ["Bob"], "tokens": [["My", "boss", "!"]], "character_entities": [[[0, 1, "Bob"], [1, 2, "Tom"]]]},
]


def test_a_scene_is_scored_by_the_gold_mentions_of_single_persons(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"episodes": [{"scenes": [{"utterances": UTTERANCES}]}]}), encoding="utf-8")
    (scene,) = read_scenes(spacy.blank("en"), path)
    assert get_speakers(scene.doc) == [(0, 7, "Ann"), (7, 10, "Bob")]
    assert scene.gold == {(0, 1): "Ann", (2, 3): "Tom", (7, 8): "Bob", (8, 9): "Tom"}
    counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    count(scene, [[(0, 1)], [(2, 3), (7, 8)]], counts)
    assert counts["he, she"] == {"all": 1, "right": 0, "precision": pytest.approx(0.5), "recall": pytest.approx(0.5)}
    assert counts["1 singular"]["right"] == 1
    assert counts["all"]["all"] == 4


def test_a_head_has_the_cluster_of_the_shortest_mention_around_it() -> None:
    gold = [(0, 1), (1, 2), (5, 6)]
    assert find_numbers(gold, [[(0, 1)], [(0, 2)], [(0, 4)]]) == {(0, 1): 0, (1, 2): 1, (5, 6): -2}
