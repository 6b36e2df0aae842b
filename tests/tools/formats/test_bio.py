import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.tools.formats.bio import read_bio, write_bio

from .spans import N_TOKENS, drawn_offsets


def read(path: Path, text: str) -> list[Doc]:
    (path / "a.bio").write_text(text, encoding="utf-8", newline="")
    return read_bio(path / "a.bio")


def spans(path: Path, text: str) -> list[tuple[int, int, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (doc,) = read(path, text)
    return [tuple(span) for span in annotation.get_labelled_spans(doc)]


def make_doc(labelled: list[tuple[int, int, str]] | None, words: str = "the house of Ann fell . She left") -> Doc:
    doc = Doc(Vocab(), words=words.split(" "), sent_starts=[i in (0, 6) for i in range(len(words.split(" ")))])
    if labelled is not None:
        annotation.set_labelled_spans(doc, labelled)
    return doc


def back(docs: list[Doc], path: Path) -> list[Doc]:
    return read(path, write_bio(docs))


def test_each_column_has_the_spans_of_a_level(tmp_path: Path):
    text = "The\tB-FAC\tO\nhouse\tI-FAC\tO\nof\tI-FAC\tO\nAnn\tI-FAC\tB-PER\n\nShe\tB-PER\tO\n"
    (doc,) = read(tmp_path, text)
    assert [token.text for token in doc] == ["The", "house", "of", "Ann", "She"]
    assert [len(sentence) for sentence in doc.sents] == [4, 1]
    assert annotation.get_labelled_spans(doc) == [(0, 4, "FAC"), (3, 4, "PER"), (4, 5, "PER")]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("B-A I-A B-A O", [(0, 2, "A"), (2, 3, "A")]),
        ("I-A I-A O I-A", [(0, 2, "A"), (3, 4, "A")]),
        ("B-A I-B O O", [(0, 1, "A"), (1, 2, "B")]),
        ("B-A E-A S-A O", [(0, 2, "A"), (2, 3, "A")]),
        ("B-A L-A U-A I-A", [(0, 2, "A"), (2, 3, "A"), (3, 4, "A")]),
        ("B-A-1 I-A-1 O O", [(0, 2, "A-1")]),
    ],
)
@pytest.mark.parametrize("separator", ["\t", "  "])
def test_the_tags_of_a_column(tmp_path: Path, separator: str, tags: str, expected: list[tuple[int, int, str]]):
    assert spans(tmp_path, "".join(f"w{separator}{tag}\n" for tag in tags.split())) == expected


def test_a_span_ends_with_its_sentence(tmp_path: Path):
    assert spans(tmp_path, "a\tB-A\n\nb\tI-A\n") == [(0, 1, "A"), (1, 2, "A")]


def test_documents_have_titles_and_comments_are_no_rows(tmp_path: Path):
    ferry, other = read(tmp_path, "# by hand\n-DOCSTART- (the ferry)\n\na\tO\n\n-DOCSTART- -X- O\n\n# O\n#\tB-A\n")
    assert [annotation.get_title(ferry), annotation.get_title(other)] == ["the ferry", ""]
    assert [token.text for token in other] == ["#", "#"]
    assert annotation.get_labelled_spans(other) == [(1, 2, "A")]


def test_words_without_tags_are_not_annotated(tmp_path: Path):
    (doc,) = read(tmp_path, "Ann\nleft\n")
    assert not annotation.has_labelled_spans_annotated(doc)


@pytest.mark.parametrize("row", ["b\tNNP", "b\tB-", "b"])
def test_a_cell_that_is_no_tag_is_counted_and_costs_no_other_span(tmp_path: Path, row: str):
    with pytest.warns(UserWarning, match=r"Read as `O` what is no tag: 1\. The first: \S*a\.bio:2: found '"):
        (doc,) = read(tmp_path, f"a\tB-A\n{row}\nc\tB-A\n")
    assert annotation.get_labelled_spans(doc) == [(0, 1, "A"), (2, 3, "A")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "EU NNP B-NP B-ORG\nis VBZ O O\n\n-DOCSTART- -X- O O\n\nAnn NNP B-NP B-PER\n",
            "column 3 with NP; column 4 with ORG, PER",
        ),
        ("EU B-NP B-ORG NNP\n", "column 2 with NP; column 3 with ORG"),
    ],
    ids=["before them", "behind them"],
)
def test_columns_of_tags_beside_one_of_none_are_named_with_their_labels(text: str, found: str, tmp_path: Path):
    with pytest.warns(UserWarning, match=rf"spans: 1\. The first: \S*a\.bio: found {found}\.$"):
        read(tmp_path, text)


@pytest.mark.parametrize("row", ["\tI-A", " I-A"])
def test_a_row_without_a_word_is_left_out_and_counted(tmp_path: Path, row: str):
    with pytest.warns(UserWarning, match=r"rows without a word: 1\. The first: \S*a\.bio:2: found 'I-A', expected a"):
        (doc,) = read(tmp_path, f"a\tB-A\n{row}\nc\tO\n")
    assert [token.text for token in doc] == ["a", "c"]


@pytest.mark.filterwarnings("ignore:Read as `O`")
def test_a_row_that_begins_with_a_comment_sign_has_as_many_cells_as_others(tmp_path: Path):
    (doc,) = read(tmp_path, "# a B-NP O\nthe DT B-NP O\n# # I-NP B-A\n# so is O\n# O\n")
    assert [token.text for token in doc] == ["the", "#", "#", "#"]


def test_a_span_that_is_there_twice_is_counted(tmp_path: Path):
    with pytest.warns(UserWarning, match=r"twice with the same label: 1\. The first: \S*a\.bio:1: 'A'"):
        (doc,) = read(tmp_path, "a\tB-A\tB-A\n")
    assert annotation.get_labelled_spans(doc) == [(0, 1, "A")]


def test_a_file_without_words_or_tags_is_an_error(tmp_path: Path):
    for text in ("\n# nothing\n", "[Ann] came in .\n[She] sat down .\n"):
        with pytest.raises(ValueError, match=r"a\.bio: found no document that can be read\. Expected one word per"):
            read(tmp_path, text)


def test_outer_spans_are_in_the_first_column():
    doc = make_doc([(3, 4, "PER"), (0, 4, "FAC"), (6, 7, "PER")])
    assert write_bio([doc]) == (
        "-DOCSTART-\n\nthe\tB-FAC\tO\nhouse\tI-FAC\tO\nof\tI-FAC\tO\nAnn\tI-FAC\tB-PER\nfell\tO\tO\n.\tO\tO\n\n"
        "She\tB-PER\tO\nleft\tO\tO\n\n"
    )


@given(labelled=st.lists(st.tuples(drawn_offsets, st.sampled_from("AB")), max_size=6, unique=True))
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, labelled):
    """Also spans that cross, or have two labels."""
    doc = Doc(Vocab(), words=[f"w{i}" for i in range(N_TOKENS)])
    annotation.set_labelled_spans(doc, [(*offsets, label) for offsets, label in labelled])
    annotation.set_title(doc, "a (b)")
    (again,) = back([doc], tmp_path_factory.mktemp("bio"))
    assert annotation.get_labelled_spans(again) == annotation.get_labelled_spans(doc)
    assert [token.text for token in again] == [token.text for token in doc]
    assert annotation.get_title(again) == "a (b)"


def test_documents_stay_annotated_or_not(tmp_path: Path):
    docs = back([make_doc(None), make_doc([]), make_doc([(0, 1, "A")])], tmp_path)
    assert [annotation.has_labelled_spans_annotated(doc) for doc in docs] == [False, True, True]


def test_spans_that_leave_their_sentence_are_left_out_and_counted(tmp_path: Path):
    with pytest.warns(UserWarning, match=r"label is not one word: 2\. The first: .*token 0: 'a b'"):
        (doc,) = back([make_doc([(4, 7, "A"), (0, 1, "a b"), (1, 2, "A")])], tmp_path)
    assert annotation.get_labelled_spans(doc) == [(1, 2, "A")]


def test_words_that_no_row_can_have_are_replaced_and_counted(tmp_path: Path):
    doc = Doc(Vocab(), words=["Ann", "\n\n", "New York", "-DOCSTART-", "#", "\ufeff"])
    with pytest.warns(UserWarning, match=r"Wrote `_` for words or white space in them: 4\."):
        (again,) = back([doc], tmp_path)
    assert [token.text for token in again] == ["Ann", "_", "New_York", "_", "#", "_"]
