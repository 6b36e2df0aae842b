"""Systems that find clusters, timed and scored alike."""

from collections.abc import Sequence

import spacy
from spacy.tokens import Doc

from lab.benchmarks.systems import METRICS, annotate_in_turns, score_cells
from spacy_span_selector.annotation import set_clusters

NLP = spacy.blank("en")
TEXT = "Ann saw the old man . He waved ."


def clustered(clusters: list[list[tuple[int, int]]]) -> Doc:
    doc = NLP(TEXT)
    set_clusters(doc, clusters)
    return doc


def test_each_system_annotates_the_first_text_once_and_then_all_in_turns() -> None:
    calls = []

    def system(name: str, texts: Sequence[str]) -> list[Doc]:
        calls.append((name, len(texts)))
        return list(NLP.pipe(texts))

    systems = {name: lambda texts, name=name: system(name, texts) for name in "ab"}
    found = list(annotate_in_turns(systems, [NLP(TEXT), NLP("He left.")], repeats=2))
    assert calls == [("a", 1), ("b", 1), ("a", 2), ("b", 2), ("a", 2), ("b", 2)]
    assert [(name, [doc.text for doc in docs]) for name, docs, _ in found] == [
        ("a", [TEXT, "He left."]),
        ("b", [TEXT, "He left."]),
    ]


def test_scores_are_in_per_cent_without_singletons() -> None:
    gold = [clustered([[(0, 1)], [(2, 5), (6, 7)]])]
    assert score_cells([clustered([[(2, 5), (6, 7)]])], gold) == ["100.0"] * len(METRICS)
    assert score_cells([clustered([[(0, 1), (6, 7)]])], gold) == ["0.0", "25.0", "50.0", "25.0"]
