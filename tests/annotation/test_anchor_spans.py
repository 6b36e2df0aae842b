"""Spans whose tokens were merged or split after annotation, for spaCy: `anchor_spans`, function and component."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest
import spacy
from spacy import displacy
from spacy.tokens import Doc, DocBin, Span, SpanGroup

import spacy_span_selector
from spacy_span_selector import (
    Argument,
    Frame,
    Quotation,
    anchor_spans,
    get_clusters,
    get_frames,
    render,
    set_clusters,
    set_frames,
    set_predicates,
    set_quotations,
)
from spacy_span_selector.annotation import (
    CONSTITUENTS_KEY,
    GIVEN_MENTIONS_KEY,
    LABELLED_KEY,
    MENTIONS_KEY,
    PREDICATES_KEY,
    SELECTED_KEY,
    cluster_groups,
    get_antecedents,
    get_labelled_spans,
    get_predicates,
    get_reasons,
    get_scores,
    set_constituents,
    set_labelled_spans,
)
from spacy_span_selector.annotation.groups import OURS
from spacy_span_selector.extensions import doc_clusters
from spacy_span_selector.people.events import doc_events

NLP = spacy.blank("en")
TEXT = "Rosa Diaz left New York .\nShe was glad ."


def make_doc() -> Doc:
    doc = NLP(TEXT)
    set_clusters(doc, [[(0, 2), (7, 8)]], scores=[[0.5, 0.75]], antecedents=[[None, (0, 2)]], names=["Rosa"])
    set_frames(doc, [Frame(2, 3, [Argument(0, 2, "ARG0"), Argument(3, 5, "ARG1")], "leave.01")])
    set_quotations(doc, [Quotation(7, 11, speaker=(0, 2))])
    set_labelled_spans(doc, [(0, 2, "PER"), (3, 5, "GPE"), (9, 10, "MOOD")], [0.7, 0.8, 0.9])
    set_predicates(doc, [(2, 3)])
    doc.spans["mine"] = SpanGroup(doc, name="theirs", attrs={"by": {"me"}}, spans=[doc[8:10], doc[9:10]])
    doc.spans["named"] = [Span(doc, 9, 10, "MOOD", kb_id="Q1", span_id="s1")]
    return doc


def merge(doc: Doc, *places: tuple[int, int]) -> Doc:
    with doc.retokenize() as retokenizer:
        for start, end in places:
            retokenizer.merge(doc[start:end])
    return doc


def merged() -> Doc:
    doc = merge(make_doc(), (0, 2), (3, 5), (8, 11))
    doc.spans["mine"].attrs = {"by": ["me"]}  # the set was there to show that it does not hinder
    return doc


def texts(doc: Doc) -> dict[str, list[str]]:
    return {key: [span.text for span in group] for key, group in doc.spans.items()}


EXPECTED = {
    "coref_clusters_1": ["Rosa Diaz", "She"],
    "srl_1": ["left", "Rosa Diaz", "New York"],
    "quotations_1": ["She was glad .", "Rosa Diaz"],
    "sc": ["Rosa Diaz", "New York", "was glad ."],
    "srl_predicates": ["left"],
    "mine": ["was glad .", "was glad ."],
    "named": ["was glad ."],
}

OPERATIONS: dict[str, Callable[[Doc], Doc]] = {
    "to_bytes": lambda doc: Doc(NLP.vocab).from_bytes(doc.to_bytes()),
    "DocBin": lambda doc: next(DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(NLP.vocab)),
    "pickle": lambda doc: pickle.loads(pickle.dumps(doc)),
    "copy": Doc.copy,
    "to_json": lambda doc: Doc(NLP.vocab).from_json(doc.to_json()),
    "from_docs": lambda doc: Doc.from_docs([doc]),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_what_spacy_makes_of_a_document_has_the_words(operation: Callable[[Doc], Doc]) -> None:
    with pytest.raises(IndexError, match="E035"):
        operation(merged())
    assert texts(operation(anchor_spans(merged()))) == EXPECTED


def test_spans_that_are_drawn_have_the_words() -> None:
    drawn = displacy.parse_spans(anchor_spans(merged()))["spans"]
    assert [(span["start"], span["end"]) for span in drawn] == [(0, 9), (15, 23), (30, 40)]


def test_the_component_anchors_behind_one_that_merges_in_processes_of_their_own_too() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("merge_entities")
    nlp.add_pipe("anchor_spans", last=True)
    doc = make_doc()
    doc.spans["mine"].attrs = {}  # such as can be packed
    doc.ents = (Span(doc, 0, 2, "PERSON"), Span(doc, 3, 5, "GPE"))
    docs = [Doc(nlp.vocab).from_bytes(doc.to_bytes()) for _ in range(3)]
    for doc in nlp.pipe(docs, n_process=2, batch_size=1):
        assert [token.text for token in doc][:3] == ["Rosa Diaz", "left", "New York"]
        assert texts(doc)["coref_clusters_1"] == ["Rosa Diaz", "She"]
        assert texts(doc)["mine"] == ["was glad", "glad"]
    assert spacy.blank("en").from_config(nlp.config).pipe_names == ["merge_entities", "anchor_spans"]


def test_keys_names_labels_ids_and_attrs_stay() -> None:
    before = make_doc()
    doc = merge(make_doc(), (0, 2), (3, 5), (8, 11))
    assert anchor_spans(doc) is doc
    for (key, group), (old_key, old) in zip(doc.spans.items(), before.spans.items(), strict=True):
        assert (key, group.name, group.attrs) == (old_key, old.name, old.attrs)
        kept = [(span.label_, span.kb_id_, span.id_) for span in group]
        assert kept == [(span.label_, span.kb_id_, span.id_) for span in old]


def test_mentions_that_become_one_are_in_a_cluster_once_with_their_values() -> None:
    doc = NLP("Noor said that Noor Aziz , she , knew her .")
    mentions = [(0, 1), (3, 4), (3, 5), (6, 7), (9, 10)]
    links = [None, (0, 1), (3, 4), (3, 5), (6, 7)]
    set_clusters(doc, [mentions], scores=[[0.1, 0.2, 0.3, 0.4, 0.5]], antecedents=[links], reasons=[[*"abcde"]])
    found = [get_clusters(merge(doc, (3, 5)))[0], get_clusters(anchor_spans(doc))[0]]
    assert found == [[(0, 1), (3, 4), (5, 6), (8, 9)]] * 2
    (group,) = cluster_groups(doc)
    assert get_scores(group) == [0.1, 0.2, 0.4, 0.5]
    assert get_antecedents(group) == [None, 0, 1, 2]
    assert get_reasons(group) == [*"abde"]
    set_clusters(doc, get_clusters(doc))


def test_a_mention_that_becomes_one_with_its_antecedent_has_that_of_the_first() -> None:
    doc = NLP("Noor Aziz left . She")
    set_clusters(doc, [[(0, 1), (0, 2), (4, 5)]], antecedents=[[None, (0, 1), (0, 2)]])
    anchor_spans(merge(doc, (0, 2)))
    assert doc_clusters(doc)[0].antecedents == [None, doc[0:1]]


def test_spans_that_become_one_stay_apart_in_other_clusters_under_other_labels_and_in_groups_of_others() -> None:
    doc = NLP("Noor Aziz met Noor 's son .")
    set_clusters(doc, [[(0, 2), (3, 5)], [(3, 6)]], prefix="my")
    set_labelled_spans(doc, [(0, 1, "PER"), (0, 2, "PER"), (1, 2, "NAME")], [0.1, 0.2, 0.3])
    doc.spans["theirs"] = [doc[3:4], doc[3:5]]
    anchor_spans(merge(doc, (0, 2), (3, 6)))
    assert get_clusters(doc, "my") == [[(0, 1), (2, 3)], [(2, 3)]]
    assert [*map(tuple, get_labelled_spans(doc))] == [(0, 1, "PER"), (0, 1, "NAME")]
    assert get_scores(doc.spans["sc"]) == [0.1, 0.3]
    assert texts(doc)["theirs"] == ["Noor 's son"] * 2


def test_a_predicate_that_was_merged_into_an_argument_keeps_it() -> None:
    doc = NLP("Rosa saw the singing bird .")
    arguments = [Argument(2, 3, "ARG1"), Argument(4, 5, "ARG1")]
    set_frames(
        doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "see.01"), Frame(3, 4, arguments, "sing.01", [0.1, 0.2, 0.3])]
    )
    set_predicates(doc, [(3, 4), (4, 5)])
    anchor_spans(merge(doc, (2, 5)))
    assert get_frames(doc)[1] == Frame(2, 3, [Argument(2, 3, "ARG1")], "sing.01", [0.1, 0.2])
    assert get_predicates(doc) == [(2, 3)]
    assert [str(event) for event in doc_events(doc)] == ["see.01(ARG0=Rosa)", "sing.01(ARG1=the singing bird)"]
    assert "sing.01" in render([doc])
    set_frames(doc, get_frames(doc))


def test_empty_spans_and_constituents_are_moved_too() -> None:
    doc = NLP(TEXT)
    set_constituents(doc, [(7, 11, "S"), (8, 11, "VP")])
    doc.spans["places"] = [Span(doc, 8, 8), Span(doc, 11, 11), doc[10:11]]
    anchor_spans(merge(doc, (0, 2), (3, 5)))
    assert [(span.start, span.end) for span in doc.spans["places"]] == [(6, 6), (9, 9), (8, 9)]
    assert texts(doc)[CONSTITUENTS_KEY] == ["She was glad .", "was glad ."]


@pytest.mark.parametrize("read", [anchor_spans, get_clusters, lambda doc: doc._.coref_clusters])
def test_spans_of_another_text_are_an_error(read: Callable[[Doc], Any]) -> None:
    spacy_span_selector.register_extensions()
    doc = NLP("Rosa left.")
    doc.user_data["title"] = "the note"
    doc.spans["mine"] = [doc[0:1]]
    doc.spans["coref_clusters_1"] = SpanGroup(doc).from_bytes(make_doc().spans["coref_clusters_1"].to_bytes())
    with pytest.raises(
        ValueError, match=r"'the note'.*'coref_clusters_1'.\[1\] is characters 26 to 29.*delete"
    ) as error:
        read(doc)
    assert "10 characters, 3 tokens" in str(error.value)


def test_keys_of_this_package_are_known() -> None:
    keys = {MENTIONS_KEY, GIVEN_MENTIONS_KEY, PREDICATES_KEY, SELECTED_KEY, LABELLED_KEY}
    assert all(map(OURS.fullmatch, keys | {key for key in make_doc().spans if key not in ("mine", "named")}))
    assert not any(map(OURS.fullmatch, ("mine", "srl", "scores", "xsrl_1")))
