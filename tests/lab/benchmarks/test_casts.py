import json
from pathlib import Path

import pytest
import spacy
from typer.testing import Result

from lab.benchmarks.casts import (
    CASTS,
    Cast,
    Novel,
    describe,
    find_exact,
    find_places,
    find_within,
    is_head,
    read_casts,
    read_mentions,
    score,
)
from spacy_span_selector.annotation import cluster_groups, set_clusters, set_mentions

from .conftest import MakeModel, run

TEXT = "Ann Lee met Bob.--Bob saw Mrs.\nLee, and poor Ann left."
CAST = Cast({"Ann": ["Ann Lee", "Ann"], "Bob": ["Bob"]}, [])


@pytest.mark.parametrize(
    ("text", "cast", "found"),
    [
        (TEXT, CAST, [("Ann Lee", "Ann"), ("Bob", "Bob"), ("Bob", "Bob"), ("Ann", "Ann")]),  # the longest name counts
        (TEXT, Cast({"Mrs. Lee": ["Mrs. Lee"]}, []), [("Mrs.\nLee", "Mrs. Lee")]),  # it may go on in the next line
        ("_Ann_, Anna, Mary-Ann", CAST, [("Ann", "Ann"), ("Ann", "Ann")]),  # between underscores, but not in a word
        ("Ann saw little Ann.", Cast(CAST.persons, ["little Ann"]), [("Ann", "Ann")]),
    ],
)
def test_names_have_places(text: str, cast: Cast, found: list[tuple[str, str]]) -> None:
    assert [(text[start:end], person) for start, end, person in find_places(text, cast)] == found


def test_only_a_mention_that_is_the_name_counts_as_exact() -> None:
    places = find_places("Ann met poor Ann", CAST)
    assert find_exact(places, {(0, 3): 5, (8, 16): 6}) == [5, None]


@pytest.mark.parametrize(
    "text",
    [
        *("saw poor Ann", "saw my dear old Ann", "saw Meg's Ann", "saw my sister Ann"),
        *("left. Poor Ann", '"My Ann', "saw Ann's"),
    ],
)
def test_a_mention_counts_within_if_the_name_is_its_head(text: str) -> None:
    start = max(text.find(before) for before in ("poor", "my", "Meg", "Poor", "My", "Ann's"))
    places = find_places(text, Cast({"Ann": ["Ann"]}, []))
    assert find_within(Novel("", text, places), {(start, len(text)): 7}) == [7]


@pytest.mark.parametrize("words", ["the father of ", "Meg and ", "her cousin and ", "Mrs. ", "Mary ", "my sister, "])
def test_the_name_is_not_the_head_after_other_words(words: str) -> None:
    assert not is_head(f"saw {words}Ann", 4, 4 + len(words))


def test_the_shortest_mention_within_counts() -> None:
    text = "the king's poor Ann"
    places = find_places(text, CAST)
    assert find_within(Novel("", text, places), {(0, 19): 1, (11, 19): 2}) == [2]


def test_a_mention_in_no_cluster_has_a_number_of_its_own() -> None:
    doc = spacy.blank("en")("Ann met Bob and Leo")
    set_clusters(doc, [[(0, 1), (2, 3)]])
    set_mentions(doc, [(0, 1), (2, 3), (4, 5)], None)
    found = read_mentions(doc)
    assert found[0, 3] == found[8, 11] != found[16, 19]


def test_a_place_without_a_mention_is_a_cluster_of_its_own() -> None:
    found = score(["Ann", "Ann", "Ann", "Bob"], [1, 1, None, 1])
    assert found.found == 3
    assert found.b3.recall == pytest.approx((2 * 2 / 3 + 1 / 3 + 1) / 4)
    assert found.b3.precision == pytest.approx((2 * 2 / 3 + 1 / 3 + 1) / 4)
    # The greatest recall has all found places of a person together.
    apart = score(["Ann", "Ann", "Ann", "Bob"], [1, 2, None, 3])
    assert apart.most_recall == pytest.approx((2 * 2 / 3 + 1 / 3 + 1) / 4)


def test_the_cluster_of_a_person_has_more_than_half_of_its_names_from_it() -> None:
    assert score(["Ann", "Ann", "Bob", "Leo", "Leo"], [1, 1, 1, 2, None]).wrong == ["Bob"]
    assert score(["Ann", "Bob", "Leo"], [1, 1, None]).wrong == ["Ann", "Bob", "Leo"]


def test_a_cluster_is_described_by_its_names_and_pronouns() -> None:
    doc = spacy.blank("en")("Ann saw her hat, and she told Ann's friend")
    words = [token.text for token in doc]
    ann = words.index("Ann", 1)
    set_clusters(doc, [[(0, 1), (2, 3), (words.index("she"), words.index("she") + 1), (ann, ann + 2)]])
    described = describe(cluster_groups(doc)[0])
    assert described == {"mentions": 4, "names": {"Ann": 2}, "pronouns": {"her": 1, "she": 1}}


def test_no_name_means_two_persons() -> None:
    for cast in read_casts(CASTS).values():
        names = [name for person in cast.persons.values() for name in person]
        assert len(names) == len({*names, *cast.others}) - len(cast.others)
        assert 15 <= len(cast.persons) <= 32


@pytest.fixture
def novels(tmp_path: Path) -> Path:
    (tmp_path / "novel.txt").write_text(TEXT, encoding="utf-8")
    cast = {"persons": CAST.persons, "others": CAST.others}
    (tmp_path / "casts.json").write_text(json.dumps({"novel": cast}), encoding="utf-8")
    return tmp_path


def run_casts(model: Path, novels: Path, *arguments: object) -> Result:
    return run("casts", model, "--novels", novels, "--casts", novels / "casts.json", *arguments)


def test_two_rows_are_printed_and_all_scores_written(make_model: MakeModel, novels: Path) -> None:
    result = run_casts(make_model(), novels, "novel", "--largest", 1, "--output", novels / "out.json")
    assert result.exit_code == 0, result.output
    rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in result.stdout.splitlines()[2:4]]
    assert rows == [["novel", "exact", "4"], ["novel", "within", "4"]]
    written = json.loads((novels / "out.json").read_text(encoding="utf-8"))["novels"]["novel"]
    assert {"names", "persons", "exact", "within", "largest"} <= written.keys() and written["words"] == 14
    run_casts(make_model(), novels, "novel", "--output", novels / "out.json", "--split-dashes")
    assert json.loads((novels / "out.json").read_text(encoding="utf-8"))["novels"]["novel"]["words"] == 17


def test_a_novel_needs_a_cast_and_its_own_text(make_model: MakeModel, novels: Path) -> None:
    model = make_model()
    result = run_casts(model, novels, "novel", "--components.structured_coref.no_such_setting", 1)
    assert result.exit_code and "no_such_setting" in result.output  # settings of the pipeline are options
    assert "There is no cast of 'other'" in " ".join(run_casts(model, novels, "other").output.split())
    (novels / "novel.txt").write_text("He left.", encoding="utf-8")
    assert "names nobody of its cast" in " ".join(run_casts(model, novels).output.split())
