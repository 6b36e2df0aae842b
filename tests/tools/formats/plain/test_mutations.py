"""Plain data with something changed in it: what `from_dict` takes, it takes as it is, or it says what it leaves out."""

from __future__ import annotations

import copy
import json
import random
import warnings
from pathlib import Path
from typing import Any

import spacy

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.tools.formats.plain.columns import Document
from spacy_span_selector.tools.formats.plain.records import FORMAT_1

from .documents import full_doc

NLP = spacy.blank("en")
COMPUTED = {"representative", "entity_id", "speaker", "addressee"}
"""Keys of clusters and quotations that are computed, and not read."""


def mutate(value: Any, chance: random.Random) -> None:
    """Change something in plain data."""
    keys = [*value] if isinstance(value, dict) else [*range(len(value))]
    if not keys:
        return
    key = chance.choice(keys)
    if isinstance(value[key], dict | list) and chance.random() < 0.8:
        mutate(value[key], chance)
        return
    what = chance.choice(["remove", "repeat", "swap", "replace", "replace", "replace"])
    if what == "remove":
        del value[key]
    elif isinstance(value, list) and what == "repeat":
        value.insert(chance.randint(0, len(value)), copy.deepcopy(value[key]))
    elif isinstance(value, list) and what == "swap":
        other = chance.choice(keys)
        value[key], value[other] = value[other], value[key]
    elif type(value[key]) is int:
        value[key] = chance.choice([value[key] - 1, value[key] + 1, 0, chance.randint(-1, 60)])
    elif type(value[key]) is float:
        value[key] = chance.choice([0.125, 1.0, None])
    elif isinstance(value[key], str):
        value[key] = chance.choice(["", "x", value[key] + "x", None])


def normalise(data: dict[str, Any]) -> dict[str, Any]:
    """Plain data without what is not read, in the order in which documents have it."""
    text = data["text"]
    labels = {each["label"] for each in data.get("labelled_spans") or []}  # which a cluster may have from its mentions

    def place(value: dict[str, Any], has_text: bool = True) -> dict[str, Any]:
        kept = {key: each for key, each in value.items() if each not in (None, "") and key not in COMPUTED}
        return {**kept, **({"text": text[value["start"] : value["end"]]} if has_text else {})}

    def offsets(value: dict[str, Any]) -> tuple[int, int]:
        return value["start"], value["end"]

    def cluster(value: dict[str, Any]) -> dict[str, Any]:
        order = sorted(range(len(value["mentions"])), key=lambda i: offsets(value["mentions"][i]))
        mentions = [place(value["mentions"][i]) for i in order]
        for i, mention in zip(order, mentions, strict=True):
            if "antecedent" in value["mentions"][i]:
                antecedent = value["mentions"][i]["antecedent"]
                mention["antecedent"] = None if antecedent is None else order.index(antecedent)
        texts = {key: value[key] for key in ("name", "entity_label") if value.get(key)}
        if texts.get("entity_label") in labels:
            del texts["entity_label"]
        return {**texts, "mentions": mentions}

    def frame(value: dict[str, Any]) -> dict[str, Any]:
        described = {a["role"]: a["description"] for a in value["arguments"] if a.get("description")}
        arguments = [
            {**place(a), "role": a["role"], **({"description": described[a["role"]]} if a["role"] in described else {})}
            for a in sorted(value["arguments"], key=offsets)
        ]
        texts = {key: value[key] for key in ("roleset", "roleset_name") if value.get(key)}
        return {**texts, "predicate": place(value["predicate"]), "arguments": arguments}

    def quotation(value: dict[str, Any]) -> dict[str, Any]:
        others = {key: place(value[key]) for key in ("speaker_mention", "addressee_mention", "cue") if value.get(key)}
        return {**place(value), **others}

    known: dict[str, Any] = {"text": text, **({"id": data["id"]} if data.get("id") else {})}
    if data.get("sentences") is not None:
        known["sentences"] = [text[each["start"] : each["end"]].strip() for each in data["sentences"]]
    if data.get("tokens") is not None:
        known["tokens"] = [token for token in map(offsets, data["tokens"]) if text[slice(*token)].strip()]
    if data.get("speakers") is not None:
        known["speakers"] = [{**place(turn, False), "speaker": turn["speaker"]} for turn in data["speakers"]]
    if data.get("speaker_markers") is not None:
        known["speaker_markers"] = [place(marker) for marker in data["speaker_markers"]]
    if data.get("clusters") is not None or data.get("unlinked_mentions") is not None:
        clusters = map(cluster, data.get("clusters") or [])
        known["clusters"] = sorted(clusters, key=lambda each: [*map(offsets, each["mentions"])])
    if data.get("unlinked_mentions"):
        known["unlinked_mentions"] = sorted(map(place, data["unlinked_mentions"]), key=offsets)
    if data.get("frames") is not None:
        known["frames"] = sorted(map(frame, data["frames"]), key=lambda each: offsets(each["predicate"]))
    if data.get("quotations") is not None:
        order = sorted(data["quotations"], key=lambda each: (each["start"], -each["end"]))
        known["quotations"] = [quotation(each) for each in order]
    if data.get("labelled_spans") is not None:
        order = sorted(data["labelled_spans"], key=lambda each: (*offsets(each), each["label"]))
        known["labelled_spans"] = [{**place(each), "label": each["label"]} for each in order]
    return known


def version_1() -> list[dict[str, Any]]:
    """The same document with and without tokens, as version 1 has it."""
    (line, _) = Path(__file__).with_name("version_1.jsonl").read_bytes().splitlines()
    data = json.loads(line)
    return [data, {key: value for key, value in data.items() if key != "tokens"}]


def in_objects(data: dict[str, Any]) -> dict[str, Any]:
    """Plain data of either version as version 1 has it."""
    if data["format"] == FORMAT_1:
        return data
    found = Document.model_validate(data).to_records().model_dump(exclude_unset=True)
    return {key: value for key, value in found.items() if value is not None}


def count_outcomes(mutations: int, seed: int) -> dict[str, int]:
    """How often mutated data was refused, taken with a warning, and taken as it is, which is checked."""
    chance = random.Random(seed)
    originals = [*version_1(), *(to_dict(full_doc(NLP.vocab), tokens=tokens) for tokens in (True, False))]
    counts = {"refused": 0, "warned": 0, "taken": 0}
    for _ in range(mutations):
        data = copy.deepcopy(chance.choice(originals))
        for _ in range(chance.randint(1, 3)):
            mutate(data, chance)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                doc = from_dict(data, NLP)
            except ValueError:
                counts["refused"] += 1
                continue
        counts["warned" if warned else "taken"] += 1
        if not warned:
            assert normalise(in_objects(to_dict(doc, tokens="tokens" in data))) == normalise(in_objects(data)), data
    return counts


def test_what_is_taken_is_taken_as_it_is() -> None:
    assert min(count_outcomes(300, seed=0).values()) > 10
