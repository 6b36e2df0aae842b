"""Documents that are joined keep their clusters and frames apart."""

import warnings

import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_span_selector import annotation, join_docs
from spacy_span_selector.annotation import Argument, Frame, Quotation
from spacy_span_selector.extensions import register_extensions

NLP = spacy.blank("en")
LEFT = Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01", [1.0, 0.5])


def make_doc(name: str, score: float = 0.5) -> Doc:
    """Five tokens: one cluster with scores and antecedents, one frame, one speaker."""
    doc = NLP(f"{name} left. Bye {name}")
    mentions = [(0, 1), (4, 5)]
    annotation.set_mentions(doc, mentions, [score, score])
    annotation.set_clusters(doc, [mentions], scores=[[score, score]], antecedents=[[None, (0, 1)]], names=[name])
    annotation.set_frames(doc, [LEFT])
    annotation.set_speakers(doc, [(0, 3, name)])
    return doc


def join(*docs: Doc) -> Doc:
    joined = join_docs(docs)
    assert joined is not None
    return joined


@pytest.fixture
def joined() -> Doc:
    return join(make_doc("Ann"), NLP(""), make_doc("Bob", 0.25))


def test_from_docs_mixes_clusters(joined: Doc) -> None:
    """What `join_docs` is for: if spaCy keeps them apart one day, it is no longer needed."""
    mixed = Doc.from_docs([make_doc("Ann"), make_doc("Bob")])
    assert annotation.get_clusters(mixed) == [[(0, 1), (4, 5), (5, 6), (9, 10)]]
    assert joined.text == mixed.text == "Ann left. Bye Ann Bob left. Bye Bob"


def test_clusters_are_numbered_anew_with_all_that_is_known(joined: Doc) -> None:
    assert annotation.get_clusters(joined) == [[(0, 1), (4, 5)], [(5, 6), (9, 10)]]
    groups = [joined.spans["coref_clusters_1"], joined.spans["coref_clusters_2"]]
    assert [annotation.get_scores(group) for group in groups] == [[0.5, 0.5], [0.25, 0.25]]
    assert [annotation.get_antecedents(group) for group in groups] == [[None, 0], [None, 0]]
    assert [group.attrs["name"] for group in groups] == ["Ann", "Bob"]
    register_extensions()
    assert joined[9:10]._.coref_antecedent.text == "Bob"


def test_frames_are_numbered_anew(joined: Doc) -> None:
    assert annotation.get_frames(joined) == [LEFT, LEFT._replace(start=6, end=7, arguments=[Argument(5, 6, "ARG0")])]


def test_quotations_are_numbered_anew_with_all_that_is_known() -> None:
    docs = [make_doc("Ann"), make_doc("Bob")]
    for doc in docs:
        annotation.set_quotations(doc, [Quotation(3, 4, speaker=(0, 1), cue=(0, 2), score=0.5)])
    joined = join(*docs)
    assert annotation.get_quotations(joined) == [
        Quotation(3, 4, speaker=(0, 1), cue=(0, 2), score=0.5),
        Quotation(8, 9, speaker=(5, 6), cue=(5, 7), score=0.5),
    ]


def test_other_groups_are_one_with_the_scores_of_all(joined: Doc) -> None:
    assert [(span.start, span.end) for span in joined.spans["coref_mentions"]] == [(0, 1), (4, 5), (5, 6), (9, 10)]
    assert annotation.get_scores(joined.spans["coref_mentions"]) == [0.5, 0.5, 0.25, 0.25]
    assert annotation.get_speakers(joined) == [(0, 3, "Ann"), (5, 8, "Bob")]


def test_scores_that_only_some_have_are_left_out() -> None:
    other = NLP("Bob left")
    annotation.set_mentions(other, [(0, 1)], None)
    mentions = join(make_doc("Ann"), other).spans["coref_mentions"]
    assert len(mentions) == 3 and annotation.get_scores(mentions) is None


def test_a_document_without_predicates_does_not_take_them_from_others() -> None:
    nothing = NLP("Oh")
    annotation.set_frames(nothing, [])
    assert annotation.get_predicates(join(make_doc("Ann"), nothing)) is None
    assert annotation.get_predicates(join(nothing, nothing)) == []


def test_a_common_title_is_kept_without_a_warning() -> None:
    docs = [NLP("Ann left"), NLP("Bob left")]
    for doc in docs:
        annotation.set_title(doc, "a night")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert annotation.get_title(join(*docs)) == "a night"
    annotation.set_title(docs[1], "a day")
    assert annotation.get_title(join(*docs)) == ""


def test_every_prefix_is_numbered_anew() -> None:
    docs = [make_doc("Ann"), make_doc("Bob")]
    for doc in docs:
        annotation.set_clusters(doc, [[(0, 1)]], prefix="people")
        annotation.set_frames(doc, [LEFT], prefix="roles")
        doc.spans["page_1"] = [doc[:]]
    joined = join(*docs)
    assert annotation.get_clusters(joined, "people") == [[(0, 1)], [(5, 6)]]
    assert [frame.start for frame in annotation.get_frames(joined, "roles")] == [1, 6]
    assert len(joined.spans["page_1"]) == 2


def test_that_there_is_no_predicate_is_kept_beside_clusters() -> None:
    docs = [NLP("Ann left"), NLP("Bob left")]
    for doc in docs:
        annotation.set_clusters(doc, [[(0, 1)]])
        annotation.set_predicates(doc, [])
    assert annotation.get_predicates(join(*docs)) == []


def test_given_spans_are_kept() -> None:
    docs = [NLP("Ann left"), NLP("Bob left")]
    for doc in docs:
        annotation.set_predicates(doc, [(1, 2)])
        doc.spans["coref_given"] = [Span(doc, 0, 1, span_id="7")]
    joined = join(*docs)
    assert annotation.get_predicates(joined) == [(1, 2), (3, 4)]
    assert [(span.start, span.id_) for span in joined.spans["coref_given"]] == [(0, "7"), (2, "7")]


def test_what_is_excluded_is_left_out() -> None:
    joined = join_docs([make_doc("Ann")], exclude=["spans", "user_data"])
    assert joined is not None and not joined.spans
    assert join_docs([]) is None
