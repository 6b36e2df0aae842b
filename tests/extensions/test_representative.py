import pytest

from spacy_span_selector.extensions import doc_clusters, representative_mention

from ..parsing import NLP, parse_one


def representative(text: str, **parts: str) -> str:
    """The representative of the first cluster in a text whose words have parts of speech, or no word has one."""
    doc = parse_one(text)
    if parts:
        for token in doc:
            token.pos_ = parts.get(token.text, "X")
    return representative_mention(doc_clusters(doc)[0]).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The longest name, but not names within, or else the longest noun phrase, or the first mention.
        ("[Ann|x] met [the tall girl from Leeds|x] and [Ann Lee|x] .", "Ann Lee"),
        ("[The girl that Ann Lee met in Boston|x] is [Mary|x] .", "Mary"),
        ("[She|x] saw [the girl|x] and [the little girl|x] .", "the little girl"),
        ("[she|x] saw [her own daughter|x] .", "her own daughter"),
        ("[him|x] and [he himself|x]", "him"),
        ("[the dog|x] bit [the cat|x] .", "the dog"),
        ("[Ann 's|x] dog saw [Ann|x] .", "Ann"),  # a possessive ending adds no length
        # The wording that is most frequent, in which parts of names count, and its usual capitals.
        ("[Ann|x] saw that [Ann|x] was [Mary Jane Smith|x] .", "Ann"),
        ("[Tom|x] , [Mr. Sawyer|x] or [Mr. Tom Sawyer|x] , [Tom|x] and [Tom|x]", "Mr. Tom Sawyer"),
        ("[Poor Ann|x] saw that [Ann|x] was [poor Ann|x] , [poor Ann|x] and [Ann|x] .", "Poor Ann"),
        ("[poor Ann|x] saw that [Ann|x] was [Ann|x] .", "Ann"),
        ("[The Hatter|x] saw that [the Hatter|x] was [the Hatter|x] .", "the Hatter"),
    ],
)
def test_representative(text: str, expected: str):
    assert representative(text) == expected


def test_white_space_adds_no_length():
    doc = NLP("the\n\n\ngirl saw the old girl")
    assert representative_mention([doc[0:3], doc[4:7]]).text == "the old girl"


def test_tags_tell_pronouns_and_verbs_in_any_language():
    assert representative("[Sie|x] sah [Frau|x] .", Sie="PRON", Frau="NOUN") == "Frau"
    # The first, for lack of noun phrases.
    assert representative("They [bought|x] it and [it|x] was dear .", bought="VERB", it="PRON") == "bought"
