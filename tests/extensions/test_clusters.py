import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import set_clusters
from spacy_span_selector.corpora.bracketed import parse_bracketed
from spacy_span_selector.extensions import main_mention, register_extensions

NLP = spacy.blank("en")


@pytest.fixture(autouse=True)
def extensions() -> None:
    register_extensions()


def make_doc(text: str) -> Doc:
    (doc,) = parse_bracketed(text, NLP)
    return doc


def tag(doc: Doc, **tags: str) -> None:
    """Give tokens a part of speech by their text; the others become nouns."""
    for token in doc:
        token.pos_ = tags.get(token.text, "NOUN")


def test_registering_twice_is_allowed():
    register_extensions()
    assert make_doc("[Ann|a] left .")._.coref_clusters


def test_doc_has_its_clusters_in_order():
    doc = make_doc("[[Her|ann] dog|dog] saw [Ann|ann] .")
    assert [[mention.text for mention in cluster] for cluster in doc._.coref_clusters] == [["Her", "Ann"], ["Her dog"]]


def test_span_has_the_cluster_in_which_it_is_a_mention():
    doc = make_doc("[[Her|ann] dog|dog] saw [Ann|ann] .")
    assert [mention.text for mention in doc[3:4]._.coref_cluster] == ["Her", "Ann"]
    assert doc[1:2]._.coref_cluster is None


def test_token_has_the_clusters_that_cover_it_innermost_first():
    doc = make_doc("[[[Her|ann] dog|dog] 's tail|tail] hit [Ann|ann] .")
    assert [cluster[0].text for cluster in doc[0]._.coref_clusters] == ["Her", "Her dog", "Her dog 's tail"]
    assert [cluster[0].text for cluster in doc[1]._.coref_clusters] == ["Her dog", "Her dog 's tail"]
    assert doc[4]._.coref_clusters == []


def test_attributes_follow_changes_and_add_nothing_to_the_document():
    doc = make_doc("[Ann|ann] saw [her|ann] .")
    before = doc.to_bytes()
    assert doc._.resolved_text == "Ann saw Ann ."
    assert doc.to_bytes() == before
    set_clusters(doc, [])
    assert doc._.coref_clusters == []
    assert doc._.resolved_text == "Ann saw her ."


def test_attributes_of_an_empty_document():
    doc = NLP("")
    assert doc._.coref_clusters == []
    assert doc._.resolved_text == ""


@pytest.mark.parametrize(
    ("text", "main"),
    [
        ("[She|x] saw [the girl|x] and [the little girl|x] .", "the little girl"),
        ("[the dog|x] bit [the cat|x] .", "the dog"),
        ("[his daughter|x] saw [Lena|x] .", "Lena"),
        ("[she|x] saw [her own daughter|x] .", "her own daughter"),
        ("[I|x] know [myself|x] .", "I"),
    ],
)
def test_main_mention_without_tags(text: str, main: str):
    assert main_mention(make_doc(text)._.coref_clusters[0]).text == main


def test_a_proper_noun_makes_the_main_mention():
    doc = make_doc("[Ann|x] is [a tall girl|x] .")
    tag(doc, Ann="PROPN")
    assert main_mention(doc._.coref_clusters[0]).text == "Ann"


def test_tags_tell_pronouns_in_any_language():
    doc = make_doc("[Sie|x] sah [Frau|x] .")
    tag(doc, Sie="PRON")
    assert main_mention(doc._.coref_clusters[0]).text == "Frau"


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("[Ann|a] said [she|a] left.", "Ann said Ann left."),
        ("[Ann|a] saw [[her|a] brother|t]. [He|t] ran.", "Ann saw Ann's brother. her brother ran."),
        ("[[Her|a] old dog|d] ran, so [it|d] met [Ann|a].", "Ann's old dog ran, so Her old dog met Ann."),
        ("[Ann Lee|a] saw [Ann|a].", "Ann Lee saw Ann."),
        ("[The girl [who|g] slept|g] woke.", "The girl who slept woke."),
        ("[I|a] know [myself|a].", "I know myself."),
        ("[A dog|d] ran.", "A dog ran."),
        ("[the boy|b] ran and [he|b] fell.", "the boy ran and the boy fell."),
        ("No clusters.", "No clusters."),
    ],
)
def test_resolved_text(text: str, resolved: str):
    assert make_doc(text)._.resolved_text == resolved


def test_resolved_text_replaces_the_outermost_of_nested_mentions():
    doc = make_doc("[Rosa|r] and [Kim|k] left with [[her|r] friend|k] .")
    assert doc._.resolved_text == "Rosa and Kim left with Kim ."


def test_resolved_text_keeps_white_space():
    doc = NLP(" Ann\n\nsaw  her .\n")
    set_clusters(doc, [[(1, 2), (5, 6)]])
    assert doc[5].text == "her"
    assert doc._.resolved_text == " Ann\n\nsaw  Ann .\n"


@pytest.mark.parametrize("known_by", ["tag", "morphology"])
def test_resolved_text_marks_english_possessives(known_by: str):
    doc = make_doc("[Ann|a] saw [her|a] dog .")
    tag(doc, Ann="PROPN", her="PRON")
    if known_by == "tag":
        doc[2].tag_ = "PRP$"
    else:
        doc[2].set_morph("Poss=Yes")
    assert doc._.resolved_text == "Ann saw Ann's dog ."


def test_resolved_text_takes_a_pronoun_at_the_start_of_a_mention_for_a_possessive():
    doc = make_doc("[Ann|a] saw [[her|a] dog|d] and [it|d] saw [her|a] .")
    assert doc._.resolved_text == "Ann saw Ann's dog and her dog saw Ann ."


def test_resolved_text_takes_no_other_pronoun_for_a_possessive():
    doc = make_doc("[Ann|a] left . [[She|a] and [Bob|b]|both] ran .")
    assert doc._.resolved_text == "Ann left . Ann and Bob ran ."
