from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_span_selector.annotation import (
    Mention,
    Quotation,
    get_clusters,
    get_quotations,
    has_frames_annotated,
    has_quotations_annotated,
    set_clusters,
    set_quotations,
)
from spacy_span_selector.tools.formats.bracketed import Lenient, parse_bracketed, write_bracketed
from spacy_span_selector.tools.formats.litbank import read_litbank

from .helpers import assert_error, parse_one
from .test_writer import WordTokenizer

LITBANK = Path(__file__).parents[4] / "../shared/data/litbank"
STATION = """=== the station
“Come up,” said [Ann|ann] to [Tom|tom]. “It is late.
< [ann>tom “Come up,”] said Ann to Tom. “It is late.
< “Come up,” said Ann to Tom. [ann “It is late.]
‘Now,’ [she|ann] says!” “Why?”
< [+ ‘Now,’ she says!”] “Why?”
< [ann ‘Now,’] she says!” “Why?”
< ‘Now,’ she says!” [? “Why?”]
\\< No more.
"""
NLP = spacy.blank("en")
WORD_NLP = spacy.blank("en")
WORD_NLP.tokenizer = WordTokenizer(WORD_NLP.vocab)


def texts(doc: Doc) -> list[tuple[str, str, str]]:
    """The words, the speaker and the addressee of each quotation."""
    persons = ((doc[start:end].text, speaker, addressee) for start, end, speaker, addressee, *_ in get_quotations(doc))
    return [(words, *("" if each is None else doc[slice(*each)].text for each in both)) for words, *both in persons]


def test_quotations_have_a_speaker_and_an_addressee_and_go_on_in_the_next_sentence() -> None:
    doc = parse_one(STATION, NLP)
    assert texts(doc) == [
        ("“Come up,”", "Ann", "Tom"),
        ("“It is late. ‘Now,’ she says!”", "Ann", ""),
        ("‘Now,’", "Ann", ""),
        ("“Why?”", "", ""),
    ]
    assert not has_frames_annotated(doc)


def test_what_is_written_reads_back() -> None:
    assert write_bracketed([parse_one(STATION, NLP)]) == STATION


def test_several_quotations_may_stand_in_one_line() -> None:
    assert texts(parse_one("“Go,” said [Ann|ann], “up.”\n< [ann “Go,”] said Ann, [ann “up.”]", NLP)) == [
        ("“Go,”", "Ann", ""),
        ("“up.”", "Ann", ""),
    ]


def test_a_bare_sign_says_that_there_are_no_quotations() -> None:
    text = "=== document 1\nAnn left.\n<\n"
    doc = parse_one(text, NLP)
    assert has_quotations_annotated(doc)
    assert get_quotations(doc) == []
    assert write_bracketed([doc]) == text
    assert not has_quotations_annotated(parse_one("Ann left.", NLP))


def test_a_sign_within_a_line_or_before_a_word_is_text() -> None:
    assert parse_one("<b> 1 < 2\n\\< 3", NLP).text == "<b> 1 < 2 < 3"


@pytest.mark.parametrize(
    ("line", "column", "found", "cure"),
    [
        ("< [ann “Go]”, said Anna.", 20, "found 'Anna.'", "Repeat its words, or write `\\<`"),
        ("< [tom “Go”], said Ann.", 3, "no mention has the name 'tom'", "`[words|tom]`"),
        ("< [ann>tom “Go”], said Ann.", 3, "no mention has the name 'tom'", "`[words|tom]`"),
        ("< [ann> “Go”], said Ann.", 3, "found `[ann>`", "expected `[SPEAKER words]`"),
        ("< [>ann “Go”], said Ann.", 3, "found `[>ann`", "expected `[SPEAKER words]`"),
        ("< [+ “Go”], said Ann.", 3, "`[+` continues no quotation", "Begin one with `[SPEAKER words]`"),
        ("< [ann “G]o”, said Ann.", 10, "a quotation ends inside the token 'Go'", "Move the bracket"),
        ("< [ “Go”], said Ann.", 3, "a bracket without a role", "Write `[SPEAKER words]`"),
        ("< [ann “[? Go]”], said Ann.", 9, "`[` inside `[ann`: brackets of a quotation do not nest", "`]`"),
        ("< [ann “Go”, said Ann.", 3, "`[ann` is not closed", "Add `]`"),
    ],
)
def test_errors_have_a_place_and_a_cure(line: str, column: int, found: str, cure: str) -> None:
    text = f"“Go”, said [Ann|ann].\n{line}"
    assert_error(NLP, text, f"2:{column}", found, cure)


def test_a_quotation_line_needs_a_sentence() -> None:
    assert_error(NLP, "< [? Go]", "1:1", "a quotation without a sentence above it", "write `\\<`")


def test_a_malformed_quotation_costs_no_other_and_a_name_of_a_speaker_is_used() -> None:
    problems = Lenient()
    (doc,) = parse_bracketed("“Go,” said [Ann|ann], “up.”\n< [ann “Go,”] said Ann, [+ “up.”]", NLP, problems=problems)
    assert texts(doc) == [("“Go,”", "Ann", "")]
    assert len(problems.errors) == 1
    assert problems.doubts == []


def test_quotations_that_cross_and_persons_in_no_cluster_are_left_out() -> None:
    doc = Doc(NLP.vocab, words=list("abcdef"))
    set_clusters(doc, [[(0, 1)]])
    set_quotations(doc, [Quotation(1, 4, speaker=(0, 1)), Quotation(2, 6), Quotation(4, 5, speaker=(5, 6))])
    with pytest.warns(UserWarning, match=r"^2 quotation\(s\), speaker\(s\) or addressee\(s\) left out"):
        text = write_bracketed([doc])
    assert text == "=== document 1\n[a|c1] b c d e f\n< a [c1 b c d] e f\n< a b c d [? e] f\n"


def test_a_speaker_whose_mentions_cannot_be_written_is_left_out() -> None:
    doc = Doc(NLP.vocab, words=list("abc"), sent_starts=[True, True, False])
    set_clusters(doc, [[(0, 2)]])
    set_quotations(doc, [Quotation(2, 3, speaker=(0, 2))])
    with pytest.warns(UserWarning) as caught:
        text = write_bracketed([doc])
    assert [str(warning.message).split(" left")[0] for warning in caught] == [
        "1 mention(s)",
        "1 quotation(s), speaker(s) or addressee(s)",
    ]
    assert texts(parse_one(text, NLP)) == [("c", "", "")]


def described(doc: Doc) -> list[tuple[int, int, list[Mention], list[Mention]]]:
    """Each quotation with the cluster of who speaks, and who is spoken to."""
    clusters = {mention: cluster for cluster in get_clusters(doc) for mention in cluster}
    return sorted(
        (start, end, clusters.get(a, []), clusters.get(b, [])) for start, end, a, b, *_ in get_quotations(doc)
    )


@st.composite
def docs_with_quotations(draw: st.DrawFn) -> Doc:
    starts = [True, *draw(st.lists(st.booleans(), min_size=7, max_size=7))]
    doc = Doc(WORD_NLP.vocab, words=draw(st.permutations([*"abc<>?+", "“"])), sent_starts=starts)
    words = [(i, i + 1) for i in draw(st.permutations(range(8)))]
    set_clusters(doc, [words[:2], words[2:3], words[3:5]])
    persons = st.none() | st.sampled_from(words[:5])
    ends = st.tuples(st.integers(0, 7), st.integers(1, 8)).filter(lambda ends: ends[0] < ends[1])
    quotations: list[Quotation] = []
    for start, end in draw(st.lists(ends, max_size=5)):
        if not any(a < start < b < end or start < a < end < b for a, b, *_ in quotations):
            quotations.append(Quotation(start, end, draw(persons), draw(persons)))
    set_quotations(doc, quotations)
    return doc


@given(docs_with_quotations())
def test_quotations_read_back_with_the_clusters_of_their_persons(doc: Doc) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = write_bracketed([doc])
    restored = parse_one(text, WORD_NLP)
    assert described(restored) == described(doc)
    assert write_bracketed([restored]) == text


@pytest.mark.slow
@pytest.mark.skipif(not LITBANK.is_dir(), reason="needs LitBank in ../shared/data/litbank")
def test_the_quotations_of_litbank_read_back() -> None:
    docs = read_litbank(LITBANK, NLP.vocab)
    with pytest.warns(UserWarning) as caught:
        restored = parse_bracketed(write_bracketed(docs), WORD_NLP)
    assert [str(warning.message).split(" left")[0] for warning in caught] == ["2 mention(s)"]
    assert [[quotation[:2] for quotation in get_quotations(doc)] for doc in restored] == [
        [quotation[:2] for quotation in get_quotations(doc)] for doc in docs
    ]
    assert all(quotation.speaker is not None for doc in restored for quotation in get_quotations(doc))
