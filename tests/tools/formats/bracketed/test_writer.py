import warnings
from itertools import pairwise

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    Argument,
    Frame,
    cluster_groups,
    get_clusters,
    get_frames,
    get_labelled_spans,
    get_predicates,
    get_title,
    has_clusters_annotated,
    has_frames_annotated,
    has_labelled_spans_annotated,
    set_clusters,
    set_frames,
    set_labelled_spans,
    set_predicates,
    set_speakers,
    set_title,
)
from spacy_span_selector.tools.formats.bracketed import parse_bracketed, write_bracketed

NLP = spacy.blank("en")
STATION = """=== the station
[[Her|ann] brother|tom] met [Dr. Bell|bell] at [a café].
> [ARG0 Her brother] [V=meet.03 met] [ARG1 Dr. Bell] [ARGM-LOC at a café].
@Ann Lee: [I|ann] know \\[it\\], \\| \\\\.
> [ARG0 I] [V know] [ARG1 \\[it\\], \\|] \\\\.
> I [V=know.02 know] \\[[ARG1 it]\\], \\| \\\\.
\\@home [[she|ann]|b] ran.
@C\\: D\\\\E: # no comment

=== empty

=== nothing done
\\> Quiet!
>
Yes.

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
        "title": get_title(doc),
        "words": [token.text for token in doc],
        "sentence starts": [token.is_sent_start for token in doc],
        "clusters": get_clusters(doc),
        "names": [group.attrs.get("name", "") for group in cluster_groups(doc)],
        "frames": get_frames(doc),
        "frames annotated": has_frames_annotated(doc),
        "labelled": sorted(get_labelled_spans(doc)),
        "labelled annotated": has_labelled_spans_annotated(doc),
        "speakers": {token.i: turn.label_ for turn in turns for token in turn},
    }


def test_a_text_in_normal_form_is_written_as_it_was_read():
    assert write_bracketed(parse_bracketed(STATION, NLP)) == STATION


WORDS = st.text(st.sampled_from("ab[]|\\#=@:>é—'."), min_size=1, max_size=4)
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=4)


@st.composite
def frames_of(draw: st.DrawFn, sentence: Span) -> Frame:
    """A frame of a sentence: neighbouring spans, of which one is the predicate and some have roles."""
    inner = draw(st.sets(st.integers(sentence.start, sentence.end)))
    edges = sorted(inner | {sentence.start, sentence.end})
    spans = list(pairwise(edges))
    predicate = draw(st.sampled_from(spans))
    roles = [draw(st.sampled_from(["", "ARG0", "C-ARG1", "é:=@"])) for _ in spans]
    arguments = [Argument(*span, role) for span, role in zip(spans, roles, strict=True) if role and span != predicate]
    return Frame(*predicate, arguments, draw(st.sampled_from([None, "give.01", "a=b"])))


@st.composite
def documents(draw: st.DrawFn) -> Doc:
    """A document of odd words with non-crossing mentions inside sentences, names, frames, labels and speakers."""
    sentences = draw(SENTENCES)
    doc = Doc(
        NLP.vocab,
        words=[word for sentence in sentences for word in sentence],
        sent_starts=[i == 0 for sentence in sentences for i in range(len(sentence))],
    )
    set_title(doc, "odd")
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
    if draw(st.booleans()):
        frames = draw(st.lists(st.sampled_from(list(doc.sents)).flatmap(frames_of), max_size=4))
        set_frames(doc, frames)
    if draw(st.booleans()):
        labels = st.sampled_from(["PER", "V=", "+", "é:=@"])
        labelled = st.lists(st.tuples(st.sampled_from(spans), labels), max_size=6, unique=True)
        set_labelled_spans(doc, [(*span, label) for span, label in draw(labelled)])
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
        set_title(doc, title)
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
    with pytest.warns(UserWarning, match=r"^1 name\(s\) of clusters left out"):
        assert write_bracketed([doc]) == "=== document 1\n[a|c1] [a|c1]\n"


def test_titles_are_made_different():
    docs = [make_doc("x", [], title="a\n b"), make_doc("y", [], title="a b"), make_doc("z", [])]
    titles = [get_title(doc) for doc in parse_bracketed(write_bracketed(docs), NLP)]
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


def make_frames_doc(text: str, frames: list[Frame], *, title: str | None = None) -> Doc:
    doc = make_doc(text, [], title=title)
    set_frames(doc, frames)
    return doc


def test_a_document_with_frames_only_stays_so():
    doc = make_frames_doc("a b c", [Frame(1, 2, [Argument(0, 1, "ARG0")])])
    text = write_bracketed([doc])
    (restored,) = parse_bracketed(text, NLP)
    assert text == "=== document 1\na b c\n> [ARG0 a] [V b] c\n"
    assert not has_clusters_annotated(restored)


def test_annotated_without_predicates_differs_from_not_annotated():
    doc = make_doc("a b", [])
    assert write_bracketed([doc]) == "=== document 1\na b\n"
    set_predicates(doc, [(0, 1)])
    assert write_bracketed([doc]) == "=== document 1\na b\n"
    set_predicates(doc, [])
    assert write_bracketed([doc]) == "=== document 1\na b\n>\n"
    (restored,) = parse_bracketed(write_bracketed([doc]), NLP)
    assert get_predicates(restored) == []


def test_frames_of_one_predicate_keep_their_order():
    frames = [Frame(0, 1, [], "b.02"), Frame(0, 1, [Argument(1, 2, "ARG1")], "a.01"), Frame(0, 1, [])]
    doc = make_frames_doc("a b", frames)
    assert write_bracketed([doc]) == "=== document 1\na b\n> [V=b.02 a] b\n> [V=a.01 a] [ARG1 b]\n> [V a] b\n"


def test_white_space_around_predicates_and_arguments_is_left_outside():
    doc = NLP("Ann  \n ran\n far.")
    set_frames(doc, [Frame(1, 4, [Argument(0, 2, "ARG0"), Argument(3, 5, "ARG1")])])
    assert [token.text for token in doc] == ["Ann", " \n ", "ran", "\n ", "far", "."]
    assert write_bracketed([doc]) == "=== document 1\nAnn ran far.\n> [ARG0 Ann] [V ran] [ARG1 far].\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([(0, 1, "ARG0"), (0, 2, "ARG1")], "> [ARG1 a b] [V c] d"),
        ([(0, 1, "ARG0"), (0, 1, "ARG1")], "> [ARG0 a] b [V c] d"),
        ([(0, 2, "ARG0"), (1, 2, "ARG1")], "> [ARG0 a b] [V c] d"),
        ([(0, 3, "ARG0"), (3, 4, "ARG1")], "> a b [V c] [ARG1 d]"),
        ([(3, 5, "ARG0"), (0, 1, "ARG1")], "> [ARG1 a] b [V c] d"),
        ([(4, 5, "ARG0"), (0, 1, "ARG1")], "> [ARG1 a] b [V c] d"),
        ([(0, 1, "ARG 0"), (1, 2, "ARG1")], "> a [ARG1 b] [V c] d"),
        ([(0, 1, ""), (1, 2, "ARG1")], "> a [ARG1 b] [V c] d"),
        ([(0, 1, "V"), (1, 2, "ARG1")], "> a [ARG1 b] [V c] d"),
        ([(0, 1, "V=a.01"), (1, 2, "ARG1")], "> a [ARG1 b] [V c] d"),
    ],
)
def test_arguments_that_the_format_cannot_hold_are_left_out(arguments: list[tuple[int, int, str]], line: str):
    doc = Doc(NLP.vocab, words=list("abcde"), sent_starts=[True, False, False, False, True])
    set_frames(doc, [Frame(2, 3, [Argument(*argument) for argument in arguments])])
    with pytest.warns(UserWarning, match=r"^1 predicate\(s\), argument\(s\) or roleset\(s\) left out"):
        assert write_bracketed([doc]) == f"=== document 1\na b c d\n{line}\ne\n"


def test_a_roleset_that_the_format_cannot_hold_is_left_out():
    with pytest.warns(UserWarning, match=r"^1 predicate\(s\), argument\(s\) or roleset\(s\) left out"):
        assert write_bracketed([make_frames_doc("a", [Frame(0, 1, [], "go on")])]) == "=== document 1\na\n> [V a]\n"


def test_predicates_that_cross_a_sentence_boundary_are_left_out_with_their_frames():
    doc = Doc(NLP.vocab, words=["a", "b", " "], sent_starts=[True, True, False])
    set_frames(doc, [Frame(0, 2, [Argument(0, 1, "ARG0")]), Frame(2, 3, [])])
    with pytest.warns(UserWarning, match=r"^2 predicate\(s\).*document starting 'a b"):
        assert write_bracketed([doc]) == "=== document 1\na\nb\n"


def test_mentions_and_frames_that_are_left_out_are_counted_apart():
    doc = make_doc("a b c", [[(0, 2), (1, 3)]])
    set_frames(doc, [Frame(0, 1, [Argument(1, 2, "A B")])])
    other = make_frames_doc("a b", [Frame(0, 1, [Argument(0, 2, "ARG1")])], title="harbour")
    with pytest.warns(UserWarning) as caught:
        write_bracketed([doc, other])
    mentions, frames = (str(warning.message) for warning in caught)
    assert mentions.startswith("1 mention(s)")
    assert frames.startswith("2 predicate(s)")
    assert "document 'harbour'" in frames
    assert "harbour" not in mentions


def test_names_that_cannot_be_typed_are_counted():
    doc = Doc(Vocab(), words=["She", "left", "him"])
    set_clusters(doc, [[(0, 1)], [(2, 3)], [(1, 2)]], names=["Ann Lee", "tom", "tom"])
    with pytest.warns(
        UserWarning, match=r"^2 name\(s\) of clusters left out of the bracketed text: they cannot be typed"
    ):
        assert "[She] [left|tom] [him]" in write_bracketed([doc])


@pytest.mark.parametrize("turns", [[(0, 2, "Ann"), (2, 3, "Tom")], [(0, 1, "Ann")], [(0, 3, "Ann\tLee")]])
def test_sentences_that_are_not_said_by_one_speaker_are_counted(turns: list[tuple[int, int, str]]):
    doc = Doc(Vocab(), words=["She", "left", "him"])
    set_speakers(doc, turns)
    with pytest.warns(UserWarning, match=r"^1 speaker\(s\) of sentences left out of the bracketed text: they change"):
        assert "@Ann" in write_bracketed([doc])


def test_the_first_word_says_who_speaks():
    doc = NLP("\nShe left.")
    set_speakers(doc, [(1, 4, "Ann")])
    assert "@Ann: She left." in write_bracketed([doc])
