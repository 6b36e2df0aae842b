import pytest
import spacy

from spacy_span_selector.extensions import doc_clusters, representative_mention
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

NLP = spacy.blank("en")


def representative(text: str) -> str:
    (doc,) = parse_bracketed(text, NLP)
    return representative_mention(doc_clusters(doc)[0]).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Ann|x] met [the tall girl from Leeds|x] and [Ann Lee|x] .", "Ann Lee"),
        ("[The girl that Ann Lee met in Boston|x] is [Mary|x] .", "Mary"),
        ("[She|x] saw [the girl|x] and [the little girl|x] .", "the little girl"),
        ("[she|x] saw [her own daughter|x] .", "her own daughter"),
        ("[him|x] and [he himself|x]", "him"),
        ("[Ann|x] saw that [Ann|x] was [Mary Jane Smith|x] .", "Ann"),
        ("[Tom|x] , [Mr. Sawyer|x] or [Mr. Tom Sawyer|x] , [Tom|x] and [Tom|x]", "Mr. Tom Sawyer"),
        ("[Poor Ann|x] saw that [Ann|x] was [poor Ann|x] , [poor Ann|x] and [Ann|x] .", "Poor Ann"),
        ("[poor Ann|x] saw that [Ann|x] was [Ann|x] .", "Ann"),
        ("[The Hatter|x] saw that [the Hatter|x] was [the Hatter|x] .", "the Hatter"),
    ],
    ids=[
        "longest proper",
        "names within",
        "longest nominal",
        "no pronoun",
        "first",
        "most frequent",
        "parts of names",
        "capitals",
        "usual wording",
        "no name",
    ],
)
def test_representative(text: str, expected: str):
    assert representative(text) == expected


def test_the_first_of_equally_long_mentions_is_the_representative():
    assert representative("[the dog|x] bit [the cat|x] .") == "the dog"


def test_a_possessive_ending_adds_no_length():
    assert representative("[Ann 's|x] dog saw [Ann|x] .") == "Ann"


def test_white_space_adds_no_length():
    doc = NLP("the\n\n\ngirl saw the old girl")
    assert representative_mention([doc[0:3], doc[4:7]]).text == "the old girl"


def test_a_verb_is_the_representative_only_if_it_comes_first():
    (doc,) = parse_bracketed("They [bought|x] it and [it|x] was dear .", NLP)
    for token in doc:
        token.pos_ = {"bought": "VERB", "it": "PRON"}.get(token.text, "X")
    assert representative_mention(doc_clusters(doc)[0]).text == "bought"  # the first, for lack of noun phrases


def test_pronouns_are_recognised_by_tags_in_any_language():
    (doc,) = parse_bracketed("[Sie|x] sah [Frau|x] .", NLP)
    for token in doc:
        token.pos_ = "PRON" if token.text == "Sie" else "NOUN"
    assert representative_mention(doc_clusters(doc)[0]).text == "Frau"
