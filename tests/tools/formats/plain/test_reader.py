import copy
import json
import re
import warnings
from collections import Counter
from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector import annotation, from_dict, to_dict
from spacy_span_selector.annotation import Argument, Frame, Quotation
from spacy_span_selector.extensions import doc_clusters
from spacy_span_selector.tools.formats.plain import json_schema

from ....robustness.strategies import odd_values, raw_texts
from .documents import always_the_same, annotated, content, full_doc, pack, rounded, rows

NLP = spacy.blank("en")
VALIDATOR = Draft202012Validator(json_schema())
TEXT = "Ann called her brother."


def read(data: Any, nlp: Language | Vocab = NLP) -> Doc:
    """A document of which nothing is left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return from_dict(data, nlp)


def make_data(text: str = TEXT, **parts: Any) -> dict[str, Any]:
    return {"format": "spacy_span_selector.Doc.v2", "text": text, **parts}


def span(start: int, end: int, **parts: Any) -> dict[str, Any]:
    return {"start": start, "end": end, **parts}


def spans(*places: tuple[int, int]) -> dict[str, list[int]]:
    return {"start": [start for start, _ in places], "end": [end for _, end in places]}


@always_the_same
@given(doc=annotated(NLP.vocab))
def test_nothing_is_lost_with_tokens_for_which_a_vocabulary_will_do(doc: Doc):
    data = json.loads(json.dumps(to_dict(doc, tokens=True)))
    VALIDATOR.validate(data)
    assert content(read(data, NLP.vocab)) == rounded(content(doc))


@always_the_same
@given(data=st.data(), text=raw_texts)
def test_nothing_is_lost_with_the_same_tokenizer(data: st.DataObject, text: str):
    doc = data.draw(annotated(NLP.vocab, NLP.make_doc(text)))
    assert content(read(to_dict(doc))) == rounded(content(doc))


def test_frames_that_say_different_things_of_a_roleset_keep_what_they_say():
    doc = NLP("Ann left. Bob left.")
    frames = [
        Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01", None, "go", {"ARG0": "goer"}),
        Frame(4, 5, [Argument(3, 4, "ARG0")], "leave.01", None, "leave behind"),
    ]
    annotation.set_frames(doc, frames)
    data = to_dict(doc)
    assert "rolesets" not in data
    assert data["frames"]["roleset_name"] == ["go", "leave behind"]
    assert annotation.get_frames(read(data)) == frames


def test_the_meaning_of_a_role_is_that_of_its_references_and_continuations():
    doc = Doc(NLP.vocab, words=["a", "b", "c", "d", "e"])
    arguments = [Argument(i, i + 1, role) for i, role in enumerate(["ARG0", "R-ARG0", "C-ARG0", "R-ARG1"], start=1)]
    texts = {"ARG0": "giver", "R-ARG0": "giver", "R-ARG1": "gift"}
    annotation.set_frames(doc, [Frame(0, 1, arguments, "give.01", descriptions=texts)])
    data = to_dict(doc, tokens=True)
    assert data["rolesets"]["roles"] == [{"ARG0": "giver", "C-ARG0": None, "R-ARG1": "gift"}]
    assert annotation.get_frames(from_dict(data, NLP))[0].descriptions == texts


def test_a_label_that_labelled_spans_tell_follows_them():
    doc = read(to_dict(full_doc(NLP.vocab), tokens=True))
    assert [cluster.label_ for cluster in doc_clusters(doc)] == ["person", "PERSON"]
    assert [group.attrs.get("entity_type") for group in annotation.cluster_groups(doc)] == ["person", None]
    annotation.set_labelled_spans(doc, [(5, 7, "VEH")])
    assert [cluster.label_ for cluster in doc_clusters(doc)] == ["person", "VEH"]


def test_other_keys_of_spans():
    data = to_dict(full_doc(NLP.vocab))
    del data["clusters"]["entity_id"]  # it comes from `doc.ents`, which plain data does not hold
    keys = {"cluster_prefix": "people", "mentions_key": "candidates", "frame_prefix": "roles", "labelled_key": "nested"}
    doc = from_dict(data, NLP, **keys)
    assert {*doc.spans} - {"speakers", "quotations_1"} == {
        *("people_1", "people_2", "candidates", "roles_1", "roles_2", "nested")
    }
    assert to_dict(doc, **keys) == data
    assert {*from_dict(make_data(frames=spans()), NLP, predicates_key="verbs").spans} == {"verbs"}


def test_unknown_keys_are_ignored_and_null_counts_as_missing():
    mentions = pack(span(0, 3, cluster=0, score=None, colour="red"))
    doc = read(make_data(id=None, source="my archive", mentions=mentions, clusters={"name": None}, frames=None))
    assert annotation.get_clusters(doc) == [[(0, 1)]] and {*doc.spans} == {"coref_clusters_1"}
    assert doc.spans["coref_clusters_1"].attrs == {} and doc.user_data == {}


def test_mentions_may_be_in_any_order():
    mentions = [span(11, 14, cluster=0, antecedent=1), span(0, 3, cluster=0, antecedent=1)]
    doc = read(make_data(mentions=pack(*mentions)))
    assert annotation.get_clusters(doc) == [[(0, 1), (2, 3)]]
    assert doc.spans["coref_clusters_1"].attrs == {"antecedents": [None, 0]}


@pytest.mark.parametrize(
    ("key", "is_annotated"),
    [("quotations", annotation.has_quotations_annotated), ("labelled_spans", annotation.has_labelled_spans_annotated)],
)
def test_data_without_a_layer_is_not_annotated_for_it(key: str, is_annotated: Any):
    assert not is_annotated(read(make_data())) and not is_annotated(read(make_data(**{key: None})))
    assert is_annotated(read(make_data(**{key: {**spans(), "label": []}})))


def test_a_span_may_have_several_labels_under_any_key():
    labelled = [span(11, 14, label="PERSON", score=0.5), span(11, 14, label="FEMALE", score=0.25)]
    doc = from_dict(make_data(labelled_spans=pack(*labelled)), NLP, labelled_key="mine")
    assert annotation.get_labelled_spans(doc, "mine") == [(2, 3, "FEMALE"), (2, 3, "PERSON")]
    assert doc.spans["mine"].attrs["scores"] == [0.25, 0.5] and "sc" not in doc.spans
    assert to_dict(doc)["labelled_spans"]["label"] == ["FEMALE", "PERSON"]


def test_white_space_before_a_sentence_belongs_to_the_one_before_or_to_the_first():
    doc = read(make_data("\nAnn left.\n\nBob slept.", sentences=spans((1, 10), (12, 22))))
    assert [sentence.text for sentence in doc.sents] == ["\nAnn left.\n\n", "Bob slept."]


def test_of_two_scores_of_one_span_both_are_kept_and_the_first_is_that_of_the_selected_span():
    mentions = [span(0, 3, cluster=number, score=score) for number, score in enumerate((0.25, 0.75))]
    doc = read(make_data(mentions=pack(*mentions), unlinked_mentions=pack(span(4, 10, score=0.5))))
    assert doc.spans["coref_mentions"].attrs == {"scores": [0.25, 0.5]}
    assert rows(to_dict(doc)["mentions"]) == mentions


def test_a_text_that_cannot_be_split_is_named():
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=text.split())
    with pytest.raises(ValueError, match="the tokenizer of the pipeline changes its text"):
        from_dict(make_data("Ann  left"), nlp)
    nlp.max_length = 10
    message = r"Can't read document starting 'Ann called.*can't be split into tokens: \[E088"
    with pytest.raises(ValueError, match=message):
        from_dict(make_data(), nlp)
    with pytest.raises(ValueError, match=r"it has no 'tokens', and a Vocab has no tokenizer\. Pass a pipeline, or"):
        from_dict(make_data(), nlp.vocab)


@pytest.mark.parametrize(
    ("text", "places", "expected"),
    [
        ("Ann left.", [(0, 3), (4, 8), (8, 9)], ["Ann ", "left", "."]),
        ("Ann  left", [(0, 3), (5, 9)], ["Ann ", " ", "left"]),
        ("Ann \n\nleft", [(0, 3), (6, 10)], ["Ann ", "\n\n", "left"]),
        ("Ann\tleft", [(0, 3), (4, 8)], ["Ann", "\t", "left"]),
        ("  Ann ", [(2, 5)], ["  ", "Ann "]),
        ("Ann left", [(0, 3), (3, 4), (4, 8)], ["Ann", " ", "left"]),
        ("Ann left", [(0, 8)], ["Ann left"]),
        ("  ", [], ["  "]),
        ("", [], []),
    ],
)
def test_white_space_between_tokens_is_kept(text: str, places: list[tuple[int, int]], expected: list[str]):
    doc = from_dict(make_data(text, tokens=spans(*places)), NLP.vocab)
    assert doc.text == text
    assert [token.text_with_ws for token in doc] == expected


# What does not align


def warning_about(data: dict[str, Any]) -> tuple[Doc, str]:
    with pytest.warns(UserWarning) as caught:
        doc = from_dict(data, NLP)
    (warning,) = caught
    assert warning.filename == __file__
    return doc, str(warning.message)


def test_spans_between_tokens_are_left_out_and_counted():
    mentions = [(0, 2, 0, 0), (0, 3, 0, 1), (11, 14, 0, 0), (1, 2, 1, None)]
    arguments = [span(0, 3, frame=0, role="ARG0"), span(11, 21, frame=0, role="ARG1"), span(0, 3, frame=1, role="ARG0")]
    data = make_data(
        mentions=pack(*(span(start, end, cluster=cluster, antecedent=a) for start, end, cluster, a in mentions)),
        unlinked_mentions=spans((3, 4), (15, 22)),
        frames=spans((4, 10), (4, 9)),
        arguments=pack(*arguments),
        speakers=pack(span(0, 1, speaker="Ann")),
        labelled_spans=pack(span(0, 2, label="PERSON", score=0.5), span(11, 22, label="PERSON", score=0.25)),
    )
    doc, message = warning_about(data)
    expected = "Left out spans that don't begin and end with tokens: 7. The first: speakers[0], 'A' at 0, in document"
    assert message.startswith(expected)
    assert annotation.get_clusters(doc) == [[(0, 1), (2, 3)]]
    assert doc.spans["coref_clusters_1"].attrs["antecedents"] == [None, None]
    assert [token.text for token in doc.spans["coref_mentions"]] == ["Ann", "her", "brother"]
    assert annotation.get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0")])]
    assert annotation.get_speakers(doc) == []
    assert annotation.get_labelled_spans(doc) == [(2, 4, "PERSON")] and doc.spans["sc"].attrs == {"scores": [0.25]}


def test_quotations_that_do_not_align_are_left_out_and_what_else_does_not_is_not_known():
    first = span(11, 22, speaker_start=0, speaker_end=3, cue_start=0, cue_end=9, score=0.5)
    doc, message = warning_about(make_data(quotations=pack(first, span(12, 22))))
    assert "tokens: 2. The first: " in message and "the cue of quotations[0], 'Ann calle' at 0, in doc" in message
    assert "quotations[1], 'er brother' at 12" in message
    assert annotation.get_quotations(doc) == [Quotation(2, 4, speaker=(0, 1), score=0.5)]


def test_sentences_that_start_in_a_token_are_counted():
    data = make_data("Ann left. Bob slept.", sentences=spans((0, 7), (7, 12), (12, 20)))
    doc, message = warning_about(data)
    assert "Left out starts of sentences where no token starts: 2. The first: sentences[1]" in message
    assert len(list(doc.sents)) == 1


def test_scores_that_only_some_spans_have_are_counted():
    mentions = [span(0, 3, score=0.5, link_score=1.0), span(11, 14, link_score=0.5, antecedent=0)]
    data = make_data(
        mentions=pack(*({**mention, "cluster": 0} for mention in mentions)),
        unlinked_mentions=spans(),
        frames=spans((4, 10)),
        arguments=pack(span(0, 3, frame=0, role="ARG0", score=0.5)),
    )
    doc, message = warning_about(data)
    assert (
        "that only some spans of a cluster or frame have: 4. The first: mentions.score of cluster 0 in doc" in message
    )
    assert doc.spans["coref_clusters_1"].attrs == {"link_scores": [1.0, 0.5]}
    assert annotation.get_frames(doc)[0].scores is None


# Bad data


ANN, HER = span(0, 3), span(11, 14)


def mentions(*rows: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"mentions": pack(*({"cluster": 0, **row} for row in rows)), **parts}


def arguments(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"frames": spans((4, 10)), "arguments": pack(*({**HER, "frame": 0, "role": "ARG1", **row} for row in rows))}


def quoted(**parts: int) -> dict[str, Any]:
    return {"quotations": pack({**ANN, **parts})}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"text": 7}, "text is 7; expected a valid string"),
    ({"text": "\ud800"}, r"text is '\\ud800'; expected a string without surrogates"),
    ({"tokens": []}, r"tokens is \[\]; expected a valid dictionary\.$"),
    ({"sentences": {"start": [0, 4], "end": [23]}}, "expected as many values under each key; found 2 of 'start', 1 of"),
    (mentions({"start": "0", "end": 3}), r"mentions.start\[0\] is '0'; expected a valid integer"),
    (mentions(span(False, 3)), r"start\[0\] is False; expected a valid integer"),
    (mentions(span(-1, 3)), r"start\[0\] is -1; expected greater than or equal to 0"),
    (mentions(span(10**5000, 3)), r"\(start, end\) of mentions\[0\] is too long to be shown"),
    (mentions(ANN, span(0, 24)), r"\(start, end\) of mentions\[1\] is \(0, 24\); expected start < end <= 23"),
    (mentions({**ANN, "score": "1"}), r"mentions.score\[0\] is '1'; expected a valid number"),
    (mentions({**ANN, "link_score": True}), r"link_score\[0\] is True; expected a valid number"),
    (mentions({**ANN, "cluster": 1}), r"mentions.cluster is \[1\]; expected the numbers of 1 clusters, from 0"),
    (mentions(ANN, clusters={"name": ["a", "b"]}), r"cluster is \[0\]; expected the numbers of 2 clusters"),
    (mentions({**ANN, "antecedent": 7}), r"antecedent\[0\] is 7; expected the number of one of 1 mentions"),
    (
        mentions({**ANN, "antecedent": 1}, {**HER, "antecedent": 1}),
        "is .2, 3.; expected None, or a mention of the same",
    ),
    (
        mentions(ANN, {**HER, "cluster": 1, "antecedent": 0}),
        "is .0, 1.; expected None, or a mention of the same cluster",
    ),
    (mentions(ANN, HER, ANN), r"clusters\[0\]\[2\] is \(0, 1\), which is in the cluster already; expected each once"),
    ({"unlinked_mentions": pack(HER, HER)}, r"is \(11, 14\); expected mentions that are in no cluster, each once"),
    (mentions(HER, unlinked_mentions=pack(HER)), r"is \(11, 14\); expected mentions that are in no cluster"),
    ({"frames": spans((4, 3))}, r"\(start, end\) of frames\[0\] is \(4, 3\)"),
    ({"frames": pack(span(4, 10, roleset=1))}, r"frames.roleset\[0\] is 1; expected a valid string"),
    ({"arguments": pack({**HER, "frame": 0})}, "arguments.role is missing"),
    (arguments({"frame": 1}), r"arguments.frame\[0\] is 1; expected the number of one of 1 frames, from 0"),
    (arguments({}, {"score": 0.5}), r"frames\[0\].arguments\[1\] is \(2, 3, 'ARG1'\), which is in the frame already"),
    (
        arguments({"description": "a"}, {**ANN, "description": "b"}),
        r"the description of ARG1 in frames\[0\] is 'b'; expected 'a', as said before",
    ),
    ({"sentences": spans((0, 99))}, r"\(start, end\) of sentences\[0\] is \(0, 99\)"),
    ({"sentences": spans()}, "the text between sentences at 0 is 'Ann called.*; expected white space"),
    ({"sentences": spans((0, 3), (11, 23))}, "the text between sentences at 3 is ' called '; expected white space"),
    ({"sentences": spans((0, 10), (4, 23))}, r"sentences.start\[1\] is 4; expected at least 10, where the one before"),
    ({"tokens": spans((0, 3), (2, 23))}, r"tokens.start\[1\] is 2; expected at least 3, where the one before it ends"),
    (quoted(cue_start=4), r"\(start, end\) of the cue of quotations\[0\] is \(4, None\); expected both or none"),
    (quoted(speaker_start=4, speaker_end=99), r"of the speaker of quotations\[0\] is \(4, 99\); expected start < end"),
    (
        {"labelled_spans": pack(*[{**HER, "label": "A"}] * 2)},
        r" labelled_spans\[1\] is \(2, 3, 'A'\), which is in the document",
    ),
    ({"speakers": pack({**ANN, "speaker": None})}, r"speakers.speaker\[0\] is None; expected a valid string"),
]


@pytest.mark.parametrize(("wrong", "message"), BAD)
def test_wrong_data_is_an_error_that_names_key_found_and_expected(wrong: dict[str, Any], message: str):
    data = make_data(id="the call")
    read(data)
    with pytest.raises(ValueError, match=message) as caught:
        from_dict({**data, **wrong}, NLP)
    assert re.match("Can't (read|annotate) document 'the call': ", str(caught.value))


@pytest.mark.parametrize("score", [-1, 1.5, 10**9, float("inf"), float("nan")])
@pytest.mark.parametrize(
    "key", ["mentions", "unlinked_mentions", "frames", "arguments", "quotations", "labelled_spans"]
)
def test_a_score_that_is_no_probability_is_an_error(key: str, score: float):
    thing = {**ANN, "cluster": 0, "frame": 0, "role": "A", "label": "A"}
    for name in ("score", "link_score") if key == "mentions" else ("score",):
        message = rf"{key}.{name}\[0\] is .*; expected a probability from 0 to 1; write null if it is not known\."
        with pytest.raises(ValueError, match=message):
            from_dict(make_data(**{key: pack({**thing, name: score})}), NLP)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, r"^Can't read a document: it is None; expected a valid dictionary\.$"),
        ({}, "^Can't read a document without text: format is missing. Errors in all: 2.$"),
        ({"text": TEXT * 5}, "^Can't read document starting 'Ann called her brother.Ann called her br': format is mis"),
        (make_data(id=7), "^Can't read document starting 'Ann called.*': id is 7; expected a valid string"),
    ],
)
def test_data_without_a_name_is_called_by_its_text(data: Any, message: str):
    with pytest.raises(ValueError, match=message):
        from_dict(data, NLP)


@pytest.mark.parametrize("version", ["spacy_span_selector.Doc.v1", "spacy_span_selector.Doc.v3", None])
def test_another_format_is_one_error_with_a_cure(version: str | None):
    data = {"format": version, "id": "the call", "text": TEXT, "clusters": [{"mentions": [ANN]}]}
    expected = (
        f"format is {version!r}; expected 'spacy_span_selector.Doc.v2'. Annotate the text again, or write the doc"
    )
    with pytest.raises(ValueError, match=f"^Can't read document 'the call': {re.escape(expected)}"):
        from_dict(data, NLP)


# Damaged data


def damage(value: Any, data: st.DataObject) -> None:
    """Change or remove something in plain data, or something in it."""
    if not isinstance(value, dict | list) or not value:
        return
    key = data.draw(st.sampled_from([*value]) if isinstance(value, dict) else st.integers(0, len(value) - 1))
    old = value[key]
    what = data.draw(st.sampled_from(["go deeper", "go deeper", "go deeper", "change", "replace", "remove"]))
    if what == "go deeper" and isinstance(old, dict | list):
        damage(old, data)
    elif what == "change" and type(old) in (int, float, str):
        numbers = st.sampled_from([0, 1, 2]) | st.integers(0, len(TEXT))
        value[key] = data.draw({int: numbers, float: st.sampled_from([0.125, 1.0, None])}.get(type(old), st.just("x")))
    elif what == "remove":
        del value[key]
    else:
        value[key] = copy.deepcopy(data.draw(odd_values))  # it may be damaged, too


def facts(data: dict[str, Any]) -> dict[str, Any]:
    """What plain data says, in no order and without what is computed."""
    computed = {"speaker", "addressee", "cluster", "frame", "antecedent"}

    def said(row: dict[str, Any]) -> frozenset[Any]:
        return frozenset((key, value) for key, value in row.items() if key not in computed and value != "")

    found: dict[str, Any] = {key: data.get(key) or None for key in ("id", "text")}
    found["speakers"] = rows(data.get("speakers") or {})
    for key in ("unlinked_mentions", "labelled_spans", "quotations"):
        found[key] = Counter(map(said, rows(data.get(key) or {})))
    everything = rows(data.get("mentions") or {})
    for row in everything:
        linked = everything[row["antecedent"]] if "antecedent" in row else row
        row["linked to"] = ("antecedent" in row, linked["start"], linked["end"])
    names = (data.get("clusters") or {}).get("name") or [None] * len(everything)
    found["clusters"] = Counter(
        (names[number] or "", frozenset(said(row) for row in everything if row["cluster"] == number))
        for number in {row["cluster"] for row in everything}
    )
    predicates = rows(data.get("frames") or {})
    for row in rows(data.get("arguments") or {}) if predicates else ():
        frame = predicates[row["frame"]]
        frame["arguments"] = frame.get("arguments", frozenset()) | {said({**row, "description": ""})}
    found["frames"] = Counter(said({**row, "roleset_name": ""}) for row in predicates)
    return found


@always_the_same
@given(data=st.data())
def test_damaged_data_is_taken_as_it_is_or_something_of_it_is_named(data: st.DataObject):
    damaged = copy.deepcopy(to_dict(full_doc(NLP.vocab), tokens=data.draw(st.booleans())))
    for _ in range(data.draw(st.integers(1, 3))):
        damage(damaged, data)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            doc = from_dict(damaged, NLP)
        except ValueError as error:
            assert re.match("Can't (read|annotate) .*(expected|is missing|should have)", str(error), re.DOTALL)
            return
    written = to_dict(doc)
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert warned or facts(written) == facts(damaged)
