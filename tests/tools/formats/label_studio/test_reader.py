from pathlib import Path
from typing import Any

import pytest

from spacy_span_selector.annotation import (
    Argument,
    Frame,
    get_clusters,
    get_frames,
    get_labelled_spans,
    get_title,
    has_clusters_annotated,
    has_frames_annotated,
    has_labelled_spans_annotated,
)
from spacy_span_selector.tools.formats.label_studio import read_label_studio

from .helpers import NLP, TEXT, read, region, relation, task


def test_links_make_clusters_and_roles_make_frames(tmp_path: Path):
    (doc,) = read(
        tmp_path,
        task(
            region("a", "Ann"),
            region("b", "Ann's brother", meta={"text": ["tom"]}),
            region("c", "He"),
            region("d", "ran", "Predicate", meta={"text": ["run.01"]}),
            region("e", "to Bells", "Argument"),
            relation("c", "b"),
            relation("d", "c", "ARG0"),
            relation("e", "d", "ARGM-DIR"),
        ),
    )
    assert get_title(doc) == "task 7"
    assert get_clusters(doc) == [[(0, 1)], [(0, 3), (5, 6)]]
    assert doc.spans["coref_clusters_2"].attrs == {"name": "tom"}
    assert get_frames(doc) == [Frame(6, 7, [Argument(5, 6, "ARG0"), Argument(7, 9, "ARGM-DIR")], "run.01")]


def test_regions_from_labels_of_their_own_are_labelled_spans(tmp_path: Path):
    results = [
        region("a", "Ann"),
        region("a", "Ann", "person", "name", from_name="labelled"),  # a region with both kinds of labels
        region("b", "Ann's brother", "Predicate", from_name="labelled"),
    ]
    (doc,) = read(tmp_path, task(*results))
    assert get_labelled_spans(doc) == [(0, 1, "name"), (0, 1, "person"), (0, 3, "Predicate")]
    assert get_clusters(doc) == [[(0, 1)]] and not has_frames_annotated(doc)


def test_a_label_that_a_span_has_twice_is_left_out_and_counted(tmp_path: Path):
    results = [region(name, "Ann", "person", from_name="labelled") for name in ("a", "b")]
    with pytest.warns(UserWarning, match=r"labels that a labelled span has twice: 1\. .*task 7: person at token 0"):
        (doc,) = read(tmp_path, task(*results))
    assert get_labelled_spans(doc) == [(0, 1, "person")]


def test_the_ground_truth_is_taken_and_what_was_skipped_is_not(tmp_path: Path):
    annotations: list[dict[str, Any]] = [
        {"result": [region("x", "Bells")], "was_cancelled": True},
        {"result": [region("x", "ran")]},
        {"result": [region("x", "Ann")], "ground_truth": True},
    ]
    with pytest.warns(UserWarning, match=r"which is the ground truth or comes first: 1\. The first: .*task 7: 2 annot"):
        docs = read(tmp_path, task(annotations=annotations), task(annotations=annotations[:2], id=8))
    assert [get_clusters(doc) for doc in docs] == [[[(0, 1)]], [[(6, 7)]]]


@pytest.mark.parametrize(
    "results, coreference, roles, labels",
    [
        ([], True, False, False),
        ([region("a", "Ann")], True, False, False),
        ([region("a", "ran", "Predicate")], False, True, False),
        ([region("a", "ran", "Predicate"), region("b", "He")], True, True, False),
        ([region("a", "Ann", "person", from_name="labelled")], False, False, True),
    ],
)
def test_what_counts_as_annotated(tmp_path: Path, results: list[Any], coreference: bool, roles: bool, labels: bool):
    (doc,) = read(tmp_path, task(*results))
    known = has_clusters_annotated(doc), has_frames_annotated(doc), has_labelled_spans_annotated(doc)
    assert known == (coreference, roles, labels)


def test_bad_tasks_cost_no_others(tmp_path: Path):
    bad: list[Any] = [
        5,
        {},
        {"data": {"image": "x"}},
        task(annotations=[]),
        task(annotations=None),
        {"data": {"text": 5}},
    ]
    with pytest.warns(UserWarning) as caught:
        docs = read(tmp_path, *bad, task(region("a", "Ann")))
    assert [get_clusters(doc) for doc in docs] == [[[(0, 1)]]]
    message = str(caught[0].message)
    assert "Left out documents that can't be read: 4." in message
    assert "task 3: found None in the field 'text' of 'data', which has ['image']; expected a text. Name" in message
    assert "Left out tasks without annotation: 2." in message


@pytest.mark.parametrize(
    "content, message",
    [
        ("[", "a.json: not JSON: "),
        ("[" * 100_000, "a.json: its lists are nested too deeply"),
        ("[" + "9" * 5_000 + "]", "a.json: not JSON: "),
        ("[]", "a.json: found no document that can be read. Expected a list of tasks: export as JSON, not as JSON-MIN"),
        ('{"id": 1, "text": "Ann", "label": []}', "expected a task with 'data'. Expected a list of tasks"),
    ],
)
def test_files_that_are_no_export_are_errors(tmp_path: Path, content: str, message: str):
    (tmp_path / "a.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_label_studio(tmp_path / "a.json", NLP)


def test_one_task_alone_is_read_with_its_text_in_any_field(tmp_path: Path):
    (tmp_path / "a.json").write_text('{"data": {"body": "Ann left.", "title": "x"}, "annotations": [{"result": []}]}')
    (doc,) = read_label_studio(tmp_path / "a.json", NLP, text_field="body")
    assert (doc.text, get_title(doc)) == ("Ann left.", "x")


def test_words_that_do_not_fit_are_those_of_the_tokenizer(tmp_path: Path):
    data = {"text": TEXT, "document": {"tokens": [{"start": 0, "end": 3}]}}
    with pytest.warns(UserWarning, match="Took the words of the tokenizer"):
        (doc,) = read(tmp_path, task(data=data))
    assert [token.text for token in doc] == [token.text for token in NLP(TEXT)]
