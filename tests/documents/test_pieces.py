import itertools

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    MENTIONS_KEY,
    PREDICATES_KEY,
    Argument,
    Frame,
    Quotation,
    get_clusters,
    get_frames,
    get_predicates,
    get_quotations,
    has_clusters_annotated,
    has_frames_annotated,
    has_quotations_annotated,
    set_clusters,
    set_frames,
    set_mentions,
    set_predicates,
    set_quotations,
    set_speakers,
    set_title,
)
from spacy_span_selector.documents.pieces import cut_doc

VOCAB = Vocab()
WORDS = ["Ann", "left", ".", "Oh", ".", "Bob", "saw", "her", "."]
SENTENCES = (3, 2, 4)
LEFT = Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01", [1.0, 0.5])
SAW = Frame(6, 7, [Argument(5, 6, "ARG0"), Argument(7, 8, "ARG1")], "see.01")


def make_doc(lengths: tuple[int, ...] = SENTENCES, words: list[str] = WORDS, spaces: list[bool] | None = None) -> Doc:
    starts: list[bool | int | None] = [i == 0 for length in lengths for i in range(length)]
    return Doc(VOCAB, words=words, spaces=spaces, sent_starts=starts)


@pytest.fixture
def doc() -> Doc:
    return make_doc()


@settings(deadline=None)
@given(st.lists(st.integers(1, 6), max_size=8), st.integers(1, 12))
def test_pieces_are_whole_sentences_and_as_long_as_they_may_be(lengths: list[int], max_words: int) -> None:
    doc = make_doc(tuple(lengths), [str(i) for i in range(sum(lengths))])
    pieces = cut_doc(doc, max_words)
    assert [token.text for piece in pieces for token in piece] == [token.text for token in doc]
    assert [len(sentence) for piece in pieces for sentence in piece.sents] == lengths
    for piece in pieces:
        assert len(piece) <= max_words or len(list(piece.sents)) == 1
    for piece, following in itertools.pairwise(pieces):
        assert len(piece) + len(next(following.sents)) > max_words


def test_a_short_document_is_left_as_it_is(doc: Doc) -> None:
    assert cut_doc(doc, 9) == [doc]
    unsentenced = Doc(VOCAB, words=WORDS)
    assert cut_doc(unsentenced, 9) == [unsentenced]


def test_frames_go_with_their_sentences_and_the_arguments_beside_them(doc: Doc) -> None:
    over_the_cut = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(5, 6, "ARG1")], "leave.01", [1.0, 0.5, 0.25])
    set_frames(doc, [over_the_cut, SAW])
    first, second = cut_doc(doc, 5)
    assert get_frames(first) == [LEFT]
    assert get_frames(second) == [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG1")], "see.01")]
    assert set(second.spans) == {"srl_2"}


def test_a_piece_is_annotated_if_its_document_is(doc: Doc) -> None:
    for piece in cut_doc(doc, 3):
        assert not has_frames_annotated(piece) and not has_clusters_annotated(piece)
    set_frames(doc, [LEFT, SAW])
    set_clusters(doc, [[(0, 1), (7, 8)]])
    set_mentions(doc, [(0, 1), (7, 8)], [0.5, 0.5])
    first, second, third = cut_doc(doc, 3)
    for piece in (first, second, third):
        assert has_frames_annotated(piece) and has_clusters_annotated(piece)
    assert get_predicates(second) == get_frames(second) == get_clusters(second) == []
    assert get_predicates(first) is None


def test_given_predicates_stay_given_where_there_are_none_unless_they_have_frames(doc: Doc) -> None:
    set_predicates(doc, [(1, 2), (6, 7)])
    assert [get_predicates(piece) for piece in cut_doc(doc, 3)] == [[(1, 2)], [], [(1, 2)]]
    set_predicates(doc, [(1, 2)])
    set_frames(doc, [LEFT])
    assert [get_predicates(piece) for piece in cut_doc(doc, 3)] == [[(1, 2)], None, None]


def test_empty_groups_are_kept(doc: Doc) -> None:
    set_predicates(doc, [])
    set_mentions(doc, [], [])
    for piece in cut_doc(doc, 3):
        assert set(piece.spans) == {PREDICATES_KEY, MENTIONS_KEY}
        assert has_frames_annotated(piece) and has_clusters_annotated(piece)


@pytest.mark.parametrize("key", ["sc", "people", "layer_1"])
def test_a_group_without_spans_in_a_piece_is_there_and_empty(doc: Doc, key: str) -> None:
    doc.spans[key] = [Span(doc, 0, 1, "PERSON"), Span(doc, 2, 4, "OVER_THE_CUT"), Span(doc, 7, 8, "PERSON")]
    found = [[(span.start, span.label_) for span in piece.spans[key]] for piece in cut_doc(doc, 3)]
    assert found == [[(0, "PERSON")], [], [(2, "PERSON")]]


def test_clusters_and_frames_of_any_prefix_are_lost_with_their_spans(doc: Doc) -> None:
    set_clusters(doc, [[(0, 1)]], prefix="people", mentions_key="people")
    set_mentions(doc, [(0, 1)], None, "people")
    set_clusters(doc, [[(0, 1)]], prefix="people", mentions_key="people")
    set_frames(doc, [LEFT], prefix="roles")
    set_quotations(doc, [Quotation(0, 2)])
    first, *others = (set(piece.spans) for piece in cut_doc(doc, 3))
    assert first == {"people_1", "people", "roles_1", "quotations_1"}
    assert others == [{"people", "quotations"}] * 2


def test_spans_over_a_cut_are_lost_and_clusters_fall_apart(doc: Doc) -> None:
    set_clusters(doc, [[(0, 1), (7, 8)]])
    set_speakers(doc, [(0, 5, "Leo"), (5, 9, "Ruth"), (3, 9, "both")])
    first, second = cut_doc(doc, 5)
    assert get_clusters(first) == [[(0, 1)]] and get_clusters(second) == [[(2, 3)]]
    assert [(span.start, span.end, span.label_) for span in second.spans["speakers"]] == [(0, 4, "Ruth")]
    assert [span.label_ for span in first.spans["speakers"]] == ["Leo"]


def test_a_quotation_stays_with_its_words_and_those_who_are_named_beside_it(doc: Doc) -> None:
    said = Quotation(6, 9, speaker=(5, 6), addressee=(0, 1), score=0.5)
    set_quotations(doc, [said, Quotation(2, 4, speaker=(0, 1))])
    first, second = cut_doc(doc, 5)
    assert get_quotations(first) == [Quotation(2, 4, speaker=(0, 1))]
    assert get_quotations(second) == [Quotation(1, 4, speaker=(0, 1), score=0.5)]
    assert [get_quotations(piece) for piece in cut_doc(doc, 3)] == [[], [], [Quotation(1, 4, (0, 1), None, None, 0.5)]]
    assert all(map(has_quotations_annotated, cut_doc(doc, 3)))


def test_scores_and_antecedents_follow_the_spans_that_remain(doc: Doc) -> None:
    set_mentions(doc, [(0, 1), (4, 6), (5, 6), (7, 8)], [0.5, 0.75, 0.25, 1.0])
    mentions = [(0, 1), (3, 4), (5, 6), (7, 8), (8, 9)]
    set_clusters(doc, [mentions], antecedents=[[None, (0, 1), None, (0, 1), (7, 8)]])
    set_frames(doc, [LEFT, SAW])
    before = doc.to_bytes()
    pieces = cut_doc(doc, 5)
    assert [piece.spans[MENTIONS_KEY].attrs["scores"] for piece in pieces] == [[0.5], [0.25, 1.0]]
    found = [piece.spans["coref_clusters_1"].attrs["antecedents"] for piece in pieces]
    assert found == [[None, 0], [None, None, 1]]
    assert doc.to_bytes() == before


def test_frames_and_predicates_may_have_other_keys(doc: Doc) -> None:
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(5, 6, "ARG1")])], prefix="roles")
    first, second = cut_doc(doc, 5, prefix="roles", predicates_key="verbs")
    assert get_frames(first, "roles") == [Frame(1, 2, [Argument(0, 1, "ARG0")])]
    assert set(second.spans) == {"verbs"} and get_predicates(second, "verbs") == []
    set_predicates(doc, [(1, 2)], "verbs")
    assert [get_predicates(piece, "verbs") for piece in cut_doc(doc, 5, predicates_key="verbs")] == [[(1, 2)], []]


def test_titles_and_what_is_known_of_spans_and_groups_are_kept(doc: Doc) -> None:
    set_title(doc, "the visit")
    span = Span(doc, 7, 8, label="PERSON", kb_id="Q1", span_id="s1")
    doc.spans["people"] = SpanGroup(doc, name="who", attrs={"source": "me"}, spans=[span])
    first, second = cut_doc(doc, 5)
    (moved,) = second.spans["people"]
    assert (moved.start, moved.label_, moved.kb_id_, moved.id_) == (2, "PERSON", "Q1", "s1")
    assert (second.spans["people"].name, second.spans["people"].attrs) == ("who", {"source": "me"})
    assert first.user_data == second.user_data == {"title": "the visit"}


@pytest.mark.parametrize("spaces", [None, [True] * 8 + [False]])
def test_unknown_spacing_stays_unknown(spaces: list[bool] | None) -> None:
    for piece in cut_doc(make_doc(spaces=spaces), 5):
        assert piece.has_unknown_spaces is (spaces is None)
