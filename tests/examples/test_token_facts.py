"""What the linker knows of tokens, against documents of which it is known how they were made."""

import random
from dataclasses import fields

import pytest
import spacy
import torch
from spacy.tokens import Doc

from spacy_span_selector.annotation import set_speakers
from spacy_span_selector.documents.cleaned import clean_docs
from spacy_span_selector.examples.token_facts import token_facts
from spacy_span_selector.layers.coref.pair_features import TokenFacts

NLP = spacy.blank("en")
SPEAKERS = ["Ann", "Bob", ""]


def facts_of(*docs: Doc) -> TokenFacts:
    return token_facts(clean_docs(docs), torch.device("cpu"))


def random_doc(seed: int, gaps: bool = False) -> tuple[Doc, list[tuple[str, bool, int, int, str]]]:
    """A document of turns, and of each of its words: the word, whether it is a content word, the numbers of sentence
    and quotation, and the speaker.

    gaps (bool): Whether white space stands between sentences.
    """
    draw = random.Random(seed)
    words, starts, turns, truth = [], [], [], []
    quotation = 0
    for sentence in range(12):
        speaker, inside, begin = draw.choice(SPEAKERS), draw.random() < 0.5, len(words)
        quotation += inside
        drawn = [draw.choice(["Tom", "the", "She", "boat", "Of", "Lee"]) for _ in range(draw.randint(1, 4))]
        for word in ["“", *drawn, ".", "”"] if inside else [*drawn, "."]:
            is_content = word in ("Tom", "boat", "Lee")
            truth.append((word, is_content, sentence, quotation if inside else 0, speaker))
            words.append(word)
            starts.append(len(words) - 1 == begin)
        if gaps and draw.random() < 0.5:
            words.append(draw.choice(["\n\n", " ", "\t"]))
            starts.append(False)
        turns.append((begin, len(words), speaker))
    doc = Doc(NLP.vocab, words=words, sent_starts=starts)
    set_speakers(doc, turns)
    return doc, truth


def assert_same_groups(found: torch.Tensor, expected: list[str] | list[int]) -> None:
    """Two tokens have the same number if and only if the same is expected of them."""
    assert len(set(zip(found.tolist(), expected, strict=True))) == len(set(found.tolist())) == len(set(expected))


@pytest.mark.parametrize("gaps", [False, True], ids=["words", "white space"])
@pytest.mark.parametrize("seed", range(3))
def test_facts_are_those_that_the_document_was_made_of(seed: int, gaps: bool) -> None:
    doc, truth = random_doc(seed, gaps)
    facts = facts_of(doc)
    words, content, sentences, quotations, speakers = zip(*truth, strict=True)
    assert facts.sentence.tolist() == list(sentences)
    assert facts.quotation.tolist() == list(quotations)
    assert (facts.speaker > 0).tolist() == [bool(speaker) for speaker in speakers]
    assert_same_groups(facts.speaker, list(speakers))
    assert_same_groups(facts.words, [word.lower() for word in words])
    assert facts.content.all(dim=1).tolist() == facts.content.any(dim=1).tolist() == list(content)
    lower = [word.lower() if is_content else "" for word, is_content in zip(words, content, strict=True)]
    assert_same_groups(facts.content[:, 0] ^ facts.content[:, 1], lower)


def test_each_content_word_has_one_bit_in_each_number() -> None:
    doc = NLP.make_doc(" ".join(f"name{i}" for i in range(500)))
    numbers = facts_of(doc).content.numpy().view("uint64").tolist()
    assert all(number.bit_count() == 1 for row in numbers for number in row)
    assert len(set(map(tuple, numbers))) > 400
    assert all(len({row[column] for row in numbers}) == 64 for column in (0, 1))


def test_a_batch_has_the_facts_of_its_documents() -> None:
    docs = [random_doc(seed)[0] for seed in range(3)]
    docs.insert(1, NLP.make_doc(""))
    together, alone = facts_of(*docs), [facts_of(doc) for doc in docs]
    for field in fields(TokenFacts):
        expected = torch.cat([getattr(facts, field.name) for facts in alone])
        assert torch.equal(getattr(together, field.name), expected)


def test_names_of_speakers_are_compared_without_spacing_and_later_turns_count() -> None:
    doc = NLP.make_doc("a b c d e")
    set_speakers(doc, [(0, 4, "Ann  Lee"), (1, 2, "Bob"), (4, 5, " Ann Lee")])
    numbers = facts_of(doc).speaker.tolist()
    assert numbers[0] == numbers[2] == numbers[4] != numbers[1]


def test_facts_take_hardly_more_than_a_number_each() -> None:
    facts = facts_of(NLP.make_doc("Ann left."))
    assert [getattr(facts, field.name).element_size() for field in fields(TokenFacts)] == [8, 8, 4, 4, 4]
    assert all(len(getattr(facts, field.name)) == 3 for field in fields(TokenFacts))
    assert not facts.speaker.any(), "without speakers nobody speaks"
