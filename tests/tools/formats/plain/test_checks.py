from __future__ import annotations

from typing import Any

import pytest

from spacy_span_selector.tools.formats.plain.checks import read_document

TEXT = "Ann called her brother."
GOOD = {"format": "spacy_span_selector.Doc.v1", "id": "the call", "text": TEXT}
MENTION = {"start": 0, "end": 3}
HER = {"start": 11, "end": 14}
PREDICATE = {"start": 4, "end": 10}


def cluster(*mentions: Any) -> dict[str, Any]:
    return {"clusters": [{"mentions": [MENTION]}, {"mentions": [*mentions]}]}


def frame(**parts: Any) -> dict[str, Any]:
    return {"frames": [{"predicate": PREDICATE, "arguments": [], **parts}]}


def sentences(*places: tuple[int, int]) -> dict[str, Any]:
    return {"sentences": [{"start": start, "end": end} for start, end in places]}


BAD: list[tuple[dict[str, Any], str]] = [
    (
        {"format": "spacy_span_selector.Doc.v3"},
        "format is 'spacy_span_selector.Doc.v3'; expected 'spacy_span_selector.D",
    ),
    ({"text": 7}, "text is 7; expected a valid string"),
    ({"text": "\ud800"}, r"text is '\\ud800'; expected a string without surrogates"),
    ({"clusters": {}}, "clusters is {}; expected a valid list"),
    (cluster(), r"clusters\[1\].mentions is \[\]; List should have at least 1 item"),
    (cluster([0, 3]), r"clusters\[1\].mentions\[0\] is \[0, 3\]; expected a valid dictionary\.$"),
    (cluster({"end": 3}), r"clusters\[1\].mentions\[0\].start is missing"),
    (cluster({**MENTION, "start": "0"}), r"clusters\[1\].mentions\[0\].start is '0'; expected a valid integer"),
    (cluster({**MENTION, "start": 0.0}), "start is 0.0; expected a valid integer"),
    (cluster({**MENTION, "start": False}), "start is False; expected a valid integer"),
    (cluster({**MENTION, "start": -1}), "start is -1; expected greater than or equal to 0"),
    (cluster({**MENTION, "start": 10**5000}), r"\(start, end\) of clusters\[1\].mentions\[0\] is too long to be shown"),
    (cluster({**MENTION, "end": 24}), r"\(start, end\) of clusters\[1\].mentions\[0\] is \(0, 24\); expected .* <= 23"),
    (cluster({**MENTION, "end": 0}), r"is \(0, 0\); expected start < end <= 23"),
    (cluster({**MENTION, "score": "1"}), "score is '1'; expected a valid number"),
    (cluster({**MENTION, "score": float("nan")}), "score is nan; expected a finite number"),
    (cluster({**MENTION, "link_score": True}), "link_score is True; expected a valid number"),
    (
        cluster({**MENTION, "antecedent": 0}),
        r"clusters\[1\].mentions\[0\].antecedent is 0; expected null or the number",
    ),
    (
        cluster({**MENTION, "antecedent": 1}, HER),
        "antecedent is 1; expected null or the number of a mention of the clu",
    ),
    (cluster(MENTION, {**HER, "antecedent": 2}), r"clusters\[1\].mentions\[1\].antecedent is 2; expected"),
    (cluster(MENTION, {**HER, "antecedent": -1}), "antecedent is -1; expected greater than or equal to 0"),
    ({"frames": [{"arguments": []}]}, r"frames\[0\].predicate is missing"),
    ({"frames": [{"predicate": PREDICATE}]}, r"frames\[0\].arguments is missing"),
    (frame(roleset=1), r"frames\[0\].roleset is 1; expected a valid string"),
    (frame(arguments=[MENTION]), r"frames\[0\].arguments\[0\].role is missing"),
    (frame(predicate={**PREDICATE, "end": 3}), r"\(start, end\) of frames\[0\].predicate is \(4, 3\)"),
    ({"sentences": [{"start": 0, "end": 99}]}, r"\(start, end\) of sentences\[0\] is \(0, 99\)"),
    ({"sentences": []}, "the text between sentences at 0 is 'Ann called.*; expected white space"),
    (sentences((0, 10)), "the text between sentences at 10 is ' her brother.'; expected white space"),
    (sentences((4, 23)), "the text between sentences at 0 is 'Ann '; expected white space"),
    (sentences((0, 3), (11, 23)), "the text between sentences at 3 is ' called '; expected white space"),
    (
        sentences((0, 10), (4, 23)),
        r"sentences\[1\].start is 4; expected at least 10, where the sentence before it ends",
    ),
    (sentences((11, 23), (0, 10)), "the text between sentences at 0 is 'Ann called '; expected white space"),
    (cluster(MENTION, HER, MENTION), r"clusters\[1\].mentions\[2\] is \(0, 3\); expected another mention than those"),
    ({"unlinked_mentions": [HER, HER]}, r"unlinked_mentions\[1\] is \(11, 14\); expected another mention than those"),
    (
        {**cluster(HER), "unlinked_mentions": [HER]},
        r"\(start, end\) of unlinked_mentions\[0\] is \(11, 14\); expected a mention that is in no cluster",
    ),
    (
        frame(arguments=[{**HER, "role": "ARG1"}, {**HER, "role": "ARG1", "score": 0.5}]),
        r"frames\[0\].arguments\[1\] is \(11, 14, 'ARG1'\); expected another argument than those",
    ),
    (
        frame(arguments=[{**each, "role": "ARG1", "description": str(each["start"])} for each in (MENTION, HER)]),
        r"frames\[0\].arguments\[1\].description is '11'; expected '0', as another argument with its role has",
    ),
    ({"quotations": [{"end": 3}]}, r"quotations\[0\].start is missing"),
    ({"quotations": [{**MENTION, "cue": {"start": 4}}]}, r"quotations\[0\].cue.end is missing"),
    (
        {"quotations": [{**MENTION, "speaker_mention": {"start": 4, "end": 99}}]},
        r"\(start, end\) of quotations\[0\].speaker_mention is \(4, 99\)",
    ),
    ({"labelled_spans": [MENTION]}, r"labelled_spans\[0\].label is missing"),
    ({"labelled_spans": [{**HER, "end": 99, "label": "PERSON"}]}, r"\(start, end\) of labelled_spans\[0\] is \(11, 99"),
    (
        {"labelled_spans": [{**HER, "label": "PERSON"}, {**HER, "label": "PERSON", "score": 0.5}]},
        r"labelled_spans\[1\] is \(11, 14, 'PERSON'\); expected another labelled span than those",
    ),
    ({"speakers": [{**MENTION, "speaker": None}]}, r"speakers\[0\].speaker is None; expected a valid string"),
]


COLUMNS: list[tuple[dict[str, Any], str]] = [
    ({"tokens": []}, r"tokens is \[\]; expected a valid dictionary\.$"),
    ({"sentences": {"start": [0]}}, "sentences.end is missing"),
    (
        {"sentences": {"start": [0, 4], "end": [23]}},
        "expected as many values under each key; found 2 of 'start', 1 of 'end'",
    ),
    ({"tokens": {"start": ["0"], "end": [3]}}, r"tokens.start\[0\] is '0'; expected a valid integer"),
    ({"mentions": {"cluster": [0], "start": [4], "end": [3]}}, r"\(start, end\) of clusters\[0\].mentions\[0\] is \(4"),
    (
        {"mentions": {"cluster": [1], "start": [0], "end": [3]}},
        "highest number of mentions.cluster is 1; expected as many",
    ),
    (
        {"mentions": {"cluster": [0, 2, 2], "start": [0, 4, 11], "end": [3, 10, 14]}},
        r"clusters\[1\].mentions is \[\]; List should have at least 1 item",
    ),
    (
        {"clusters": {"name": ["a", "b"]}, "mentions": {"cluster": [0], "start": [0], "end": [3]}},
        "highest number of mentions.cluster is 0; expected those of 2 clusters, from 0, each with a mention",
    ),
    (
        {"mentions": {"cluster": [0, 1], "start": [0, 4], "end": [3, 10], "antecedent": [0, 0]}},
        r"mentions.antecedent\[1\] is 0; expected the number of a mention of the same cluster",
    ),
    (
        {"mentions": {"cluster": [0], "start": [0], "end": [3], "antecedent": [7]}},
        r"mentions.antecedent\[0\] is 7; expected the number of a mention of the same cluster",
    ),
    (
        {"mentions": {"cluster": [0, 0], "start": [0, 4], "end": [3, 10], "antecedent": [1, 1]}},
        r"clusters\[0\].mentions\[0\].antecedent is 1; expected null or the number of a mention",
    ),
    (
        {
            "frames": {"start": [4], "end": [10]},
            "arguments": {"frame": [1], "role": ["ARG0"], "start": [0], "end": [3]},
        },
        r"arguments.frame\[0\] is 1; expected the number of a frame, from 0, of which there are 1",
    ),
    (
        {"quotations": {"start": [0], "end": [3], "cue_start": [4]}},
        r"\(cue_start, cue_end\) of quotations, number 0 is \(4, None\); expected both or none",
    ),
]


@pytest.mark.parametrize(("wrong", "message"), COLUMNS)
def test_wrong_columns_are_an_error_that_names_key_found_and_expected(wrong: dict[str, Any], message: str):
    data = {**GOOD, "format": "spacy_span_selector.Doc.v2"}
    read_document(data)
    with pytest.raises(ValueError, match=message) as caught:
        read_document({**data, **wrong})
    assert str(caught.value).startswith("Can't read document 'the call': ")


@pytest.mark.parametrize(("wrong", "message"), BAD)
def test_wrong_data_is_an_error_that_names_key_found_and_expected(wrong: dict[str, Any], message: str):
    read_document(GOOD)
    with pytest.raises(ValueError, match=message) as caught:
        read_document({**GOOD, **wrong})
    assert str(caught.value).startswith("Can't read document 'the call': ")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, r"^Can't read a document: it is None; expected a valid dictionary\.$"),
        ({}, "^Can't read a document without text: format is missing. Errors in all: 2.$"),
        ({"text": TEXT * 5}, "^Can't read document starting 'Ann called her brother.Ann called her br': format is mis"),
        ({**GOOD, "id": 7}, "^Can't read document starting 'Ann called.*': id is 7; expected a valid string"),
    ],
)
def test_data_without_a_name_is_called_by_its_text(data: Any, message: str):
    with pytest.raises(ValueError, match=message):
        read_document(data)
