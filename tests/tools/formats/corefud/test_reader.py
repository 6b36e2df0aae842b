from pathlib import Path

import pytest

from spacy_span_selector.annotation import Mention, get_clusters, get_speakers, get_title, has_clusters_annotated
from spacy_span_selector.tools.formats.corefud import read_corefud
from spacy_span_selector.tools.formats.corefud.reader import FIELDS, read_attributes, read_entities
from spacy_span_selector.tools.formats.corefud.writer import write_field

from .helpers import DECLARED, entity_types, named_clusters, row, words, write, write_document

UNIVERSAL_ANAPHORA = ("entity", "GRP", "identity")


@pytest.mark.parametrize(
    "cell, fields, expected",
    [
        (
            "(e1-person-2-(e2-place-1-)e3)",
            FIELDS,
            [(True, False, "e1", None, "person"), (True, True, "e2", None, "place"), (False, True, "e3", None, "")],
        ),
        ("e1[2/3])(e1[1/2]-x-1-", FIELDS, [(False, True, "e1", (2, 3), ""), (True, False, "e1", (1, 2), "x")]),
        ("(1)", ("GRP",), [(True, True, "1", None, "")]),
        ("(place-2-Tulsa", UNIVERSAL_ANAPHORA, [(True, False, "2", None, "place")]),
        ("place-2-Tulsa)", UNIVERSAL_ANAPHORA, [(False, True, "2", None, "")]),
        ("2)", UNIVERSAL_ANAPHORA, [(False, True, "2", None, "")]),
        ("(person-15[1/2]", ("entity", "GRP"), [(True, False, "15", (1, 2), "person")]),
        ("(15-person[1/2]", ("GRP", "entity"), [(True, False, "15", (1, 2), "person")]),
        ("(e1--1-)", FIELDS, [(True, True, "e1", None, "")]),
        ("(e1", FIELDS, [(True, False, "e1", None, "")]),
        ("(e1-x-1-a-b-c-d", FIELDS, [(True, False, "e1", None, "x")]),
    ],
)
def test_fields_are_those_that_are_declared(cell: str, fields: tuple[str, ...], expected: list[tuple[object, ...]]):
    assert read_entities(cell, fields) == (expected, True)


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
    attributes = read_attributes("Entity=(e1)|_|SpaceAfter=No|Entity=a=b")
    assert list(attributes) == [("Entity", "(e1)"), ("SpaceAfter", "No"), ("Entity", "a=b")]


@pytest.mark.parametrize(
    "rows, clusters, messages",
    [
        (  # empty nodes
            [
                row("0.1", "she", "Entity=(e1-person-1-)"),
                row("1", "Came", "Entity=(e2-event-1-"),
                row("1.1", "she", "Entity=(e1-person-1-)e2)"),
                row("2", "Ann", "Entity=(e1-person-1-"),
                row("2.1", "x", "Entity=e1)"),
                row("2.2", "y", "Entity=(e3-x-1-"),
                row("3", "left", "Entity=e3)"),
            ],
            {"e2": [(0, 1)], "e1": [(1, 2)], "e3": [(2, 3)]},
            ["Left out zeros: mentions without words, which a Doc can't hold: 2.", "FILE:3: a mention of 'e1'."],
        ),
        (
            words("Entity=(e1[1/2]-x-1-)", "Entity=(e2-x-1-)", "Entity=(e1[2/2]-x-1-", "Entity=e1[2/2])"),
            {"e2": [(1, 2)]},
            ["in several pieces, which a Doc can't hold: 1. The first: FILE:3: a mention of 'e1' in 2 pieces."],
        ),
        (
            words("Entity=(e1-x-1-)", "Entity=(e3-x-1-)|SplitAnte=e1<e3,e2<e3|Bridge=e1<e3:part,e2<e3"),
            {"e1": [(0, 1)], "e3": [(1, 2)]},
            [
                "split antecedents, which a Doc can't hold: 1. The first: FILE:4: found 'SplitAnte=e1<e3,e2<e3'",
                "bridging relations, which a Doc can't hold: 2.",
            ],
        ),
        (
            words("Entity=(e1-x-1-", "Entity=(e2-x-1-)(", "Entity=e3)", "Entity=e1)", "Entity=(e4-x-1-)"),
            {"e1": [(0, 4)], "e2": [(1, 2)], "e4": [(4, 5)]},
            [
                "brackets of mentions that can't be read or have no partner: 2.",
                "FILE:4: found '(e2-x-1-)(' in `Entity`, expected parts such as",
                "FILE:5: a mention of cluster e3 ends here, but none is open.",
            ],
        ),
        (
            [row("1-2", "ab", "Entity=(e1-x-1-)"), *words("_", "Entity=(e2-x-1-)")],
            {"e2": [(1, 2)]},
            ["FILE:3: found `Entity` at the words 1-2, expected it at one word."],
        ),
        (
            [row("0.1", "x", "Entity=(e1-x-1-"), row("1", "a", "Entity=(e1-x-1-)e1)")],
            {"e1": [(0, 1)]},
            ["mentions that are a second time in their cluster: 1."],
        ),
        (
            words("Entity=(e1-person-1-)", "Entity=(e1-place-1-)"),
            {"e1": [(0, 1), (1, 2)]},
            ["FILE:4: found 'place' for 'e1', before 'person'."],
        ),
        (words("ClusterId=c1|MentionSpan=1"), {}, ["the notation of CorefUD 0, `ClusterId=`, which Udapi converts"]),
    ],
)
def test_what_a_doc_cannot_hold_costs_no_other(
    tmp_path: Path, rows: list[str], clusters: dict[str, list[Mention]], messages: list[str]
):
    path = write_document(tmp_path / "a.conllu", *rows)
    with pytest.warns(UserWarning) as caught:
        (doc,) = read_corefud(path)
    assert named_clusters(doc) == clusters
    (warning,) = caught
    for message in messages:
        assert message in str(warning.message).replace(str(path), "FILE")


@pytest.mark.parametrize(
    "rows, mentions",
    [
        (words("Entity=(e1-x-1-(e1-x-1-", "Entity=e1)", "Entity=(e1-x-1-)e1)"), [(0, 2), (0, 3), (2, 3)]),
        ([*words("_", "Entity=(e1-x-1-"), "", *words("Entity=e1)")], [(1, 3)]),
    ],
)
def test_mentions_may_nest_and_cross_the_end_of_a_sentence(tmp_path: Path, rows: list[str], mentions: list[Mention]):
    (doc,) = read_corefud(write_document(tmp_path / "a.conllu", *rows))
    assert named_clusters(doc) == {"e1": mentions}


def test_a_document_has_all_that_the_file_says(tmp_path: Path):
    path = write_document(
        tmp_path / "a.conllu",
        "# speaker = Ann",
        row("1", "Leo", "Entity=(e7-person-1-)"),
        row("2", "ran", "SpaceAfter=No"),
        row("3", "."),
        "",
        row("1", "He", "Entity=(e7-person-1-)"),
        row("2", "fell", "Entity=(e3--1-)"),
    )
    (doc,) = read_corefud(path)
    assert get_title(doc) == "tale"
    assert doc.text == "Leo ran. He fell "
    assert [token.is_sent_start for token in doc] == [True, False, False, True, False]
    assert (doc[1].lemma_, doc[1].pos_, doc[1].tag_) == ("ran", "X", "XX")
    assert named_clusters(doc) == {"e7": [(0, 1), (3, 4)], "e3": [(4, 5)]}
    assert entity_types([doc]) == ["person", None]
    assert get_speakers(doc) == [(0, 3, "Ann")]


def test_a_declaration_counts_from_where_it_stands(tmp_path: Path):
    lines = ["# newdoc id = a", DECLARED, *words("Entity=(e1-person-1-)"), ""]
    lines += ["# newdoc id = b", "# global.Entity = entity-GRP", *words("Entity=(place-1)"), ""]
    lines += ["# newdoc id = c", *words("Entity=(time-1)")]
    docs = read_corefud(write(tmp_path / "a.conllu", *lines))
    assert entity_types(docs) == ["person", "place", "time"]
    assert [list(named_clusters(doc)) for doc in docs] == [["e1"], ["1"], ["1"]]


def test_a_document_may_be_annotated_without_mentions_or_not_at_all(tmp_path: Path):
    lines = ["# newdoc id = a", DECLARED, *words("_"), "", "# newdoc id = b", *words("_")]
    a, b = read_corefud(write(tmp_path / "a.conllu", *lines))
    assert has_clusters_annotated(a) and not get_clusters(a)
    assert not has_clusters_annotated(b)


def test_documents_without_a_name_are_numbered(tmp_path: Path):
    docs = read_corefud(write(tmp_path / "a.conllu", "# newdoc", *words("_"), "", "# newdoc", *words("_")))
    assert [get_title(doc) for doc in docs] == ["document 1", "document 2"]


def test_different_documents_of_one_id_are_kept_and_the_same_left_out(tmp_path: Path):
    lines = [line for text in ("_", "__", "_") for line in ("# newdoc id = a", *words(*text), "")]
    with pytest.warns(UserWarning, match=r"(?s)^Kept different .*:4: document 'a', as .*\nLeft out .*:8: document 'a'"):
        docs = read_corefud(write(tmp_path / "a.conllu", *lines))
    assert [len(doc) for doc in docs] == [1, 2]


def test_a_line_that_is_no_text_costs_its_document_alone(tmp_path: Path):
    lines = ["# newdoc id = a", *words("_"), "", "# newdoc id = b", *words("_", "_"), "", "# newdoc id = c"]
    path = write(tmp_path / "a.conllu", *lines, *words("_"), "", "# newdoc id = d", "1\tx", "")
    path.write_bytes(path.read_bytes().replace(b"2\tb", b"2\t\xe9"))
    with pytest.warns(
        UserWarning, match=r"can't be read: 2\. The first: \S+a\.conllu:6: byte 2 is not UTF-8"
    ) as caught:
        docs = read_corefud(path)
    assert [get_title(doc) for doc in docs] == ["a", "c"]
    assert "a.conllu:12: found 2 columns" in str(caught[0].message)


@pytest.mark.parametrize(
    "content, message",
    [
        ("", "found no document that can be read. Expected a CoNLL-U file with `# newdoc id = NAME`"),
        (row("1", "a") + "\n\n", "a.conllu:1: found '1\\\\ta"),
        ("[]\n", "expected `# newdoc id = NAME` before the first sentence"),
    ],
)
def test_a_file_without_documents_is_an_error(tmp_path: Path, content: str, message: str):
    path = tmp_path / "a.conllu"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_corefud(path)
