import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame
from spacy_span_selector.documents.given import GivenAnnotation, copy_words

from ..spans import put_spans

VOCAB = Vocab()
WORDS = ["<speaker>", "Ann", "</speaker>", "Leo", "left", ".", "Ruth", "can", "not", "."]
OTHER_WORDS = ["<speaker>", "Ann </speaker>", "Leo", "left", ".", "Ruth", "cannot", "."]
TURNS = [(3, 10, "Ann")]
FRAMES = [Frame(4, 5, [Argument(3, 4, "ARG0")]), Frame(7, 9, [])]


def make_example(words: list[str] | None = None, *, frames: list[Frame] = FRAMES) -> Example:
    """A gold document of WORDS, and one of other words with the same text, for a pipeline."""
    spaces = [word != "can" for word in WORDS]
    reference = Doc(VOCAB, words=WORDS, spaces=spaces, sent_starts=[word in ("Leo", "Ruth") for word in WORDS])
    annotation.set_title(reference, "the visit")
    annotation.set_clusters(reference, [[(3, 4)]])
    annotation.set_frames(reference, frames)
    annotation.set_speakers(reference, TURNS)
    return Example(Doc(VOCAB, words=words or WORDS, spaces=None if words else spaces), reference)


@pytest.fixture
def example() -> Example:
    return make_example()


@pytest.mark.parametrize("spaces", [None, [True, False]])
def test_words_are_copied_with_their_spacing(spaces: list[bool] | None) -> None:
    doc = Doc(VOCAB, words=["Ann", "left"], spaces=spaces, tags=["NNP", "VBD"], sent_starts=[True, False])
    words = copy_words(doc)
    assert (words.text, words.has_unknown_spaces) == (doc.text, spaces is None)
    assert not words.has_annotation("TAG") and not words.has_annotation("SENT_START")


def test_title_and_paragraphs_are_always_given(example: Example) -> None:
    annotation.set_paragraphs(example.reference, [(0, 6), (6, 10)])
    GivenAnnotation(sentences=False, speakers=False).copy(example)
    assert set(example.predicted.spans) == {"paragraphs"}
    assert annotation.get_paragraphs(example.predicted) == [(0, 6), (6, 10)]
    assert annotation.get_title(example.predicted) == "the visit"
    assert not example.predicted.has_annotation("SENT_START")


@pytest.mark.parametrize("predicates", [[(4, 6)], []])
def test_given_predicates_come_before_frames(example: Example, predicates: list[tuple[int, int]]) -> None:
    annotation.set_predicates(example.reference, predicates, "verbs")
    GivenAnnotation(predicates=True, predicates_key="verbs").copy(example)
    assert annotation.get_predicates(example.predicted, "verbs") == predicates


def test_a_reference_annotated_without_frames_gives_an_empty_group() -> None:
    example = make_example(frames=[])
    GivenAnnotation(predicates=True).copy(example)
    assert annotation.get_predicates(example.predicted) == []


def test_mentions_of_clusters_are_given_in_the_order_of_the_text(example: Example) -> None:
    annotation.set_clusters(example.reference, [[(6, 7), (3, 4)], [(6, 9)], [(6, 7)]], prefix="people")
    GivenAnnotation(mentions=True, cluster_prefix="people", given_key="known").copy(example)
    known = example.predicted.spans["known"]
    assert [(span.start, span.end) for span in known] == [(3, 4), (6, 7), (6, 9)]


def test_a_reference_without_clusters_gives_no_mentions(example: Example) -> None:
    del example.reference.spans["coref_clusters_1"]
    GivenAnnotation(mentions=True).copy(example)
    assert "coref_given" not in example.predicted.spans
    annotation.set_clusters(example.reference, [])  # annotated: there are none
    GivenAnnotation(mentions=True).copy(example)
    assert len(example.predicted.spans["coref_given"]) == 0


def test_what_does_not_align_is_left_out_and_counted() -> None:
    example = make_example(["<speaker>", "Ann", "</speaker> Leo left", ".", "Ruth", "can not", "."])
    annotation.set_clusters(example.reference, [[(3, 4), (6, 9)]])
    lost = GivenAnnotation(predicates=True, mentions=True).copy(example)
    assert +lost == {"predicate": 1, "turn of a speaker": 1, "mention": 1}
    assert [span.text for span in example.predicted.spans["coref_given"]] == ["Ruth can not"]
    assert annotation.get_predicates(example.predicted) == [(5, 6)]
    assert annotation.get_speakers(example.predicted) == []


def test_other_tokens_are_aligned() -> None:
    example = make_example(OTHER_WORDS)
    annotation.set_paragraphs(example.reference, [(0, 6), (6, 10)])
    assert not GivenAnnotation(predicates=True).copy(example).total()
    predicted = example.predicted
    assert annotation.get_speakers(predicted) == [(2, 8, "Ann")]
    assert annotation.get_predicates(predicted) == [(3, 4), (6, 7)]
    assert annotation.get_paragraphs(predicted) == [(0, 5), (5, 8)]
    assert [token.i for token in predicted if token.is_sent_start] == [0, 2, 5]


def test_words_of_a_copy_are_given_where_they_are_words_here_too() -> None:
    reference = Doc(VOCAB, words=["She", "saw", "him", "today"])
    annotation.set_counterparts(reference, [(0, 1, "He"), (2, 3, "her")])
    predicted = Doc(VOCAB, words=["She", "saw", "him", "to", "day"], spaces=[True, True, True, False, False])
    GivenAnnotation().copy(Example(predicted, reference))
    assert annotation.get_counterparts(predicted) == [(0, 1, "He"), (2, 3, "her")]


@pytest.mark.parametrize("words", [None, ["<speaker>", "Ann", "</speaker>", "Leo", "left", ".", "Ruth", "cannot", "."]])
def test_spans_without_tokens_are_left_out_and_counted(words: list[str] | None) -> None:
    example = make_example(words, frames=[FRAMES[0]])
    expected = make_example(words, frames=[FRAMES[0]])
    GivenAnnotation(predicates=True).copy(expected)
    put_spans(example.reference, "srl_7", (4, 4, "V"))
    put_spans(example.reference, "speakers", (3, 3, "Bob"), *TURNS)
    lost = GivenAnnotation(predicates=True).copy(example)
    assert +lost == {"predicate": 1, "turn of a speaker": 1}
    assert example.predicted.to_bytes() == expected.predicted.to_bytes()
