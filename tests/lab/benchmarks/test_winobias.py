import json
from pathlib import Path

import pytest
import spacy

from lab.benchmarks.winobias import Sentence, is_right, read_sentence
from spacy_span_selector.annotation import set_clusters

from .conftest import MakeModel, rows, run

LINE = "7 The chief saw [the clerk] in Bonn and told [him] all ."
OCCUPATIONS = frozenset({"chief", "clerk"})


def test_pronouns_and_heads_are_where_the_brackets_are() -> None:
    sentence = read_sentence(LINE)
    assert sentence == Sentence("The chief saw the clerk in Bonn and told him all .", [(41, 44)], [(18, 23)])


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        ([[(3, 5), (9, 10)], [(0, 2)]], True),
        ([[(0, 2), (9, 10)], [(3, 5)]], False),
        ([[(0, 2), (3, 5), (9, 10)]], False),
        ([[(3, 7), (9, 10)], [(0, 2)]], False),
        ([[(3, 5)], [(9, 10)]], False),
        ([[(0, 2)]], False),
    ],
)
def test_a_sentence_is_right_if_the_pronoun_is_the_right_one_alone(
    clusters: list[list[tuple[int, int]]], expected: bool
) -> None:
    sentence = read_sentence(LINE)
    doc = spacy.blank("en")(sentence.text)
    set_clusters(doc, clusters)
    assert is_right(doc, sentence, OCCUPATIONS) == expected


def test_a_row_is_printed_for_each_file(make_model: MakeModel, tmp_path: Path) -> None:
    for kind in ("pro", "anti"):
        (tmp_path / f"{kind}_stereotyped_type2.txt.dev").write_text(f"{LINE}\n{LINE}\n", encoding="utf-8")
    output = tmp_path / "results.json"
    printed = rows(run("winobias", tmp_path, make_model(), "--output", output))
    assert [(row["sentences"], row["of"]) for row in printed] == [
        ("anti_stereotyped_type2.dev", "2"),
        ("pro_stereotyped_type2.dev", "2"),
    ]
    assert json.loads(output.read_text(encoding="utf-8"))["winobias"]["rows"]["pro_stereotyped_type2.dev"]["of"] == 2
