from pathlib import Path

import pytest

from spacy_span_selector.corpora.corefud import read_corefud

from .helpers import named_clusters, row, words, write_document


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
