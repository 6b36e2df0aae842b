import re
from html import unescape

import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_labelled_spans
from spacy_span_selector.extensions import doc_clusters, doc_frames
from spacy_span_selector.extensions.clusters import Cluster

NLP = spacy.blank("en")


def cells(table: str) -> list[list[str]]:
    """The headings and the rows of a table, without markup."""
    rows = re.findall(r"<tr>(.*?)</tr>", table)
    return [[unescape(re.sub("<.*?>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


@pytest.fixture
def doc() -> Doc:
    doc = NLP("Ann Lee called her R&D boss. She said: I will help him today & tomorrow.")
    ann, brother = [(0, 2), (3, 4), (7, 8)], [(3, 6), (13, 14)]
    scores = dict(zip(ann + brother, [1.0, 0.9, 0.8, 0.6, 0.123], strict=True))
    antecedents = dict(zip(ann + brother, [None, (0, 2), (0, 2), None, (3, 6)], strict=True))
    set_clusters(doc, [ann, brother], scores=scores, link_scores=scores, antecedents=antecedents)
    roles = [Argument(0, 2, "ARG0"), Argument(3, 6, "<i>")]
    set_frames(doc, [Frame(2, 3, roles, "call.01", [1.0, 0.5, 0.25]), Frame(8, 9, [])])
    return doc


def test_a_cluster_shows_its_mentions_in_context(doc: Doc):
    table = doc_clusters(doc)[1]._repr_html_()
    assert "<caption>her R&amp;D boss</caption>" in table
    headings, first, second = cells(table)
    assert headings == ["", "mention", "selected", "linked", "antecedent"]
    assert first == ["1", "Ann Lee called her R&D boss. She said: I will…", "0.60", "0.60", ""]
    assert second == ["2", "…She said: I will help him today & tomorrow.", "0.12", "0.12", "her R&D boss"]
    assert "<b>her R&amp;D boss</b>" in table


def test_what_is_not_known_has_no_column(doc: Doc):
    set_clusters(doc, [[(0, 2), (3, 4)]])
    (cluster,) = doc_clusters(doc)
    assert cells(cluster._repr_html_())[0] == ["", "mention"]
    cluster.scores = [0.5]  # of which mention?
    assert cells(cluster._repr_html_())[0] == ["", "mention"]


def test_clusters_are_a_list_that_is_shown_as_a_table(doc: Doc):
    clusters = doc_clusters(doc)
    assert clusters == [list(cluster) for cluster in clusters] and isinstance(clusters, list)
    headings, first, _ = cells(clusters._repr_html_())
    assert headings == ["", "cluster", "size", "mentions"]
    assert first == ["1", "Ann Lee", "3", "Ann Lee, her, She"]


def test_clusters_have_a_column_of_labels_if_labelled_spans_tell_one(doc: Doc):
    table = doc_clusters(doc)._repr_html_()
    doc.ents = [Span(doc, 0, 2, "PERSON")]
    assert doc_clusters(doc)[0].label_ == "PERSON" and doc_clusters(doc)._repr_html_() == table
    set_labelled_spans(doc, [(0, 2, "<PER>")])
    table = doc_clusters(doc)._repr_html_()
    headings, first, second = cells(table)
    assert headings == ["", "cluster", "label", "size", "mentions"]
    assert (first[2], second[2]) == ("<PER>", "")
    assert "<PER>" not in table


def test_a_frame_shows_its_arguments(doc: Doc):
    table = doc_frames(doc)[0]._repr_html_()
    assert "<caption>call.01</caption>" in table
    headings, *rows = cells(table)
    assert headings == ["role", "span", "probability"]
    assert rows == [["ARG0", "Ann Lee", "0.50"], ["V", "called", "1.00"], ["<i>", "her R&D boss", "0.25"]]


def test_what_a_lexicon_knows_is_shown(doc: Doc):
    doc.spans["srl_1"].attrs |= {"roleset_name": "phone", "descriptions": {"ARG0": "caller"}}
    table = doc_frames(doc)[0]._repr_html_()
    assert "<caption>call.01: phone</caption>" in table
    assert [row[3] for row in cells(table)] == ["description", "caller", "", ""]
    assert cells(doc_frames(doc)._repr_html_())[1][:3] == ["call.01", "phone", "called"]


@pytest.mark.parametrize("value", [5, None, ["x"], b"x"])
def test_attributes_that_are_no_texts_are_not_shown(doc: Doc, value: object):
    doc.spans["srl_1"].attrs |= {"roleset": value, "roleset_name": value, "descriptions": {"ARG0": value}}
    frame = doc_frames(doc)[0]
    assert (frame.title, frame.meaning, frame.description("ARG0")) == ("called", "", "")
    assert cells(frame._repr_html_())[0] == ["role", "span", "probability"]


def test_frames_are_a_list_that_is_shown_as_a_table(doc: Doc):
    frames = doc_frames(doc)
    assert frames == list(frames) and isinstance(frames, list)
    headings, *rows = cells(frames._repr_html_())
    assert headings == ["roleset", "predicate", "arguments"]
    assert rows == [["call.01", "called", "ARG0 Ann Lee, <i> her R&D boss"], ["", "said", ""]]


def test_long_clusters_are_shortened():
    doc = NLP("w " * 30)
    set_clusters(doc, [[(i, i + 1) for i in range(30)]])
    assert cells(doc_clusters(doc)._repr_html_())[1] == ["1", "w", "30", ", ".join("w" * 12) + ", …"]


@pytest.mark.parametrize("empty", [Cluster(), doc_clusters(NLP("")), doc_frames(NLP(""))])
def test_nothing_is_shown_as_headings_alone(empty: Cluster):
    assert len(cells(empty._repr_html_())) == 1
