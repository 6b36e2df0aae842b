from pathlib import Path

import pytest

from spacy_span_selector.tools.formats.corefud import read_corefud
from spacy_span_selector.tools.formats.corefud.reader import FIELDS, EntityBracket, read_attributes, read_entities
from spacy_span_selector.tools.formats.corefud.writer import write_field

from .helpers import named_clusters, row, words, write_document

UNIVERSAL_ANAPHORA = ("entity", "GRP", "identity")


def test_opening_closing_and_single_brackets_are_told_apart():
    brackets, complete = read_entities("(e1-person-2-(e2-place-1-)e3)", FIELDS)
    assert complete
    assert brackets == [
        EntityBracket(True, False, "e1", None, "person"),
        EntityBracket(True, True, "e2", None, "place"),
        EntityBracket(False, True, "e3", None, ""),
    ]


def test_pieces_are_numbered():
    brackets, complete = read_entities("e1[2/3])(e1[1/2]-person-1-", FIELDS)
    assert complete
    assert [(bracket.entity, bracket.piece) for bracket in brackets] == [("e1", (2, 3)), ("e1", (1, 2))]


@pytest.mark.parametrize(
    "cell, fields, expected",
    [
        ("(1)", ("GRP",), EntityBracket(True, True, "1", None, "")),
        ("(place-2-Tulsa", UNIVERSAL_ANAPHORA, EntityBracket(True, False, "2", None, "place")),
        ("place-2-Tulsa)", UNIVERSAL_ANAPHORA, EntityBracket(False, True, "2", None, "")),
        ("2)", UNIVERSAL_ANAPHORA, EntityBracket(False, True, "2", None, "")),
        ("(person-15[1/2]", ("entity", "GRP"), EntityBracket(True, False, "15", (1, 2), "person")),
        ("(15-person[1/2]", ("GRP", "entity"), EntityBracket(True, False, "15", (1, 2), "person")),
        ("(e1--1-)", FIELDS, EntityBracket(True, True, "e1", None, "")),
        ("(e1", FIELDS, EntityBracket(True, False, "e1", None, "")),
        ("(e1-x-1-a-b-c-d", FIELDS, EntityBracket(True, False, "e1", None, "x")),
    ],
)
def test_fields_are_those_that_are_declared(cell: str, fields: tuple[str, ...], expected: EntityBracket):
    assert read_entities(cell, fields) == ([expected], True)


@pytest.mark.parametrize(
    "cell, read",
    [("e1", []), ("((e1)", ["e1"]), ("()", []), (")(", []), ("(-x-1-)(e2-x-1-)", ["e2"]), ("e1)x(e2)", ["e1"])],
)
def test_what_is_damaged_does_not_hide_the_rest(cell: str, read: list[str]):
    brackets, complete = read_entities(cell, FIELDS)
    assert not complete
    assert [bracket.entity for bracket in brackets][: len(read)] == read


@pytest.mark.parametrize("text", ["person", "a-b", "(x)|y=z", "50 %", "a,b<c[1/2]", "Zoë\t", ""])
def test_fields_of_any_characters_are_read_back(text: str):
    field = write_field(text)
    assert not set("-()|=,<>[] \t") & set(field)
    ((bracket,), complete) = read_entities(f"(e1-{field}-1-)", FIELDS)
    assert (bracket.type, complete) == (text, True)


def test_attributes_have_names():
    assert list(read_attributes("Entity=(e1)|_|SpaceAfter=No|Entity=a=b")) == [
        ("Entity", "(e1)"),
        ("SpaceAfter", "No"),
        ("Entity", "a=b"),
    ]


def left_out(tmp_path: Path, *rows: str) -> tuple[dict[str, list[tuple[int, int]]], str]:
    """The clusters of a document, and the warning about the rest."""
    path = write_document(tmp_path / "a.conllu", *rows)
    with pytest.warns(UserWarning) as caught:
        (doc,) = read_corefud(path)
    (warning,) = caught
    return named_clusters(doc), str(warning.message).replace(str(tmp_path), "")


def test_zeros_are_counted_and_others_keep_their_words(tmp_path: Path):
    rows = [
        row("0.1", "she", "Entity=(e1-person-1-)"),
        row("1", "Came", "Entity=(e2-event-1-"),
        row("1.1", "she", "Entity=(e1-person-1-)e2)"),
        row("2", "Ann", "Entity=(e1-person-1-"),
        row("2.1", "x", "Entity=e1)"),
        row("2.2", "y", "Entity=(e3-x-1-"),
        row("3", "left", "Entity=e3)"),
    ]
    clusters, message = left_out(tmp_path, *rows)
    assert clusters == {"e2": [(0, 1)], "e1": [(1, 2)], "e3": [(2, 3)]}
    assert "Left out zeros: mentions without words, which a Doc can't hold: 2." in message
    assert "/a.conllu:3: a mention of 'e1'." in message


def test_mentions_in_pieces_count_once(tmp_path: Path):
    rows = words("Entity=(e1[1/2]-x-1-)", "Entity=(e2-x-1-)", "Entity=(e1[2/2]-x-1-", "Entity=e1[2/2])")
    clusters, message = left_out(tmp_path, *rows)
    assert clusters == {"e2": [(1, 2)]}
    assert (
        "mentions in several pieces, which a Doc can't hold: 1. The first: /a.conllu:3: a mention of 'e1' in 2"
        in message
    )


def test_relations_between_entities_are_counted(tmp_path: Path):
    rows = words(
        "Entity=(e1-x-1-)", "Entity=(e2-x-1-)", "Entity=(e3-x-1-)|SplitAnte=e1<e3,e2<e3|Bridge=e1<e3:part,e2<e3"
    )
    clusters, message = left_out(tmp_path, *rows)
    assert list(clusters) == ["e1", "e2", "e3"]
    assert (
        "split antecedents, which a Doc can't hold: 1. The first: /a.conllu:5: found 'SplitAnte=e1<e3,e2<e3'" in message
    )
    assert "bridging relations, which a Doc can't hold: 2." in message


def test_damaged_brackets_cost_their_mentions_alone(tmp_path: Path):
    rows = words("Entity=(e1-x-1-", "Entity=(e2-x-1-)(", "Entity=e3)", "Entity=e1)", "Entity=(e4-x-1-)")
    clusters, message = left_out(tmp_path, *rows)
    assert clusters == {"e1": [(0, 4)], "e2": [(1, 2)], "e4": [(4, 5)]}
    assert "brackets of mentions that can't be read or have no partner: 2." in message
    assert "/a.conllu:4: found '(e2-x-1-)(' in `Entity`, expected parts such as" in message
    assert "/a.conllu:5: a mention of cluster e3 ends here, but none is open." in message


def test_brackets_at_words_that_are_written_as_one_are_counted(tmp_path: Path):
    clusters, message = left_out(tmp_path, row("1-2", "ab", "Entity=(e1-x-1-)"), *words("_", "Entity=(e2-x-1-)"))
    assert clusters == {"e2": [(1, 2)]}
    assert "/a.conllu:3: found `Entity` at the words 1-2, expected it at one word." in message


def test_mentions_that_are_the_same_without_empty_nodes_are_one(tmp_path: Path):
    rows = [row("0.1", "x", "Entity=(e1-x-1-"), row("1", "a", "Entity=(e1-x-1-)e1)")]
    clusters, message = left_out(tmp_path, *rows)
    assert clusters == {"e1": [(0, 1)]}
    assert "mentions that are a second time in their cluster: 1." in message


def test_the_first_type_of_an_entity_stays(tmp_path: Path):
    _, message = left_out(tmp_path, *words("Entity=(e1-person-1-)", "Entity=(e1-place-1-)"))
    assert "/a.conllu:4: found 'place' for 'e1', before 'person'." in message


def test_the_notation_of_corefud_0_is_named(tmp_path: Path):
    clusters, message = left_out(tmp_path, *words("ClusterId=c1|MentionSpan=1"))
    assert not clusters
    assert "the notation of CorefUD 0, `ClusterId=`, which Udapi converts" in message


def test_mentions_of_one_entity_nest(tmp_path: Path):
    path = write_document(tmp_path / "a.conllu", *words("Entity=(e1-x-1-(e1-x-1-", "Entity=e1)", "Entity=(e1-x-1-)e1)"))
    (doc,) = read_corefud(path)
    assert named_clusters(doc) == {"e1": [(0, 2), (0, 3), (2, 3)]}


def test_a_mention_may_cross_the_end_of_a_sentence(tmp_path: Path):
    path = write_document(tmp_path / "a.conllu", *words("_", "Entity=(e1-x-1-"), "", *words("Entity=e1)"))
    (doc,) = read_corefud(path)
    assert named_clusters(doc) == {"e1": [(1, 3)]}
