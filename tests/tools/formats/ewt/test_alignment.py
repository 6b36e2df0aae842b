from math import inf

import pytest

from spacy_span_selector.annotation import Frame
from spacy_span_selector.tools.formats.conllu import Word
from spacy_span_selector.tools.formats.ewt import Skeleton, align_sentences, align_tokens


def tokens(text: str) -> Skeleton:
    """Tokens as "TAG" or "TAG=roleset"."""
    cells = [cell.split("=") for cell in text.split()]
    rolesets = [cell[1] if len(cell) == 2 else None for cell in cells]
    frames = [Frame(i, i + 1, [], roleset) for i, roleset in enumerate(rolesets) if roleset]
    return Skeleton([cell[0] for cell in cells], rolesets, [], frames)


def words(text: str) -> list[Word]:
    """Words as "form/TAG" or "lemma/TAG", "~" in place of the space after a word that has none."""
    cells = [cell.split("/") for cell in text.replace("~", "~ ").split()]
    return [Word(form, form, "", tag.rstrip("~"), not tag.endswith("~")) for form, tag in cells]


def align(skeleton: str, text: str) -> str:
    """The groups of tokens, each with the words that it is."""
    sentence = words(text)
    tags = tokens(skeleton).tags
    pairs, _ = align_tokens(tokens(skeleton), sentence)
    return " ".join(
        "+".join(tags[i] for i in rows) + ":" + "+".join(sentence[j].form for j in columns) for rows, columns in pairs
    )


def test_tokens_are_words():
    assert align("DT NN VBZ", "the/DT boat/NN sinks/VBZ") == "DT:the NN:boat VBZ:sinks"


def test_a_token_is_split():
    assert align("PRP VBD CD NNS", "we/PRP ate/VBD 2/CD~-/HYPH~3/CD eggs/NNS") == "PRP:we VBD:ate CD:2+-+3 NNS:eggs"


def test_tokens_are_joined():
    assert align("NNP HYPH NNP HYPH CD NN", "A-B-1/NNP boat/NN") == "NNP+HYPH+NNP+HYPH+CD:A-B-1 NN:boat"


def test_no_token_has_a_space_inside():
    assert align("DT NNP NNPS NN", "the/DT Harbour/NNP Inn/NNP~s/POS roof/NN") == (
        "DT:the NNP:Harbour NNPS:Inn+s NN:roof"
    )


@pytest.mark.parametrize("link", ["GW", "HYPH"])
def test_links_belong_to_the_token_after_them(link: str):
    assert align(f"WDT {link} RB", "which/WDT always/RB") == f"WDT:which {link}+RB:always"


def test_predicates_stay_with_their_lemma():
    assert align("VB=visit.01 NN NNS", "visit/VB teashops/NNS") == "VB:visit NN+NNS:teashops"
    assert align("NN NN=visit.01 NN", "visit/NN home/NN") == "NN+NN:visit NN:home"


def test_predicates_are_not_joined_with_what_follows():
    assert align("EX VBZ=be.02 NNP NNP POS", "there/EX be/VBZ~St.Ives/NNP s/POS") == (
        "EX:there VBZ:be NNP+NNP:St.Ives POS:s"
    )


def test_equal_counts_can_be_shifted():
    skeleton = "WP DT VBZ=be.01 NN IN DT JJ NN CC NN"
    text = "what/WP thes/DT size/NN in/IN a/DT big/JJ~1/NN~2/CD or/CC 3/NN"
    assert align(skeleton, text) == "WP:what DT+VBZ:thes NN:size IN:in DT:a JJ:big NN:1+2 CC:or NN:3"


def test_revised_parts_of_speech_do_not_shift_a_sentence():
    skeleton, text = "IN WDT JJ PRP$ NN NN=print.01 NNS", "for/IN what/WP else/RB your/PRP$ own/JJ print/NN needs/NNS"
    assert align(skeleton, text) == "IN:for WDT:what JJ:else PRP$:your NN:own NN:print NNS:needs"


def test_the_cost_counts_what_differs():
    assert align_tokens(tokens("DT NN"), words("the/DT boat/NN"))[1] == 0
    assert align_tokens(tokens("DT NN"), words("the/DT Boat/NNP"))[1] == 0.5
    assert align_tokens(tokens("DT VB=sink.01"), words("the/DT boat/NN"))[1] == 2
    assert align_tokens(tokens("UH UH UH UH UH UH"), words("hm/UH")) == ([], inf)


def test_sentences_are_joined():
    skeletons = [tokens("UH"), tokens("NN VBZ DT NN"), tokens("UH UH")]
    sentences = [words("hm/UH"), words("Ann/NN is/VBZ"), words("a/DT cook/NN"), words("oh/UH oh/UH")]
    assert align_sentences(skeletons, sentences) == [
        (range(0, 1), range(0, 1)),
        (range(1, 2), range(1, 3)),
        (range(2, 3), range(3, 4)),
    ]


def test_sentences_without_a_predicate_may_be_missing():
    skeletons = [tokens("UH"), tokens("NFP NN"), tokens(".")]
    assert align_sentences(skeletons, [words("hm/UH"), words("?/.")]) == [
        (range(0, 1), range(0, 1)),
        (range(1, 2), range(1, 1)),
        (range(2, 3), range(1, 2)),
    ]


def test_sentences_with_a_predicate_must_not_be_missing():
    assert align_sentences([tokens("VB=go.01"), tokens("VB=stay.01")], [words("go/VB")]) == []
    assert align_sentences([tokens("VB")], [words("go/VB")] * 3) == []
