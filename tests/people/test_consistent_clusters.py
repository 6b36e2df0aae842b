"""`structured_coref` with and without consistent clusters."""

from __future__ import annotations

import json
from typing import Any

import pytest
import spacy
import torch
from spacy.tokens import Doc, Span

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.annotation import (
    MENTIONS_KEY,
    get_clusters,
    get_labelled_spans,
    set_labelled_spans,
    set_speakers,
)
from spacy_span_selector.documents.words import Words, read_words
from spacy_span_selector.layers.coref.linker import Links
from spacy_span_selector.people.clustering import Clustering, Reason
from spacy_span_selector.people.consistent_clusters import _labels, consistent_clusters, describe_reasons
from spacy_span_selector.pipeline import structured_coref
from spacy_span_selector.pipeline.structured_coref import _link, _link_scores

from ..pipeline.components import (
    COREF,
    SPANCAT,
    annotation,
    assert_same,
    blank_nlp,
    component,
    gold_docs,
    load_trained,
    make_examples,
)


def links_of(count: int, **scores: float) -> Links:
    """Links of some mentions, `m2_1=3.0` the score of the second antecedent of the third; all others are -5."""
    antecedents = torch.arange(max(count - 1, 1)).expand(count, -1)
    possible = antecedents < torch.arange(count)[:, None]
    values = torch.full(antecedents.shape, -5.0)
    for place, score in scores.items():
        mention, antecedent = map(int, place[1:].split("_"))
        values[mention, antecedent] = score
    return Links(antecedents, possible, values.masked_fill(~possible, -torch.inf))


def english(words: str) -> Doc:
    return Doc(spacy.blank("en").vocab, words=words.split())


def test_a_document_is_clustered_by_its_words() -> None:
    doc = english("Mr. Elton bowed . Mr. Weston left .")
    links = links_of(2, m1_0=2.0)
    assert _link(links, 0.0)[0] == [0, 0]
    clusters, antecedents, reasons, _ = consistent_clusters(read_words(doc), [(0, 2), (4, 6)], links, 0.0)
    assert (clusters, antecedents) == ([0, 1], [None, None])
    assert describe_reasons(doc, [(0, 2), (4, 6)], reasons) == ["", 'not "Mr. Elton": is someone of another name']


def test_speakers_of_the_document_count() -> None:
    doc = english("I know . I see . I know .")
    set_speakers(doc, [(0, 3, "Ann"), (3, 6, "Tom"), (6, 9, "Ann")])
    links = links_of(3, m1_0=3.0, m2_0=1.0, m2_1=3.0)
    assert consistent_clusters(read_words(doc), [(0, 1), (3, 4), (6, 7)], links, 0.0)[0] == [0, 1, 0]


THE_PEQUOD = "the Pequod sailed . Ahab slept . he woke ."
PEQUOD, AHAB, HE = (0, 2), (4, 5), (7, 8)


def cluster_the_pequod(doc: Doc) -> list[int]:
    links = links_of(3, m2_0=3.0, m2_1=1.0)
    return consistent_clusters(read_words(doc), [PEQUOD, AHAB, HE], links, 0.0).clusters


@pytest.mark.parametrize("key", ["sc", "people"])
def test_labelled_spans_tell_persons_from_things(key: str) -> None:
    doc = english(THE_PEQUOD)
    assert cluster_the_pequod(doc) == [0, 1, 0]
    set_labelled_spans(doc, [(*PEQUOD, "VEH"), (*AHAB, "PER")], [1.0, 1.0], key=key)
    assert cluster_the_pequod(doc) == [0, 1, 1]


def test_entities_are_half_trusted_where_there_are_no_labelled_spans() -> None:
    doc = english(THE_PEQUOD)
    assert _labels(doc, [PEQUOD, AHAB, HE]) == ()
    doc.ents = [Span(doc, 1, 2, "PRODUCT"), Span(doc, *AHAB, "PERSON")]
    assert _labels(doc, [PEQUOD, AHAB, HE]) == [{"PRODUCT": 0.5}, {"PERSON": 0.5}, {}]
    set_labelled_spans(doc, [(*PEQUOD, "VEH")])
    assert _labels(doc, [PEQUOD, AHAB, HE]) == [{"VEH": 1.0}, {}, {}]


@pytest.mark.parametrize("key", ["sc", "people"])
def test_labelled_spans_of_a_component_before_reach_it(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = blank_nlp()
    for case, settings in ((SPANCAT, {"spans_key": key, "threshold": 0.1}), (COREF, {"consistent_clusters": True})):
        nlp.add_pipe(case.factory, config={"model": case.model, **settings})
    docs = [*gold_docs(SPANCAT, nlp), *gold_docs(COREF, nlp)]
    for doc in docs:
        if "sc" in doc.spans:
            set_labelled_spans(doc, get_labelled_spans(doc), key=key)
    nlp.initialize(lambda: make_examples(nlp, docs))
    seen = []
    clusters = structured_coref.consistent_clusters

    def look(words: Words, *arguments: Any) -> Clustering:
        seen.append(get_labelled_spans(words.doc, key))
        return clusters(words, *arguments)

    monkeypatch.setattr(structured_coref, "consistent_clusters", look)
    found = [get_labelled_spans(doc, key) for doc in nlp.pipe([doc.text for doc in docs])]
    assert seen == found and any(found)


def test_reasons_are_said_in_words() -> None:
    doc = english("Ann saw her")
    reasons = [None, Reason("name", None), Reason("type", 0)]
    said = describe_reasons(doc, [(0, 1), (1, 2), (2, 3)], reasons)
    assert said == ["", "has a name of the same entity", 'not "Ann": differs in gender, number or label']


def test_a_reason_is_the_same_wherever_lines_end() -> None:
    doc = Doc(spacy.blank("en").vocab, words=["Mr.", "\n", "\u200b", "Elton", "saw"], spaces=[True] * 5)
    words = read_words(doc).doc
    assert describe_reasons(words, [(0, 2)], [Reason("nested", 0)]) == ['not "Mr. Elton": one is inside the other']


def test_the_probability_of_an_antecedent_that_was_not_scored_is_zero() -> None:
    links = links_of(2, m1_0=0.0)
    assert _link_scores(links, [None, 0]) == [1.0, 0.5]
    assert _link_scores(Links(links.antecedents, torch.zeros_like(links.possible), links.scores), [None, 0])[1] == 0.0


def test_switched_off_it_is_as_if_it_had_never_been_on() -> None:
    nlp = load_trained(COREF)
    text = gold_docs(COREF, nlp)[0].text
    before = annotation(nlp(text))
    component(nlp).configure(consistent_clusters=True)
    on = nlp(text)
    assert all("reasons" in group.attrs for key, group in on.spans.items() if key.startswith("coref_clusters"))
    component(nlp).configure(consistent_clusters=False)
    assert_same([annotation(nlp(text))], [before])


def test_batches_change_nothing() -> None:
    nlp = load_trained(COREF)
    texts = [doc.text for doc in gold_docs(COREF, nlp)]
    component(nlp).configure(consistent_clusters=True)
    together = [get_clusters(doc) for doc in nlp.pipe(texts, batch_size=len(texts))]
    assert together == [get_clusters(nlp(text)) for text in texts]
    assert together[::-1] == [get_clusters(doc) for doc in nlp.pipe(texts[::-1], batch_size=2)]


def test_reasons_are_kept_in_plain_data() -> None:
    nlp = load_trained(COREF)
    text = gold_docs(COREF, nlp)[0].text
    component(nlp).configure(consistent_clusters=True)
    doc = nlp(text)
    (key, *_) = [key for key in doc.spans if key.startswith("coref_clusters")]
    doc.spans[key].attrs["reasons"] = ["because", *doc.spans[key].attrs["reasons"][1:]]
    data = json.loads(json.dumps(to_dict(doc)))
    assert data["mentions"]["reason"][0] == "because"
    again = from_dict(data, nlp)
    assert again._.coref_clusters[0].reasons == doc._.coref_clusters[0].reasons
    assert again._.coref_clusters[0].reasons[0] == "because"


def test_singletons_below_their_threshold_are_no_clusters() -> None:
    nlp = load_trained(COREF)
    text = gold_docs(COREF, nlp)[1].text
    doc = nlp(text)
    selected = doc.spans[MENTIONS_KEY]
    scores = {(span.start, span.end): score for span, score in zip(selected, selected.attrs["scores"], strict=True)}
    everything = get_clusters(doc)
    singletons = [cluster[0] for cluster in everything if len(cluster) == 1]
    limit = sorted(scores[mention] for mention in singletons)[len(singletons) // 2]
    component(nlp).configure(singleton_threshold=limit)
    expected = [cluster for cluster in everything if len(cluster) > 1 or scores[cluster[0]] >= limit]
    assert get_clusters(nlp(text)) == expected != everything


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_a_threshold_of_singletons_is_a_probability(value: float) -> None:
    nlp = load_trained(COREF)
    with pytest.raises(ValueError, match="singleton_threshold"):
        component(nlp).configure(singleton_threshold=value)


def test_i_has_the_name_of_its_speaker() -> None:
    doc = english("Tom slept . I know .")
    set_speakers(doc, [(3, 6, "TomBecker")])
    assert consistent_clusters(read_words(doc), [(0, 1), (3, 4)], links_of(2), 0.0)[0] == [0, 0]


def test_a_name_that_two_people_may_have_is_not_that_of_the_speaker() -> None:
    doc = english("Tom Finn slept . Tom Becker slept . I know .")
    set_speakers(doc, [(8, 11, "Tom")])
    clusters = consistent_clusters(read_words(doc), [(0, 2), (4, 6), (8, 9)], links_of(3), 0.0)[0]
    assert clusters == [0, 1, 2]


def test_you_is_never_the_speaker_of_the_turn() -> None:
    doc = english("I know you . I see .")
    set_speakers(doc, [(0, 4, "Ann"), (4, 7, "Tom")])
    mentions, links = [(0, 1), (2, 3), (4, 5)], links_of(3, m1_0=5.0)
    assert consistent_clusters(read_words(doc), mentions, links, 0.0)[0] == [0, 0, 1]
    clusters = consistent_clusters(read_words(doc), mentions, links, 0.0, [])[0]
    assert clusters[1] != clusters[0]
