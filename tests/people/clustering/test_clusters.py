"""Clusters as a whole, against a plain search, every partition, and what must always hold."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, groupby, product
from math import exp, inf, log
from typing import Any

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_span_selector.people.attribution import Attribution
from spacy_span_selector.people.clustering import (
    Clustering,
    EntityTypes,
    Form,
    NameReader,
    Reason,
    Scored,
    cluster_mentions,
)
from spacy_span_selector.people.clustering.apart import ANAPHOR, ARGUMENT_COST, IT, PERSON_COST, Persons
from spacy_span_selector.people.clustering.clusters import (
    ACRONYM,
    NESTING_COST,
    OTHER_PLURAL,
    REACH,
    SAME_NAME,
    SAME_NOUN,
    Attribute,
)
from spacy_span_selector.people.clustering.entity_types import add
from spacy_span_selector.people.clustering.forms import FormReader, read_forms
from spacy_span_selector.people.clustering.named_entities import divisions

VOCAB = spacy.blank("en").vocab
READER, TYPES, FORMS = NameReader(VOCAB), EntityTypes(VOCAB), FormReader(VOCAB)
UNNAMED = ["he", "she", "it", "they", "his sister", "the man", "the ship", "the girls"]
NAMED = ["Mr. Smith", "Mrs. Smith", "Ann", "Tom"]

Links = dict[tuple[int, int], float]


def cluster(
    texts: Sequence[str],
    links: Links,
    *,
    speakers: Sequence[int] | None = None,
    places: Sequence[tuple[int, int]] | None = None,
    quotations: Sequence[int] | None = None,
    threshold: float = 0.0,
    attribute: Attribute | None = None,
    labels: Sequence[str] = (),
    probability: float = 1.0,
    speaker_names: Sequence[str] = (),
    apart: Sequence[tuple[int, int]] = (),
    bound: Mapping[int, int] | None = None,
    said: Mapping[int, int] | None = None,
) -> Clustering:
    """Cluster mentions, one in each sentence, of which some pairs are scored."""
    count = len(texts)
    antecedents = np.tile(np.arange(max(count - 1, 0)), (count, 1))
    scores = np.full((count, max(count - 1, 0)), -np.inf, dtype=np.float32)
    for mention in range(count):
        reached = range(max(0, mention - REACH), mention)
        scores[mention, reached] = [links.get((mention, antecedent), -inf) for antecedent in reached]
    places = places or [(2 * i, 2 * i + 1) for i in range(count)]
    quotations = quotations or [-1] * count
    labelled = [{label: probability} if label else {} for label in labels]
    beside: dict[int, set[int]] = {}
    for i, j in apart:
        beside.setdefault(i, set()).add(j)
        beside.setdefault(j, set()).add(i)
    speakers = speakers or [0] * count
    known = (antecedents, scores, speaker_names, labelled)
    told: dict[str, Any] = {"apart": beside, "bound": bound or {}, "said": said or {}}
    scored = Scored(places, range(count), speakers, quotations, *known, **told)
    return cluster_mentions(forms(texts), scored, READER, TYPES, threshold, attribute)


def forms(texts: Iterable[str]) -> list[Form]:
    return [FORMS.read(tuple(text.split())) for text in texts]


def together(texts: Sequence[str], links: Links, **settings: object) -> set[tuple[str, ...]]:
    """The texts of the mentions of each cluster."""
    found = cluster(texts, links, **settings).clusters  # type: ignore[arg-type]
    order = sorted(range(len(texts)), key=lambda i: (found[i], i))
    return {tuple(texts[i] for i in group) for _, group in groupby(order, key=lambda i: found[i])}


def steps(texts: Sequence[str], links: Links, division: Sequence[Sequence[int]]) -> float:
    """What a division of mentions without names is worth: the sum of what each mention adds, from left to right."""
    read = forms(texts)
    evidence = [TYPES.evidence(form.evidence) for form in read]
    total = 0.0
    for group in division:
        known, persons = evidence[min(group)], Persons()
        persons.add(read[min(group)].evidence, -1)
        for place, mention in enumerate(sorted(group)[1:], 1):
            before = sorted(group)[:place]
            total += log(sum(exp(2 * links[mention, antecedent]) for antecedent in before)) / 2
            total += SAME_NOUN * (read[mention].is_definite and read[mention].noun in {read[i].noun for i in before})
            total += min(0.0, TYPES.agreement(known, evidence[mention]))
            total -= PERSON_COST * persons.clash(read[mention].evidence, -1)
            total += IT * (texts[mention] == "it")
            known = add(known, evidence[mention])
            persons.add(read[mention].evidence, -1)
    return total


@st.composite
def documents(draw: st.DrawFn, words: Sequence[str] = UNNAMED, most: int = 6) -> tuple[list[str], Links]:
    texts = draw(st.lists(st.sampled_from(words), min_size=1, max_size=most))
    pairs = [(i, j) for i in range(len(texts)) for j in range(i)]
    scores = draw(st.lists(st.floats(-5, 5, width=32), min_size=len(pairs), max_size=len(pairs)))
    return texts, dict(zip(pairs, scores, strict=True))


@given(documents())
def test_each_mention_joins_what_adds_most_to_the_clusters_before_it(document: tuple[list[str], Links]) -> None:
    texts, links = document
    division: list[list[int]] = []
    for mention in range(len(texts)):
        rivals = [[*map(list, division), [mention]]]
        rivals += [[[*g, mention] if g is group else [*g] for g in division] for group in division]
        division = max(rivals, key=lambda rival: steps(texts, links, rival))
    found = cluster(texts, links).clusters
    assert steps(texts, links, _groups(found)) == pytest.approx(steps(texts, links, division))


@settings(deadline=None)
@given(documents(most=5))
def test_no_partition_is_better_than_the_best_and_none_is_needed_to_be_consistent(
    document: tuple[list[str], Links],
) -> None:
    """The search is greedy: it stays below the best of all partitions, and above linking nothing."""
    texts, links = document
    found = steps(texts, links, _groups(cluster(texts, links).clusters))
    best = max(steps(texts, links, division) for division in divisions(range(len(texts))))
    assert found + 1e-6 >= 0.0
    assert found <= best + 1e-6


@given(documents(words=[*UNNAMED, *NAMED]))
def test_two_named_entities_are_never_one_cluster(document: tuple[list[str], Links]) -> None:
    texts, links = document
    for texts_together in together(texts, links):
        assert len({text for text in texts_together if text in NAMED}) <= 1


@given(documents(words=[*UNNAMED, *NAMED]))
def test_antecedents_connect_each_cluster_and_its_first_mention_has_none(document: tuple[list[str], Links]) -> None:
    found = cluster(*document)
    for group in _groups(found.clusters):
        assert [found.antecedents[mention] is None for mention in group] == [True] + [False] * (len(group) - 1)
        assert all(found.antecedents[mention] in group[:place] for place, mention in enumerate(group) if place)


@given(documents(words=[*UNNAMED, "Ann", "Tom"]))
def test_names_may_be_others(document: tuple[list[str], Links]) -> None:
    texts, links = document
    renamed = [{"Ann": "Ines", "Tom": "Uwe"}.get(text, text) for text in texts]
    assert cluster(renamed, links) == cluster(texts, links)


def test_a_pronoun_joins_the_cluster_that_it_agrees_with() -> None:
    links = {(1, 0): 3.0, (3, 2): 3.0, (4, 1): 1.5, (4, 3): 1.0}
    assert together(["Mr. Smith", "he", "Mrs. Smith", "she", "she"], links) == {
        ("Mr. Smith", "he"),
        ("Mrs. Smith", "she", "she"),
    }


def test_a_ship_may_be_she_where_the_text_says_so() -> None:
    assert together(["the ship", "she"], {(1, 0): 4.0}) == {("the ship", "she")}


def test_he_is_no_ship_that_is_labelled_as_one() -> None:
    texts, links = ["the Pequod", "Ahab", "he"], {(2, 0): 3.0, (2, 1): 1.0}
    assert together(texts, links) == {("the Pequod", "he"), ("Ahab",)}
    assert together(texts, links, labels=["VEH", "PER", ""]) == {("the Pequod",), ("Ahab", "he")}


def test_one_name_may_be_that_of_a_person_and_of_a_place() -> None:
    texts = ["Washington", "Washington", "he", "Washington"]
    links = {(1, 0): 4.0, (2, 0): 3.0, (3, 0): 4.0, (3, 1): 4.0}
    assert together(texts, links) == {tuple(texts)}
    found = cluster(texts, links, labels=["PERSON", "GPE", "", ""]).clusters
    assert found[0] == found[2] != found[1]
    assert cluster(texts, links, labels=["PERSON", "GPE", "", "GPE"]).clusters == [0, 1, 0, 1]


def test_people_are_no_things_where_both_are_several() -> None:
    texts, links = ["the men", "the ships", "they"], {(1, 0): 4.0, (2, 0): 3.0}
    assert together(texts, links) == {tuple(texts)}
    assert together(texts, links, labels=["PER", "VEH", ""]) == {("the men", "they"), ("the ships",)}


def test_a_doubtful_label_tells_less_than_a_probable_one() -> None:
    texts, links, labels = ["Washington", "Washington", "he"], {(1, 0): 4.0, (2, 0): 3.0}, ["PERSON", "GPE", ""]
    assert together(texts, links, labels=labels, probability=0.6) == {tuple(texts)}
    assert together(texts, links, labels=labels, probability=0.9) == {("Washington", "he"), ("Washington",)}


def test_a_speaker_is_no_thing_of_the_same_name() -> None:
    texts = ["Lincoln", "I"]
    speaking = {"speakers": [0, 1], "speaker_names": ["Lincoln"]}
    assert together(texts, {}, **speaking) == {("Lincoln", "I")}
    assert together(texts, {}, **speaking, labels=["VEH", ""]) == {("Lincoln",), ("I",)}


@pytest.mark.parametrize("label, expected", [("", 2), ("OBJECT", 2), ("ANIMAL", 1)])
def test_an_animal_may_be_it_and_she(label: str, expected: int) -> None:
    texts, links = ["the otter", "it", "she"], {(1, 0): 3.0, (2, 0): 1.0, (2, 1): 1.0}
    assert len(together(texts, links, labels=[label, label, ""])) == expected


@given(documents(words=[*UNNAMED, *NAMED]), st.sampled_from(["", "MISC"]))
def test_labels_that_tell_nothing_change_nothing(document: tuple[list[str], Links], label: str) -> None:
    texts, links = document
    assert cluster(texts, links, labels=[label] * len(texts)) == cluster(texts, links)


def test_a_cluster_of_many_likely_antecedents_beats_the_likeliest_one() -> None:
    links = {(1, 0): 4.0, (2, 0): -4.0, (3, 2): 1.0, (3, 0): 0.8, (3, 1): 0.8}
    assert together(["it", "it", "it", "it"], links) == {("it", "it", "it"), ("it",)}


def test_a_cluster_of_many_unlikely_antecedents_does_not_beat_a_likely_one() -> None:
    texts = ["he", *["he"] * 20, "him", "he"]
    links = {**{(i, i - 1): 5.0 for i in range(1, 21)}, **{(22, i): -1.5 for i in range(21)}, (22, 21): 1.0}
    assert together(texts, links) == {("he",) * 21, ("him", "he")}


@pytest.mark.parametrize(
    ("first", "second", "score", "is_one"),
    [
        ("a dog", "the dog", -0.4, True),
        ("the dog", "his dog", -0.4, True),
        ("a dog", "the dog", -0.6, False),
        ("a dog", "a dog", -0.4, False),
        ("a cat", "the dog", -0.4, False),
        ("Ann", "Ann", -0.4, True),
        ("Ann", "Ann", -0.6, False),
    ],
)
def test_a_name_and_a_definite_noun_are_more_surely_whom_they_were(
    first: str, second: str, score: float, is_one: bool
) -> None:
    assert SAME_NAME == SAME_NOUN == 0.5
    assert cluster([first, second], {(1, 0): score}).clusters == [0, not is_one]


def test_one_wrong_link_does_not_join_two_gentlemen() -> None:
    texts = ["Mr. Elton", "he", "Mr. Weston", "he"]
    links = {(1, 0): 3.0, (2, 1): 4.0, (2, 0): 2.0, (3, 2): 3.0}
    assert together(texts, links) == {("Mr. Elton", "he"), ("Mr. Weston", "he")}


def test_names_of_one_person_are_joined_over_any_distance() -> None:
    texts = ["Emma", "Emma", *["it"] * (REACH + 1), "Emma"]
    assert cluster(texts, {(1, 0): 3.0}).clusters[-1] == 0


def test_a_name_that_the_network_never_links_is_left_alone() -> None:
    assert len(set(cluster(["Copyright"] * 5, {}).clusters)) == 5


def test_a_name_takes_over_whom_nobody_had_named() -> None:
    links = {(1, 0): 3.0, (2, 1): 2.0}
    assert together(["the man", "he", "Mr. Smith"], links) == {("the man", "he", "Mr. Smith")}


def test_a_mention_inside_another_joins_it_only_if_the_link_is_strong() -> None:
    places = [(0, 3), (1, 2)]
    assert cluster(["the man", "he"], {(1, 0): NESTING_COST - 0.1}, places=places).clusters == [0, 1]
    assert cluster(["the man", "he"], {(1, 0): NESTING_COST + 0.1}, places=places).clusters == [0, 0]


def test_a_name_inside_a_mention_counts_although_it_comes_later() -> None:
    texts, places = ["Ann", "Ann", "the friend of Ann", "Ann"], [(0, 1), (1, 2), (3, 7), (6, 7)]
    links = {(1, 0): 3.0, (2, 0): 0.6, (2, 1): 0.6, (3, 0): 3.0, (3, 1): 3.0}
    assert cluster(texts, links, places=places).clusters == [0, 0, 1, 0]
    assert cluster(texts, links).clusters == [0, 0, 0, 0]


def test_two_arguments_of_a_frame_are_two_and_say_so() -> None:
    texts, links = ["Ann", "her"], {(1, 0): ARGUMENT_COST + ANAPHOR - 0.1}
    assert cluster(texts, links).clusters == [0, 0]
    found = cluster(texts, {(1, 0): ARGUMENT_COST - ANAPHOR - 0.1}, apart=[(0, 1)])
    assert (found.clusters, found.reasons[1]) == ([0, 1], Reason("argument", 0))


def test_the_first_of_two_arguments_leaves_a_cluster_to_the_second_that_needs_it_more() -> None:
    texts, links = ["the lawyer", "the judge", "she", "her"], {(2, 0): 3.0, (2, 1): 2.0, (3, 0): 3.0, (3, 1): -5.0}
    assert cluster(texts, links).clusters == [0, 1, 0, 0]
    assert cluster(texts, links, apart=[(2, 3)]).clusters == [0, 1, 1, 0]


@given(st.lists(st.floats(-5, 5, width=32), min_size=6, max_size=6))
def test_arguments_beside_each_other_are_decided_as_the_best_of_all_ways_to_choose(scores: list[float]) -> None:
    texts, decided = ["the lawyers", "the judges", "them", "them", "them"], (2, 3, 4)
    links = dict(zip(product(decided, (0, 1)), scores, strict=True))
    found = cluster(texts, links, apart=[*combinations(decided, 2)]).clusters
    worth = {(i, j): steps(texts, links, [[j, i]]) for i, j in links} | {(i, i): 0.0 for i in decided}
    ways = [way for way in product(*((0, 1, i) for i in decided)) if len({*way}) == len(way)]
    worths = {way: sum(worth[pair] for pair in zip(decided, way, strict=True)) for way in ways}
    chosen = tuple(found.index(found[i]) for i in decided)
    assert worths[chosen] == pytest.approx(max(worths.values()))


def test_he_whose_likeliest_antecedent_is_an_argument_beside_him_is_somebody_else() -> None:
    texts, links = ["the clerk", "the driver", "him"], {(2, 0): 3.0, (2, 1): -1.0}
    assert cluster(texts, links, apart=[(0, 2)]).clusters == [0, 1, 1]
    assert cluster(texts, {(2, 1): -1.0}, apart=[(0, 2)]).clusters == [0, 1, 2]


@pytest.mark.parametrize(("other", "clusters"), [("the driver", [0, 1, 1]), ("it", [0, 1, 0])])
def test_an_argument_beside_him_costs_more_where_he_may_be_another(other: str, clusters: list[int]) -> None:
    links = {(2, 0): ARGUMENT_COST + 1.0, (2, 1): -1.0}
    assert cluster(["the clerk", other, "him"], links, apart=[(0, 2)]).clusters == clusters


def test_a_reflexive_is_its_subject() -> None:
    texts, links = ["the man", "the boy", "himself"], {(2, 0): 2.0, (2, 1): 0.5}
    assert cluster(texts, links).clusters == [0, 1, 0]
    found = cluster(texts, links, bound={2: 1})
    assert (found.clusters, found.reasons[2]) == ([0, 1, 1], Reason("reflexive", 0))


@pytest.mark.parametrize(
    "texts, clusters",
    [
        (["the children", "the fishermen"], [0, 1]),
        (["the children", "children of the town"], [0, 0]),
        (["they", "the fishermen"], [0, 0]),
        (["the child", "the fishermen"], [0, 0]),
    ],
)
def test_a_plural_of_another_noun_joins_only_if_the_link_is_strong(texts: list[str], clusters: list[int]) -> None:
    assert cluster(texts, {(1, 0): OTHER_PLURAL - 0.1}).clusters == clusters
    assert cluster(texts, {(1, 0): OTHER_PLURAL + 5.0}).clusters == [0, 0]


def test_what_is_said_of_her_is_not_him() -> None:
    texts, links = ["she", "a lawyer", "he"], {(2, 1): 2.0}
    assert cluster(texts, links).clusters == [0, 1, 1]
    assert cluster(texts, links, said={1: 0}).clusters == [0, 1, 2]


@pytest.mark.parametrize("voices, is_one", [([-1, -1], False), ([0, 0], False), ([-1, 0], True), ([0, 1], True)])
def test_we_and_they_are_one_only_in_two_voices(voices: list[int], is_one: bool) -> None:
    links = {(1, 0): PERSON_COST - 0.1}
    found = cluster(["they", "we"], links, quotations=voices)
    assert (found.clusters, found.reasons[1]) == (([0, 0], None) if is_one else ([0, 1], Reason("person", 0)))


def test_all_turns_of_a_speaker_are_one_voice() -> None:
    links = {(1, 0): PERSON_COST - 0.1}
    assert cluster(["they", "we"], links, quotations=[0, 1], speakers=[1, 1]).clusters == [0, 1]
    assert cluster(["they", "we"], links, quotations=[0, 1], speakers=[1, 2]).clusters == [0, 0]


def test_scores_of_any_size_are_finite() -> None:
    assert cluster(["it", "it", "it"], {(1, 0): 1e30, (2, 1): 1e30, (2, 0): 1e30}).clusters == [0, 0, 0]


def test_a_threshold_links_less_or_more() -> None:
    assert cluster(["he", "he"], {(1, 0): 1.0}, threshold=1.5).clusters == [0, 1]
    assert cluster(["he", "he"], {(1, 0): -1.0}, threshold=-1.5).clusters == [0, 0]


def test_it_stands_for_something_though_the_link_is_weak() -> None:
    assert cluster(["the ship", "it"], {(1, 0): -1.5}).clusters == [0, 0]
    assert cluster(["the ship", "the ship"], {(1, 0): -1.5}).clusters == [0, 1]


def test_a_mention_says_why_it_was_kept_apart_or_joined() -> None:
    texts = ["Mr. Elton", "Mr. Weston", "she", *["it"] * REACH, "Mr. Elton"]
    found = cluster(texts, {(1, 0): 2.0, (2, 1): 0.3})
    assert [reason and tuple(reason) for reason in found.reasons[:3]] == [None, ("other name", 0), ("type", 1)]
    assert found.reasons[-1] is not None and tuple(found.reasons[-1]) == ("name", None)


@pytest.mark.parametrize(("score", "clusters"), [(1 - ACRONYM, [0, 0]), (-1 - ACRONYM, [0, 1])])
def test_an_acronym_joins_its_name_unless_the_network_is_against_it(score: float, clusters: list[int]) -> None:
    read = read_forms(Doc(VOCAB, ["the", "World", "Health", "Organization", "and", "the", "WHO"]), [(0, 4), (5, 7)])
    scored = Scored([(0, 4), (5, 7)], [0, 0], [0, 0], [-1, -1], np.array([[0], [0]]), np.array([[-inf], [score]]))
    assert cluster_mentions(read, scored, READER, TYPES).clusters == clusters


def test_no_mentions_no_clusters() -> None:
    assert cluster([], {}) == Clustering([], [], [], [])


def test_without_tables_the_sum_of_links_decides() -> None:
    types, reader = EntityTypes(spacy.blank("de").vocab), NameReader(spacy.blank("de").vocab)
    scores = np.array([[-inf], [1.0]], dtype=np.float32)
    scored = Scored([(0, 1), (1, 2)], [0, 0], [0, 0], [-1, -1], np.array([[0], [0]]), scores)
    assert cluster_mentions([Form(), Form()], scored, reader, types).clusters == [0, 0]


def attributed(
    texts: Sequence[str], links: Links, quotations: Sequence[int], *attributions: Attribution
) -> tuple[Clustering, list[list[int | None]]]:
    """Cluster mentions, some in quotations, of which the speakers are told; and the clusters that attribution saw."""
    seen: list[list[int | None]] = []

    def attribute(clusters: Sequence[int | None], _: Mapping[int, int]) -> Sequence[Attribution]:
        seen.append([*clusters])
        return attributions

    return cluster(texts, links, quotations=quotations, attribute=attribute), seen


TEXTS, QUOTED = ["Ann", "Tom", "I", "you"], [-1, -1, 0, 0]
TOM_TO_ANN = Attribution(speaker=1, addressee=0, speakers={1: 0.9, None: 0.1}, addressees={0: 0.8, None: 0.2})


def test_i_in_a_quotation_joins_its_speaker_and_you_its_addressee() -> None:
    found, _ = attributed(TEXTS, {}, QUOTED, TOM_TO_ANN)
    assert found.clusters == [0, 1, 1, 0]
    assert found.attributions == [TOM_TO_ANN]
    assert [reason and tuple(reason) for reason in found.reasons[2:]] == [("speaker", None), ("addressee", None)]


def test_i_and_you_wait_until_all_others_have_a_cluster() -> None:
    _, seen = attributed(["I", "Ann", "you", "she"], {(3, 1): 2.0}, [0, -1, 0, -1], Attribution())
    assert seen == [[None, 0, None, 0]]


def test_he_is_not_who_says_it_where_he_may_be_another() -> None:
    said = Attribution(speaker=0, speakers={0: 0.9, None: 0.1}, mention=0)
    texts, quotations = ["Tom", "the man", "he"], [-1, -1, 0]
    found, _ = attributed(texts, {(2, 0): 3.0, (2, 1): 1.0}, quotations, said)
    assert found.clusters == [0, 1, 1]
    assert found.reasons[2] == Reason("voice", 0)
    assert attributed(texts, {(2, 0): 3.0}, quotations, said)[0].clusters == [0, 1, 0]


def test_i_outside_of_quotations_and_others_within_do_not_wait() -> None:
    _, seen = attributed(["I", "he", "we"], {}, [-1, 0, 0], Attribution())
    assert seen == [[0, 1, 2]]


def test_a_speaker_who_is_not_likely_is_not_joined() -> None:
    unlikely = Attribution(speakers={1: 0.05, 0: 0.05, None: 0.9})
    assert attributed(TEXTS, {}, QUOTED, unlikely)[0].clusters == [0, 1, 2, 3]


def test_links_and_speakers_count_together() -> None:
    unsure = Attribution(speaker=0, speakers={0: 0.5, 1: 0.4, None: 0.1})
    assert attributed(TEXTS, {}, QUOTED, unsure)[0].clusters[2] == 0
    assert attributed(TEXTS, {(2, 1): 2.0}, QUOTED, unsure)[0].clusters[2] == 1


def test_the_i_of_two_speakers_is_kept_apart_although_the_network_joins_it() -> None:
    texts, links = ["Ann", "Tom", "I", "I"], {(2, 0): 1.0, (3, 0): 1.0, (3, 2): 4.0}
    ann, tom = (Attribution(speaker=n, speakers={n: 0.95, 1 - n: 0.04, None: 0.01}) for n in (0, 1))
    found, _ = attributed(texts, links, [-1, -1, 0, 1], ann, tom)
    assert found.clusters == [0, 1, 0, 1]
    assert found.reasons[3] == Reason("speaker", 2)


def test_a_tag_outweighs_any_link() -> None:
    tagged = Attribution(speaker=1, speakers={1: 0.98, 0: 0.02}, is_tagged=True)
    assert attributed(TEXTS, {(2, 0): 50.0}, QUOTED, tagged)[0].clusters[2] == 1


def test_a_quotation_and_each_i_in_it_have_one_speaker() -> None:
    texts, links = ["Ann", "Tom", "I", "my"], {(2, 1): 3.0, (3, 0): 3.0}
    told = Attribution(speaker=0, addressee=1, speakers={0: 0.5, 1: 0.4, None: 0.1}, addressee_mention=1)
    found, _ = attributed(texts, links, QUOTED, told)
    assert found.clusters == [0, 1, 1, 1]
    assert (found.attributions[0].speaker, found.attributions[0].mention) == (1, 2)
    assert found.attributions[0].addressee_mention is None


def test_each_you_of_a_quotation_is_one() -> None:
    found, _ = attributed(["Ann", "Tom", "you", "your"], {(3, 1): 9.0}, QUOTED, TOM_TO_ANN)
    assert found.clusters == [0, 1, 0, 0]


def test_who_never_says_i_is_a_speaker_and_the_you_of_others() -> None:
    def attribute(_: Sequence[int | None], of_speaker: Mapping[int, int]) -> Sequence[Attribution]:
        asks, answers = of_speaker[1], of_speaker[2]
        return [
            Attribution(speaker=a, speakers={a: 1.0}, addressees={b: 0.9, None: 0.1})
            for a, b in ((asks, answers), (answers, asks))
        ]

    texts, links = ["you", "I", "you"], {(1, 0): 2.0, (2, 0): 3.0, (2, 1): 3.0}
    found = cluster(
        texts, links, speakers=[1, 2, 2], quotations=[0, 1, 1], attribute=attribute, speaker_names=["Q", "A"]
    )
    assert found.clusters == [0, 0, 1]


def test_he_is_never_who_says_it() -> None:
    texts, links = ["I", "he"], {(1, 0): 3.0}
    assert cluster(texts, links, speakers=[1, 2], speaker_names=["Tom", "Bob"]).clusters == [0, 0]
    assert cluster(texts, links, speakers=[1, 1], speaker_names=["Tom"]).clusters == [0, 1]


def test_where_nobody_is_told_the_links_decide() -> None:
    links = {(2, 0): 2.0, (3, 1): 2.0}
    told_nothing, seen = attributed(TEXTS, links, QUOTED, Attribution())
    assert told_nothing.clusters == cluster(TEXTS, links).clusters == [0, 1, 0, 1]
    assert len(seen) == 1


def test_without_attribution_quotations_change_nothing() -> None:
    links = {(2, 0): 2.0, (3, 2): 2.0}
    assert cluster(TEXTS, links, quotations=QUOTED) == cluster(TEXTS, links)


def test_the_i_of_a_known_speaker_does_not_wait() -> None:
    attribute = [Attribution(speaker=0, speakers={0: 1.0})]
    found = cluster(["Ann", "I"], {}, speakers=[0, 1], quotations=[-1, 0], attribute=lambda *_: attribute)
    assert found.clusters == [0, 1]


@given(documents(words=[*UNNAMED, *NAMED, "I", "you"]), st.lists(st.booleans(), min_size=6, max_size=6))
def test_attributions_move_i_and_you_alone(document: tuple[list[str], Links], is_quoted: list[bool]) -> None:
    texts, links = document
    quotations = [0 if quoted else -1 for quoted in is_quoted[: len(texts)]]
    waits = [quoted == 0 and text in ("I", "you") for text, quoted in zip(texts, quotations, strict=True)]
    (seen,) = attributed(texts, links, quotations, Attribution())[1]
    assert [number is None for number in seen] == waits
    count = max((number for number in seen if number is not None), default=-1) + 1
    told: dict[int | None, float] = dict.fromkeys([None, *range(count)], 1 / (count + 1))
    found = attributed(texts, links, quotations, Attribution(speakers=told, addressees=told))[0].clusters
    pairs = [(i, j) for i in range(len(texts)) for j in range(i) if not (waits[i] or waits[j])]
    assert all((found[i] == found[j]) == (seen[i] == seen[j]) for i, j in pairs)


def _groups(clusters: Sequence[int]) -> list[list[int]]:
    return [[i for i, found in enumerate(clusters) if found == number] for number in sorted(set(clusters))]
