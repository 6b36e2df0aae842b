import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame
from spacy_span_selector.tools.formats.label_studio import read_label_studio
from spacy_span_selector.tools.formats.label_studio.reader import (
    Labelled,
    Relation,
    Value,
    find_annotation,
    find_tokens,
    read_results,
)
from spacy_span_selector.tools.formats.reports import Report

NLP = spacy.blank("en")
TEXT = "Ann's brother left. He ran to Bells."


def region(name: str, words: str, *labels: str, **rest: Any) -> dict[str, Any]:
    """A region around the first place of some words."""
    start = TEXT.index(words)
    value = {"start": start, "end": start + len(words), "text": words, "labels": list(labels or ["Mention"])}
    return {"id": name, "from_name": "label", "to_name": "text", "type": "labels", "value": value, **rest}


def relation(source: str, target: str, *labels: str) -> dict[str, Any]:
    ends = {"from_id": source, "to_id": target}
    return {"type": "relation", **ends, "labels": list(labels), "direction": "right"}


def task(*results: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"id": 7, "data": {"text": TEXT}, "annotations": [{"id": 1, "result": list(results)}], **rest}


def read(folder: Path, *tasks: Any) -> list[Doc]:
    path = folder / "export.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return read_label_studio(path, NLP)


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
    assert annotation.get_title(doc) == "task 7"
    assert annotation.get_clusters(doc) == [[(0, 1)], [(0, 3), (5, 6)]]
    assert doc.spans["coref_clusters_2"].attrs == {"name": "tom"}
    assert annotation.get_frames(doc) == [Frame(6, 7, [Argument(5, 6, "ARG0"), Argument(7, 9, "ARGM-DIR")], "run.01")]


def test_regions_from_labels_of_their_own_are_labelled_spans(tmp_path: Path):
    results = [
        region("a", "Ann"),
        region("a", "Ann", "person", "name", from_name="labelled"),  # a region with both kinds of labels
        region("b", "Ann's brother", "Predicate", from_name="labelled"),
    ]
    (doc,) = read(tmp_path, task(*results))
    assert annotation.get_labelled_spans(doc) == [(0, 1, "name"), (0, 1, "person"), (0, 3, "Predicate")]
    assert annotation.get_clusters(doc) == [[(0, 1)]] and not annotation.has_frames_annotated(doc)


def test_a_label_that_a_span_has_twice_is_left_out_and_counted(tmp_path: Path):
    results = [region(name, "Ann", "person", from_name="labelled") for name in ("a", "b")]
    with pytest.warns(UserWarning, match=r"labels that a labelled span has twice: 1\. .*task 7: person at token 0"):
        (doc,) = read(tmp_path, task(*results))
    assert annotation.get_labelled_spans(doc) == [(0, 1, "person")]


def test_the_ground_truth_is_taken_and_what_was_skipped_is_not(tmp_path: Path):
    annotations: list[dict[str, Any]] = [
        {"result": [region("x", "Bells")], "was_cancelled": True},
        {"result": [region("x", "ran")]},
        {"result": [region("x", "Ann")], "ground_truth": True},
    ]
    with pytest.warns(UserWarning, match=r"which is the ground truth or comes first: 1\. The first: .*task 7: 2 annot"):
        docs = read(tmp_path, task(annotations=annotations), task(annotations=annotations[:2], id=8))
    assert [annotation.get_clusters(doc) for doc in docs] == [[[(0, 1)]], [[(6, 7)]]]


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
    assert annotation.has_clusters_annotated(doc) == coreference
    assert annotation.has_frames_annotated(doc) == roles
    assert annotation.has_labelled_spans_annotated(doc) == labels


def test_bad_tasks_cost_no_others(tmp_path: Path):
    without = [task(annotations=[]), task(annotations=None)]
    bad: list[Any] = [5, {}, {"data": {"image": "x"}}, *without, {"data": {"text": 5}}]
    with pytest.warns(UserWarning) as caught:
        docs = read(tmp_path, *bad, task(region("a", "Ann")))
    assert [annotation.get_clusters(doc) for doc in docs] == [[[(0, 1)]]]
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
    assert (doc.text, annotation.get_title(doc)) == ("Ann left.", "x")


def test_types_that_are_no_list_cost_no_words(tmp_path: Path):
    document = {"tokens": {"start": [0], "end": [9]}, "annotates": "PER"}
    with pytest.warns(UserWarning, match="^Left out the types that documents are annotated for.*'PER'"):
        (doc,) = read(tmp_path, task(data={"text": "Ann left.", "document": document}))
    assert ([token.text for token in doc], annotation.get_annotates(doc)) == (["Ann left."], None)


def test_words_that_do_not_fit_are_those_of_the_tokenizer(tmp_path: Path):
    data = {"text": TEXT, "document": {"tokens": [{"start": 0, "end": 3}]}}
    with pytest.warns(UserWarning, match="Took the words of the tokenizer"):
        (doc,) = read(tmp_path, task(data=data))
    assert [token.text for token in doc] == [token.text for token in NLP(TEXT)]


ANN = region("a", "Ann")


@pytest.mark.parametrize(
    "result, message",
    [
        (5, "t, result[0]: found 5, expected 'labels' or 'relation'."),
        ({"type": "choices"}, "t, result[0]: found 'choices', expected 'labels' or 'relation'."),
        (ANN | {"value": 5}, "t, result[0]: value is 5. Input should be"),
        (ANN | {"id": 5}, "t, result[0]: id is 5. Input should be a valid string."),
        (ANN | {"value": {"start": -1, "end": 2, "labels": ["x"]}}, "value.start is -1."),
        (ANN | {"value": {"start": "0", "end": 2, "labels": ["x"]}}, "value.start is '0'."),
        (ANN | {"value": {"start": 0, "end": 2, "labels": []}}, "value.labels is []."),
        (relation("a", "b") | {"direction": "up"}, "direction is 'up'."),
        ({"type": "relation", "from_id": "a"}, "to_id is {"),
    ],
)
def test_bad_results_cost_no_others(result: Any, message: str):
    report = Report()
    regions, relations = read_results([result, region("b", "He"), relation("b", "c")], "t", report)
    assert ([each.id for each in regions], [each.ends for each in relations]) == (["b"], [("b", "c")])
    ((case,),) = report.findings.values()
    assert message in case


@pytest.mark.parametrize(
    "meta, note",
    [
        *(({"text": ["give.01", "x"]}, "give.01"), ({"text": "a  b"}, "a b")),
        *(({"text": [5]}, ""), ({"text": []}, ""), (5, "")),
    ],
)
def test_a_note_is_the_first_text(meta: Any, note: str):
    ((region_,), _) = read_results([ANN | {"meta": meta}], "t", Report())
    assert region_.note == note


def find(start: int, end: int, text: str | None) -> tuple[str | None, dict[str, list[str]]]:
    """The text of the tokens of a region, and what was reported."""
    report = Report()
    doc = NLP("A 😀 man\nof the Bells left.")
    place = find_tokens(doc, Value(start=start, end=end, text=text, labels=["Mention"]), "task 1", report)
    return None if place is None else doc[slice(*place)].text, report.findings


@pytest.mark.parametrize(
    "start, end, text, found",
    [
        (15, 20, "Bells", "Bells"),
        (15, 20, None, "Bells"),
        (14, 21, " Bells ", "Bells"),
        (4, 10, "man\\nof", "man\nof"),
        (4, 10, "man of", "man\nof"),
        (16, 21, "Bells", "Bells"),  # counted as JavaScript counts
        (2, 4, "😀", "😀"),
    ],
)
def test_regions_are_found_by_their_characters(start: int, end: int, text: str | None, found: str):
    assert find(start, end, text) == (found, {})


def test_a_region_gets_whole_tokens():
    what = "Expanded regions that begin or end within a token to the whole token"
    assert find(15, 17, "Be") == ("Bells", {what: ["task 1: 'Be' to 'Bells'."]})


@pytest.mark.parametrize(
    "start, end, text, message",
    [
        (15, 20, "Wells", "task 1: found 'Bells', expected 'Wells'."),
        (10**30, 10**31, "Bells", "task 1: found '', expected 'Bells'."),
        (8, 8, None, "task 1: found characters 8 to 8 of 26, expected some words."),
        (7, 8, "\n", "task 1: found characters 7 to 8 of 26, expected some words."),
        (20, 15, None, "task 1: found characters 20 to 15 of 26, expected some words."),
        (15, 99, None, "task 1: found characters 15 to 99 of 26, expected some words."),
    ],
)
def test_regions_without_words_are_left_out(start: int, end: int, text: str | None, message: str):
    tokens, findings = find(start, end, text)
    assert (tokens, list(findings.values())) == (None, [[message]])


def mention(start: int, *labels: str, note: str = "") -> Labelled:
    return Labelled((start, start + 1), list(labels or ["Mention"]), note)


def annotate(regions: dict[str, Labelled], *relations: dict[str, Any]) -> tuple[Any, dict[str, list[str]]]:
    report = Report()
    return find_annotation(regions, [*map(Relation.model_validate, relations)], "t", report), report.findings


def test_links_of_any_direction_and_label_join_mentions():
    regions = {name: mention(i) for i, name in enumerate("abcdef")}
    both = relation("b", "a") | {"direction": "bi"}
    links = [relation("e", "a"), relation("c", "b", "refers to"), both, relation("d", "d")]
    (clusters, *_, frames), findings = annotate(regions, *links)
    assert clusters == [[(0, 1), (1, 2), (2, 3), (4, 5)], [(3, 4)], [(5, 6)]]
    assert (frames, findings) == ([], {})


def test_the_type_is_the_first_label_of_another_name_and_the_name_the_first_note():
    regions = {"a": mention(1, "PER"), "b": mention(0), "c": mention(2, "LOC", note="ann"), "d": mention(3, "LOC")}
    found, _ = annotate(regions, relation("b", "a"), relation("c", "a"))
    assert found == ([[(0, 1), (1, 2), (2, 3)], [(3, 4)]], ["ann", ""], ["PER", "LOC"], [])


def test_arguments_may_be_regions_of_any_label():
    regions = {"a": mention(0), "b": mention(1, "Argument"), "v": mention(2, "Predicate"), "w": mention(3, "Predicate")}
    links = [relation("v", "a", "ARG0", "ARG1"), relation("b", "v", "ARG2"), relation("v", "w", "ARG3")]
    links += [relation("v", "a", "ARG0"), relation("v", "w", "ARG4") | {"direction": "left"}]
    (clusters, *_, frames), findings = annotate(regions, *links)
    assert clusters == [[(0, 1)]]
    assert findings == {"Left out arguments that are a second time in their frame": ["t: ARG0 at token 0."]}
    assert frames == [
        Frame(2, 3, [Argument(0, 1, "ARG0"), Argument(0, 1, "ARG1"), Argument(1, 2, "ARG2"), Argument(3, 4, "ARG3")]),
        Frame(3, 4, [Argument(2, 3, "ARG4")]),
    ]


def test_predicates_and_arguments_may_corefer():
    regions = {"v": mention(0, "Predicate", note="run.01"), "a": mention(1, "Argument"), "m": mention(2)}
    found, _ = annotate(regions, relation("m", "v", "coreferent"), relation("m", "a", "coreferent"))
    assert found == ([[(0, 1), (1, 2), (2, 3)]], [""], [""], [Frame(0, 1, [], "run.01")])


@pytest.mark.parametrize(
    "regions, link, message",
    [
        ("av", relation("a", "x"), "Left out relations of regions that are missing or left out"),
        ("av", relation("v", "a"), "Left out relations of predicates that have no label, the role"),
        ("ab", relation("a", "b"), "Left out mentions that are a second time in their cluster"),
    ],
)
def test_relations_that_say_nothing_are_counted(regions: str, link: dict[str, Any], message: str):
    known = {"a": mention(0), "b": mention(0), "v": mention(1, "Predicate")}
    (clusters, *_), findings = annotate({name: known[name] for name in regions}, link)
    assert (clusters, list(findings)) == ([[(0, 1)]], [message])


LINES = "A 😀 man\r\nof the Bells\nleft.\rShe came\r\n\r\nback."


@pytest.mark.parametrize("line_end", ["\r\n", "\n"], ids=["as two", "as one"])
@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-16-le"])
def test_line_ends_are_one_character_or_two(line_end: str, encoding: str) -> None:
    doc, report, size = NLP(LINES), Report(), len("a".encode(encoding))
    counted = LINES.replace("\r\n", line_end)
    for word in LINES.split():
        start = len(counted.partition(word)[0].encode(encoding)) // size
        end = start + len(word.encode(encoding)) // size
        place = find_tokens(doc, Value(start=start, end=end, text=word, labels=["Mention"]), "task 1", report)
        assert place is not None and word in doc[slice(*place)].text + "."
    assert not [what for what in report.findings if "left" in what.lower() or "text" in what]
    assert find_tokens(doc, Value(start=0, end=3, text="They", labels=["Mention"]), "task 1", report) is None
