import random
import re
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames
from spacy_span_selector.people.resolved_text import resolved_text
from spacy_span_selector.tools.formats.bracketed import read_bracketed

from ..parsing import NLP, parse_one

TEXTS = read_bracketed(Path(__file__).with_name("resolved_texts.txt"), NLP)
EXPECTED = Path(__file__).with_name("resolved_texts_expected.txt").read_text(encoding="utf-8")


def resolve(text: str, nlp: spacy.Language = NLP) -> str:
    """The resolved text of a document in the bracketed format."""
    return resolved_text(parse_one(text, nlp))


def resolve_tagged(text: str, lang: str = "en", **annotation: str) -> str:
    """The same for a document whose tokens get the given Penn tags, or morphology if the value has a "="."""
    doc = parse_one(text, spacy.blank(lang))
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
    doc = parse_one(text)
    assert resolved_text(doc) == doc.text != ""
    for plain in (text, " \n", ""):
        assert resolved_text(NLP(plain)) == plain


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        # its sentence does not name the entity, or only far away
        ("[Ann|a] left .\n[She|a] ran .", "Ann left . Ann ran ."),
        (f"[Ann|a] left {'very ' * 40}quickly and [she|a] ran .", f"Ann left {'very ' * 40}quickly and Ann ran ."),
        # it may mean another entity of the sentence
        ("[Tom|t] told [Bill|b] that [he|t] saw [her|a] .", "Tom told Bill that Tom saw her ."),
        # the kind of an entity is told by its other mentions
        ("[Ann|a] told [Kim|k] that [she|a] fell .\n[He|k] wept .", "Ann told Kim that she fell . Kim wept ."),
        # one replacement in a sentence names the entity
        ("[Ann|a] left .\n[She|a] said [she|a] ran .", "Ann left . Ann said she ran ."),
        # it is nested in a mention that stays
        ("[Ann|a] left .\nThen [[her|a] brother|b] ran .", "Ann left . Then Ann's brother ran ."),
        ("[Ann|a] left .\nTom saw [[her|a] happy friend|f] .", "Ann left . Tom saw Ann's happy friend ."),
        # places are rivals of things where they are objects, and of nobody
        ("[The ship|s] left [Rome|r] when [it|s] was full .", "The ship left Rome when the ship was full ."),
        ("[The ship|s] came from [Rome|r] when [it|s] was full .", "The ship came from Rome when it was full ."),
        ("[Ann|a] lives in [Rome|r] , where [she|a] works .", "Ann lives in Rome , where she works ."),
    ],
)
def test_a_pronoun_that_is_not_clear_in_its_sentence_is_replaced(text: str, resolved: str):
    assert resolve(text) == resolved


@pytest.mark.parametrize(
    "text",
    [
        "[Ann|a] said that [she|a] left .",
        "When [she|a] was late , [Ann|a] ran .",
        "[The girl that Ann met|g] lost [her|g] hat .",
        "[Ann's|a] dog saw [her|a] cat .",
        "[Ann|a] saw [Tom|t] ; [he|t] saw [her|a] .\n[He|t] saw [Ann|a] and [himself|t] .",
    ],
)
def test_the_pronouns_of_a_sentence_that_names_the_entity_stay(text: str):
    assert resolve(text).startswith(re.sub(r"[][]|\|.", "", text.split("\n")[0]))


@pytest.mark.parametrize(
    "other", ["[the girl|o]", "[Mrs. Bell|o]", "[the ships|o]", "[the ship|o]", "[me|o]"], ids=lambda text: text[1:-3]
)
def test_an_entity_of_another_kind_leaves_a_pronoun_clear(other: str):
    assert resolve(f"[Tom|t] told {other} that [he|t] fell .").endswith(" that he fell .")


@pytest.mark.parametrize(("label", "pronoun"), [("DATE", "she"), ("PERSON", "Ann")])
def test_what_is_labelled_as_a_thing_is_no_rival_of_she(label: str, pronoun: str):
    doc = parse_one("[Ann|a] met [Monday|m] and [she|a] slept .")
    set_clusters(doc, [[(0, 1), (4, 5)], [(2, 3)]], entity_types=["", label])
    assert resolved_text(doc) == f"Ann met Monday and {pronoun} slept ."


def test_a_pronoun_that_the_sentence_identifies_stays():
    text = "[A cat|c] and [a dog|d] slept .\n[The dog|d] knew that [it|c] was [the cat|c] ."
    assert resolve(text).endswith("that it was the cat .")


NO_PRONOUNS_OF_THE_THIRD_PERSON = ["Lee", "the girl", "Ann", "a tall woman", "both of them", "I", "your"]
BOUND = ["herself", "who", "each other", "this"]


@pytest.mark.parametrize("said", [*NO_PRONOUNS_OF_THE_THIRD_PERSON, *BOUND])
def test_what_is_no_pronoun_of_the_third_person_or_bound_stays(said: str):
    assert resolve(f"[Ann Lee|a] left .\nSo [{said}|a] ran .") == f"Ann Lee left . So {said} ran ."
    assert resolve(f"[Ann Lee|a] left .\n[{said}|a] ran .") == f"Ann Lee left . {said} ran ."


@pytest.mark.parametrize(
    ("text", "tags", "resolved"),
    [
        ("[The dog|d] ran .\nHe saw [that|d] .", {"that": "PronType=Rel"}, "The dog ran . He saw that ."),
        (
            "[Anna|a] ging .\nTom liebt [ihren|a] Hund , und [sie|a] [sich|a] .",
            {"Anna": "NNP", "Tom": "NNP", "ihren": "Poss=Yes", "sie": "Case=Nom", "sich": "Reflex=Yes"},
            "Anna ging . Tom liebt ihren Hund , und Anna sich .",
        ),
        # nouns keep their capital
        ("[Hunde|h] bellen .\nDenn [sie|h] wachen .", {"sie": "Case=Nom"}, "Hunde bellen . Denn Hunde wachen ."),
    ],
)
def test_pronouns_of_other_languages_are_told_by_their_morphology(text: str, tags: dict[str, str], resolved: str):
    assert resolve_tagged(text, "de", **tags) == resolved


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("[Ann|a] has [[her|a] dog|d] here .\n[It|d] barks .", "Ann has her dog here . Ann's dog barks ."),
        # they stay if they are clear there
        ("[Ann|a] has [[her|a] dog|d] here .\n[Ann|a] likes [it|d] .", "Ann has her dog here . Ann likes her dog ."),
        # a phrase in a phrase
        (
            "[Ann|a] has [[her|a] brother|b] here .\n[[His|b] dog|d] sleeps .\n[It|d] barks .",
            "Ann has her brother here . Ann's brother's dog sleeps . Ann's brother's dog barks .",
        ),
        # "my brother" is that of the speaker when others speak of him
        (
            "[I|a] saw [[my|a] brother|b] , said [Ann|a] .\n[Tom|t] saw [him|b] , too .\n[He|b] fell .",
            "I saw my brother , said Ann . Tom saw Ann's brother , too . Ann's brother fell .",
        ),
        # "your brother" is inserted only if it is known whose he is
        ("Is [[your|y] brother|b] late ?\n[He|b] is .", "Is your brother late ? He is ."),
        (
            "Is [[your|y] brother|b] late ?\n[He|b] is .\n[Ann|y] left .",
            "Is your brother late ? Ann's brother is . Ann left .",
        ),
        # as is "my brother" where speakers are known
        ("[My brother|b] is late .\n[He|b] overslept .", "My brother is late . My brother overslept ."),
        ("[\ufeffAnn|b] is late .\n[She|b] overslept .", "\ufeffAnn is late . Ann overslept ."),
        ("[My brother|b] is late .\n@Tom: [He|b] overslept .", "My brother is late . He overslept ."),
    ],
)
def test_pronouns_in_an_inserted_phrase_are_replaced(text: str, resolved: str):
    assert resolve(text) == resolved


def test_my_brother_is_the_same_within_what_the_speaker_says():
    lines = [
        '" [I|a] saw [[my|a] brother|b] , " said [Ann|a] .',
        '< [a " I saw my brother , "] said Ann .',
        '" [He|b] fell . "',
        '< [a " He fell . "]',
    ]
    assert resolve("\n".join(lines)).endswith('" My brother fell . "')


def test_phrases_that_contain_each_other_are_inserted_once():
    text = "[The owner of [it|d]|o] left .\n[The dog of [him|o]|d] ran .\n[He|o] saw [it|d] ."
    owner, dog = "The owner of the dog of him", "The dog of the owner of it"
    assert resolve(text) == f"{owner} left . {dog} ran . {owner} saw it ."


def test_clusters_that_share_a_pronoun_replace_it_once():
    doc = NLP("Ann left. Bob left. She saw it")
    set_clusters(doc, [[(0, 1), (6, 7)], [(3, 4), (6, 7)]])
    assert resolved_text(doc) == "Ann left. Bob left. Ann saw it"


@pytest.mark.parametrize(
    ("mention", "resolved"),
    [
        ("A girl", "the girl"),
        ("An old man", "the old man"),
        ("A Boeing 737", "the Boeing 737"),
        ("Two girls", "the two girls"),
        ("Another girl", "the other girl"),
        ("This book", "the book"),
        ("500 g of flour", "the 500 g of flour"),
        ("A girl , whose name Ann knew ,", "the girl"),
        ("The brother of his wife", "the brother of his wife"),
        ("The big , bad wolf", "the big , bad wolf"),
        ("A girl that Ann met in Leeds", "the girl"),
        ("The man she met", "the man"),
        ("The people there", "the people"),
        ("The mayor of Leeds , Sarah Bell ,", "the mayor of Leeds"),
        ("Sarah Bell , director of a bank ,", "Sarah Bell"),
        ("The firm ( in Leeds )", "the firm"),
        ("A man wearing a coat", "the man"),
        ("A pit called Old Bess", "the pit"),
        ("The old building", "the old building"),
        ("A house near Leeds", "the house near Leeds"),
        ("The new house near the harbour", "the new house"),
        ("The price of English steel", "the price of English steel"),
        ("The end of the very long road", "the end"),
    ],
)
def test_a_noun_phrase_is_repeated_in_a_short_and_definite_form(mention: str, resolved: str):
    assert resolve(f"[{mention}|a] came .\nTom saw [it|a] .") == f"{mention} came . Tom saw {resolved} ."


def test_an_enumeration_is_repeated_as_a_whole_without_its_clause():
    text = "[Tom , Ann and the tall old man from Leeds , who was late ,|a] left .\nBill saw [them|a] ."
    assert resolve(text).endswith("Bill saw Tom , Ann and the tall old man from Leeds .")


@pytest.mark.parametrize(
    "mention", ["Every driver", "No bird", "Mr.", "One of the girls", "A lot of people", "Many of them"]
)
def test_a_noun_phrase_that_would_mean_something_else_is_not_repeated(mention: str):
    assert resolve(f"[{mention}|a] came .\nTom saw [him|a] .") == f"{mention} came . Tom saw him ."


@pytest.mark.parametrize(
    ("mention", "they"),
    [
        *(("Ann", "They"), ("the team", "They")),
        *(("the girls", "The girls"), ("white mice", "White mice"), ("the Alps", "The Alps")),
        ("Ann and Tom", "Ann and Tom"),
    ],
)
def test_they_becomes_a_plural_only(mention: str, they: str):
    assert resolve(f"So [{mention}|a] left .\n[They|a] were late .") == f"So {mention} left . {they} were late ."


def test_plurals_and_common_nouns_are_recognised_by_their_tag():
    text = "[The boss|b] left .\n[They|b] ran ."
    assert resolve_tagged(text, The="DT", They="PRP") == "The boss left . They ran ."
    assert resolve_tagged(text, The="DT", They="PRP", boss="NNS") == "The boss left . The boss ran ."
    dogs = "[Dogs|d] bark .\nI like [them|d] ."
    assert resolve_tagged(dogs, them="PRP", I="PRP") == "Dogs bark . I like dogs ."


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("[James|j] left .\nTom likes [his|j] hat .", "Tom likes James's hat ."),
        ("[James|j] left .\nThat hat is [his|j] .", "That hat is James's ."),
        ("[The girls|g] left .\nTom likes [their|g] hats .", "Tom likes the girls' hats ."),
        ("[The children|g] left .\nTom likes [their|g] hats .", "Tom likes the children's hats ."),
        ("[Ann and Bob|b] left .\nTom likes [their|b] hats .", "Tom likes Ann and Bob's hats ."),
        ("[The Netherlands|n] lost .\n[Its|n] team wept .", "The Netherlands' team wept ."),
        ("[Ann's|a] dog left .\nTom likes [her|a] own cat .", "Tom likes Ann's own cat ."),
        ("[The girl that Ann met|g] left .\n[Her|g] hat fell .", "The girl's hat fell ."),
    ],
)
def test_possessive_pronouns_become_possessives(text: str, resolved: str):
    assert resolve(text).endswith(f" . {resolved}")


@pytest.mark.parametrize(
    ("known", "resolved"),
    [("PRP$", "Ann's up"), ("Poss=Yes", "Ann's up"), ("PRP", "Ann hats"), ("Case=Acc", "Ann hats")],
)
def test_her_is_what_its_tag_says(known: str, resolved: str):
    text = f"[Ann|a] ran . \n They gave [her|a] {resolved.split()[1]}"
    assert resolve_tagged(text, Ann="NNP", her=known).endswith(f"gave {resolved}")


@pytest.mark.parametrize(
    ("following", "is_possessive"),
    [
        ("dog .", True),
        ("own .", True),
        ("two dogs .", True),
        ("famous novel .", True),
        ("family .", True),
        ("table .", True),
        (".", False),
        ("to him .", False),
        ("a hat .", False),
        ("famous .", False),
        ("quickly and left .", False),
        ("[headaches] .", False),
    ],
)
def test_without_tags_mentions_and_the_next_words_decide_on_her(following: str, is_possessive: bool):
    name = "Ann's" if is_possessive else "Ann"
    shown = following.replace("[", "").replace("]", "")
    assert resolve(f"[Ann|a] left .\nIt gave [her|a] {following}") == f"Ann left . It gave {name} {shown}"


@pytest.mark.parametrize(("word", "name"), [("12", "Ann"), ("old", "Ann's")])
def test_what_a_line_of_its_own_begins_with_is_not_hers(word: str, name: str):
    doc = Doc(NLP.vocab, words=["Ann", "ran", ".", "I", "saw", "her", "\n", word, "people", "left", "."])
    set_clusters(doc, [[(0, 1), (5, 6)]])
    assert resolved_text(doc).split()[5] == name


@pytest.mark.parametrize(("verb", "name"), [("let", "Ann"), ("saw", "Ann"), ("made", "Ann"), ("liked", "Ann's")])
def test_her_is_the_subject_of_a_verb_that_another_one_has_behind_it(verb: str, name: str):
    doc = parse_one(f"[Ann|a] left .\nTom {verb} [her|a] go .")
    set_frames(doc, [Frame(6, 7, [Argument(5, 6, "ARG1")])])
    assert resolved_text(doc) == f"Ann left . Tom {verb} {name} go ."


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("[The girls|g] ran.\nTom says [they|g]'re late.", "Tom says the girls are late."),
        ("[The girls|g] ran.\nNow [they|g]’ve won.", "Now the girls have won."),
        ("[Ann|a] ran.\nNow [she|a]'ll win.", "Now Ann will win."),
        ("[Ann|a] ran.\nNow [she|a]'s late.", "Now Ann's late."),
    ],
)
def test_contracted_verbs(text: str, resolved: str):
    assert resolve(text).endswith(f" ran. {resolved}")


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("[The girl|g] ran.\n[She|g] fell.", "The girl ran. The girl fell."),
        ("So [the girl|g] ran.\n[She|g] fell.", "So the girl ran. The girl fell."),
        ('[The girl|g] ran.\nHe said: "[She|g] fell."', 'The girl ran. He said: "The girl fell."'),
        ("[The girl|g] ran.\nHere [she|g] is.", "The girl ran. Here the girl is."),
        ('"[A girl|g] ran," he said.\nHere [she|g] is.', '"A girl ran," he said. Here the girl is.'),
        ("[She|s] is far.\nShe lives in [The Hague|s].", "The Hague is far. She lives in The Hague."),
        ("[Ann|a] ran.\nThen [she|a] fell.", "Ann ran. Then Ann fell."),
    ],
)
def test_first_words_have_the_case_of_their_position(text: str, resolved: str):
    assert resolve(text) == resolved


@pytest.mark.parametrize(
    ("words", "clusters", "resolved"),
    [
        (" Ann .\n\nTom saw  her .\n", [[(1, 2), (7, 8)]], " Ann .\n\nTom saw  Ann .\n"),
        ("Ann ran. See her\ndog", [[(0, 1), (4, 6)]], "Ann ran. See Ann's\ndog"),  # at the edge of a mention
        (["Ann", "ran", ".", "Look", "at", "her"], [[(0, 1), (5, 6)]], "Ann ran . Look at Ann "),  # at the end
        ("Ann\nLee ran. So she fell.", [[(0, 3), (6, 7)]], "Ann\nLee ran. So Ann Lee fell."),  # not within a phrase
        ("it \n it", [[(0, 1), (1, 2), (2, 3)]], "it \n it"),  # nor by itself
    ],
)
def test_white_space_is_kept(words: str | list[str], clusters: list[list[tuple[int, int]]], resolved: str):
    doc = NLP(words) if isinstance(words, str) else Doc(NLP.vocab, words=words)
    set_clusters(doc, clusters)
    assert resolved_text(doc) == resolved


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


@pytest.mark.parametrize("doc", TEXTS, ids=lambda doc: doc.user_data["title"])
def test_texts_of_many_kinds_read_well(doc: Doc):
    expected = EXPECTED.split(f"=== {doc.user_data['title']}\n")[1].split("\n===")[0]
    assert resolved_text(doc).split() == expected.split()
