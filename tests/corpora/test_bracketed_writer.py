import warnings

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import cluster_groups, get_clusters, set_clusters, set_speakers
from spacy_span_selector.corpora.bracketed import parse_bracketed
from spacy_span_selector.corpora.bracketed_writer import write_bracketed

NLP = spacy.blank("en")
STATION = """=== the station
[[Her|ann] brother|tom] met [Dr. Bell|bell] at [a café].
@Ann Lee: [I|ann] know \\[it\\], \\| \\\\.
\\@home [[she|ann]|b] ran.
@C\\: D\\\\E: # no comment

=== empty

=== the end
\\=== [# 1]
\\# [Ann|ann] left [[[her|ann] old dog]].
"""


class WordTokenizer:
    """Every token of the text is a word between spaces, as in a corpus with gold words."""

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        return Doc(self.vocab, words=text.split())


@pytest.fixture(scope="module")
def word_nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.tokenizer = WordTokenizer(nlp.vocab)
    return nlp


def summary(doc: Doc) -> dict[str, object]:
    """Everything that the format keeps."""
    turns = doc.spans.get("speakers", ())
    return {
        "title": doc.user_data["title"],
        "words": [token.text for token in doc],
        "sentence starts": [token.is_sent_start for token in doc],
        "clusters": get_clusters(doc),
        "names": [group.attrs.get("name", "") for group in cluster_groups(doc)],
        "speakers": {token.i: turn.label_ for turn in turns for token in turn},
    }


def test_a_text_in_normal_form_is_written_as_it_was_read():
    assert write_bracketed(parse_bracketed(STATION, NLP)) == STATION


WORDS = st.text(st.sampled_from("ab[]|\\#=@:é—'."), min_size=1, max_size=4)
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=4)


@st.composite
def documents(draw: st.DrawFn) -> Doc:
    """A document of odd words with non-crossing mentions inside sentences, names and speakers."""
    sentences = draw(SENTENCES)
    doc = Doc(
        NLP.vocab,
        words=[word for sentence in sentences for word in sentence],
        sent_starts=[i == 0 for sentence in sentences for i in range(len(sentence))],
    )
    doc.user_data["title"] = "odd"
    spans = [
        (start, end)
        for sent in doc.sents
        for start in range(sent.start, sent.end)
        for end in range(start + 1, sent.end + 1)
    ]
    mentions: list[tuple[int, int]] = []
    for start, end in draw(st.lists(st.sampled_from(spans), max_size=8, unique=True)):
        if not any(s < start < e < end or start < s < end < e for s, e in mentions):
            mentions.append((start, end))
    clusters: dict[str, list[tuple[int, int]]] = {}
    for mention in mentions:
        for name in draw(st.lists(st.sampled_from(["x", "y", "ü-1"]), min_size=1, max_size=2, unique=True)):
            clusters.setdefault(name, []).append(mention)
    set_clusters(doc, list(clusters.values()), names=list(clusters))
    speaker = st.sampled_from(["", "Ann", "A: B", "\\ [x] #|"])
    set_speakers(doc, [(sent.start, sent.end, label) for sent in doc.sents if (label := draw(speaker))])
    return doc


@given(doc=documents())
def test_reading_what_was_written_restores_the_document(word_nlp: Language, doc: Doc):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (restored,) = parse_bracketed(write_bracketed([doc]), word_nlp)
    assert summary(restored) == summary(doc)


def make_doc(text: str, clusters: list[list[tuple[int, int]]], *, title: str | None = None) -> Doc:
    doc = Doc(NLP.vocab, words=text.split())
    if title:
        doc.user_data["title"] = title
    set_clusters(doc, clusters)
    return doc


def test_clusters_without_a_name_are_numbered_and_singletons_stay_bare():
    doc = make_doc("a b a c", [[(0, 1), (2, 3)], [(1, 2)], [(3, 4)]])
    assert write_bracketed([doc]) == "=== document 1\n[a|c1] [b] [a|c1] [c]\n"


def test_generated_names_avoid_given_ones():
    doc = make_doc("a b a b", [[(0, 1), (2, 3)], [(1, 2), (3, 4)]])
    doc.spans["coref_clusters_2"].attrs["name"] = "c1"
    assert write_bracketed([doc]) == "=== document 1\n[a|c1-2] [b|c1] [a|c1-2] [b|c1]\n"


@pytest.mark.parametrize("name", ["two words", "a|b", "[", "a\\"])
def test_names_that_the_format_cannot_hold_are_replaced(name: str):
    doc = make_doc("a a", [[(0, 1), (1, 2)]])
    doc.spans["coref_clusters_1"].attrs["name"] = name
    assert write_bracketed([doc]) == "=== document 1\n[a|c1] [a|c1]\n"


def test_titles_are_made_different():
    docs = [make_doc("x", [], title="a\n b"), make_doc("y", [], title="a b"), make_doc("z", [])]
    titles = [doc.user_data["title"] for doc in parse_bracketed(write_bracketed(docs), NLP)]
    assert titles == ["a b", "a b-2", "document 3"]


def test_text_without_sentences_is_one_line():
    doc = NLP("Ann  left.\n\nShe ran.")
    set_clusters(doc, [[(0, 2), (4, 6)]])
    assert write_bracketed([doc]) == "=== document 1\n[Ann|c1] left. [She|c1] ran.\n"


def test_a_turn_of_several_sentences_names_the_speaker_in_each():
    doc = Doc(NLP.vocab, words=["I", "go", "You", "stay"], sent_starts=[True, False, True, False])
    set_speakers(doc, [(0, 4, "Ann")])
    assert write_bracketed([doc]) == "=== document 1\n@Ann: I go\n@Ann: You stay\n"


def test_mentions_that_cross_are_left_out_with_one_warning():
    crossing = make_doc("a b c d", [[(0, 2), (1, 3)], [(2, 4)]], title="crossing")
    over_a_boundary = Doc(NLP.vocab, words=["a", "b"], sent_starts=[True, True])
    set_clusters(over_a_boundary, [[(0, 2)], [(1, 2)]])
    with pytest.warns(UserWarning, match=r"1 mention\(s\).*") as caught:
        assert write_bracketed([crossing]) == "=== crossing\n[a b|c1] [c d]\n"
    assert len(caught) == 1
    with pytest.warns(UserWarning, match=r"2 mention\(s\).*document 'crossing', document starting 'a b'"):
        text = write_bracketed([crossing, over_a_boundary])
    assert text.endswith("=== document 2\na\n[b]\n")
