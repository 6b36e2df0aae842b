import pytest

from spacy_span_selector.corpora.corefud.entities import (
    FIELDS,
    EntityBracket,
    read_attributes,
    read_entities,
    write_field,
)

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
