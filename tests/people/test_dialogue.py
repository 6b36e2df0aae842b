import subprocess
import sys
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector import doc_from_turns
from spacy_span_selector.annotation import get_speakers

from ..untrained import pipeline_of

NLP = spacy.blank("en")
TURNS = [("Ann  Lee", "I saw him. Didn't you"), ("Bob", " Yes - \n"), ("Bob", "but why"), ("Ann Lee", "Oh!")]


def sentences(doc: Doc) -> list[str]:
    return [sentence.text for sentence in doc.sents]


def test_a_dialogue_has_its_words_and_turns_that_start_sentences() -> None:
    doc = doc_from_turns(NLP, TURNS)
    assert doc.text == "I saw him. Didn't you Yes - but why Oh!"
    assert [(doc[start:end].text, name) for start, end, name in get_speakers(doc)] == [
        ("I saw him. Didn't you", "Ann Lee"),
        ("Yes -", "Bob"),
        ("but why", "Bob"),
        ("Oh!", "Ann Lee"),
    ]
    assert sentences(doc) == ["I saw him. Didn't you", "Yes -", "but why", "Oh!"]


def test_words_are_those_of_the_tokenizer() -> None:
    doc = doc_from_turns(NLP, [("Bob", "We can't."), ("Ann", "<speaker>")])
    words = [[token for token in NLP.make_doc(text)] for text in ("We can't.", "<speaker>")]
    assert [(t.text, t.norm_) for t in doc] == [(t.text, t.norm_) for w in words for t in w]


@pytest.mark.parametrize("component", ["sentencizer", "word_sentencizer", "senter", "parser"])
def test_a_pipeline_keeps_turns_apart(component: str) -> None:
    nlp = pipeline_of("en", component)
    if not component.endswith("sentencizer"):
        example = {"heads": [1, 1, 1], "deps": ["nsubj", "ROOT", "punct"], "sent_starts": [1, 0, 0]}
        doc = Doc(nlp.vocab, words=["I", "left", "."])
        nlp.initialize(lambda: [spacy.training.Example.from_dict(doc, example)])
    doc = nlp(doc_from_turns(nlp, TURNS))
    starts = {sentence.start for sentence in doc.sents}
    assert {start for start, _, _ in get_speakers(doc)} <= starts


def test_the_sentencizer_finds_the_sentences_of_a_turn() -> None:
    nlp = pipeline_of("en", "sentencizer")
    turns = [("Dr. No", "I saw him. Who"), ("Ann", "Oh! No. Yes")]
    assert sentences(nlp(doc_from_turns(nlp, turns))) == ["I saw him.", "Who", "Oh!", "No.", "Yes"]


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ([], r"no turns .*expected some, such as \[\(\"Ann\""),
        ([("Ann", "Oh.", "no")], r"Turn 1 is \('Ann', 'Oh.', 'no'\); expected a name and a text"),
        ([("Ann", "Oh."), "ab"], "Turn 2 is 'ab'; expected a name and a text"),
        ([("Ann", None)], r"Turn 1 is \('Ann', None\); expected a name and a text"),
        ([("Ann", "Oh."), (" ", "No.")], r"Turn 2, \(' ', 'No.'\), has no name. Name each speaker"),
        ([("Ann", "\n")], r"Turn 1, .*, has no text. Leave out turns"),
        (None, "The turns are None; expected a list of them"),
        ([("Ann", "Oh."), ("Bob", "\ud800")], r"Turn 2, '\\ud800', can't be split into words: .*surrogates"),
        ([("A\ud800", "Oh.")], r"turns\[0\]\[2\], the speaker, is 'A\\ud800'"),
    ],
)
def test_what_is_no_dialogue_is_an_error(turns: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        doc_from_turns(NLP, turns)


def test_the_package_imports_spacy_only_when_it_is_needed() -> None:
    code = "import sys, spacy_span_selector as s; assert 'spacy' not in sys.modules; s.no_such_name"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "AttributeError: module 'spacy_span_selector' has no attribute 'no_such_name'" in found.stderr


def test_a_turn_that_the_tokenizer_drops_is_an_error() -> None:
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab)
    with pytest.raises(ValueError, match=r"Turn 1, 'Oh\.', has no word for the tokenizer\. Leave out"):
        doc_from_turns(nlp, [("Ann", "Oh.")])
