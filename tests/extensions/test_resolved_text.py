import random

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import set_clusters
from spacy_span_selector.corpora.bracketed import parse_bracketed
from spacy_span_selector.extensions.resolved_text import resolved_text

NLP = spacy.blank("en")


def resolve(text: str, nlp: spacy.Language = NLP) -> str:
    """The resolved text of a document in the bracketed format."""
    (doc,) = parse_bracketed(text, nlp)
    return resolved_text(doc)


def resolve_tagged(text: str, lang: str = "en", **annotation: str) -> str:
    """The same for a document whose tokens get the given Penn tags, or morphology if the value has a "="."""
    (doc,) = parse_bracketed(text, spacy.blank(lang))
    for token in doc:
        given = annotation.get(token.text, "NN")
        if "=" in given:
            token.set_morph(given)
            token.pos_ = "PRON"
        else:
            token.tag_ = given
    return resolved_text(doc)


@pytest.mark.parametrize(
    "text",
    ["No clusters.", "[A dog|d] ran.", "[I|a] know that [you|a] know [me|a].", "[The girl [who|g] slept|g] woke."],
    ids=["no clusters", "one mention", "pronouns alone", "mentions that overlap the representative"],
)
def test_text_with_nothing_to_resolve_is_unchanged(text: str):
    (doc,) = parse_bracketed(text, NLP)
    assert resolved_text(doc) == doc.text != ""


@pytest.mark.parametrize("text", ["Ann saw her dog.", " \n", ""])
def test_a_document_without_annotation_is_unchanged(text: str):
    assert resolved_text(NLP(text)) == text


def test_pronouns_and_noun_phrases_are_replaced():
    assert resolve("[Ann|a] said [she|a] left. [The girl|a] ran.") == "Ann said Ann left. Ann ran."


def test_a_pronoun_before_the_name_is_replaced():
    assert resolve("When [she|a] was late, [Ann|a] ran.") == "When Ann was late, Ann ran."


def test_names_that_shorten_the_representative_stay():
    assert resolve("[Ann Lee|a] saw [Ann|a]. [Lee|a]'s dog ran.") == "Ann Lee saw Ann. Lee's dog ran."


@pytest.mark.parametrize("bound", ["herself", "who", "each other"])
def test_pronouns_that_are_bound_in_their_clause_stay(bound: str):
    assert resolve(f"[Ann|a] knows [{bound}|a].") == f"Ann knows {bound}."


def test_relative_pronouns_are_recognised_by_their_tag():
    assert resolve_tagged("[The dog|d] , [that|d] barked , ran .", that="WDT") == "The dog , that barked , ran ."


def test_verbs_and_adverbs_stay():
    text = "[The sale|s] was what they [announced|s] ; in [Leeds|l] , [there|l] ."
    tags = {"announced": "VBD", "there": "RB", "Leeds": "NNP"}
    assert resolve_tagged(text, **tags) == "The sale was what they announced ; in Leeds , there ."


def test_the_outermost_of_nested_mentions_is_replaced():
    assert resolve("[Rosa|r] and [Kim|k] left with [[her|r] friend|k] .") == "Rosa and Kim left with Kim ."


def test_a_mention_nested_in_one_that_stays_is_replaced():
    assert resolve("[Ann|a] saw [[her|a] brother|b].") == "Ann saw Ann's brother."


def test_pronouns_in_an_inserted_representative_are_replaced():
    text = "[Ann|a] has [[her|a] brother|b] and [[his|b] dog|d]. [It|d] barks."
    assert resolve(text) == "Ann has Ann's brother and Ann's brother's dog. Ann's brother's dog barks."


def test_noun_phrases_in_an_inserted_representative_stay():
    text = "[Ann Lee|a] ran. [The dog of [the girl|a]|d] slept. [It|d] woke."
    assert resolve(text) == "Ann Lee ran. The dog of Ann Lee slept. The dog of the girl woke."


def test_representatives_that_contain_each_other_are_inserted_once():
    text = "[The owner of [it|d]|o] left. [The dog of [him|o]|d] ran. [He|o] saw [it|d]."
    owner, dog = "the owner of the dog of him", "the dog of the owner of it"
    assert resolve(text) == f"The owner of {dog} left. The dog of {owner} ran. The owner of the dog of him saw {dog}."


def test_crossing_mentions_are_replaced_once():
    doc = NLP("Ann Bob he she it went")
    set_clusters(doc, [[(0, 1), (2, 4)], [(1, 2), (3, 5)]])
    assert resolved_text(doc) == "Ann Bob Ann it went"


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("[James|j] likes [his|j] hat; it is [his|j].", "James likes James's hat; it is James's."),
        ("[The girls|g] like [their|g] hats.", "The girls like the girls' hats."),
        ("[The children|g] like [their|g] hats.", "The children like the children's hats."),
        ("[Ann and Bob|b] like [their|b] hats.", "Ann and Bob like Ann and Bob's hats."),
        ("[Ann|a] likes [her|a] own hat.", "Ann likes Ann's own hat."),
        ("[The dress|d] hung in Leeds, [its|d] colour gone.", "The dress hung in Leeds, the dress's colour gone."),
    ],
)
def test_possessive_pronouns_become_possessives(text: str, resolved: str):
    assert resolve(text) == resolved


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("[Ann's|a] dog saw [Ann|a] and [her|a] cat.", "Ann's dog saw Ann and Ann's cat."),
        ("[Ann|a]'s dog saw [the girl|a]'s cat.", "Ann's dog saw Ann's cat."),
        ("[The boss's|a] dog saw [Ann|a].", "Ann's dog saw Ann."),
        ("[Ann's|a] dog ran and [she|a] laughed.", "Ann's dog ran and Ann laughed."),
        (
            "[The Smiths|s] say that [they|s] like [the family|s]'s cat.",
            "The Smiths say that the Smiths like the Smiths' cat.",
        ),
    ],
)
def test_possessive_endings_are_neither_lost_nor_doubled(text: str, resolved: str):
    assert resolve(text) == resolved


def test_an_apostrophe_alone_is_a_possessive_ending_if_tagged_as_one():
    text = "[The bosses|b]' cat saw [Ann|b]."
    tags = {"Ann": "NNP", "bosses": "NNS"}
    assert resolve_tagged(text, **tags, **{"'": "POS"}) == "Ann's cat saw Ann."
    assert resolve_tagged(text, **tags, **{"'": "''"}) == "Ann' cat saw Ann."


def test_plurals_are_recognised_by_their_tag():
    text = "[The boss|b] lost [their|b] hat ."
    assert resolve_tagged(text, The="DT", their="PRP$") == "The boss lost the boss's hat ."
    assert resolve_tagged(text, The="DT", their="PRP$", boss="NNS") == "The boss lost the boss' hat ."


@pytest.mark.parametrize("known", ["PRP$", "Poss=Yes"])
def test_her_is_a_possessive_if_tagged_as_one(known: str):
    assert resolve_tagged("[Ann|a] gave [her|a] up", Ann="NNP", her=known) == "Ann gave Ann's up"


@pytest.mark.parametrize("known", ["PRP", "Case=Acc"])
def test_her_is_an_object_if_tagged_as_one(known: str):
    assert resolve_tagged("[Ann|a] knew they gave [her|a] hats", Ann="NNP", her=known) == "Ann knew they gave Ann hats"


@pytest.mark.parametrize(
    ("following", "is_possessive"),
    [("dog .", True), ("own .", True), ("two dogs .", True), (".", False), ("to him .", False), ("a hat .", False)],
)
def test_without_tags_the_next_word_decides_on_her(following: str, is_possessive: bool):
    name = "Ann's" if is_possessive else "Ann"
    assert resolve(f"[Ann|a] saw [her|a] {following}") == f"Ann saw {name} {following}"


def test_a_possessive_ending_never_follows_a_clause():
    text = "[The girl that Ann met in Leeds|g] lost [her|g] hat and [she|g] cried."
    assert (
        resolve(text) == "The girl that Ann met in Leeds lost the girl's hat and the girl that Ann met in Leeds cried."
    )


def test_possessives_of_other_languages_stay():
    text = "[Anna|a] liebt [ihren|a] Hund , und [sie|a] bellt ."
    tags = {"Anna": "NNP", "ihren": "Poss=Yes", "sie": "Case=Nom"}
    assert resolve_tagged(text, "de", **tags) == "Anna liebt ihren Hund , und Anna bellt ."


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("[The girls|g] ran, [they|g]'re late.", "The girls ran, the girls are late."),
        (
            "[The girls|g] ran; [they|g]'ve won and [they|g]’ll say so.",
            "The girls ran; the girls have won and the girls will say so.",
        ),
        ("[Ann|a] ran, [she|a]'s late and [she|a]'d say so.", "Ann ran, Ann's late and Ann'd say so."),
    ],
)
def test_contracted_verbs(text: str, resolved: str):
    assert resolve(text) == resolved


def test_parts_of_words_stay():
    words = ["The", "team", ":", "let", "'s", "go", ",", "gim", "me", "time"]
    doc = Doc(NLP.vocab, words=words, spaces=[word not in ("let", "gim") for word in words])
    set_clusters(doc, [[(0, 2), (4, 5), (8, 9)]])
    assert resolved_text(doc) == doc.text


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("[The girl|g] ran. [She|g] fell.", "The girl ran. The girl fell."),
        ("So [the girl|g] ran.\n[She|g] fell.", "So the girl ran. The girl fell."),
        ('He said: "[She|g] fell, [the girl|g] did."', 'He said: "The girl fell, the girl did."'),
        ("[The girl|g] said [I|g] ran. [I|g] fell.", "The girl said the girl ran. The girl fell."),
        ('"So [I|g] ran," said [the girl|g]. "[I|g] fell."', '"So the girl ran," said the girl. "The girl fell."'),
        ("[A dog|d] barked at [the animal|d].", "A dog barked at a dog."),
        ("[She|s] lives in [The Hague|s].", "The Hague lives in The Hague."),
        ("[Ann|a] ran. Then [she|a] fell.", "Ann ran. Then Ann fell."),
    ],
)
def test_first_words_have_the_case_of_their_position(text: str, resolved: str):
    assert resolve(text) == resolved


def test_tagged_common_nouns_are_lower_cased():
    assert resolve_tagged("[Dogs|d] bark . I like [them|d] .", them="PRP", I="PRP") == "Dogs bark . I like dogs ."


def test_german_nouns_keep_their_capital():
    tags = {"sie": "Case=Nom"}
    assert resolve_tagged("[Hunde|h] bellen , denn [sie|h] wachen .", "de", **tags) == (
        "Hunde bellen , denn Hunde wachen ."
    )


def test_white_space_is_kept():
    doc = NLP(" Ann\n\nsaw  her .\n")
    set_clusters(doc, [[(1, 2), (5, 6)]])
    assert resolved_text(doc) == " Ann\n\nsaw  Ann .\n"


def test_white_space_at_the_end_of_the_text_is_kept():
    doc = Doc(NLP.vocab, words=["Ann", "saw", "her"])
    set_clusters(doc, [[(0, 1), (2, 3)]])
    assert resolved_text(doc) == "Ann saw Ann "


def test_white_space_at_the_edge_of_a_mention_is_kept():
    doc = NLP("Ann saw her\ndog")
    set_clusters(doc, [[(0, 1), (2, 4)]])
    assert doc[3].is_space
    assert resolved_text(doc) == "Ann saw Ann's\ndog"


def test_a_representative_over_two_lines_is_inserted_on_one():
    doc = NLP("Ann\nLee ran and she fell.")
    set_clusters(doc, [[(0, 3), (5, 6)]])
    assert resolved_text(doc) == "Ann\nLee ran and Ann Lee fell."


def test_white_space_alone_is_never_inserted():
    doc = NLP("it \n it")
    set_clusters(doc, [[(0, 1), (1, 2), (2, 3)]])
    assert resolved_text(doc) == doc.text


def test_words_outside_of_mentions_are_kept_in_any_annotation():
    words = ["Ann", "'s", "dog", "saw", "her", ",", "and", "they", "'re", "\n"]
    words += ["The", "girl", "'s", "cats", "'", "own", '"', "I", '"', "who"]
    for seed in range(200):
        generator = random.Random(seed)
        doc = Doc(NLP.vocab, words=words, spaces=[generator.random() < 0.7 for _ in words])
        starts = [generator.randrange(len(words)) for _ in range(12)]
        mentions = sorted({(start, min(len(words), start + generator.randint(1, 4))) for start in starts})
        set_clusters(doc, [mentions[i::3] for i in range(3)])
        covered = {i for start, end in mentions for i in range(start, min(end + 1, len(words)))}
        rest = resolved_text(doc)
        assert rest.strip()
        for token in doc:
            if token.i not in covered:
                assert token.text in rest, (seed, rest)
                rest = rest.partition(token.text)[2]
