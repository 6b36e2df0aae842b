from typing import Any

import numpy as np
import pytest
import spacy
import srsly
from catalogue import Registry
from spacy.tokens import Doc, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame, Quotation
from spacy_span_selector.annotation.groups import numbered_keys, skip_absent_entry_points
from spacy_span_selector.documents.cleaned import clean_doc
from spacy_span_selector.extensions import doc_clusters, doc_frames
from spacy_span_selector.people.joined import join_docs
from spacy_span_selector.tools.formats.plain import to_dict


def make_doc(*keys: str) -> Doc:
    doc = Doc(Vocab(), words=["a"])
    for key in keys:
        doc.spans[key] = []
    return doc


def test_keys_are_in_numeric_order_and_may_have_thousands_of_digits() -> None:
    long, longer = f"srl_{'9' * 5_000}", f"srl_1{'0' * 5_000}"
    keys = ["srl_0", "srl_007", "srl_8", "srl_9", "srl_10", long, longer]
    assert numbered_keys(make_doc(*keys[::-1]), "srl") == keys
    assert numbered_keys(make_doc("s.l_1", "srl_2"), "s.l") == ["s.l_1"], "a prefix is no pattern"
    assert numbered_keys(make_doc(), "srl") == []


@pytest.mark.parametrize(
    "other", ["srl", "srl_", "srl_x", "srl_1x", "xsrl_1", "srl_spans", "srl_1_2", "SRL_1", "srl-1"]
)
def test_other_keys_are_not_numbered(other: str) -> None:
    assert numbered_keys(make_doc("srl_2", other), "srl") == ["srl_2"]


DOC = Doc(Vocab(), words=["Ann", "saw", "her", "dog"])


def group(*spans: tuple[int, int], **attrs: Any) -> SpanGroup:
    return SpanGroup(DOC, spans=[DOC[start:end] for start, end in spans], attrs=attrs)


@pytest.mark.parametrize("scores", [[0.5, 1.0], (0.5, 1), np.asarray([0.5, 1.0], dtype=np.float32)])
def test_scores_are_numbers_of_any_kind(scores: Any):
    found = annotation.get_scores(group((0, 1), (2, 3), scores=scores))
    assert found == [0.5, 1.0] and [*map(type, found)] == [float, float]


@pytest.mark.parametrize("scores", [None, 7, "ab", [0.5], [0.5, None], [0.5, "1"], [0.5, True], [0.5, float("inf")]])
def test_other_scores_are_none(scores: Any):
    assert annotation.get_scores(group((0, 1), (2, 3), scores=scores)) is None


def test_scores_have_a_name():
    assert annotation.get_scores(group((0, 1), scores=[0.5], link_scores=[1.0]), "link_scores") == [1.0]
    assert annotation.get_scores(group((0, 1))) is None


def test_antecedents_are_earlier_mentions():
    assert annotation.get_antecedents(group((0, 1), (2, 3), (2, 4), antecedents=[None, 0, 1])) == [None, 0, 1]
    assert annotation.get_antecedents(group((2, 3), (0, 1), antecedents=[1, None])) == [1, None]


@pytest.mark.parametrize(
    "antecedents",
    [None, 0, "ab", [None], [None, 1], [1, None], [None, 2], [None, -2], [None, "0"], [None, False], [0, 0]],
)
def test_other_antecedents_are_none(antecedents: Any):
    assert annotation.get_antecedents(group((0, 1), (2, 3), antecedents=antecedents)) is None


@pytest.mark.parametrize(("text", "expected"), [("person", "person"), ("", ""), (None, None), (5, None), (["a"], None)])
def test_only_text_is_text(text: Any, expected: str | None) -> None:
    assert annotation.get_text(group((0, 1), name=text), "name") == expected


NLP = spacy.blank("en")


def make_doc_to_retokenize() -> Doc:
    doc = NLP("Ann Lee left New York .\nShe was glad .")
    annotation.set_clusters(
        doc, [[(0, 2), (7, 8)]], scores={(0, 2): 0.5, (7, 8): 0.75}, antecedents={(0, 2): None, (7, 8): (0, 2)}
    )
    annotation.set_frames(doc, [Frame(2, 3, [Argument(0, 2, "ARG0"), Argument(3, 5, "ARG1")], "leave.01")])
    annotation.set_quotations(doc, [Quotation(7, 10, speaker=(0, 2))])
    annotation.set_speakers(doc, [(7, 11, "Ann")])
    annotation.set_predicates(doc, [(8, 9)])
    annotation.set_paragraphs(doc, [(0, 7), (7, 11)])
    return doc


def retokenize(doc: Doc) -> Doc:
    """Merge names, and what is behind the last mention, so that spans lie behind the last token."""
    with doc.retokenize() as retokenizer:
        for start, end in ((0, 2), (3, 5), (8, 11)):
            retokenizer.merge(doc[start:end])
    return doc


def test_annotation_stays_with_its_words_where_tokens_are_merged() -> None:
    doc = retokenize(make_doc_to_retokenize())
    assert [token.text for token in doc] == ["Ann Lee", "left", "New York", ".", "\n", "She", "was glad ."]
    assert annotation.get_clusters(doc) == [[(0, 1), (5, 6)]]
    assert annotation.get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG1")], "leave.01")]
    assert annotation.get_quotations(doc) == [Quotation(5, 7, speaker=(0, 1))]
    assert (annotation.get_speakers(doc), annotation.get_predicates(doc)) == ([(5, 7, "Ann")], [(6, 7)])
    assert annotation.get_paragraphs(doc) == [(0, 5), (5, 7)]
    assert annotation.get_scores(annotation.read_group(doc, "coref_clusters_1")) == [0.5, 0.75]
    (cluster,) = doc_clusters(doc)
    assert [span.text for span in cluster] == ["Ann Lee", "She"]
    assert cluster.antecedents == [None, cluster[0]]


def test_annotation_stays_with_its_words_where_tokens_are_split() -> None:
    doc = make_doc_to_retokenize()
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[1], ["L", "ee"], heads=[(doc[1], 0), (doc[1], 1)])
    assert annotation.get_clusters(doc) == [[(0, 3), (8, 9)]]


def test_attributes_and_plain_data_are_those_of_the_words() -> None:
    doc, before = retokenize(make_doc_to_retokenize()), to_dict(make_doc_to_retokenize())
    assert str(doc_frames(doc)) == "[leave.01(ARG0=Ann Lee, V=left, ARG1=New York)]"
    assert to_dict(doc)["mentions"] == before["mentions"]
    assert to_dict(doc)["frames"] == before["frames"]


def test_documents_made_of_others_have_the_words() -> None:
    doc = retokenize(make_doc_to_retokenize())
    assert annotation.get_clusters(clean_doc(doc).doc) == [[(0, 2), (6, 7)]]  # "Ann Lee" is two words
    joined = join_docs([make_doc_to_retokenize(), doc])
    assert joined is not None
    assert [[span.text for span in cluster] for cluster in doc_clusters(joined)] == [["Ann Lee", "She"]] * 2


@pytest.mark.parametrize("make", [Doc.copy, lambda doc: Doc(NLP.vocab).from_bytes(doc.to_bytes())])
def test_groups_that_fit_are_taken_as_they_are(make) -> None:  # type: ignore[no-untyped-def]
    doc = make(make_doc_to_retokenize())
    assert annotation.read_group(doc, "coref_clusters_1") is doc.spans["coref_clusters_1"]
    both = Doc.from_docs([doc, make_doc_to_retokenize()])
    assert annotation.read_group(both, "srl_1") is both.spans["srl_1"]


def test_entry_points_are_not_searched_for_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    doc = make_doc_to_retokenize()
    searches: list[Registry] = []
    search = Registry.get_entry_points
    monkeypatch.setattr(Registry, "get_entry_points", lambda self: (searches.append(self), search(self))[1])
    assert annotation.get_clusters(Doc(doc.vocab).from_bytes(doc.to_bytes())) == annotation.get_clusters(doc)
    assert not searches


def test_entry_points_that_there_are_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(srsly.msgpack_encoders, "entry_points", True)
    monkeypatch.setattr(srsly.msgpack_encoders, "get_entry_points", lambda: {"mine": print})
    skip_absent_entry_points()
    assert (srsly.msgpack_encoders.entry_points, srsly.msgpack_decoders.entry_points) == (True, False)
