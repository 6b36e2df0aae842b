"""The quotations of a document and their scene: what is found, what is written, what is learnt from."""

import pytest
from spacy.tokens import Doc

from spacy_span_selector.annotation import Quotation, set_clusters, set_paragraphs, set_quotations
from spacy_span_selector.annotation.frames import Argument, Frame, set_frames
from spacy_span_selector.documents.cleaned import clean_doc
from spacy_span_selector.documents.quotations import FoundQuotation
from spacy_span_selector.extensions.frames import doc_frames
from spacy_span_selector.people.attribution import Attribution
from spacy_span_selector.people.scenes import (
    attribute_quotations,
    find_in_words,
    find_subjects,
    gold_attributions,
    outer_quotations,
    quotations_of,
    read_scene,
)

from ..untrained import pipeline_of

TOM = Attribution(speaker=0, addressee=1, speakers={0: 0.75, None: 0.25}, mention=0, addressee_mention=1, cue=(5, 7))


NLP = pipeline_of("en", "sentencizer")


def test_quotations_are_found_at_the_words_without_white_space() -> None:
    words = clean_doc(NLP('He said:\n\n"Go  now!"\n'))
    ((start, end, level),) = find_in_words(words)
    assert ([token.text for token in words.doc[start:end]], level) == (['"', "Go", "now", "!", '"'], 0)


def test_outer_quotations_do_not_overlap_and_are_in_no_other() -> None:
    found = [FoundQuotation(*q) for q in [(0, 5, 0), (1, 3, 1), (4, 8, 0), (5, 9, 0), (9, 10, 0)]]
    assert outer_quotations(found) == [(0, 5), (5, 9), (9, 10)]


def test_a_scene_is_read_without_white_space() -> None:
    words = clean_doc(NLP('Ann left.\n\n"Go," said Tom.'))
    set_frames(words.source, [Frame(8, 9, [Argument(9, 10, "ARG0"), Argument(4, 8, "ARG1")])])
    subjects = find_subjects(words, doc_frames(words.source))
    assert subjects == {7: 8}
    scene = read_scene(words, [(3, 7)], [(8, 9)], ["name"], [0], subjects)
    assert scene.subjects == subjects
    assert scene.words == ["Ann", "left", ".", '"', "Go", ",", '"', "said", "Tom", "."]
    assert (scene.sentences, scene.paragraphs) == ([0] * 3 + [1] * 7, [0] * 3 + [1] * 7)


def test_paragraphs_are_known_only_where_the_text_or_the_document_tells_them() -> None:
    doc = NLP("Ann left. Tom left.")
    assert read_scene(clean_doc(doc), [], [], [], []).paragraphs is None
    set_paragraphs(doc, [(0, 3), (3, 6)])
    paragraphs = read_scene(clean_doc(doc), [], [], [], []).paragraphs
    assert paragraphs is not None
    assert [*map(paragraphs.count, paragraphs)] == [3] * 6


def test_what_was_attributed_is_written_as_mentions() -> None:
    (found,) = quotations_of([FoundQuotation(0, 5)], [(0, 5)], [TOM], [(6, 7), (8, 9)])
    assert found == Quotation(0, 5, speaker=(6, 7), addressee=(8, 9), cue=(5, 7), score=0.75)


def test_words_in_marks_that_are_no_speech_are_left_out_with_what_is_inside() -> None:
    found = [FoundQuotation(*q) for q in [(0, 5, 0), (6, 12, 0), (7, 9, 1)]]
    written = quotations_of(found, [(0, 5), (6, 12)], [TOM, Attribution()], [(6, 7), (8, 9)])
    assert [quotation[:2] for quotation in written] == [(0, 5)]


def test_a_quotation_with_an_i_is_speech_although_its_speaker_is_in_no_other_cluster() -> None:
    of_i = Attribution(speaker=None, speakers={1: 0.4, None: 0.6}, mention=1)
    assert quotations_of([FoundQuotation(0, 5)], [(0, 5)], [of_i], [(6, 7), (1, 2)]) == [Quotation(0, 5, (1, 2))]


def test_ten_thousand_marks_in_a_row_are_read() -> None:
    doc = Doc(NLP.vocab, words=["Tom", "said", *['"'] * 10_000, "."], sent_starts=[i == 0 for i in range(10_003)])
    words = clean_doc(doc)
    assert len(attribute_quotations(words, outer_quotations(find_in_words(words)), [(0, 1)], [0])) == 5_000


def test_a_scene_of_gold_clusters_is_read_with_paragraphs_and_without() -> None:
    doc = NLP('Ann came.\n\n"Go," said Tom.\n\n"The Hat" is late. "Now!"')
    set_clusters(doc, [[(0, 1)], [(9, 10)]])
    set_quotations(doc, [Quotation(4, 8, speaker=(9, 10)), Quotation(19, 22)])
    known, unknown = gold_attributions([doc])
    assert known.scene.paragraphs is not None
    assert unknown.scene.paragraphs is None
    assert [known.scene.words[start + 1] for start, _ in known.scene.quotations] == ["Go", "The", "Now"]
    assert (list(known.speakers), known.known) == ([1, None, ""], [1, None, None])
    assert known.speakers == unknown.speakers


@pytest.mark.parametrize(
    ("text", "clusters", "quotations", "speaker"),
    [
        ('"Go," said Tom.', [[(4, 5)]], [Quotation(0, 4, speaker=(5, 6))], ""),  # in no cluster: not known
        ('Tom said, "Go and come back."', [[(0, 1)]], [Quotation(0, 6, speaker=(0, 1))], None),  # less than half shared
        ('He called it "art".', [], [], None),  # annotated without quotations: nothing is speech
    ],
)
def test_the_gold_speaker_of_a_quotation(
    text: str, clusters: list[list[tuple[int, int]]], quotations: list[Quotation], speaker: str | None
) -> None:
    doc = NLP(text)
    set_clusters(doc, clusters)
    set_quotations(doc, quotations)
    assert [list(attributed.speakers) for attributed in gold_attributions([doc])] == [[speaker], [speaker]]


def test_documents_that_are_not_annotated_for_quotations_teach_nothing() -> None:
    assert list(gold_attributions([NLP('"Go," said Tom.')])) == []


def test_no_words_no_quotations() -> None:
    for doc in (NLP(""), NLP(" \n\n ")):
        words = clean_doc(doc)
        assert find_in_words(words) == []
        assert attribute_quotations(words, [], [], []) == []
