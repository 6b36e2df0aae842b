import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from lab.benchmarks.everyday import TEXTS, checks, place
from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames
from spacy_span_selector.extensions import register_extensions

from .conftest import MakeModel, rows, run


@pytest.fixture
def doc() -> Doc:
    register_extensions()
    doc = spacy.blank("en")("Ann saw her cat. It ran.")
    doc[5].is_sent_start = True
    set_clusters(doc, [[(0, 1), (2, 3)], [(2, 4), (5, 6)]])
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 4, "ARG1")])])
    return doc


@pytest.mark.parametrize(
    ("case", "is_right"),
    [
        ({"same": [["Ann", "her"]]}, True),
        ({"same": [["Ann", "It"]]}, False),
        ({"same": [["Ann", "ran"]]}, False),
        ({"apart": [["Ann", "It"]]}, True),
        ({"apart": [["Ann", "her"]]}, False),
        ({"frames": [["saw", "ARG1", "her cat"]]}, True),
        ({"frames": [["saw", "ARG0", "her cat"]]}, False),
        ({"person": [["her cat", True]]}, False),
        ({"sentences": 2}, True),
    ],
)
def test_what_is_right(doc: Doc, case: dict[str, Any], is_right: bool) -> None:
    assert [(found, key) for found, key, _ in checks({"kind": "a", **case}, doc)] == [(is_right, *case)]


def test_places_of_words_that_stand_twice() -> None:
    assert place("It bit Italy, it did. Nobody saw it.", "it#2") == (33, 35)


def test_the_texts_have_all_words_that_their_checks_name() -> None:
    cases = [json.loads(line) for line in TEXTS.read_text(encoding="utf-8").splitlines()]
    assert len({case["kind"] for case in cases}) == 20
    for case in cases:
        pairs = [*case.get("same", ()), *case.get("apart", ()), *case.get("one", ())]
        for words in (*chain(*pairs), *(words for words, _ in case.get("person", ()))):
            place(case["text"], words)
        assert all(argument in case["text"] for _, _, argument in case.get("frames", ()))


def test_each_row_is_a_kind(make_model: MakeModel) -> None:
    table = rows(run("everyday", make_model("structured_coref", "structured")))
    assert table[-1]["kind"] == "all"
    assert sum(int(row["of"]) for row in table[:-1]) == int(table[-1]["of"])


def test_results_are_written_by_kind_and_by_what_is_checked(make_model: MakeModel, tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    table = rows(run("everyday", make_model("structured_coref", "structured"), "--output", output))
    found = json.loads(output.read_text(encoding="utf-8"))
    assert found["everyday"]["rows"]["all"]["right"] == int(table[-1]["right"])
    assert found["everyday, by check"]["rows"]["all"] == found["everyday"]["rows"]["all"]
    assert {"same", "apart", "frames"} <= found["everyday, by check"]["rows"].keys()
