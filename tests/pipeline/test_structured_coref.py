"""Behaviour of `structured_coref` alone; what all components share is in test_selector_pipe.py."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import (
    ENTITY_TYPE,
    GIVEN_MENTIONS_KEY,
    MENTIONS_KEY,
    cluster_groups,
    get_clusters,
    set_annotates,
    set_clusters,
    set_mentions,
    set_title,
)
from spacy_span_selector.examples.alignment import CROSSES_SENTENCES, EMPTY
from spacy_span_selector.layers.coref.linker import Links, follow_links
from spacy_span_selector.pipeline.structured_coref import CorefPrediction

from ..spans import put_spans
from .components import (
    COREF,
    Case,
    Spans,
    annotate,
    annotation,
    assert_same,
    component,
    initialized,
    load_trained,
    make_examples,
    make_nlp,
    selected,
    sentenced,
    train,
)

each_selector = pytest.mark.parametrize("selector", COREF.selectors)


@pytest.fixture
def case() -> Case:
    return COREF


def mention_scores(doc: Doc) -> dict[tuple[int, int], float]:
    """The selected spans with their probabilities."""
    return dict(zip(selected(COREF, doc), doc.spans[MENTIONS_KEY].attrs["scores"], strict=True))


# Clusters


@each_selector
def test_links_are_learnt_from_partial_annotation(selector: str) -> None:
    nlp, examples = initialized(COREF, selector, keep_singletons=False, candidate_ratio=2.0)
    for example in examples:
        clusters = [cluster for cluster in get_clusters(example.reference) if len(cluster) > 1]
        set_clusters(example.reference, clusters)
    train(nlp, examples, steps=120)
    for example in examples:
        assert get_clusters(nlp(example.text)) == get_clusters(example.reference)


def test_a_document_of_one_word_may_be_a_cluster(trained: Language) -> None:
    component(trained).configure(threshold=0.0)
    assert get_clusters(component(trained)(trained.make_doc("Ann"))) == [[(0, 1)]]


def test_a_document_without_clusters(trained: Language) -> None:
    component(trained).configure(threshold=1.0)
    doc = trained("Yes. It rained.")
    assert annotation(doc) == ({MENTIONS_KEY: ([], {})}, [])
    assert doc._.coref_clusters == []


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (-5.0, [None, 0, 1, 2, 0]),
        (-0.7, [None, None, 1, 2, 0]),
        (0.0, [None, None, 1, 2, None]),
        (2.0, [None, None, None, 2, None]),
        (5.0, [None] * 5),
    ],
)
def test_a_link_scores_above_the_threshold(threshold: float, expected: list[int | None]) -> None:
    antecedents = torch.tensor([[0, 0], [0, 0], [0, 1], [2, 1], [3, 0]])
    scores = torch.tensor([[-torch.inf] * 2, [-1.0, -torch.inf], [-1.0, 2.0], [3.0, 2.0], [-0.5, -0.4]])
    links = Links(antecedents, torch.isfinite(scores), scores)
    linked_to = links.best(threshold)
    assert linked_to == expected
    if threshold == 0.0:
        assert follow_links(linked_to) == [0, 1, 1, 1, 4]
    link_scores = links.probabilities(linked_to)
    chosen = [0 if j is None else 1 + row.index(j) for j, row in zip(expected, antecedents.tolist(), strict=True)]
    of_model = torch.cat([torch.zeros(5, 1), scores], dim=1).softmax(dim=1)[torch.arange(5), chosen]
    assert link_scores == pytest.approx(of_model.tolist())


def test_the_link_threshold_can_be_changed_after_training(trained: Language, gold: list[Doc]) -> None:
    mentions = [selected(COREF, trained(gold[1].text))]
    for threshold, clusters in ((-1000.0, 1), (1000.0, len(mentions[0]))):
        component(trained).configure(link_threshold=threshold)
        doc = trained(gold[1].text)
        assert len(get_clusters(doc)) == clusters
        mentions.append(selected(COREF, doc))
    assert mentions[0] == mentions[1] == mentions[2]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"link_threshold": math.nan}, "'link_threshold' of 'structured_coref' is nan; it must be a finite number"),
        ({"link_threshold": 1e300}, "'link_threshold' of .* is 1e.300; it must be less than or equal to 10"),
        ({"link_threshold": "0"}, "'link_threshold' of .* is '0'; it must be a valid number"),
        ({"singleton_threshold": -0.1}, "'singleton_threshold' of .* is -0.1; it must be"),
        ({"singleton_threshold": 1.1}, "'singleton_threshold' of .* is 1.1; it must be"),
        ({"reach": 0}, "'reach' of .* is 0; it must be greater than or equal to 1"),
    ],
)
def test_bad_settings_of_links_are_errors(settings: dict[str, Any], problem: str) -> None:
    pipe = component(make_nlp(COREF))
    with pytest.raises(ValueError, match=problem):
        pipe.configure(**settings)


def test_clusters_are_numbered_by_their_first_mention(trained: Language, gold: list[Doc]) -> None:
    clusters = get_clusters(trained(gold[1].text))
    assert clusters == sorted(clusters) and len(clusters) == 4
    assert all(cluster == sorted(cluster) for cluster in clusters)


def test_scores_are_the_probabilities_of_the_mentions(trained: Language, gold: list[Doc]) -> None:
    for doc in trained.pipe([doc.text for doc in gold]):
        of_mention = mention_scores(doc)
        threshold = component(trained).threshold
        assert all(threshold < score <= 1 for score in of_mention.values())
        for group in cluster_groups(doc):
            assert group.attrs["scores"] == [of_mention[span.start, span.end] for span in group]


def test_link_scores_are_the_probabilities_of_the_links(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[0].text)
    (prediction,) = component(trained).predict([gold[0]])
    assert all(0 < score <= 1 for score in prediction.link_scores)
    assert prediction.link_scores[0] == 1.0  # before the first mention there is none
    of_mention = dict(zip(prediction.spans, prediction.link_scores, strict=True))
    for group in cluster_groups(doc):
        expected = [of_mention[span.start, span.end] for span in group]
        assert group.attrs["link_scores"] == pytest.approx(expected)


def test_antecedents_are_what_mentions_were_linked_to(trained: Language, gold: list[Doc]) -> None:
    for gold_doc in gold:
        (prediction,) = component(trained).predict([gold_doc])
        spans = prediction.spans
        expected = {
            mention: None if antecedent is None else spans[antecedent]
            for mention, antecedent in zip(spans, prediction.linked, strict=True)
        }
        for cluster in trained(gold_doc.text)._.coref_clusters:
            found = [span and (span.start, span.end) for span in cluster.antecedents]
            assert found == [expected[mention.start, mention.end] for mention in cluster]
            assert found[0] is None and None not in found[1:]


# Singletons


@each_selector
def test_without_singletons_they_are_mentions_only(selector: str, gold: list[Doc]) -> None:
    nlp, text = load_trained(COREF, selector), gold[1].text
    everything = nlp(text)
    component(nlp).configure(keep_singletons=False)
    without = nlp(text)
    clusters = get_clusters(everything)
    assert get_clusters(without) == [cluster for cluster in clusters if len(cluster) > 1] != clusters
    assert mention_scores(without) == pytest.approx(mention_scores(everything), abs=1e-4)
    component(nlp).configure(keep_singletons=True)
    assert_same(annotate(nlp, [text]), [annotation(everything)])


def test_singletons_can_be_asked_for_after_training_without_them() -> None:
    nlp, examples = initialized(COREF, keep_singletons=False, annotation="complete")
    train(nlp, examples, steps=120)
    text, expected = examples[1].text, get_clusters(examples[1].reference)
    assert get_clusters(nlp(text)) == [cluster for cluster in expected if len(cluster) > 1] != expected
    component(nlp).configure(keep_singletons=True)
    assert get_clusters(nlp(text)) == expected


def test_singletons_below_their_threshold_are_no_clusters(trained: Language, gold: list[Doc]) -> None:
    doc = trained(gold[1].text)
    scores, everything = mention_scores(doc), get_clusters(doc)
    singletons = [cluster[0] for cluster in everything if len(cluster) == 1]
    limit = sorted(scores[mention] for mention in singletons)[len(singletons) // 2]
    component(trained).configure(singleton_threshold=limit)
    expected = [cluster for cluster in everything if len(cluster) > 1 or scores[cluster[0]] >= limit]
    assert get_clusters(trained(gold[1].text)) == expected != everything


def test_score_follows_keep_singletons(trained: Language, gold: list[Doc]) -> None:
    examples = make_examples(trained, gold)
    for example in examples:
        set_clusters(example.predicted, [cluster for cluster in get_clusters(example.reference) if len(cluster) > 1])
        set_mentions(example.predicted, [], [])
    assert component(trained).score(examples)["coref_f"] < 1
    component(trained).configure(keep_singletons=False)
    assert component(trained).score(examples)["coref_f"] == 1


# Selection


def test_sigmoid_keeps_every_span_above_the_threshold() -> None:
    nlp, examples = initialized(COREF, "sigmoid", threshold=0.0)
    doc = nlp(examples[0].text)
    every = {(i, k) for s in doc.sents for i in range(s.start, s.end) for k in range(i + 1, s.end + 1)}
    scores = mention_scores(doc)
    assert scores.keys() == every
    component(nlp).configure(threshold=(threshold := float(np.median(list(scores.values())))))
    likely = [mention for mention, score in scores.items() if score > threshold]
    assert selected(COREF, nlp(examples[0].text)) == likely


# Given mentions


def give(nlp: Language, text: str, mentions: Spans | None) -> Doc:
    doc = sentenced(nlp, text)
    if mentions is not None:
        doc.spans[component(nlp).given_key] = [doc[start:end] for start, end in mentions]
    return doc


@each_selector
def test_only_given_mentions_are_linked(selector: str, gold: list[Doc]) -> None:
    nlp = load_trained(COREF, selector)
    given = [(0, 2), (3, 4), (3, 5), (4, 5), (9, 10)]  # all are gold mentions but "brother"; others are not given
    doc = component(nlp)(give(nlp, gold[0].text, given))
    assert selected(COREF, doc) == given
    clusters = get_clusters(doc)
    assert sorted(mention for cluster in clusters for mention in cluster) == given
    assert {(0, 2), (3, 4)} in ({*cluster} & {(0, 2), (3, 4)} for cluster in clusters)


def test_linking_given_mentions_is_not_limited_by_their_probability(trained: Language, gold: list[Doc]) -> None:
    component(trained).configure(threshold=1.0, given_key="entities")
    clusters = get_clusters(gold[0])
    doc = component(trained)(give(trained, gold[0].text, [mention for cluster in clusters for mention in cluster]))
    assert get_clusters(doc) == clusters


def test_a_given_mention_that_is_too_wide_has_the_links_of_any_other(gold: list[Doc]) -> None:
    given = [(0, 2), (3, 5), (6, 8)]
    wide, narrow = (load_trained(COREF, model={"max_span_width": width}) for width in (None, 1))
    expected, found = (component(nlp)(give(nlp, gold[0].text, given)) for nlp in (wide, narrow))
    assert get_clusters(found) == get_clusters(expected)
    links, others = (
        [score for group in cluster_groups(doc) for score in group.attrs["link_scores"]] for doc in (found, expected)
    )
    assert links == pytest.approx(others, abs=1e-5)
    assert found.spans[MENTIONS_KEY].attrs["scores"] == [0.0] * 3


def test_no_given_mentions_means_none(trained: Language, gold: list[Doc]) -> None:
    doc = component(trained)(give(trained, gold[0].text, []))
    assert annotation(doc) == ({GIVEN_MENTIONS_KEY: ([], {}), MENTIONS_KEY: ([], {})}, [])


def test_documents_with_and_without_given_mentions_share_a_batch(trained: Language) -> None:
    given: list[Spans | None] = [[(0, 2), (3, 4)], None, [], [(0, 1), (1, 2)], None, None, None]
    docs = [give(trained, text, mentions if text else None) for text, mentions in zip(COREF.texts, given, strict=True)]
    expected = [component(trained)(doc.copy()) for doc in docs]
    assert_same([annotation(doc) for doc in trained.pipe(docs)], [annotation(doc) for doc in expected])
    assert [selected(COREF, doc) for doc in expected[:4]] == [[(0, 2), (3, 4)], [], [], [(0, 1), (1, 2)]]
    assert_same([annotation(doc) for doc in expected[4:]], annotate(trained, COREF.texts)[4:])


def test_given_mentions_that_cannot_be_linked_are_reported_once(trained: Language, gold: list[Doc]) -> None:
    doc = give(trained, gold[0].text, [(0, 2), (7, 10), (3, 4), (5, 10), (9, 9)])
    set_title(doc, "the station")
    with pytest.warns(UserWarning, match="leaves out a given mention that") as caught:
        found = annotation(component(trained)(doc))
    assert selected(COREF, doc) == [(0, 2), (3, 4)]
    assert len(caught) == 2
    assert all("in document 'the station'" in str(warning.message) for warning in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert_same([annotation(component(trained)(doc))], [found])
    assert component(trained).lost.counts == {CROSSES_SENTENCES: 4, EMPTY: 2}


def test_the_report_names_the_line_that_annotates(trained: Language) -> None:
    for call in (trained, component(trained), lambda doc: list(trained.pipe([doc]))):
        component(trained).lost.counts.clear()
        doc = sentenced(trained, "Ann left.")
        put_spans(doc, GIVEN_MENTIONS_KEY, (1, 1))
        with pytest.warns(UserWarning, match=EMPTY) as caught:
            call(doc)
        assert caught[0].filename == __file__


# Training


def test_no_cluster_in_any_example_is_an_error() -> None:
    nlp = make_nlp(COREF)
    docs = COREF.parse("It rained.", nlp)
    problem = r"'structured_coref' found no cluster .*'coref_clusters_1'.*span-selector conv"
    with pytest.raises(ValueError, match=problem):
        nlp.initialize(lambda: make_examples(nlp, docs))


def test_a_mention_in_two_clusters_is_reported() -> None:
    nlp, _ = initialized(COREF)
    reference = nlp.make_doc("Ann left. She slept.")
    set_clusters(reference, [[(0, 1), (3, 4)], [(3, 4)]])
    with pytest.warns(UserWarning, match="leaves out a gold mention that is also in an earlier cluster: 'She'"):
        nlp.update(make_examples(nlp, [reference]))


def test_some_mentions_of_a_prediction_forget_what_is_of_other_documents() -> None:
    antecedents, none = np.array([[-40], [0], [1]]), -math.inf
    mentions, links = [(0, 1), (1, 2), (3, 4)], np.array([[none], [2.0], [3.0]], dtype=np.float32)
    prediction = CorefPrediction(mentions, [0.5, 0.6, 0.7], antecedents, links, [None, 0, 1], [0.9, 0.8, 0.7])
    some = prediction.only([0, 2])
    assert (some.spans, some.linked, some.link_scores) == ([(0, 1), (3, 4)], [None, 0], [0.9, 0.7])
    assert (some.antecedents.tolist(), some.links.tolist()) == ([[0], [0]], [[none], [none]])
    assert prediction.only([0, 1, 2]) is prediction
    turned = prediction.only([1, 0, 2])  # as where words of two mentions have become one token
    assert (turned.spans[:2], turned.linked[0]) == ([(1, 2), (0, 1)], None)


def test_its_types_are_those_of_documents_with_clusters() -> None:
    nlp = make_nlp(COREF)
    named, other = COREF.parse("=== one\n[Ann|ann] met [Tom].\n=== other\nAcme left.\n[] [COMPANY Acme] left.", nlp)
    named.spans["coref_clusters_1"].attrs[ENTITY_TYPE] = "PER"
    set_annotates(named, ["PER", "LOC"])
    set_annotates(other, ["COMPANY"])
    nlp.initialize(lambda: make_examples(nlp, [named, other]))
    assert component(nlp).labels == ("PER", "LOC")
