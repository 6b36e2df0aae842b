from pathlib import Path

import pytest
import spacy

from lab.benchmarks.gap import Passage, read_passages, taken_names
from spacy_span_selector.annotation import set_clusters

from .conftest import MakeModel, rows, run

HEAD = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
TEXT = 'Ann Lee saw "Eve" when she left.'
ROW = f"a-1\t{TEXT}\tshe\t23\tAnn Lee\t0\tTRUE\tEve\t13\tFALSE\thttps://example.org"
PASSAGE = Passage(TEXT, (23, 26), [((0, 7), True), ((13, 16), False)])


def write(folder: Path) -> Path:
    path = folder / "gap.tsv"
    path.write_text("\n".join([HEAD, ROW, ROW.replace("she", "he ").replace("he \t", "he\t")]), encoding="utf-8")
    return path


def test_names_and_the_pronoun_are_where_the_file_says(tmp_path: Path) -> None:
    one, other = read_passages(write(tmp_path))
    assert one == PASSAGE
    assert [own.gender for own in (one, other)] == ["feminine", "masculine"]


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        ([[(0, 2), (7, 8)], [(4, 5)]], [True, False]),
        ([[(0, 2)], [(4, 5), (7, 8)]], [False, True]),
        ([[(0, 2), (4, 5)]], [False, False]),
    ],
)
def test_a_name_is_taken_for_the_pronoun_of_its_cluster(
    clusters: list[list[tuple[int, int]]], expected: list[bool]
) -> None:
    doc = spacy.blank("en")(TEXT)
    set_clusters(doc, clusters)
    assert taken_names(doc, PASSAGE) == expected


def test_a_row_is_printed_for_each_gender(make_model: MakeModel, tmp_path: Path) -> None:
    printed = rows(run("gap", write(tmp_path), make_model()))
    assert [(row["pronouns"], row["of"]) for row in printed] == [("masculine", "1"), ("feminine", "1")]
