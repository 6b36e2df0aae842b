from typing import Any

import pytest

from spacy_span_selector.tools.formats.label_studio.reader import read_results
from spacy_span_selector.tools.formats.reports import Report

from .helpers import region, relation


@pytest.mark.parametrize(
    "result, message",
    [
        (5, "t, result[0]: found 5, expected 'labels' or 'relation'."),
        ({"type": "choices"}, "t, result[0]: found 'choices', expected 'labels' or 'relation'."),
        (region("a", "Ann") | {"value": 5}, "t, result[0]: value is 5. Input should be"),
        (region("a", "Ann") | {"id": 5}, "t, result[0]: id is 5. Input should be a valid string."),
        (region("a", "Ann") | {"value": {"start": -1, "end": 2, "labels": ["x"]}}, "value.start is -1."),
        (region("a", "Ann") | {"value": {"start": "0", "end": 2, "labels": ["x"]}}, "value.start is '0'."),
        (
            region("a", "Ann") | {"value": {"start": 0, "end": 2, "labels": []}},
            "value.labels is [].",
        ),
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
        ({"text": ["give.01", "x"]}, "give.01"),
        ({"text": "a  b"}, "a b"),
        ({"text": [5]}, ""),
        ({"text": []}, ""),
        (5, ""),
    ],
)
def test_a_note_is_the_first_text(meta: Any, note: str):
    ((region_,), _) = read_results([region("a", "Ann", meta=meta)], "t", Report())
    assert region_.note == note
