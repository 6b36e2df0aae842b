import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames
from spacy_span_selector.extensions import register_extensions
from spacy_span_selector.extensions.mention_types import part_of_speech
from spacy_span_selector.people.arguments import EntityFinder, parts_of_speech
from spacy_span_selector.tools.formats.plain import to_dict

from ..words import place

register_extensions()
VOCAB = spacy.blank("en").vocab


def read(text: str, *mentions: str, frames: tuple[tuple[str, dict[str, str]], ...] = ()) -> Doc:
    """A document of words between blanks; mentions that a bar joins are one cluster."""
    doc = Doc(VOCAB, words=text.split())
    set_clusters(doc, [[place(doc, mention) for mention in cluster.split(" | ")] for cluster in mentions])
    set_frames(
        doc,
        [
            Frame(*place(doc, verb), [Argument(*place(doc, span), role) for role, span in roles.items()], *sense)
            for verb, *sense, roles in ([*name.split("/"), roles] for name, roles in frames)
        ],
    )
    return doc


def members(doc: Doc, *, only_mentions: bool = False) -> list[str]:
    """The members of the whole of a document."""
    find = EntityFinder(doc._.coref_clusters, doc._.srl)
    return [str(one) for one in find.members(doc[:], only_mentions=only_mentions)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the fox and a hen", "the fox | a hen"),
        ("cups , plates and a new pot", "cups | plates | a new pot"),
        ("cups , plates , and forks", "cups | plates | forks"),
        ("Nora or Hugo", "Nora | Hugo"),
        ("rice & beans", "rice | beans"),
        ("the duke , the duchess as well as their page", "the duke | the duchess | their page"),
        ("neither the nurse nor the patients", "the nurse | the patients"),
        ("Both Nora and Hugo", "Nora | Hugo"),
        ("to farms and to towns", "farms | towns"),
        ("between Lyon and Turin", "Lyon | Turin"),
        ("the old man and two tall girls", "the old man | two tall girls"),
        ("a fork and knife", "a fork | knife"),
        ("the duke of Kent and the count of Artois", "the duke of Kent | the count of Artois"),
        ("the aunt 's cat and her dog", "the aunt 's cat | her dog"),
        ("the pilot , who slept , and his wife", "the pilot , who slept | his wife"),
        ("tired and cold", "tired | cold"),
    ],
)
def test_the_members_of_a_coordination_are_several(text: str, found: str) -> None:
    assert members(read(text)) == found.split(" | ")


@pytest.mark.parametrize(
    "text",
    [
        "an old and rusty clock",
        "a big , red and shiny ball",
        "French and Italian wines",
        "Nora and Hugo 's garden",
        "the king and the queen 's palace",
        "Mr. and Mrs. Hill",
        "five or six men",
        "more and more people",
        "everyone but Nora",
        "the owner of the house and the garden",
        "a house with a garden and a pool",
        "that Nora was tired and Hugo was cold",
        "March 3 , 1964",
        "the pilot , who slept",
        '" Come and see ! "',
        "and then",
    ],
)
def test_what_may_be_one_thing_is_one(text: str) -> None:
    assert members(read(text)) == [text]


@pytest.mark.parametrize(
    "text", ["Bosnia and Herzegovina", "Marks & Spencer", "the boys and girls", "to Nora and Hugo"]
)
def test_a_coordination_that_is_a_mention_is_one(text: str) -> None:
    doc = read(text, text.removeprefix("to "))
    assert members(doc) == [text]


def test_a_coordination_that_nothing_refers_to_is_its_members_where_all_are_mentions() -> None:
    doc = read("lamps and an old clock", "lamps", "lamps and an old clock", "an old clock")
    assert members(doc) == ["lamps", "an old clock"]


def test_an_entity_with_a_conjunction_in_its_name_is_one() -> None:
    doc = read("Gilbert and Sullivan , Verdi and Puccini")
    doc.ents = [Span(doc, 0, 3, "ORG")]
    assert members(doc) == ["Gilbert and Sullivan", "Verdi", "Puccini"]


def test_what_joins_within_a_mention_divides_nothing() -> None:
    doc = read("a man with a hat and a coat and his wife", "a hat and a coat", "a man with a hat and a coat")
    assert members(doc) == ["a man with a hat and a coat", "his wife"]


def test_mentions_tell_nouns_from_adjectives() -> None:
    assert members(read("bread and fresh butter")) == ["bread and fresh butter"]
    assert members(read("bread and fresh butter", "bread", "fresh butter")) == ["bread", "fresh butter"]


def test_tags_tell_nouns_from_adjectives() -> None:
    for tag, count in (("NOUN", 2), ("ADJ", 1)):
        doc = Doc(VOCAB, words=["bread", "and", "fresh", "butter"], pos=[tag, "CCONJ", "ADJ", "NOUN"])
        assert len(EntityFinder([]).members(doc[:])) == count


def test_an_adjunct_is_several_only_if_all_its_members_are_mentions() -> None:
    assert members(read("on Friday and Sunday", "Friday", "Sunday"), only_mentions=True) == ["Friday", "Sunday"]
    assert members(read("slowly and calmly"), only_mentions=True) == ["slowly and calmly"]


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("to sing and dance", (("sing", {}), ("dance", {}))),
        ("the dog barked and the cat fled", (("barked", {"ARG0": "the dog"}), ("fled", {"ARG0": "the cat"}))),
        ("Nora and Hugo sang and danced", (("sang", {"ARG0": "Nora and Hugo"}), ("danced", {"ARG0": "Nora and Hugo"}))),
    ],
)
def test_a_clause_is_one(text: str, frames: tuple[tuple[str, dict[str, str]], ...]) -> None:
    doc = read(f"He said {text}", frames=(*((verb, roles or {"ARG0": "He"}) for verb, roles in frames),))
    argument = doc[2:]
    assert EntityFinder([], doc._.srl).members(argument) == [argument]


def test_an_argument_of_a_verb_within_divides_nothing() -> None:
    frame = ("broke", {"ARG0": "the boy", "R-ARG0": "who", "ARG1": "the lamp and the vase"})
    doc = read("the boy who broke the lamp and the vase and his sister", frames=(frame,))
    assert members(doc) == ["the boy who broke the lamp and the vase", "his sister"]


@pytest.mark.parametrize(
    ("text", "mention", "argument", "is_its"),
    [
        ("the girl who lost it", "the girl who lost it", "the girl", True),
        ("the girl I met", "the girl I met", "the girl", True),
        ("a note written by Nora", "a note written by Nora", "a note", True),
        ("a friend of the doctor", "a friend of the doctor", "a friend", True),
        ("the captain 's son", "the captain 's son", "the captain", False),
        ("a robot maker", "a robot", "a robot maker", False),
        ("the robot maker", "the robot maker", "the robot", False),
        ("the fox and a hen", "the fox and a hen", "the fox", False),
        ("the fox and a hen", "the fox", "the fox and a hen", False),
        ("bread and fresh butter", "bread", "bread and fresh butter", False),
    ],
)
def test_a_longer_or_shorter_mention_is_the_argument_if_it_has_its_head(
    text: str, mention: str, argument: str, is_its: bool
) -> None:
    doc = read(f"{text} .", mention, frames=(("written", {}),) if "written" in text else ())
    start, end = place(doc, argument)
    assert (EntityFinder(doc._.coref_clusters, doc._.srl)(doc[start:end]) is not None) == is_its


def test_a_reference_is_the_innermost_mention_that_it_explains() -> None:
    frame = ("left", {"R-ARG0": "who"})
    doc = read("the aunt of a boy who left", "the aunt of a boy who left", "a boy who left", frames=(frame,))
    assert [one.name for one in doc._.events[0].participants] == ["a boy who left"]


def test_plain_data_has_no_cluster_of_one_member_for_all() -> None:
    doc = read("Nora and Hugo slept", "Nora", "Hugo", frames=(("slept", {"ARG0": "Nora and Hugo"}),))
    assert to_dict(doc)["arguments"].get("cluster", [None]) == [None]


@pytest.mark.parametrize("tags", [None, ["PROPN", "AUX", "VERB", "ADP", "PROPN", "AUX", "VERB", "PUNCT"]])
def test_words_that_are_equal_have_the_part_of_speech_that_each_has_alone(tags: list[str] | None) -> None:
    doc = Doc(VOCAB, words=["Will", "will", "go", "to", "Will", ",", "too", "."], pos=tags)
    assert parts_of_speech(doc) == [part_of_speech(token) for token in doc]
