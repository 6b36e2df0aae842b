import json
from hashlib import sha256
from pathlib import Path

import pytest
import spacy

from lab.benchmarks import things
from lab.benchmarks.things import NOUNS, ROWS, THINGS, Place, Tale, count, mention_types, read_tales
from spacy_span_selector.annotation import set_clusters

from .conftest import MakeModel, rows, run

TEXT = "She took a bowl of milk and drank it. It rained."
BOWL = Place(9, 15, 23, "object", None)
IT = Place(34, 36, 36, "it", 0)
RAIN = Place(38, 40, 40, "expletive", None)
TALE = Tale("bowl", TEXT, [BOWL, IT, RAIN])


@pytest.mark.parametrize(
    ("mention", "is_found"),
    [("a bowl", True), ("a bowl of milk", True), ("a bowl of milk and drank", False), ("bowl", False), ("milk", False)],
)
def test_a_mention_of_a_noun_has_its_whole_phrase_or_ends_with_its_head(mention: str, is_found: bool) -> None:
    start = TEXT.index(mention)
    found = count(TALE, {(start, start + len(mention)): 1})
    assert (found["object"], found["all"]) == ((int(is_found), 1), (int(is_found), 2))


@pytest.mark.parametrize(("cluster", "linked"), [(1, 1), (2, 0)])
def test_it_is_linked_in_one_cluster_with_what_it_stands_for(cluster: int, linked: int) -> None:
    found = count(TALE, {(9, 15): 1, (34, 36): cluster})
    assert (found["it"], found["linked"]) == ((1, 1), (linked, 1))


def test_an_expletive_is_none_of_all() -> None:
    found = count(TALE, {(38, 40): 1})
    assert (found["expletive"], found["all"]) == ((1, 1), (0, 2))


def write_tale(folder: Path, book: str) -> Path:
    (folder / "pg1.txt").write_text(book, encoding="utf-8")
    tale = {"title": "The Bowl", "source": "a library", "book": "pg1.txt", "first": "She took", "last": "rained."}
    path = folder / "things.json"
    path.write_text(json.dumps({"bowl": {**tale, "sha256": sha256(TEXT.encode()).hexdigest(), "places": TALE.places}}))
    return path


def test_a_tale_is_cut_out_of_its_book(tmp_path: Path) -> None:
    path = write_tale(tmp_path, "THE BOWL\n\nShe took a\n  bowl of _milk_ and drank it. It rained.\n\nTHE RING")
    assert read_tales(tmp_path, path) == [TALE]


def test_another_text_is_refused(tmp_path: Path) -> None:
    path = write_tale(tmp_path, "She took a bowl of tea and drank it. It rained.")
    with pytest.raises(ValueError, match=r"'The Bowl' is another\. Expected that of a library"):
        read_tales(tmp_path, path)


def test_places_are_spans_in_order_whose_antecedents_stand_before_them() -> None:
    for tale in json.loads(THINGS.read_text(encoding="utf-8")).values():
        places = [Place(*row) for row in tale["places"]]
        assert places == sorted(places, key=lambda place: (place.start, -place.head))
        assert all(place.start < place.head <= place.end for place in places)
        assert all(places[p.antecedent].head <= p.start for p in places if p.antecedent is not None)
        assert {place.kind for place in places} <= {"it", *NOUNS, "clause", "expletive", "other"}


def test_the_type_of_a_mention_is_that_of_its_cluster() -> None:
    doc = spacy.blank("en")("Ann saw her hat")
    set_clusters(doc, [[(0, 1), (2, 3)], [(2, 4)]], entity_types=["person", ""])
    assert mention_types(doc) == ["person", "person", ""]


def test_a_row_is_printed_for_each_kind(make_model: MakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(things, "read_tales", lambda folder: [TALE])
    output = tmp_path / "results.json"
    printed = rows(run("things", tmp_path, make_model(), "--output", output))
    assert [row["places"] for row in printed] == [*ROWS]
    assert [row["bowl"][-4:] for row in printed if row["bowl"]] == ["of 1", "of 1", "of 2", "of 1", "of 1"]
    assert json.loads(output.read_text(encoding="utf-8"))["things"]["rows"]["all"]["of"] == 2
