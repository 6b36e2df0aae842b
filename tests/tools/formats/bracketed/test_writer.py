import warnings
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame, Mention, Quotation
from spacy_span_selector.tools.formats.bracketed import parse_bracketed, write_bracketed
from spacy_span_selector.tools.formats.litbank import read_litbank

from ....corpora import LITBANK, needs
from ....parsing import NLP
from .helpers import WORD_NLP, quotations

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
[]
<
>
Yes.

=== the café
[Her brother|tom] saw [Dr. Bell|bell].
[] [PERSON [PERSON Her] brother] saw [PERSON [TITLE Dr.] Bell].
\\[\\] [He|tom] liked [it].
[] \\[\\] [PERSON He] liked it.

=== lines
a b
> [V=b.02 a] b
> [V=a.01 a] [ARG1 b]
> [V a] b
a b c d
[] [X a [Z b]] [X c d]
[] a [Y b c] d

=== the stairs
“Come up,” said [Ann|ann] to [Tom|tom]. “It is late.
< [ann>tom “Come up,”] said Ann to Tom. “It is late.
< “Come up,” said Ann to Tom. [ann “It is late.]
‘Now,’ [she|ann] says!” “Why?”
< [+ ‘Now,’ she says!”] “Why?”
< [ann ‘Now,’] she says!” “Why?”
< ‘Now,’ she says!” [? “Why?”]
\\< No more.

=== the end
\\=== [# 1]
\\# [Ann|ann] left [[[her|ann] old dog]].
"""


def test_a_text_in_normal_form_is_written_as_it_was_read():
    assert write_bracketed(parse_bracketed(STATION, NLP)) == STATION


def read_back(doc: Doc) -> tuple[Doc, str]:
    """A document that was written, from which nothing was left out, and its text."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = write_bracketed([doc])
    (restored,) = parse_bracketed(text, WORD_NLP)
    return restored, text


def summary(doc: Doc) -> dict[str, object]:
    """Everything that the format keeps."""
    return {
        "title": annotation.get_title(doc),
        "words": [token.text for token in doc],
        "sentence starts": [token.is_sent_start for token in doc],
        "clusters": annotation.get_clusters(doc),
        "names": [group.attrs.get("name", "") for group in annotation.cluster_groups(doc)],
        "frames": annotation.get_frames(doc),
        "frames annotated": annotation.has_frames_annotated(doc),
        "labelled": sorted(annotation.get_labelled_spans(doc)),
        "labelled annotated": annotation.has_labelled_spans_annotated(doc),
        "speakers": {token.i: turn.label_ for turn in doc.spans.get("speakers", ()) for token in turn},
    }


WORDS = st.text(st.sampled_from("ab[]|\\#=@:>é—'."), min_size=1, max_size=4)
SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=4)


@st.composite
def frames_of(draw: st.DrawFn, sentence: Span) -> Frame:
    """A frame of a sentence: neighbouring spans, of which one is the predicate and some have roles."""
    inner = draw(st.sets(st.integers(sentence.start, sentence.end)))
    spans = list(pairwise(sorted(inner | {sentence.start, sentence.end})))
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
    annotation.set_title(doc, "odd")
    spans = [(a, b) for sent in doc.sents for a in range(sent.start, sent.end) for b in range(a + 1, sent.end + 1)]
    mentions: list[tuple[int, int]] = []
    for start, end in draw(st.lists(st.sampled_from(spans), max_size=8, unique=True)):
        if not any(s < start < e < end or start < s < end < e for s, e in mentions):
            mentions.append((start, end))
    clusters: dict[str, list[tuple[int, int]]] = {}
    for mention in mentions:
        for name in draw(st.lists(st.sampled_from(["x", "y", "ü-1"]), min_size=1, max_size=2, unique=True)):
            clusters.setdefault(name, []).append(mention)
    annotation.set_clusters(doc, list(clusters.values()), names=list(clusters))
    if draw(st.booleans()):
        annotation.set_frames(doc, draw(st.lists(st.sampled_from(list(doc.sents)).flatmap(frames_of), max_size=4)))
    if draw(st.booleans()):
        labels = st.sampled_from(["PER", "V=", "+", "é:=@"])
        labelled = st.lists(st.tuples(st.sampled_from(spans), labels), max_size=6, unique=True)
        annotation.set_labelled_spans(doc, [(*span, label) for span, label in draw(labelled)])
    speaker = st.sampled_from(["", "Ann", "A: B", "\\ [x] #|"])
    annotation.set_speakers(doc, [(sent.start, sent.end, label) for sent in doc.sents if (label := draw(speaker))])
    return doc


@given(doc=documents())
def test_reading_what_was_written_restores_the_document(doc: Doc):
    assert summary(read_back(doc)[0]) == summary(doc)


def quotations_of_clusters(doc: Doc) -> list[tuple[int, int, list[Mention], list[Mention]]]:
    """Each quotation with the cluster of who speaks, and who is spoken to."""
    of = {mention: cluster for cluster in annotation.get_clusters(doc) for mention in cluster}
    return sorted((start, end, of.get(a, []), of.get(b, [])) for start, end, a, b, *_ in annotation.get_quotations(doc))


@st.composite
def docs_with_quotations(draw: st.DrawFn) -> Doc:
    starts = [True, *draw(st.lists(st.booleans(), min_size=7, max_size=7))]
    doc = Doc(WORD_NLP.vocab, words=draw(st.permutations([*"abc<>?+", "“"])), sent_starts=starts)
    words = [(i, i + 1) for i in draw(st.permutations(range(8)))]
    annotation.set_clusters(doc, [words[:2], words[2:3], words[3:5]])
    persons = st.none() | st.sampled_from(words[:5])
    ends = st.tuples(st.integers(0, 7), st.integers(1, 8)).filter(lambda ends: ends[0] < ends[1])
    found: list[Quotation] = []
    for start, end in draw(st.lists(ends, max_size=5)):
        if not any(a < start < b < end or start < a < end < b for a, b, *_ in found):
            found.append(Quotation(start, end, draw(persons), draw(persons)))
    annotation.set_quotations(doc, found)
    return doc


@given(docs_with_quotations())
def test_quotations_read_back_with_the_clusters_of_their_persons(doc: Doc):
    restored, text = read_back(doc)
    assert quotations_of_clusters(restored) == quotations_of_clusters(doc)
    assert write_bracketed([restored]) == text


@pytest.mark.slow
@needs(LITBANK)
def test_the_quotations_of_litbank_read_back():
    docs = read_litbank(LITBANK, NLP.vocab)
    with pytest.warns(UserWarning, match=r"(?m)^Left out mentions that cross .*: 2\. ") as caught:
        restored = parse_bracketed(write_bracketed(docs), WORD_NLP)
    message = str(caught[0].message)
    assert message.startswith("Left out the types that documents are annotated for") and ": 100. " in message
    assert message.count("Left out") == 2
    assert [[quotation[:2] for quotation in annotation.get_quotations(doc)] for doc in restored] == [
        [quotation[:2] for quotation in annotation.get_quotations(doc)] for doc in docs
    ]
    assert all(quotation.speaker is not None for doc in restored for quotation in annotation.get_quotations(doc))


def make_doc(text: str, clusters: list[list[tuple[int, int]]], *, title: str | None = None) -> Doc:
    doc = Doc(NLP.vocab, words=text.split())
    if title:
        annotation.set_title(doc, title)
    annotation.set_clusters(doc, clusters)
    return doc


def test_clusters_without_a_name_are_numbered_and_singletons_stay_bare():
    doc = make_doc("a b a c", [[(0, 1), (2, 3)], [(1, 2)], [(3, 4)]])
    assert write_bracketed([doc]) == "=== document 1\n[a|c1] [b] [a|c1] [c]\n"


def test_generated_names_avoid_given_ones():
    doc = make_doc("a b a b", [[(0, 1), (2, 3)], [(1, 2), (3, 4)]])
    doc.spans["coref_clusters_2"].attrs["name"] = "c1"
    assert write_bracketed([doc]) == "=== document 1\n[a|c1-2] [b|c1] [a|c1-2] [b|c1]\n"


def test_titles_are_made_different():
    docs = [make_doc("x", [], title="a\n b"), make_doc("y", [], title="a b"), make_doc("z", [])]
    titles = [annotation.get_title(doc) for doc in parse_bracketed(write_bracketed(docs), NLP)]
    assert titles == ["a b", "a b-2", "document 3"]


def test_text_without_sentences_is_one_line():
    doc = NLP("Ann  left.\n\nShe ran.")
    annotation.set_clusters(doc, [[(0, 2), (4, 6)]])
    assert write_bracketed([doc]) == "=== document 1\n[Ann|c1] left. [She|c1] ran.\n"


def test_a_turn_of_several_sentences_names_the_speaker_in_each():
    doc = Doc(NLP.vocab, words=["I", "go", "You", "stay"], sent_starts=[True, False, True, False])
    annotation.set_speakers(doc, [(0, 4, "Ann")])
    assert write_bracketed([doc]) == "=== document 1\n@Ann: I go\n@Ann: You stay\n"


def test_the_first_word_says_who_speaks():
    doc = NLP("\nShe left.")
    annotation.set_speakers(doc, [(1, 4, "Ann")])
    assert "@Ann: She left." in write_bracketed([doc])


def make_frames_doc(text: str, frames: list[Frame], *, title: str | None = None) -> Doc:
    doc = make_doc(text, [], title=title)
    annotation.set_frames(doc, frames)
    return doc


def test_a_document_with_frames_only_stays_so():
    restored, text = read_back(make_frames_doc("a b c", [Frame(1, 2, [Argument(0, 1, "ARG0")])]))
    assert text == "=== document 1\na b c\n> [ARG0 a] [V b] c\n"
    assert not annotation.has_clusters_annotated(restored)


@pytest.mark.parametrize(("predicates", "lines"), [(None, ""), ([], ">\n")])
def test_annotated_without_predicates_differs_from_not_annotated(predicates: list[Mention] | None, lines: str):
    doc = make_doc("a b", [])
    if predicates is not None:
        annotation.set_predicates(doc, predicates)
    restored, text = read_back(doc)
    assert text == f"=== document 1\na b\n{lines}"
    assert annotation.get_predicates(restored) == ([] if lines else None)


def test_white_space_around_predicates_and_arguments_is_left_outside():
    doc = NLP("Ann  \n ran\n far.")
    annotation.set_frames(doc, [Frame(1, 4, [Argument(0, 2, "ARG0"), Argument(3, 5, "ARG1")])])
    assert [token.text for token in doc] == ["Ann", " \n ", "ran", "\n ", "far", "."]
    assert write_bracketed([doc]) == "=== document 1\nAnn ran far.\n> [ARG0 Ann] [V ran] [ARG1 far].\n"


def write_with_loss(lost: str, *docs: Doc) -> str:
    """The text of documents, without the heading of the first, and what the warning says must match from its start."""
    with pytest.warns(UserWarning, match=rf"^Left out {lost}") as caught:
        text = write_bracketed(docs)
    assert len(caught) == 1
    return text.partition("\n")[2]


def test_given_predicates_without_frames_and_typed_cues_are_left_out():
    doc = make_doc("a b", [])
    annotation.set_predicates(doc, [(0, 1)])
    text = write_with_loss(r"given predicates without frames: 1\. The first: document s[^\n]*$", doc)
    assert text == "a b\n"
    restored = parse_bracketed(f"=== a\n{text}", NLP)[0]
    assert annotation.get_predicates(restored) is None
    doc = make_doc("a b c", [])
    annotation.set_quotations(doc, [Quotation(0, 1, cue=(1, 2)), Quotation(2, 3, cue=(1, 2), score=0.5)])
    assert write_with_loss(r"cues of quotations: 1\. The first: ", doc).startswith("a b c\n")


def test_mentions_that_cross_are_left_out():
    crossing = make_doc("a b c d", [[(0, 2), (1, 3)], [(2, 4)]], title="crossing")
    over_a_boundary = Doc(NLP.vocab, words=["a", "b"], sent_starts=[True, True])
    annotation.set_clusters(over_a_boundary, [[(0, 2)], [(1, 2)]])
    assert write_with_loss(r"mentions that cross .*: 1\.", crossing) == "[a b|c1] [c d]\n"
    both = r"mentions that cross .*: 2\. The first: document 'crossing'\n    document starting 'a b'$"
    assert write_with_loss(both, crossing, over_a_boundary).endswith("=== document 2\na\n[b]\n")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([(0, 1, "ARG0"), (0, 2, "ARG1")], "> [ARG1 a b] [V c] d"),
        ([(0, 1, "ARG0"), (0, 1, "ARG1")], "> [ARG0 a] b [V c] d"),
        ([(0, 2, "ARG0"), (1, 2, "ARG1")], "> [ARG0 a b] [V c] d"),
        ([(0, 3, "ARG0"), (3, 4, "ARG1")], "> a b [V c] [ARG1 d]"),
        ([(3, 5, "ARG0"), (0, 1, "ARG1")], "> [ARG1 a] b [V c] d"),
        ([(4, 5, "ARG0"), (0, 1, "ARG1")], "> [ARG1 a] b [V c] d"),
        *(([(0, 1, role), (1, 2, "ARG1")], "> a [ARG1 b] [V c] d") for role in ("ARG 0", "", "V", "V=a.01")),
    ],
)
def test_arguments_that_the_format_cannot_hold_are_left_out(arguments: list[tuple[int, int, str]], line: str):
    doc = Doc(NLP.vocab, words=list("abcde"), sent_starts=[True, False, False, False, True])
    annotation.set_frames(doc, [Frame(2, 3, [Argument(*argument) for argument in arguments])])
    assert write_with_loss(r"predicates, arguments and rolesets that .*: 1\.", doc) == f"a b c d\n{line}\ne\n"


def test_a_roleset_that_the_format_cannot_hold_is_left_out():
    doc = make_frames_doc("a", [Frame(0, 1, [], "go on")])
    assert write_with_loss(r"predicates, arguments and rolesets that .*: 1\.", doc) == "a\n> [V a]\n"


def test_predicates_that_cross_a_sentence_boundary_are_left_out_with_their_frames():
    doc = Doc(NLP.vocab, words=["a", "b", " "], sent_starts=[True, True, False])
    annotation.set_frames(doc, [Frame(0, 2, [Argument(0, 1, "ARG0")]), Frame(2, 3, [])])
    assert write_with_loss(r"predicates, .*: 2\. The first: document starting 'a b", doc) == "a\nb\n"


def test_mentions_and_frames_that_are_left_out_are_counted_apart():
    doc = make_doc("a b c", [[(0, 2), (1, 3)]])
    annotation.set_frames(doc, [Frame(0, 1, [Argument(1, 2, "A B")])])
    other = make_frames_doc("a b", [Frame(0, 1, [Argument(0, 2, "ARG1")])], title="harbour")
    mentions = r"mentions that .*: 1\. The first: document starting 'a b c'"
    frames = r"predicates, .*: 2\. The first: document starting 'a b c'\n    document 'harbour'$"
    write_with_loss(rf"{mentions}\nLeft out {frames}", doc, other)


@pytest.mark.parametrize("name", ["two words", "a|b", "[", "a\\"])
def test_names_that_the_format_cannot_hold_are_replaced(name: str):
    doc = make_doc("a a", [[(0, 1), (1, 2)]])
    doc.spans["coref_clusters_1"].attrs["name"] = name
    assert write_with_loss(r"names of clusters that can't be typed, .*: 1\.", doc) == "[a|c1] [a|c1]\n"


def test_names_that_cannot_be_typed_are_counted():
    doc = Doc(Vocab(), words=["She", "left", "him"])
    annotation.set_clusters(doc, [[(0, 1)], [(2, 3)], [(1, 2)]], names=["Ann Lee", "tom", "tom"])
    assert "[She] [left|tom] [him]" in write_with_loss(r"names of clusters that can't be typed, .*: 2\.", doc)


@pytest.mark.parametrize("turns", [[(0, 2, "Ann"), (2, 3, "Tom")], [(0, 1, "Ann")], [(0, 3, "Ann\tLee")]])
def test_sentences_that_are_not_said_by_one_speaker_are_counted(turns: list[tuple[int, int, str]]):
    doc = Doc(Vocab(), words=["She", "left", "him"])
    annotation.set_speakers(doc, turns)
    assert "@Ann" in write_with_loss(r"speakers who change within a sentence, .*: 1\.", doc)


def test_labelled_spans_that_the_format_cannot_hold_are_left_out():
    doc = Doc(NLP.vocab, words=["a", " ", "b", "c", "d"], sent_starts=[True, False, False, False, True])
    unwritable = [(2, 5, "X"), (3, 4, "work of art"), (3, 4, ""), (1, 2, "X"), (1, 3, "X")]
    annotation.set_labelled_spans(doc, [(0, 1, "X"), (2, 3, "X"), *unwritable])
    assert write_with_loss(r"labelled spans that cross .*: 5\.", doc) == "a b c\n[] [X a] [X b] c\nd\n"


def test_quotations_that_cross_and_persons_in_no_cluster_are_left_out():
    doc = make_doc("a b c d e f", [[(0, 1)]])
    annotation.set_quotations(doc, [Quotation(1, 4, speaker=(0, 1)), Quotation(2, 6), Quotation(4, 5, speaker=(5, 6))])
    text = write_with_loss(r"quotations that cross another one, .*: 2\.", doc)
    assert text == "[a|c1] b c d e f\n< a [c1 b c d] e f\n< a b c d [? e] f\n"


def test_a_speaker_whose_mentions_cannot_be_written_is_left_out():
    doc = Doc(NLP.vocab, words=list("abc"), sent_starts=[True, True, False])
    annotation.set_clusters(doc, [[(0, 2)]])
    annotation.set_quotations(doc, [Quotation(2, 3, speaker=(0, 2))])
    text = write_with_loss(r"mentions that .*: 1\. .*\nLeft out quotations that .*: 1\.", doc)
    (restored,) = parse_bracketed(text, NLP)
    assert quotations(restored) == [("c", "", "")]
