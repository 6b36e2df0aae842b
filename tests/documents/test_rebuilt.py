import pytest
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame, Quotation
from spacy_span_selector.documents.rebuilt import rebuild_doc

VOCAB = Vocab()
WORDS = ["Ann", "Lee", "left", ".", "Oh", "dear", "!"]
SPACES = [True, True, False, True, True, False, False]
STARTS: list[bool | int | None] = [i in (0, 4) for i in range(7)]
HEADS = [1, 2, 2, 2, 5, 5, 5]
DEPS = ["compound", "nsubj", "ROOT", "punct", "intj", "ROOT", "punct"]


def make_doc(parsed: bool = False) -> Doc:
    tree = {"heads": HEADS, "deps": DEPS} if parsed else {"sent_starts": STARTS}
    return Doc(
        VOCAB,
        words=WORDS,
        spaces=SPACES,
        tags=["NNP", "NNP", "VBD", ".", "UH", "JJ", "."],
        pos=["PROPN", "PROPN", "VERB", "PUNCT", "INTJ", "ADJ", "PUNCT"],
        lemmas=["Ann", "Lee", "leave", ".", "oh", "dear", "!"],
        morphs=["", "", "Tense=Past", "", "", "", ""],
        ents=["B-PERSON", "I-PERSON", "O", "O", "O", "O", "O"],
        **tree,
    )


@pytest.mark.parametrize("parsed", [False, True])
def test_a_document_of_all_tokens_is_the_same(parsed: bool) -> None:
    doc = make_doc(parsed)
    doc.spans["spans"] = [Span(doc, start, end, "A") for start in range(7) for end in range(start, 8)]
    assert rebuild_doc(doc, range(7)).to_json() == doc.to_json()


def test_what_loses_its_first_token_begins_with_the_next() -> None:
    doc = rebuild_doc(make_doc(), [1, 2, 3, 5, 6])
    assert [sentence.text for sentence in doc.sents] == ["Lee left.", "dear!"]
    assert [entity.text for entity in doc.ents] == ["Lee"]


def test_the_head_of_a_token_is_an_ancestor_that_is_left() -> None:
    doc = rebuild_doc(make_doc(parsed=True), [0, 2, 3, 4, 6])
    assert [token.head.i for token in doc] == [1, 1, 1, 3, 4]


def test_spans_keep_the_tokens_that_are_left() -> None:
    doc = make_doc()
    doc.spans["spans"] = [Span(doc, *edges, label="A") for edges in [(0, 2), (1, 5), (1, 2), (3, 3)]]
    doc.spans["lost"] = [doc[1:2]]
    shorter = rebuild_doc(doc, [0, 2, 3, 5, 6])
    found = [(span.start, span.end, span.label_) for span in shorter.spans["spans"]]
    assert found == [(0, 1, "A"), (1, 3, "A"), (2, 2, "A")]
    assert "lost" in shorter.spans and not shorter.spans["lost"]


def test_a_frame_is_lost_with_its_predicate_and_a_quotation_with_its_words() -> None:
    doc = make_doc()
    annotation.set_frames(doc, [Frame(2, 3, [Argument(0, 2, "ARG0")], "leave.01")])
    annotation.set_quotations(doc, [Quotation(4, 6, speaker=(0, 2))])
    shorter = rebuild_doc(doc, [1, 2, 5])
    assert annotation.get_frames(shorter) == [Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01")]
    assert annotation.get_quotations(shorter) == [Quotation(2, 3, speaker=(0, 1))]
    without = rebuild_doc(doc, [0, 1])
    for get in (annotation.get_frames, annotation.get_predicates, annotation.get_quotations):
        assert get(without) == []
    assert annotation.has_quotations_annotated(without)


def test_what_is_not_annotated_stays_so() -> None:
    doc = rebuild_doc(Doc(VOCAB, words=WORDS), range(1, 7))
    assert doc.has_unknown_spaces
    for attribute in ("SENT_START", "DEP", "TAG", "ENT_IOB"):
        assert not doc.has_annotation(attribute)


def test_categories_and_named_data_are_kept() -> None:
    doc = make_doc()
    doc.cats = {"SAD": 1.0}
    annotation.set_title(doc, "the visit")
    rebuilt = rebuild_doc(doc, [0])
    assert (rebuilt.cats, rebuilt.user_data) == ({"SAD": 1.0}, {"title": "the visit"})
    assert len(rebuild_doc(Doc(VOCAB), [])) == len(rebuild_doc(doc, [])) == 0


def test_the_words_of_a_token_share_its_entity_and_its_spans() -> None:
    doc = make_doc(parsed=True)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[:2])
    doc.spans["spans"] = [Span(doc, 0, 2, "A")]
    words = rebuild_doc(doc, [0, 0, 1, 2, 3, 4, 5], {0: [("Ann", True, "ann"), ("Lee", True, "lee")]})
    assert words.text == doc.text
    assert [entity.text for entity in words.ents] == ["Ann Lee"]
    assert words.spans["spans"][0].text == "Ann Lee left"
    assert [token.head.i for token in words] == [1, 2, 2, 2, 5, 5, 5]
    assert [token.tag_ for token in words] == ["", "", "VBD", ".", "UH", "JJ", "."]
    assert [sentence.text for sentence in words.sents] == ["Ann Lee left.", "Oh dear!"]
