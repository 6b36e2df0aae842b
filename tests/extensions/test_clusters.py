import pytest
from spacy.tokens import Doc, Span, SpanGroup

from spacy_span_selector.annotation import set_clusters, set_labelled_spans, set_mentions
from spacy_span_selector.extensions import clusters_by_mention, clusters_by_token, register_extensions

from ..parsing import NLP, parse_one

NESTED = "[[[Her|ann] dog|dog] 's tail|tail] hit [Ann|ann] ."


@pytest.fixture(autouse=True)
def extensions() -> None:
    register_extensions()


@pytest.fixture
def scored() -> Doc:
    doc = parse_one("Ann saw her dog and her cat .")
    mentions, scores = [(0, 1), (2, 3), (5, 6)], [0.9, 0.8, 0.7]
    antecedents = [[None, (0, 1), (2, 3)]]
    set_clusters(doc, [mentions], scores=[scores], link_scores=[[1.0, 0.75, 0.5]], antecedents=antecedents)
    set_mentions(doc, [*mentions, (5, 7)], [*scores, 0.6])
    return doc


def test_clusters_are_ordered_by_their_first_mentions_whatever_their_keys():
    register_extensions()  # again
    doc = parse_one("Ann saw her dog .")
    doc.spans["coref_clusters_1"] = [doc[2:4]]
    doc.spans["coref_clusters_2"] = SpanGroup(doc, spans=[doc[2:3], doc[0:1]], attrs={"scores": [0.25, 0.75]})
    first, second = doc._.coref_clusters
    assert [mention.text for mention in first] == ["Ann", "her"]
    assert first.scores == [0.75, 0.25]
    assert [mention.text for mention in second] == ["her dog"]


def test_a_mention_that_is_there_twice_counts_once():
    doc = parse_one("Ann saw her dog .")
    attrs = {"scores": [0.25, 0.75, 0.5], "antecedents": [None, None, 1]}
    doc.spans["coref_clusters_1"] = SpanGroup(doc, spans=[doc[0:1], doc[0:1], doc[2:3]], attrs=attrs)
    (cluster,) = doc._.coref_clusters
    assert list(cluster) == [doc[0:1], doc[2:3]]
    assert cluster.scores == [0.25, 0.5]
    assert cluster.antecedents == [None, doc[0:1]]


def test_clusters_and_mentions_without_words_are_left_out():
    doc = parse_one("Ann saw her dog .")
    doc.spans["coref_clusters_1"] = []
    doc.spans["coref_clusters_2"] = [doc[1:1], doc[0:1], doc[2:3]]
    assert doc._.coref_clusters == [[doc[0:1], doc[2:3]]]


def test_a_cluster_is_a_list_of_spans_with_a_representative():
    (cluster,) = parse_one("[She|a] saw that [Ann|a] left .")._.coref_clusters
    assert isinstance(cluster, list)
    assert str(cluster) == "[She, Ann]"
    assert cluster.representative.text == "Ann"


def test_a_cluster_has_the_probabilities_and_antecedents_of_its_mentions(scored: Doc):
    (cluster,) = scored._.coref_clusters
    assert (cluster.scores, cluster.link_scores) == ([0.9, 0.8, 0.7], [1.0, 0.75, 0.5])
    assert cluster.antecedents == [None, scored[0:1], scored[2:3]]
    attrs = {"antecedents": [1, None]}
    scored.spans["coref_clusters_1"] = SpanGroup(scored, spans=[scored[2:3], scored[0:1]], attrs=attrs)
    assert scored._.coref_clusters[0].antecedents == [None, scored[0:1]]


def test_span_has_the_antecedent_that_it_was_linked_to(scored: Doc):
    assert scored[5:6]._.coref_antecedent == scored[2:3]
    assert scored[0:1]._.coref_antecedent is None  # linked to none
    assert scored[5:7]._.coref_antecedent is None  # no mention
    assert parse_one("[Ann|a] said [she|a] left .")[2:3]._.coref_antecedent is None  # unknown


def test_a_cluster_has_its_name_in_the_corpus_and_no_probabilities_without_scores():
    ann, it = parse_one("[Ann|ann] left [it] .")._.coref_clusters
    assert (ann.name, it.name) == ("ann", None)
    assert (ann.scores, ann.link_scores, ann.antecedents) == (None, None, None)


def test_probabilities_that_no_longer_match_their_spans_are_left_out(scored: Doc):
    scored.spans["coref_clusters_1"].append(scored[3:4])
    (cluster,) = scored._.coref_clusters
    assert (cluster.scores, cluster.link_scores, cluster.antecedents) == (None, None, None)
    assert scored[3:4]._.coref_link_score is None


def test_span_has_the_probabilities_of_its_selection_and_its_link(scored: Doc):
    linked, selected, other = scored[2:3]._, scored[5:7]._, scored[0:2]._
    assert (linked.coref_score, linked.coref_link_score) == (0.8, 0.75)
    assert (selected.coref_score, selected.coref_link_score) == (0.6, None)
    assert (other.coref_score, other.coref_link_score) == (None, None)


def test_token_has_the_clusters_that_cover_it_innermost_first_and_span_its_own():
    doc = parse_one(NESTED)
    assert [cluster[0].text for cluster in doc[0]._.coref_clusters] == ["Her", "Her dog", "Her dog 's tail"]
    assert [cluster[0].text for cluster in doc[1]._.coref_clusters] == ["Her dog", "Her dog 's tail"]
    assert doc[4]._.coref_clusters == []
    assert [mention.text for mention in doc[5:6]._.coref_cluster] == ["Her", "Ann"]
    assert doc[1:2]._.coref_cluster is None


@pytest.mark.parametrize("text", [NESTED, "[[a|x] b|x] [c|y]", "[a [b|x]|y] c [d|x]", "no clusters"])
def test_clusters_by_token_equal_the_attribute_of_each_token(text: str):
    doc = parse_one(text)
    assert clusters_by_token(doc) == [token._.coref_clusters for token in doc]


def test_clusters_by_mention_equal_the_attribute_of_each_span():
    doc = parse_one(NESTED)
    by_mention = clusters_by_mention(doc)
    assert list(by_mention) == [(0, 1), (5, 6), (0, 2), (0, 4)]
    assert all(cluster == doc[start:end]._.coref_cluster for (start, end), cluster in by_mention.items())


def test_attributes_follow_changes_and_add_nothing_to_the_document():
    doc, empty = parse_one("[Ann|ann] left .\n[She|ann] ran ."), NLP("")
    before = doc.to_bytes()
    assert doc._.resolved_text == "Ann left . Ann ran ."
    assert doc.to_bytes() == before
    set_clusters(doc, [])
    assert doc._.coref_clusters == []
    assert doc._.resolved_text == "Ann left . She ran ."
    assert (empty._.coref_clusters, clusters_by_token(empty), empty._.resolved_text) == ([], [], "")


@pytest.mark.parametrize(
    ("labelled", "scores", "label"),
    [
        ([(0, 1, "GPE"), (2, 3, "PER"), (5, 7, "PER")], None, "PER"),
        ([(0, 1, "GPE"), (2, 3, "PER"), (5, 7, "PER")], [0.9, 0.3, 0.4], "GPE"),
        ([(0, 1, "PER"), (5, 7, "GPE")], None, "PER"),
        ([(0, 1, "GPE"), (5, 7, "PER")], None, "GPE"),
        ([(0, 2, "PER"), (2, 4, "ANIMAL"), (6, 7, "PER")], None, ""),
        ([], None, ""),
    ],
    ids=["most frequent", "most probable", "earliest", "earliest again", "other tokens", "none"],
)
def test_a_cluster_has_a_label_of_labelled_spans(
    labelled: list[tuple[int, int, str]], scores: list[float] | None, label: str
):
    doc = parse_one("[Ann|a] said [her|a] dog saw [the mayor|a] .")
    set_labelled_spans(doc, labelled, scores)
    assert doc._.coref_clusters[0].label_ == label


def test_labelled_spans_come_after_the_corpus_and_before_entities():
    doc = parse_one("[Ann|a] saw [Bob|b] and [Cy|c] .")
    doc.ents = [Span(doc, 0, 1, "ORG"), Span(doc, 2, 3, "ORG"), Span(doc, 4, 5, "ORG")]
    set_clusters(doc, [[(0, 1)], [(2, 3)], [(4, 5)]], entity_types=["person", "", ""])
    set_labelled_spans(doc, [(0, 1, "PER"), (2, 3, "PER")])
    clusters = doc._.coref_clusters
    assert [cluster.label_ for cluster in clusters] == ["person", "PER", "ORG"]
    assert [cluster.label_ for cluster in clusters] == [cluster.entity_label for cluster in clusters]
    assert [cluster.shown_label for cluster in clusters] == ["person", "PER", ""]
    del doc.spans["sc"]
    assert [cluster.shown_label for cluster in doc._.coref_clusters] == ["person", "", ""]


def test_a_name_or_a_kind_of_entity_that_is_no_text_counts_as_missing():
    doc = parse_one("[Ann|a] left .")
    set_labelled_spans(doc, [(0, 1, "PER")])
    doc.spans["coref_clusters_1"].attrs.update({"name": 7, "entity_type": 5})
    (cluster,) = doc._.coref_clusters
    assert (cluster.name, cluster.entity_label, cluster.shown_label) == (None, "PER", "PER")
    assert ">PER</td>" in doc._.coref_clusters._repr_html_()
