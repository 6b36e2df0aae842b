import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.tools.formats.jsonlines import read_jsonlines, write_jsonlines

from ...spans import offsets, put_spans

FERRY: dict[str, Any] = {
    "doc_key": "bc/ferry_0",
    "sentences": [["Ruth", "phoned", "her", "brother", "."], ["He", "slept", "."]],
    "speakers": [["Ruth Orr"] * 5, ["Leo", "Leo", "-"]],
    "clusters": [[[0, 0], [2, 2]], [[2, 3], [5, 5]], [[6, 6]]],
    "constituents": [[0, 4, "S"], [2, 3, "NP"], [5, 7, "S"]],
    "ner": [[0, 0, "PERSON"]],
}
WORD_LEVEL: dict[str, Any] = {
    "document_id": "tc/ferry",
    "part_id": 2,
    "cased_words": ["Ruth", "slept", ".", "She", "snored"],
    "sent_id": [0, 0, 0, 1, 1],
    "speaker": ["Leo", "Leo", "Leo", "-", "-"],
    "clusters": [[[0, 1], [3, 4]]],
}


def write(folder: Path, *records: object) -> Path:
    path = folder / "ferry.jsonlines"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def read_one(folder: Path, record: object) -> Doc:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (doc,) = read_jsonlines(write(folder, record))
    return doc


def make_doc(**kwargs: Any) -> Doc:
    words = ["Ann", "slept", ".", "She", "snored"]
    return Doc(Vocab(), words=words, sent_starts=[True, False, False, True, False], **kwargs)


def round_trip(folder: Path, doc: Doc) -> tuple[Doc, dict[str, Any]]:
    """The document as it is read back, and what was written."""
    path = folder / "out.jsonlines"
    path.write_text(write_jsonlines([doc]), encoding="utf-8")
    (back,) = read_jsonlines(path)
    return back, json.loads(path.read_text(encoding="utf-8"))


def test_words_sentences_and_title_are_read(tmp_path: Path):
    doc = read_one(tmp_path, FERRY)
    assert [[token.text for token in sentence] for sentence in doc.sents] == FERRY["sentences"]
    assert annotation.get_title(doc) == "bc/ferry_0"
    assert doc.has_unknown_spaces


def test_last_words_are_inside_clusters_constituents_and_entities(tmp_path: Path):
    doc = read_one(tmp_path, FERRY)
    assert annotation.get_clusters(doc) == [[(0, 1), (2, 3)], [(2, 4), (5, 6)], [(6, 7)]]
    assert offsets(doc, "constituents") == [(0, 5, "S"), (2, 4, "NP"), (5, 8, "S")]
    assert [(span.text, span.label_) for span in doc.ents] == [("Ruth", "PERSON")]


@pytest.mark.parametrize("unknown", ["-", "", "_", None])
def test_turns_are_runs_of_words_with_a_known_speaker(tmp_path: Path, unknown: str | None):
    record = FERRY | {"speakers": [["Ruth Orr"] * 5, ["Leo", "Leo", unknown]]}
    assert annotation.get_speakers(read_one(tmp_path, record)) == [(0, 5, "Ruth Orr"), (5, 7, "Leo")]


def test_words_and_sentences_are_enough(tmp_path: Path):
    doc = read_one(tmp_path, {"sentences": [["Rain"]]})
    assert not annotation.has_clusters_annotated(doc)
    assert not doc.has_annotation("ENT_IOB")
    assert not doc.spans
    assert not doc.user_data


def test_constituents_and_entities_may_be_listed_by_sentence(tmp_path: Path):
    record = FERRY | {"ner": [[[0, 0, "PERSON"]], [[5, 5, "PERSON"]]], "constituents": [[], [[5, 7, "S"]]]}
    doc = read_one(tmp_path, record)
    assert [span.start for span in doc.ents] == [0, 5]
    assert [(span.start, span.end) for span in doc.spans["constituents"]] == [(5, 8)]


def test_the_form_of_wl_coref_is_read(tmp_path: Path):
    doc = read_one(tmp_path, WORD_LEVEL)
    assert [sentence.text for sentence in doc.sents] == ["Ruth slept .", "She snored"]
    assert annotation.get_clusters(doc) == [[(0, 1), (3, 4)]]
    assert annotation.get_speakers(doc) == [(0, 3, "Leo")]
    assert annotation.get_title(doc) == "tc/ferry_2"


def test_wl_coref_needs_no_speakers(tmp_path: Path):
    record = {key: value for key, value in WORD_LEVEL.items() if key != "speaker"}
    assert annotation.get_speakers(read_one(tmp_path, record)) == []


def test_entities_that_overlap_are_left_out_and_counted(tmp_path: Path):
    path = write(tmp_path, FERRY | {"ner": [[0, 3, "EVENT"], [2, 2, "PERSON"]]})
    with pytest.warns(UserWarning, match=r"overlap longer ones.*: 1\. .*:1: 'her'"):
        (doc,) = read_jsonlines(path)
    assert [span.label_ for span in doc.ents] == ["EVENT"]


def test_a_mention_that_is_in_its_cluster_twice_is_kept_once_and_counted(tmp_path: Path):
    path = write(tmp_path, {**FERRY, "clusters": [[[3, 3], [0, 0], [3, 3]]]})
    with pytest.warns(
        UserWarning, match=r"a second time in their cluster: 1\. .*:1: the cluster that starts at word 0"
    ):
        (doc,) = read_jsonlines(path)
    assert annotation.get_clusters(doc) == [[(0, 1), (3, 4)]]


def test_empty_lines_are_skipped(tmp_path: Path):
    path = tmp_path / "gaps.jsonlines"
    path.write_text('\n{"sentences": [["Rain"]]}\n\n{"sentences": [["Snow"]]}\n', encoding="utf-8")
    assert [doc[0].text for doc in read_jsonlines(path)] == ["Rain", "Snow"]


@pytest.mark.parametrize(
    "record, message",
    [
        ([], "found [], expected an object"),
        ({"doc_key": "a"}, "found no 'sentences'"),
        (FERRY | {"subtoken_map": [0]}, "found 'subtoken_map': this file has the word pieces"),
        (FERRY | {"sentences": "Rain"}, "found 'Rain' in 'sentences', expected a list"),
        (FERRY | {"sentences": ["Rain"]}, "found 'Rain' in 'sentences', expected a list"),
        (FERRY | {"sentences": [["Rain", 7]]}, "found 7 in 'sentences', expected lists of words"),
        (FERRY | {"sentences": [["Rain", None]]}, "found None in 'sentences', expected lists of words"),
        (FERRY | {"sentences": [["Rain", ""]]}, "found '' in 'sentences', expected lists of words"),
        (
            FERRY | {"speakers": [["Leo"], ["Leo"]]},
            "found lists of [1, 1] values in 'speakers' for sentences of [5, 3]",
        ),
        (
            FERRY | {"clusters": [[[7, 8]]]},
            "found [7, 8] in 'clusters', expected [first, last] in a document of 8 words",
        ),
        (FERRY | {"clusters": [[[3, 2]]]}, "found [3, 2] in 'clusters'"),
        (FERRY | {"clusters": [[3, 4]]}, "found 3 in 'clusters', expected [first, last]"),
        (FERRY | {"ner": [[0, 1]]}, "found [0, 1] in 'ner', expected [first, last, label]"),
        (FERRY | {"cluster_names": ["a"]}, "found 1 'cluster_names' for 3 clusters"),
        (WORD_LEVEL | {"sent_id": [0]}, "found 5 words, 1 values of 'sent_id' and 5 of 'speaker'"),
        (WORD_LEVEL | {"clusters": [[[2, 2]]]}, "found [2, 2] in 'clusters', expected [first, end]"),
    ],
)
def test_bad_documents_are_named_by_file_and_line_and_lose_no_others(tmp_path: Path, record: object, message: str):
    path = write(tmp_path, {"sentences": [["Rain"]]}, record, {"sentences": [["Snow"]]})
    with pytest.warns(UserWarning, match=re.escape(f"{path}:2: {message}")):
        assert [doc[0].text for doc in read_jsonlines(path)] == ["Rain", "Snow"]


@pytest.mark.parametrize(
    "line, message",
    [
        (b'{"sentences": [[', "not JSON: Expecting value"),
        ('{"sentences": [["Zoë"]]}'.encode("latin-1"), "byte 19 is not UTF-8"),
        (b"\0" * 50, "byte 0 is 0, which no text has"),
    ],
)
def test_bad_lines_are_named_and_lose_no_others(tmp_path: Path, line: bytes, message: str):
    path = tmp_path / "broken.jsonlines"
    path.write_bytes(b'{"sentences": [["Rain"]]}\n' + line + b'\n{"sentences": [["Snow"]]}\n')
    with pytest.warns(
        UserWarning, match=re.escape(f"Left out documents that can't be read: 1. The first: {path}:2: {message}")
    ) as caught:
        assert [doc[0].text for doc in read_jsonlines(path)] == ["Rain", "Snow"]
    assert len(caught) == 1
    path.write_bytes(line)
    with pytest.raises(ValueError, match=re.escape(f"{path}:1: {message}")):
        read_jsonlines(path)


@pytest.mark.parametrize("name", [["Leo"], {"name": "Leo"}, [], {}])
@pytest.mark.parametrize(
    "key, make",
    [
        ("speakers", lambda name: [[name] * 5, ["Leo"] * 3]),
        ("turns", lambda name: [[0, 4, name]]),
        ("ner", lambda name: [[0, 0, name]]),
        ("constituents", lambda name: [[0, 4, name]]),
        ("cluster_names", lambda name: [name, "a", "b"]),
    ],
)
def test_a_name_is_no_list_and_no_object(tmp_path: Path, key: str, make: Callable[[object], object], name: object):
    path = write(tmp_path, FERRY | {key: make(name)})
    with pytest.raises(ValueError, match=re.escape(f"{path}:1: found {name!r} in '{key}', expected a name.")):
        read_jsonlines(path)


def test_numbers_are_names(tmp_path: Path):
    record = FERRY | {"speakers": [[0] * 5, [2, 2.5, None]], "doc_key": 0, "cluster_names": [1, None, "b"]}
    doc = read_one(tmp_path, record)
    assert annotation.get_speakers(doc) == [(0, 5, "0"), (5, 6, "2"), (6, 7, "2.5")]
    assert annotation.get_title(doc) == "0"
    assert [group.attrs.get("name") for group in annotation.cluster_groups(doc)] == ["1", None, "b"]


def test_characters_that_json_writes_in_two_parts_are_read(tmp_path: Path):
    doc = read_one(tmp_path, {"sentences": [["\U0001f600"]]})  # json.dumps writes "\ud83d\ude00"
    assert doc[0].text == "\U0001f600"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_byte_order_mark_and_line_ends_of_other_systems(tmp_path: Path, newline: str):
    path = tmp_path / "windows.jsonlines"
    path.write_text(f'{{"sentences": [["Zoë"]]}}{newline}{{"sentences": [["Snow"]]}}{newline}', "utf-8-sig", newline="")
    assert [doc[0].text for doc in read_jsonlines(path)] == ["Zoë", "Snow"]


def test_a_file_without_documents_is_named(tmp_path: Path):
    with pytest.raises(ValueError, match="found no document"):
        read_jsonlines(write(tmp_path))


def test_what_was_written_is_read_back(tmp_path: Path):
    doc = read_one(tmp_path, FERRY)
    back, written = round_trip(tmp_path, doc)
    assert written == FERRY
    assert back.to_json() == doc.to_json()


def test_spacing_is_kept_where_it_is_known(tmp_path: Path):
    back, written = round_trip(tmp_path, make_doc(spaces=[True, False, True, True, False]))
    assert back.text == "Ann slept. She snored"
    assert written["spaces"] == [[True, False, True], [True, False]]
    assert not back.has_unknown_spaces


@pytest.mark.parametrize("turns", [[(0, 2, "Ann"), (2, 3, "Ann")], [(0, 3, "Ann"), (1, 5, "Leo")], [(0, 1, "-")]])
def test_turns_that_are_more_than_runs_of_words_are_kept(tmp_path: Path, turns: list[tuple[int, int, str]]):
    doc = make_doc()
    annotation.set_speakers(doc, turns)
    assert annotation.get_speakers(round_trip(tmp_path, doc)[0]) == turns


def test_names_of_clusters_are_kept(tmp_path: Path):
    doc = make_doc()
    annotation.set_clusters(doc, [[(0, 1), (3, 4)], [(2, 3)]], names=["Ann", ""])
    back, _ = round_trip(tmp_path, doc)
    assert [group.attrs.get("name") for group in annotation.cluster_groups(back)] == ["Ann", None]


def test_a_mention_in_two_clusters_is_kept(tmp_path: Path):
    doc = make_doc()
    annotation.set_clusters(doc, [[(0, 1), (3, 4)], [(2, 3), (3, 4)]])
    assert annotation.get_clusters(round_trip(tmp_path, doc)[0]) == [[(0, 1), (3, 4)], [(2, 3), (3, 4)]]


def test_a_document_without_mentions_stays_annotated(tmp_path: Path):
    doc = make_doc()
    annotation.set_mentions(doc, [], [])
    back, written = round_trip(tmp_path, doc)
    assert written["clusters"] == []
    assert annotation.has_clusters_annotated(back)


def test_what_a_document_lacks_is_not_written(tmp_path: Path):
    back, written = round_trip(tmp_path, make_doc())
    assert written.keys() == {"doc_key", "sentences", "speakers"}
    assert not annotation.has_clusters_annotated(back)


def test_entities_and_constituents_are_kept(tmp_path: Path):
    doc = make_doc()
    doc.set_ents([Span(doc, 0, 1, "PERSON")], default="outside")
    annotation.set_constituents(doc, [(0, 3, "S"), (0, 1, "NP")])
    back, _ = round_trip(tmp_path, doc)
    assert [(span.start, span.end, span.label_) for span in back.ents] == [(0, 1, "PERSON")]
    assert offsets(back, "constituents") == [(0, 3, "S"), (0, 1, "NP")]


def test_a_document_without_sentences_becomes_one(tmp_path: Path):
    back, _ = round_trip(tmp_path, Doc(Vocab(), words=["Rain", "falls"]))
    assert [sentence.text for sentence in back.sents] == ["Rain falls"]


def test_a_document_without_words_is_kept(tmp_path: Path):
    assert len(round_trip(tmp_path, Doc(Vocab()))[0]) == 0


@pytest.mark.parametrize("place", [0, 3, 5])
def test_spans_without_tokens_are_left_out_and_counted(tmp_path: Path, place: int):
    doc = make_doc()
    put_spans(doc, "coref_clusters_1", (place, place), name="nobody")
    put_spans(doc, "coref_clusters_2", (0, 1), (place, place), (3, 4), name="ann")
    put_spans(doc, "speakers", (place, place, "Bob"), (0, 3, "Ann"))
    put_spans(doc, "constituents", (0, 3, "S"), (place, place, "NP"))
    with pytest.warns(UserWarning, match=rf"without tokens, .*: 4\. The first: a turn of a speaker at token {place} "):
        (tmp_path / "a.jsonlines").write_text(write_jsonlines([doc]), encoding="utf-8")
    (back,) = read_jsonlines(tmp_path / "a.jsonlines")
    assert annotation.get_clusters(back) == [[(0, 1), (3, 4)]]
    assert [group.attrs["name"] for group in annotation.cluster_groups(back)] == ["ann"]
    assert annotation.get_speakers(back) == [(0, 3, "Ann")]
    assert [(span.start, span.end) for span in back.spans["constituents"]] == [(0, 3)]


def test_a_cluster_without_tokens_leaves_a_document_annotated(tmp_path: Path):
    doc = make_doc()
    put_spans(doc, "coref_clusters_1", (2, 2))
    with pytest.warns(UserWarning, match="without tokens"):
        (tmp_path / "a.jsonlines").write_text(write_jsonlines([doc]), encoding="utf-8")
    (back,) = read_jsonlines(tmp_path / "a.jsonlines")
    assert annotation.has_clusters_annotated(back) and annotation.get_clusters(back) == []
