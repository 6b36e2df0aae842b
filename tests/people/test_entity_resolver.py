"""The component `entity_resolver`, and its consistent clusters."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from numpy.typing import NDArray
from spacy import util
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_span_selector.annotation import (
    CLUSTER_PREFIX,
    MENTIONS_KEY,
    Argument,
    Frame,
    get_clusters,
    get_labelled_spans,
    set_clusters,
    set_frames,
    set_labelled_spans,
    set_mentions,
    set_speakers,
)
from spacy_span_selector.annotation.scored_mentions import ScoredMentions, pop_scored_mentions, set_scored_mentions
from spacy_span_selector.documents.cleaned import CleanDoc, clean_doc
from spacy_span_selector.layers.coref.linker import Links
from spacy_span_selector.people import entity_resolver
from spacy_span_selector.people.clustering import Clustering, Reason
from spacy_span_selector.people.entity_resolver import _labels, consistent_clusters, describe_reasons
from spacy_span_selector.people.tagged_speakers import TURN

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


def score(
    mentions: list[tuple[int, int]], types: dict[str, NDArray[np.float32]] | None = None, **scores: float
) -> ScoredMentions:
    """Mentions whose links score as in `links_of`."""
    links = links_of(len(mentions), **scores)
    arrays = links.antecedents.numpy(), links.scores.numpy()
    return ScoredMentions(mentions, [1.0] * len(mentions), *arrays, 0.0, set(mentions), MENTIONS_KEY, types or {})


def typed(*labels: str, probability: float = 1.0) -> dict[str, NDArray[np.float32]]:
    """The types of mentions, each of which is probably of one."""
    rest = (1.0 - probability) / max(1, len({*labels}) - 1)
    column = {label: [probability if own == label else rest for own in labels] for label in labels}
    return {label: np.array(values, np.float32) for label, values in column.items()}


def cluster(
    doc: Doc, mentions: list[tuple[int, int]], quotations: list[tuple[int, int]] | None = None, **scores: float
) -> Clustering:
    """The consistent clusters of mentions, whose links score as in `links_of`."""
    return consistent_clusters(clean_doc(doc), mentions, score(mentions, **scores), quotations)


def english(words: str) -> Doc:
    return Doc(spacy.blank("en").vocab, words=words.split())


def test_a_document_is_clustered_by_its_words() -> None:
    doc = english("Mr. Elton bowed . Mr. Weston left .")
    assert links_of(2, m1_0=2.0).best(0.0) == [None, 0]
    clusters, antecedents, reasons, _ = cluster(doc, [(0, 2), (4, 6)], m1_0=2.0)
    assert (clusters, antecedents) == ([0, 1], [None, None])
    assert describe_reasons(doc, [(0, 2), (4, 6)], reasons) == ["", 'not "Mr. Elton": is someone of another name']


def test_speakers_of_the_document_count() -> None:
    doc = english("I know . I see . I know .")
    set_speakers(doc, [(0, 3, "Ann"), (3, 6, "Tom"), (6, 9, "Ann")])
    assert cluster(doc, [(0, 1), (3, 4), (6, 7)], m1_0=3.0, m2_0=1.0, m2_1=3.0).clusters == [0, 1, 0]


THE_PEQUOD = "the Pequod sailed . Ahab slept . he woke ."
PEQUOD, AHAB, HE = (0, 2), (4, 5), (7, 8)


def cluster_the_pequod(doc: Doc) -> list[int]:
    return cluster(doc, [PEQUOD, AHAB, HE], m2_0=3.0, m2_1=1.0).clusters


@pytest.mark.parametrize("key", ["sc", "people"])
def test_labelled_spans_tell_persons_from_things(key: str) -> None:
    doc = english(THE_PEQUOD)
    assert cluster_the_pequod(doc) == [0, 1, 0]
    set_labelled_spans(doc, [(*PEQUOD, "VEH"), (*AHAB, "PER")], [1.0, 1.0], key=key)
    assert cluster_the_pequod(doc) == [0, 1, 1]


@pytest.mark.parametrize("probability, expected", [(0.99, [0, 1, 1]), (0.5, [0, 1, 0])])
def test_types_of_mentions_tell_persons_from_things_as_far_as_they_are_probable(
    probability: float, expected: list[int]
) -> None:
    doc, mentions = english(THE_PEQUOD), [PEQUOD, AHAB, HE]
    types = typed("VEH", "PER", "PER", probability=probability)
    found = consistent_clusters(clean_doc(doc), mentions, score(mentions, types, m2_0=3.0, m2_1=1.0))
    assert found.clusters == expected


def test_the_type_and_the_label_of_a_mention_count_as_one() -> None:
    doc = english(THE_PEQUOD)
    set_labelled_spans(doc, [(*PEQUOD, "VEH"), (*AHAB, "HERO")], [0.8, 0.6])
    types: list[dict[str, float]] = [{"VEH": 0.4, "PER": 0.6}, {"VEH": 0.0, "PER": 1.0}, {"VEH": 0.0, "PER": 1.0}]
    pequod, *others = _labels(doc, [PEQUOD, AHAB, HE], types)
    assert pequod == {"VEH": pytest.approx(0.6), "PER": 0.3}
    assert others == [{"VEH": 0.0, "PER": 0.5, "HERO": 0.3}, {"VEH": 0.0, "PER": 1.0}]


def test_the_type_of_a_cluster_is_that_of_the_mentions_that_it_has_in_the_end() -> None:
    nlp = spacy.blank("en")
    doc, mentions = Doc(nlp.vocab, THE_PEQUOD.split()), [PEQUOD, AHAB, HE]
    set_scored_mentions(doc, CLUSTER_PREFIX, score(mentions, typed("VEH", "PER", "PER"), m1_0=3.0, m2_0=3.0, m2_1=1.0))
    doc = nlp.add_pipe("entity_resolver")(doc)
    assert [(str(found), found.label_) for found in doc._.coref_clusters] == [
        ("[the Pequod]", "VEH"),
        ("[Ahab, he]", "PER"),
    ]


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
    for case, settings in ((SPANCAT, {"spans_key": key, "threshold": 0.1}), (COREF, {})):
        nlp.add_pipe(case.factory, config={"model": case.model, **settings})
    nlp.add_pipe("entity_resolver")
    docs = [*gold_docs(SPANCAT, nlp), *gold_docs(COREF, nlp)]
    for doc in docs:
        if "sc" in doc.spans:
            set_labelled_spans(doc, get_labelled_spans(doc), key=key)
    nlp.initialize(lambda: make_examples(nlp, docs))
    seen = []
    clusters = entity_resolver.consistent_clusters

    def look(words: CleanDoc, *arguments: Any) -> Clustering:
        seen.append(get_labelled_spans(words.doc, key))
        return clusters(words, *arguments)

    monkeypatch.setattr(entity_resolver, "consistent_clusters", look)
    found = [get_labelled_spans(doc, key) for doc in nlp.pipe([doc.text for doc in docs])]
    assert seen == found and any(found)


def test_reasons_are_said_in_words() -> None:
    doc = english("Ann saw her")
    reasons = [None, Reason("name", None), Reason("type", 0)]
    said = describe_reasons(doc, [(0, 1), (1, 2), (2, 3)], reasons)
    assert said == ["", "has a name of the same entity", 'not "Ann": differs in gender, number or label']


def test_the_reason_of_two_arguments_names_their_predicate() -> None:
    said = describe_reasons(english("Ann saw her"), [(0, 1), (2, 3)], [None, Reason("argument", 0)], {1: {0: "saw"}})
    assert said[1] == 'not "Ann": both are arguments of "saw"'


def test_the_reason_of_two_speakers_in_a_row_is_their_turns() -> None:
    said = describe_reasons(english("Ann spoke Tom"), [(0, 1), (2, 3)], [None, Reason("argument", 0)], {1: {0: TURN}})
    assert said[1] == 'not "Ann": says the quotation before'


def test_frames_of_a_document_keep_arguments_apart() -> None:
    doc, mentions = english("Ann saw her"), [(0, 1), (2, 3)]
    set_frames(doc, [Frame(1, 2, [(0, 1, "ARG0"), (2, 3, "ARG1")])])
    set_mentions(doc, mentions, [1.0, 1.0], MENTIONS_KEY)
    set_scored_mentions(doc, CLUSTER_PREFIX, score(mentions, m1_0=5.0))
    entity_resolver.EntityResolver(spacy.blank("en"))(doc)
    assert get_clusters(doc) == [[(0, 1)], [(2, 3)]]


def test_a_reason_is_the_same_wherever_lines_end() -> None:
    doc = Doc(spacy.blank("en").vocab, words=["Mr.", "\n", "\u200b", "Elton", "saw"], spaces=[True] * 5)
    words = clean_doc(doc).doc
    assert describe_reasons(words, [(0, 2)], [Reason("nested", 0)]) == ['not "Mr. Elton": one is inside the other']


def test_the_probability_of_an_antecedent_that_was_not_scored_is_zero() -> None:
    links = links_of(2, m1_0=0.0)
    assert links.probabilities([None, 0]) == [1.0, 0.5]
    assert links._replace(possible=torch.zeros_like(links.possible)).probabilities([None, 0])[1] == 0.0


def resolving(**settings: Any) -> Language:
    nlp = load_trained(COREF)
    nlp.add_pipe("entity_resolver", config=settings)
    return nlp


def test_without_it_clusters_are_those_of_the_network() -> None:
    text = gold_docs(COREF, blank_nlp())[0].text
    alone, switched_off = load_trained(COREF), resolving(consistent_clusters=False, quotations=False)
    assert_same([annotation(switched_off(text))], [annotation(alone(text))])
    doc = resolving()(text)
    assert all("reasons" in group.attrs for key, group in doc.spans.items() if key.startswith("coref_clusters"))


def test_a_document_that_nothing_has_scored_stays_as_it_is() -> None:
    nlp = resolving()
    doc = nlp.make_doc("Ann saw her.")
    set_clusters(doc, [[(0, 1), (2, 3)]])
    before = doc.to_bytes()
    assert nlp.get_pipe("entity_resolver")(doc).to_bytes() == before
    with nlp.select_pipes(disable=["structured_coref"]):
        assert get_clusters(nlp("Ann saw her.")) == []


def test_a_document_whose_tokens_were_merged_since_stays_as_it_is() -> None:
    nlp = load_trained(COREF)
    doc = nlp(gold_docs(COREF, nlp)[0].text)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    before = doc.to_bytes()
    nlp.add_pipe("entity_resolver")
    assert component(nlp)(doc).to_bytes() == before


def test_all_antecedents_reach_it_and_nothing_of_them_is_saved() -> None:
    nlp = load_trained(COREF)
    doc = nlp(gold_docs(COREF, nlp)[0].text)
    assert pop_scored_mentions(Doc(nlp.vocab).from_bytes(doc.to_bytes())) == {}
    assert pop_scored_mentions(doc.copy()) == {}
    (scored,) = pop_scored_mentions(doc).values()
    assert scored.links.shape == scored.antecedents.shape == (len(doc.spans[MENTIONS_KEY]), len(scored.mentions) - 1)
    assert doc.user_data == {}


def test_clusters_that_are_corrected_stay() -> None:
    nlp = resolving()
    doc = nlp(gold_docs(COREF, nlp)[0].text)
    set_clusters(doc, [[(0, 1), (2, 3)]])
    with nlp.select_pipes(disable="structured_coref"):
        assert get_clusters(nlp(doc)) == [[(0, 1), (2, 3)]]


def test_mentions_given_by_another_key_are_all_there_are() -> None:
    nlp = resolving()
    component(nlp, "structured_coref").configure(given_key="mine")
    found = []
    for key in ("mine", "coref_given"):
        doc = nlp.make_doc(gold_docs(COREF, nlp)[0].text)
        set_mentions(doc, [(0, 1)], None, key)
        with nlp.select_pipes(disable="entity_resolver"):
            found += pop_scored_mentions(nlp(doc)).values()
    assert [scored.is_given for scored in found] == [True, False]


def test_its_settings_are_checked_and_saved(tmp_path: Path) -> None:
    nlp = resolving(consistent_clusters=False)
    with pytest.raises(ValueError, match="'quotations' of 'entity_resolver' is 3; it must be"):
        component(nlp).quotations = 3
    component(nlp).configure(quotations=False)
    nlp.to_disk(tmp_path)
    for loaded in (spacy.load(tmp_path), util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())):
        assert component(loaded).cfg == {"consistent_clusters": False, "quotations": False}


def test_what_it_does_was_done_by_another_component_once() -> None:
    with pytest.raises(ValueError, match=r"saved by an earlier version\. Leave .* and add an 'entity_res"):
        blank_nlp().add_pipe("structured_coref", config={"quotations": False})


@pytest.mark.parametrize(
    ("words", "turn", "mentions", "clusters"),
    [
        ("Tom slept . I know .", (3, 6, "TomBecker"), [(0, 1), (3, 4)], [0, 0]),
        # a name that two people may have is not that of the speaker
        ("Tom Finn slept . Tom Becker slept . I know .", (8, 11, "Tom"), [(0, 2), (4, 6), (8, 9)], [0, 1, 2]),
    ],
)
def test_i_has_the_name_of_its_speaker(
    words: str, turn: tuple[int, int, str], mentions: list[tuple[int, int]], clusters: list[int]
) -> None:
    doc = english(words)
    set_speakers(doc, [turn])
    assert cluster(doc, mentions).clusters == clusters


def test_you_is_never_the_speaker_of_the_turn() -> None:
    doc = english("I know you . I see .")
    set_speakers(doc, [(0, 4, "Ann"), (4, 7, "Tom")])
    mentions = [(0, 1), (2, 3), (4, 5)]
    assert cluster(doc, mentions, m1_0=5.0).clusters == [0, 0, 1]
    clusters = cluster(doc, mentions, [], m1_0=5.0).clusters
    assert clusters[1] != clusters[0]


def resolve(
    words: str, mentions: list[str], frames: list[Frame] | None = None, given: bool = False, least: int = 2
) -> list[list[str]]:
    """The clusters of so many mentions or more where the network has scored no link above none."""
    nlp = spacy.blank("en")
    doc = Doc(nlp.vocab, words.split())
    places, end = [], 0
    for mention in mentions:
        start = next(i for i in range(end, len(doc)) if doc[i:].text.startswith(mention))
        places.append((start, start + len(mention.split())))
        end = start
    set_frames(doc, frames or [])
    set_scored_mentions(doc, CLUSTER_PREFIX, replace(score(sorted(places)), is_given=given))
    doc = nlp.add_pipe("entity_resolver")(doc)
    return [[mention.text for mention in found] for found in doc._.coref_clusters if len(found) >= least]


def test_a_name_that_was_missed_joins_those_that_were_not() -> None:
    assert resolve("Brandt worked . She paid Brandt .", ["Brandt", "She"]) == [["Brandt", "Brandt"]]


def test_an_acronym_is_of_the_entity_of_its_name() -> None:
    words = "The World Health Organization met . The WHO is in Geneva ."
    assert resolve(words, ["The World Health Organization", "Geneva"]) == [["The World Health Organization", "The WHO"]]


def test_a_coordination_is_the_antecedent_of_a_plural_without_another() -> None:
    frames = [Frame(3, 4, [Argument(0, 3, "ARG0")])]
    assert resolve("Ann and Tom left . They ran .", ["Ann", "Tom", "They"], frames) == [["Ann and Tom", "They"]]


def test_i_in_a_quotation_within_another_is_not_who_says_that() -> None:
    cleaned = clean_doc(english("Ann said , \" Tom wrote : ' I sing . ' I wept . \""))
    mentions, told = [(0, 1), (4, 5), (8, 9), (12, 13)], [(3, 16)]
    scored = score(mentions, m2_1=5.0)
    assert consistent_clusters(cleaned, mentions, scored, told).clusters == [0, 1, 0, 0]
    assert consistent_clusters(cleaned, mentions, scored, told, inner=[(7, 12)]).clusters == [0, 1, 1, 0]


def test_nothing_is_added_to_mentions_that_a_user_gives() -> None:
    assert resolve("Brandt worked . She paid Brandt .", ["Brandt", "She"], given=True) == []


@pytest.mark.parametrize(("given", "found"), [(True, 2), (False, 1)])
def test_mentions_that_a_user_gives_stay(given: bool, found: int) -> None:
    words = "The garden , which was old"
    assert len(resolve(words, ["The garden", words], given=given, least=1)) == found
