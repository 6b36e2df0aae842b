import json

import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_span_selector.annotation import (
    Argument,
    Frame,
    Quotation,
    get_frames,
    set_clusters,
    set_frames,
    set_labelled_spans,
    set_quotations,
)
from spacy_span_selector.extensions import register_extensions
from spacy_span_selector.people.events import Event, doc_events

register_extensions()
VOCAB = spacy.blank("en").vocab


def arguments(*found: tuple[int, int, str]) -> list[Argument]:
    return [Argument(*argument) for argument in found]


@pytest.fixture
def doc() -> Doc:
    text = "The captain , who was late , gave a map to Ann 's son . He might not thank him for it ."
    words = text.split()
    doc = Doc(VOCAB, words=words, spaces=[word not in ("captain", "late", "Ann", "son", "it") for word in words])
    set_clusters(doc, [[(0, 2), (19, 20)], [(8, 10), (21, 22)], [(11, 14), (15, 16)], [(11, 13)]])
    given = arguments((0, 6, "ARG0"), (8, 10, "ARG1"), (10, 14, "ARG2"))
    give = Frame(7, 8, given, "give.01", None, "transfer", {"ARG0": "giver"})
    late = Frame(5, 6, arguments((0, 2, "ARG1"), (3, 4, "R-ARG1")))
    not_thanked = arguments((15, 16, "ARG0"), (16, 17, "ARGM-MOD"), (17, 18, "ARGM-NEG"), (19, 20, "ARG1"))
    thank = Frame(18, 19, [*not_thanked, Argument(20, 22, "ARG2")], "thank.01")
    set_frames(doc, [give, late, thank, Frame(4, 5, [], "be.03")])
    return doc


def named(event: Event) -> dict[str, str]:
    return {participant.role: participant.name for participant in event.participants}


def test_arguments_have_the_names_of_their_clusters(doc: Doc) -> None:
    late, give, thank = doc._.events
    assert named(late) == {"ARG1": "The captain"}
    assert named(give) == {"ARG0": "The captain", "ARG1": "a map", "ARG2": "Ann's son"}
    assert named(thank) == {"ARG0": "Ann's son", "ARG1": "The captain", "ARG2": "a map"}


def test_an_event_says_whether_it_is_negated_or_may_be(doc: Doc) -> None:
    late, give, thank = ((event.negated, event.modal, event.relation) for event in doc._.events)
    assert late == (False, None, "late") and give == (False, None, "give.01")
    assert thank == (True, "might", "not thank.01")
    assert repr(doc._.events[2]) == "not thank.01(ARG0=Ann's son, ARG1=The captain, ARG2=a map)"


def test_auxiliaries_are_events_on_request(doc: Doc) -> None:
    assert next(event.relation for event in doc_events(doc, auxiliaries=True)) == "be.03"
    set_frames(doc, [Frame(4, 5, [], "have.02"), Frame(6, 7, [Argument(0, 2, "ARG1")], "be.01"), Frame(18, 19, [])])
    assert [repr(event) for event in doc._.events] == ["be.01(ARG1=The captain)", "thank()"]


def test_a_mention_within_an_argument_is_not_the_argument(doc: Doc) -> None:
    set_clusters(doc, [[(11, 13), (15, 16)]])
    participant = doc._.events[1].participants[2]
    assert (participant.cluster, participant.number, participant.name) == (None, None, "to Ann's son")


def test_a_participant_knows_its_cluster_and_what_its_role_is(doc: Doc) -> None:
    for event in doc._.events:
        for participant in event.participants:
            assert participant.cluster == doc._.coref_clusters[participant.number]
    giver, given, _ = doc._.events[1].participants
    assert (giver.description, given.description) == ("giver", None)
    assert doc._.events[1].roleset_name == "transfer"


def test_triples_start_with_the_first_core_participant(doc: Doc) -> None:
    assert doc._.events[0].triples() == []
    assert doc._.events[2].triples() == [
        ("Ann's son", "not thank.01", "The captain", "ARG1"),
        ("Ann's son", "not thank.01", "a map", "ARG2"),
    ]
    set_frames(doc, [Frame(4, 5, arguments((5, 6, "ARGM-TMP"), (0, 2, "ARGM-LOC")))])
    assert doc._.events[0].triples() == []


def test_rows_have_the_same_columns(doc: Doc) -> None:
    rows = [row for event in doc._.events for row in event.rows()]
    assert len(rows) == 7
    assert len({tuple(row) for row in rows}) == 1
    assert (rows[1]["name"], rows[1]["cluster"], rows[1]["text"]) == ("The captain", 0, "The captain, who was late")


def test_plain_data_is_json(doc: Doc) -> None:
    plain = json.loads(json.dumps([event.to_dict() for event in doc._.events]))
    son = {"role": "ARG2", "name": "Ann's son", "cluster": 3, "start": 38, "end": 50, "text": "to Ann's son"}
    assert plain[1]["participants"][2] == son


def test_continuations_belong_to_their_argument() -> None:
    doc = Doc(VOCAB, words=["a", "map", "was", "found", "of", "the", "island"])
    set_frames(doc, [Frame(3, 4, [Argument(0, 2, "ARG1"), Argument(4, 7, "C-ARG1")])])
    (participant,) = doc._.events[0].participants
    assert [span.text for span in (participant.span, *participant.rest)] == ["a map", "of the island"]
    assert [span["text"] for span in participant.to_dict()["continuations"]] == ["of the island"]


def test_a_reference_or_continuation_alone_is_the_argument() -> None:
    doc = Doc(VOCAB, words=["who", "left", "the", "house"])
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "R-ARG0"), Argument(2, 4, "C-ARG1"), Argument(0, 1, "C-V")])])
    (who, house) = doc._.events[0].participants
    assert (who.role, who.name, house.role, house.rest) == ("ARG0", "who", "ARG1", [])


def test_a_verb_without_participants_is_an_event_unless_it_only_helps_another() -> None:
    doc = Doc(VOCAB, words=["It", "had", "rained"])
    set_frames(doc, [Frame(1, 2, [], "have.01"), Frame(2, 3, [], "rain.01")])
    assert [repr(event) for event in doc._.events] == ["rain.01()"]


def test_the_entity_of_a_cluster_is_that_of_the_heads_of_its_mentions() -> None:
    doc = Doc(VOCAB, words=["Mr.", "Pip", "saw", "Mr.", "Pip", "'s", "Boston", "friend"])
    persons = [Span(doc, *ends, "PERSON", kb_id="Q1") for ends in ((0, 2), (3, 5))]
    doc.ents = [*persons, Span(doc, 6, 7, "GPE", kb_id="Q2")]
    set_clusters(doc, [[(0, 2), (3, 6)], [(3, 8)]])
    pip, friend = doc._.coref_clusters
    assert (pip.entity_label, pip.entity_id) == ("PERSON", "Q1")
    assert (friend.entity_label, friend.entity_id) == ("", "")


def test_the_id_of_an_entity_ruler_is_one_but_that_of_a_knowledge_base_comes_first() -> None:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Ann", "id": "ann-lee"}])
    doc = nlp("Ann met Bob")
    set_clusters(doc, [[(0, 1)], [(2, 3)]])
    assert [cluster.entity_id for cluster in doc._.coref_clusters] == ["ann-lee", ""]
    doc.ents = [Span(doc, 0, 1, "PERSON", kb_id="Q5", span_id="ann-lee")]
    assert doc._.coref_clusters[0].entity_id == "Q5"


def test_what_is_unknown_of_an_entity_is_empty_everywhere() -> None:
    """On a cluster, a participant and in rows; plain data leaves out what is not known."""
    doc = Doc(VOCAB, words=["Ann", "left"])
    set_clusters(doc, [[(0, 1)]])
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")])])
    (event,) = doc._.events
    (ann,) = event.participants
    (row,) = event.rows()
    assert ann.cluster is not None
    assert [ann.entity_id, ann.cluster.entity_id, row["entity_id"], row["entity_label"]] == [""] * 4
    assert {"entity_id", "entity_label"}.isdisjoint(event.to_dict()["participants"][0])


def test_an_entity_that_a_mention_does_not_contain_is_not_its_own() -> None:
    doc = Doc(VOCAB, words=["New", "York", "City", "Ann"])
    doc.ents = [Span(doc, 0, 3, "GPE"), Span(doc, 3, 4, "PERSON")]
    clusters = [[(0, 2)], [(1, 3)], [(0, 3)], [(3, 4)]]
    set_clusters(doc, clusters)
    labels = {str(cluster[0]): cluster.entity_label for cluster in doc._.coref_clusters}
    assert labels == {"New York": "", "York City": "", "New York City": "GPE", "Ann": "PERSON"}
    set_clusters(doc, clusters, entity_types=["person"] * 4)  # what a corpus says comes first
    assert {cluster.entity_label for cluster in doc._.coref_clusters} == {"person"}


def test_a_participant_has_the_label_of_its_cluster() -> None:
    doc = Doc(VOCAB, words=["Ann", "left", ";", "she", "ran"])
    set_clusters(doc, [[(0, 1), (3, 4)]])
    set_labelled_spans(doc, [(0, 1, "PER")])
    set_frames(doc, [Frame(4, 5, [Argument(3, 4, "ARG0")])])
    (event,) = doc._.events
    assert event.rows()[0]["entity_label"] == event.to_dict()["participants"][0]["entity_label"] == "PER"


def test_without_clusters_arguments_are_what_they_are() -> None:
    doc = Doc(VOCAB, words=["Ann", "left"])
    assert doc._.events == []  # nor are there frames
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")])])
    assert repr(doc._.events[0]) == "left(ARG0=Ann)"
    doc.ents = [Span(doc, 0, 1, "PERSON", kb_id="Q5")]
    (ann,) = doc._.events[0].participants
    assert (ann.entity_label, ann.entity_id) == ("PERSON", "Q5")


def speak(*frames: Frame, cue: tuple[int, int] = (6, 12)) -> Doc:
    """A quotation of two sentences, the words that introduce it, and its end."""
    text = '" Go ! Now ! " cried the elder , getting tired . " Go home . "'
    doc = Doc(VOCAB, words=text.split())
    set_clusters(doc, [[(7, 9)], [(1, 2), (14, 15)]])
    set_frames(doc, frames)
    speaker, addressee = (7, 9), (1, 2)
    set_quotations(doc, [Quotation(start, end, speaker, addressee, cue) for start, end in ((0, 6), (13, 18))])
    return doc


def test_what_introduces_a_quotation_has_its_words_and_its_speaker() -> None:
    (event,) = speak(Frame(6, 7, [], "cry.01", None, None, {"ARG1": "words"}))._.events
    words, elder = event.participants
    assert (words.role, words.cluster, words.description, words.name) == ("ARG1", None, "words", '" Go ! Now ! "')
    assert [span.text for span in words.rest] == ['" Go home . "']
    assert (elder.role, elder.number, elder.name) == ("ARG0", 1, "the elder")
    assert event.triples() == [("the elder", "cry.01", '" Go ! Now ! "', "ARG1")]


WORDS = '" Go ! Now ! "'
ELDER, TIRED = "the elder", "tired"


@pytest.mark.parametrize(
    ("given", "roleset", "names"),
    [
        # a speaker in the place of the words makes room for them
        ([(7, 9, "ARG1")], "cry.01", {"ARG0": ELDER, "ARG1": WORDS}),
        # the part of a quotation in the sentence becomes all of it
        ([(3, 4, "ARG2"), (7, 9, "ARG0")], "answer.01", {"ARG0": ELDER, "ARG2": WORDS}),
        # other arguments stay as they are
        ([(10, 11, "ARGM-MNR"), (11, 12, "ARG0")], None, {"ARG0": TIRED, "ARGM-MNR": "getting", "ARG1": WORDS}),
        # who is spoken to is an argument of saying and telling
        ([], "tell.01", {"ARG0": ELDER, "ARG1": WORDS, "ARG2": "Go"}),
        ([], "cry.01", {"ARG0": ELDER, "ARG1": WORDS}),
        ([(11, 12, "ARG2")], "say.01", {"ARG0": ELDER, "ARG1": WORDS, "ARG2": TIRED}),
    ],
)
def test_the_arguments_of_what_introduces_a_quotation(
    given: list[tuple[int, int, str]], roleset: str | None, names: dict[str, str]
) -> None:
    frame = Frame(6, 7, arguments(*given), roleset)
    doc = speak(frame)
    assert named(doc._.events[0]) == names
    assert [found._replace(scores=None) for found in get_frames(doc)] == [frame]


def test_the_predicate_next_to_the_words_introduces_them() -> None:
    said, getting, tired = speak(Frame(6, 7, []), Frame(10, 11, []), Frame(11, 12, [Argument(7, 9, "ARG1")]))._.events
    assert [len(event.participants) for event in (said, getting, tired)] == [2, 0, 1]


@pytest.mark.parametrize("frame", [Frame(6, 7, [Argument(10, 12, "ARG1")]), Frame(1, 2, []), Frame(16, 17, [])])
def test_what_has_words_of_its_own_or_is_not_in_the_cue_introduces_none(frame: Frame) -> None:
    doc = speak(frame)
    assert named(doc._.events[0]) == {argument.role: "getting tired" for argument in frame.arguments}


def test_a_quotation_of_nobody_has_no_speaker() -> None:
    doc = speak(Frame(6, 7, []))
    set_quotations(doc, [Quotation(0, 6, cue=(6, 9))])
    assert named(doc._.events[0]) == {"ARG1": '" Go ! Now ! "'}


def test_nouns_without_participants_are_events_on_request() -> None:
    doc = spacy.blank("en")("The war ended .")
    set_frames(doc, [Frame(1, 2, [], "war.01"), Frame(2, 3, [Argument(0, 2, "ARG1")], "end.01")])
    assert [str(event) for event in doc_events(doc)] == ["end.01(ARG1=The war)"]
    assert [str(event) for event in doc_events(doc, auxiliaries=True)] == ["war.01()", "end.01(ARG1=The war)"]


def test_a_coordination_has_a_participant_for_each_member_and_all_their_triples() -> None:
    doc = Doc(VOCAB, words=["Nora", "and", "Hugo", "bought", "a", "lamp", "and", "two", "chairs", ";", "she"])
    set_clusters(doc, [[(0, 1), (10, 11)], [(2, 3)]])
    set_frames(doc, [Frame(3, 4, [Argument(0, 3, "ARG0"), Argument(4, 9, "ARG1")], "buy.01")])
    (event,) = doc._.events
    assert [one.number for one in event.participants] == [0, 1, None, None]
    assert [row["text"] for row in event.rows()] == ["Nora", "Hugo", "a lamp", "two chairs"]
    assert [str(one.argument) for one in event.participants[::2]] == ["Nora and Hugo", "a lamp and two chairs"]
    assert event.triples() == [
        (who, "buy.01", what, "ARG1") for who in ("Nora", "Hugo") for what in ("a lamp", "two chairs")
    ]


def test_a_pair_that_is_a_mention_is_one_participant() -> None:
    doc = Doc(VOCAB, words=["Nora", "and", "Hugo", "left", ";", "they", "ran"])
    set_clusters(doc, [[(0, 3), (5, 6)]])
    set_frames(doc, [Frame(6, 7, [Argument(5, 6, "ARG0")]), Frame(3, 4, [Argument(0, 3, "ARG0")])])
    assert [repr(event) for event in doc._.events] == ["left(ARG0=Nora and Hugo)", "ran(ARG0=Nora and Hugo)"]
    assert {one.argument for event in doc._.events for one in event.participants} == {None}


def said(text: str, *clusters: list[tuple[int, int]], roleset: str | None = "be.01", role: str = "ARG2") -> Doc:
    """A sentence of one copula, its subject before and its predicate behind it up to the stop."""
    doc = Doc(VOCAB, words=text.split())
    verb = next(token.i for token in doc if token.text in ("is", "was", "became", "remained"))
    end = next(token.i for token in doc if token.text == ".")
    set_clusters(doc, clusters)
    set_frames(doc, [Frame(verb, verb + 1, [Argument(0, verb, "ARG1"), Argument(verb + 1, end, role)], roleset)])
    return doc


@pytest.mark.parametrize(
    "doc",
    [
        said("Nora is a good mother . She left", [(0, 1), (6, 7)], [(2, 5)]),
        said("Nora is a good mother . She left", [(0, 1), (6, 7)], [(2, 5)], roleset=None),
        said("Nora became the queen .", [(0, 1)], [(2, 4)], roleset="become.01"),
        said("Nora remained the queen .", [(0, 1)], [(2, 4)], roleset="remain.01", role="ARG3"),
        said("Nora is the aunt who left .", [(0, 1)], [(2, 6)]),
        said("Nora was a girl . She left", [(0, 1), (2, 4), (5, 6)]),
        said("Nora is a mother and a queen .", [(0, 1)], [(2, 4)], [(5, 7)]),
    ],
)
def test_what_a_copula_says_of_its_subject_is_nobody_else(doc: Doc) -> None:
    subject, *others = doc._.events[0].participants
    assert (subject.number, [other.number for other in others]) == (0, [None] * len(others))
    assert " ".join(other.name for other in others) in doc.text.replace(" and ", " ")
    assert [person.number for person in doc._.characters if person.number] == []


@pytest.mark.parametrize(
    "doc",
    [
        said("The winner was Nora . She left", [(0, 2)], [(3, 4), (5, 6)]),  # a name is somebody
        said("The queen is Nora .", [(0, 2)], [(3, 4)]),
        said("This is my brother .", [(0, 1)], [(2, 4)]),  # who is introduced, too
        said("The winner was a girl . She left", [(0, 2)], [(3, 5), (6, 7)]),  # and who is told of later
        said("Nora is the queen .", [(0, 1)], [(2, 4)], roleset="be.02"),
    ],
)
def test_who_is_named_introduced_or_told_of_is_a_participant(doc: Doc) -> None:
    assert [one.number for one in doc._.events[0].participants] == [0, 1]
