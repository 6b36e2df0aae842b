import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_span_selector.annotation import Quotation, set_clusters, set_labelled_spans, set_quotations
from spacy_span_selector.extensions import doc_clusters, register_extensions
from spacy_span_selector.language import NOUNS
from spacy_span_selector.people.characters import Character, Characters, doc_characters, find_characters

from ..extensions.test_tables import cells
from ..parsing import NLP, parse_one

register_extensions()

STORY = """
[Mr. Tom Sawyer|tom] met [[his|tom] aunt|polly] in [London|london] .
[Tom|tom] told [Aunt Polly|polly] that [he|tom] had lost [the map|map] .
[She|polly] said to [TOM|tom] : [I|polly] never saw [it|map] . [The girls|girls] saw [them|girls] in [London|london] .
[Aunt Polly 's|polly] hat was [my dear Aunt Polly , who slept|polly] .
"""


def people(text: str) -> list[str]:
    return [person.name for person in parse_one(text)._.characters]


@pytest.fixture
def polly() -> Character:
    return parse_one(STORY)._.characters[0]


def test_people_are_listed_by_importance_then_in_the_order_of_the_text() -> None:
    assert [(person.name, person.count) for person in parse_one(STORY)._.characters] == [
        ("Aunt Polly", 6),
        ("Mr. Tom Sawyer", 5),
    ]
    assert people("[Bob|b] saw [Ann|a] ; [she|a] saw [him|b] .") == ["Bob", "Ann"]


def test_a_person_knows_the_cluster_its_place_and_names_without_what_surrounds_them(polly: Character) -> None:
    doc = polly.cluster[0].doc
    assert doc._.coref_clusters[polly.number] == polly.cluster
    assert polly.cluster[-1].text == "my dear Aunt Polly , who slept"
    assert polly.names == {"Aunt Polly": 3}


def test_it_prints_name_gender_and_importance(polly: Character) -> None:
    assert repr(polly) == "Aunt Polly (female, 6 mentions)"
    assert repr(parse_one("[Dr. Lee|x]")._.characters) == "[Dr. Lee (1 mention)]"


def test_names_that_differ_in_case_are_one_and_who_has_none_is_called_by_a_mention() -> None:
    (ann,) = parse_one("[ANN|a] . [Ann|a] saw [Ann|a] and [her|a] [Lee|a] .")._.characters
    assert (ann.name, ann.names) == ("Ann", {"Ann": 3, "Lee": 1})
    (girl,) = parse_one("[The girl next door|g] said [she|g] slept .")._.characters
    assert (girl.name, girl.names) == ("The girl next door", {})


@pytest.mark.parametrize(
    ("mention", "name"),
    [
        ("Tom 's", "Tom"),
        ("Ann 's brother Tom", "Tom"),
        ("poor little Tom", "Tom"),
        ("Mr. Tom \n Sawyer", "Mr. Tom Sawyer"),
        ("the little boy Tom in the garden", "Tom"),
        ("the Queen of Hearts", "the Queen of Hearts"),
        ("Lady Ann de Lee", "Lady Ann de Lee"),
        ("Mary-Ann", "Mary-Ann"),
        ("Ann Lee , who slept", "Ann Lee"),
        ("Ann herself", "Ann"),
        ("'", "him"),
    ],
)
def test_the_name_in_a_mention(mention: str, name: str) -> None:
    doc = NLP(f"{mention} himself saw him")
    length = len(NLP(mention))
    set_clusters(doc, [[(0, length), (length, length + 1)]])
    (person,) = doc._.characters
    assert person.name == (name if person.names else "'")
    assert list(person.names) == ([name] if person.names else [])


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("[Ann|x] said [she|x] saw [herself|x] .", "female"),
        ("[Mrs. Lee|x] slept .", "female"),
        ("[The old King|x] slept .", "male"),
        ("[my uncle Toby|x] slept .", "male"),
        ("[Ann 's brother|x] slept .", "male"),
        ("[Dr. Lee|x] slept .", None),
        ("[I|x] know [myself|x] .", None),
        ("[Ann|x] said [I|x] slept .", None),
        ("[Mrs. King|x] slept .", "female"),
        ("[Ann King|x] said [I|x] slept .", None),
    ],
)
def test_gender_is_as_the_text_has_it(text: str, gender: str | None) -> None:
    (person,) = parse_one(text)._.characters
    assert person.gender == gender


@pytest.mark.parametrize(("women", "gender"), [(1, None), (2, None), (3, "female")])
def test_gender_takes_a_clear_margin(women: int, gender: str | None) -> None:
    (person,) = parse_one("[he|x] " + "[she|x] " * women)._.characters
    assert person.genders == {"female": women, "male": 1}
    assert person.gender == gender


@pytest.mark.parametrize(
    "text",
    [
        "[London|x] is in [London|x] .",
        "[The ship|x] lost [its|x] mast .",
        "[The ship|x] lost [its|x] mast ; [it|x] and [her|x] crew slept .",
        "[The family|x] lost [their|x] map .",
        "[The girls|x] slept .",
        "[The women who slept|x] saw [me|x] .",
        "[The people|x] , [who|x] slept .",
        "[Ann and Tom|x] met [me|x] .",
        "[Mr. and Mrs. Lee|x] slept .",
        "[St. Louis|x] slept .",
        "[the boy band|x] slept .",
        "[justice|x]",
        "[Someone|x] lost [that|x] , [which|x] slept .",
        "[We|x] lost [our|x] map .",
        "[He|x]",
        "[you|x]",
        "[all of you|x]",
        "[Them both|x] . [I|x] .",
    ],
)
def test_things_places_several_people_and_mere_pronouns_are_no_characters(text: str) -> None:
    assert people(text) == []


@pytest.mark.parametrize("text", ["[Captain Lee|x]", "[the captain|x]", "[her aunt|x]", "[Sir|x]"])
def test_a_title_or_a_noun_with_a_gender_makes_a_person(text: str) -> None:
    assert len(people(text)) == 1


@pytest.mark.parametrize(
    "text, names",
    [
        ("[Mr. Tom Lee|t] , [a baker|b] , left . [He|t] sang .", ["Mr. Tom Lee"]),
        ("[Uncle Tom|t] , [the captain|b] . [He|t] sang .", ["Uncle Tom"]),
        ("[[Mr. Tom|t] , [a captain|b]|w] , left . [He|w] sang .", ["Mr. Tom"]),
        ("[[Mr. Tom|t] , [a captain|b]|w] , left . [He|t] sang .", ["Mr. Tom"]),
        ("[Mr. Tom|t] , [the captain|b] , and [Dr. Ann|a] left .", ["Mr. Tom", "the captain", "Dr. Ann"]),
        ("[The boy|t] , [a captain|b] , left .", ["The boy", "a captain"]),
        ("[Mr. Tom|t] , [the captain|b] , left . [He|b] sang .", ["the captain", "Mr. Tom"]),
    ],
)
def test_who_is_only_an_apposition_is_nobody_else(text: str, names: list[str]) -> None:
    assert people(text) == names


def test_an_and_between_adjectives_does_not_make_two_of_one() -> None:
    assert people("[A kind and gentle voter|x] said [she|x] slept .") == ["A kind and gentle voter"]


@pytest.mark.parametrize(("label", "number"), [("PERSON", 1), ("PER", 1), ("GPE", 0), ("FAC", 0)])
def test_an_entity_or_a_labelled_span_may_tell_a_person(label: str, number: int) -> None:
    entity, labelled = parse_one("[London|x] slept ."), parse_one("[London|x] slept .")
    entity.ents = [Span(entity, 0, 1, label)]
    set_labelled_spans(labelled, [(0, 1, label)])
    assert [len(doc._.characters) for doc in (entity, labelled)] == [number] * 2


@pytest.mark.parametrize("label", ["VEH", "place", "ORG", "OBJECT", "PLANT", "SUBSTANCE", "EVENT", "TIME", "ABSTRACT"])
def test_what_is_labelled_as_a_thing_is_no_person(label: str) -> None:
    text = "[Captain Pequod|x] said [she|x] slept ."
    assert people(text) == ["Captain Pequod"]
    spans, corpus = parse_one(text), parse_one(text)
    set_labelled_spans(spans, [(0, 2, label)])
    set_clusters(corpus, [[(0, 2), (3, 4)]], entity_types=[label])
    assert spans._.characters == corpus._.characters == []


@pytest.mark.parametrize(
    ("text", "speeches", "name"),
    [
        ("[The heron|x] caught a fish , and [it|x] flew off .", 0, ""),
        ("[The heron|x] caught a fish , and [he|x] flew off .", 0, "The heron"),
        ("[The heron|x] , [who|x] saw [it|x] , flew off .", 0, ""),
        ("[The heron|x] caught a fish , and [it|x] flew off .", 1, "The heron"),
        ("[The heron|x] slept .", 1, "The heron"),
        ("[The herons|x] slept , and [they|x] woke .", 1, ""),
        ("[It|x] slept .", 1, ""),
    ],
)
def test_an_animal_is_a_person_if_its_words_or_its_speech_tell_so(text: str, speeches: int, name: str) -> None:
    doc = parse_one(text)
    cluster = [(mention.start, mention.end) for mention in doc._.coref_clusters[0]]
    set_clusters(doc, [cluster], entity_types=["ANIMAL"])
    set_quotations(doc, [Quotation(len(doc) - 1, len(doc), speaker=cluster[-1])] * speeches)
    assert [person.name for person in doc._.characters] == [name] * bool(name)


def test_entities_do_not_overrule_the_words_of_the_text() -> None:
    doc = parse_one("[Mrs. Hale|x] said [she|x] slept .")
    doc.ents = [Span(doc, 0, 2, "GPE")]
    assert [person.name for person in doc._.characters] == ["Mrs. Hale"]


def test_people_that_a_corpus_labels_may_still_be_several() -> None:
    doc = parse_one("[The guests|x] said [they|x] slept .")
    set_clusters(doc, [[(0, 2), (3, 4)]], entity_types=["person"])
    assert doc._.characters == []


def test_tags_tell_how_many_there_are() -> None:
    words, tags = ["The", "sheep", "who", "slept"], ["DT", "NNS", "WP", "VBD"]
    for tag, names in (("NNS", []), ("NN", ["The sheep"])):
        doc = Doc(NLP.vocab, words=words, tags=[tags[0], tag, *tags[2:]])
        set_clusters(doc, [[(0, 2), (2, 3)]])
        assert [person.name for person in doc._.characters] == names


def test_a_parse_tells_who_is_meant() -> None:
    words = ["Ann", ",", "sister", "of", "Tom", ",", "slept"]
    for head, gender in ((0, None), (2, "female")):
        heads = [6 if i == head else head if i in (0, 2) else min(i + 1, 6) for i in range(6)]
        doc = Doc(NLP.vocab, words=words, heads=[*heads, 6], deps=["dep"] * 7)
        set_clusters(doc, [[(0, 5), (6, 7)]], entity_types=["person"])
        assert [person.gender for person in doc._.characters] == [gender]


def test_a_vocabulary_may_bring_words_of_its_own() -> None:
    nlp = spacy.blank("de")
    doc = Doc(nlp.vocab, words=["Die", "Frau", "schlief"], pos=["DET", "NOUN", "VERB"])
    set_clusters(doc, [[(0, 2)]])
    assert doc._.characters == []
    nlp.vocab.lookups.add_table(NOUNS, {"frau": "female"})
    assert repr(doc._.characters) == "[Die Frau (female, 1 mention)]"


def test_other_prefixes() -> None:
    doc = NLP("Ann saw herself .")
    set_clusters(doc, [[(0, 1), (2, 3)]], prefix="mine")
    assert [person.name for person in doc_characters(doc, "mine")] == ["Ann"] and not doc_characters(doc, "no")


def test_some_clusters_of_a_document() -> None:
    tom, polly = parse_one(STORY)._.coref_clusters[:2]
    assert [person.number for person in find_characters([polly, tom])] == [0, 1]
    assert [person.cluster for person in find_characters([polly, tom])] == [polly, tom]


def test_a_document_without_clusters_has_no_characters() -> None:
    assert NLP("Mr. Lee slept .")._.characters == NLP("")._.characters == []


def test_they_are_a_list_that_is_shown_as_a_table() -> None:
    characters = parse_one("[Mrs. R&D|x] saw [her|x] [Lee|y] saw [himself|y]")._.characters
    headings, *rows = cells(characters._repr_html_())
    assert headings == ["name", "mentions", "gender", "names"]
    assert rows == [["Mrs. R&D", "2", "female", "Mrs. R&D 1"], ["Lee", "2", "male", "Lee 1"]]
    assert characters[0]._repr_html_() == Characters(characters[:1])._repr_html_()
    assert "R&D" not in characters._repr_html_()


def test_any_text_can_be_read() -> None:
    for words in ([" "], ["\n", "'s"], ["'s"], ["’"], ["日本語"], ["-"], [",", "and"], ["The"], ["and", "Ann"]):
        doc = Doc(NLP.vocab, words=words)
        set_clusters(doc, [[(0, len(words))]], entity_types=["person"])
        assert len(doc._.characters) <= len(doc_clusters(doc))
