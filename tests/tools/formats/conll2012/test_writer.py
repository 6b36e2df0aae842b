import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    Argument,
    Frame,
    cluster_groups,
    get_clusters,
    get_frames,
    get_speakers,
    get_title,
    set_clusters,
    set_constituents,
    set_frames,
    set_speakers,
    set_title,
)
from spacy_span_selector.tools.formats.conll2012 import read_conll2012, write_conll2012

from ....spans import offsets, put_spans

VOCAB = Vocab()
WORDS = ["Ann", "gave", "up", "her", "tea", ".", "She", "slept"]


def make_doc(words: Sequence[str] = WORDS, title: str | None = "tale_0", **kwargs: Any) -> Doc:
    doc = Doc(VOCAB, words=list(words), sent_starts=[i in (0, 6) for i in range(len(words))], **kwargs)
    if title is not None:
        set_title(doc, title)
    return doc


def write(*docs: Doc) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return write_conll2012(docs)


def write_with_loss(lost: str, *docs: Doc) -> str:
    with pytest.warns(UserWarning, match=lost) as caught:
        text = write_conll2012(docs)
    assert len(caught) == 1
    return text


def read_back(text: str, folder: Path) -> Doc:
    path = folder / "out.conll"
    path.write_text(text, encoding="utf-8")
    (doc,) = read_conll2012(path)
    return doc


def column(text: str, number: int) -> list[str]:
    return [line.split("\t")[number] for line in text.split("\n") if line and not line.startswith("#")]


def test_all_columns_of_a_document():
    doc = make_doc(title="bc/tale_3", tags=["NNP", "VBD", "RP", "PRP$", "NN", ".", "PRP", "VBD"])
    set_clusters(doc, [[(0, 1), (3, 4), (6, 7)], [(3, 5)]])
    set_speakers(doc, [(0, 6, "Leo_Orr")])
    set_constituents(doc, [(0, 6, "S"), (0, 1, "NP"), (1, 5, "VP"), (3, 5, "NP")])
    set_frames(doc, [Frame(1, 3, [Argument(0, 1, "ARG0"), Argument(3, 5, "ARG1")], "give_up.09"), Frame(7, 8, [])])
    doc.set_ents([Span(doc, 0, 1, "PERSON")])
    rows = [
        "Ann NNP (S(NP*) - - - Leo_Orr (PERSON*) (ARG0*) (0)",
        "gave VBD (VP* give_up 09 - Leo_Orr * (V* -",
        "up RP * - - - Leo_Orr * *) -",
        "her PRP$ (NP* - - - Leo_Orr * (ARG1* (1|(0)",
        "tea NN *)) - - - Leo_Orr * *) 1)",
        ". . *) - - - Leo_Orr * * -",
        "",
        "She PRP - - - - - * * (0)",
        "slept VBD - - - - - * (V*) -",
        "",
    ]
    numbers = iter([0, 1, 2, 3, 4, 5, 0, 1])
    lines = ["\t".join(["bc/tale", "3", str(next(numbers)), *row.split()]) if row else "" for row in rows]
    assert write(doc).split("\n") == ["#begin document (bc/tale); part 003", *lines, "#end document", ""]


def test_annotation_is_read_back(tmp_path: Path):
    doc = make_doc(tags=["NNP", "VBD", "RP", "PRP$", "NN", ".", "PRP", ""])
    set_clusters(doc, [[(0, 1), (3, 4), (6, 7)], [(3, 5)]], names=["12", "7"])
    set_speakers(doc, [(0, 4, "Leo"), (6, 8, "Ann")])
    set_constituents(doc, [(0, 6, "S"), (0, 1, "NP"), (1, 5, "VP"), (3, 5, "NP"), (6, 8, "S")])
    set_frames(doc, [Frame(1, 3, [Argument(0, 1, "ARG0"), Argument(3, 5, "C-ARG1")], "give.up.09"), Frame(7, 8, [])])
    back = read_back(write(doc), tmp_path)
    for attribute in ("text", "tag_", "is_sent_start"):
        assert [getattr(token, attribute) for token in back] == [getattr(token, attribute) for token in doc]
    for get in (get_clusters, get_speakers, get_frames, get_title):
        assert get(back) == get(doc)
    assert offsets(back, "constituents") == offsets(doc, "constituents")
    assert [group.attrs["name"] for group in cluster_groups(back)] == ["12", "7"]


@given(st.lists(st.text(alphabet="a()[]{}/\\*.?-_#|\u00a0\u2028é", min_size=1, max_size=5), min_size=1, max_size=6))
@settings(deadline=None)
def test_words_are_read_back(tmp_path_factory: pytest.TempPathFactory, words: list[str]):
    back = read_back(write(make_doc(words)), tmp_path_factory.mktemp("words"))
    assert [token.text for token in back] == words


def test_brackets_are_escaped_and_slashes_are_not():
    assert column(write(make_doc(["f(x)", "1/2", "*", "-", "/."])), 3) == ["f-LRB-x-RRB-", "1/2", "*", "-", "\\/."]


@pytest.mark.parametrize("word, read", [("\n", "_"), ("New York", "New_York"), ("a\t\r\nb", "a_b"), ("-LRB-", "(")])
def test_words_that_cannot_be_written_are_counted(tmp_path: Path, word: str, read: str):
    lost = r"Wrote `_` for white space in words, or words that are read back as brackets: 1\. The first: .*'tale_0': '"
    back = read_back(write_with_loss(lost, make_doc([word])), tmp_path)
    assert [token.text for token in back] == [read]


def test_speakers_that_cannot_be_written_are_counted(tmp_path: Path):
    doc = make_doc()
    set_speakers(doc, [(0, 2, "Leo Orr"), (2, 4, "_"), (4, 8, "Ann")])
    lost = r"Wrote `_` for white space in speakers, .*: 2\. The first: document 'tale_0': 'Leo Orr'\n.*'tale_0': '_'"
    assert get_speakers(read_back(write_with_loss(lost, doc), tmp_path)) == [(0, 2, "Leo_Orr"), (4, 8, "Ann")]


@pytest.mark.parametrize(
    "title, begin, read",
    [
        ("bc/tale_12", "#begin document (bc/tale); part 012", "bc/tale_12"),
        ("the_tale", "#begin document (the_tale); part 000", "the_tale_0"),
        ("tale_007", "#begin document (tale_007); part 000", "tale_007_0"),
        ("a (long) tale", "#begin document (a (long) tale); part 000", "a (long) tale_0"),
        ("#1", "#begin document (#1); part 000", "#1_0"),
        (None, "#begin document (untitled); part 000", "untitled_0"),
        *((title, "#begin", f"{title}_0") for title in ("tale_" + "9" * 5000, "tale_1\N{ARABIC-INDIC DIGIT TWO}")),
    ],
)
def test_the_title_is_name_and_part(tmp_path: Path, title: str | None, begin: str, read: str):
    text = write(make_doc(title=title))
    assert text.startswith(begin)
    assert read_back(text, tmp_path).user_data["title"] == read


def test_documents_without_a_title_get_parts_of_their_own():
    text = write(*(make_doc(title=None) for _ in range(2)))
    assert [line[-3:] for line in text.split("\n") if line.startswith("#begin")] == ["000", "001"]


def test_a_title_that_was_used_gets_another_part():
    lost = r"Wrote another part for titles that were used before: 1\. The first: document 'tale_1'"
    text = write_with_loss(lost, make_doc(title="tale_1"), make_doc(title="tale_1"))
    assert "#begin document (tale); part 001" in text
    assert "#begin document (tale); part 000" in text


def test_names_of_clusters_that_are_not_numbers_become_free_numbers():
    doc = make_doc()
    set_clusters(doc, [[(0, 1)], [(3, 4)], [(4, 5)], [(6, 7)]], names=["Ann", "0", "1", "1"])
    assert column(write(doc), -1) == ["(1)", "-", "-", "(0)", "(2)", "-", "(3)", "-"]


def test_mentions_of_one_cluster_that_cross_are_left_out_and_counted(tmp_path: Path):
    doc = make_doc()
    set_clusters(doc, [[(0, 3), (2, 5)], [(1, 4)]])
    lost = r"Left out mentions .* cross another mention of their cluster: 1\. The first: document 'tale_0'"
    assert get_clusters(read_back(write_with_loss(lost, doc), tmp_path)) == [[(0, 3)], [(1, 4)]]


def test_mentions_of_two_clusters_may_cross_and_be_the_same(tmp_path: Path):
    doc = make_doc()
    set_clusters(doc, [[(0, 3), (4, 5)], [(2, 5), (4, 5)]])
    assert get_clusters(read_back(write(doc), tmp_path)) == get_clusters(doc)


def test_parses_that_cross_lose_the_later_constituent(tmp_path: Path):
    doc = make_doc()
    set_constituents(doc, [(0, 3, "S"), (2, 5, "NP"), (5, 8, "X"), (6, 8, "S"), (7, 8, "a b")])
    back = read_back(write_with_loss(r"Left out constituents .*: 3\.", doc), tmp_path)
    assert offsets(back, "constituents") == [(0, 3, "S"), (6, 8, "S")]


def test_arguments_and_predicates_that_cannot_be_written_are_counted(tmp_path: Path):
    doc = make_doc()
    arguments = [
        Argument(0, 1, "ARG0"),
        Argument(0, 2, "ARG2"),  # crosses the predicate
        Argument(3, 7, "ARG1"),  # leaves the sentence
        Argument(4, 5, "a(b"),
        Argument(5, 6, "V"),
    ]
    set_frames(doc, [Frame(1, 3, arguments), Frame(5, 7, [])])
    lost = r"Left out predicates .*: 1\. .*\nLeft out arguments .*: 4\. "
    assert get_frames(read_back(write_with_loss(lost, doc), tmp_path)) == [Frame(1, 3, [Argument(0, 1, "ARG0")])]


def test_frames_without_coreference_are_counted():
    doc = make_doc()
    set_frames(doc, [Frame(1, 2, [])])
    write_with_loss(r"^Left out that documents with frames are not .*: 1\. The first: document 'tale_0'$", doc)
    set_clusters(doc, [])
    write(doc)


def test_arguments_may_nest_and_hold_their_predicate(tmp_path: Path):
    doc = make_doc()
    set_clusters(doc, [])
    set_frames(doc, [Frame(1, 2, [Argument(0, 6, "ARG0"), Argument(1, 2, "ARG1"), Argument(3, 5, "ARG2")])])
    assert get_frames(read_back(write(doc), tmp_path)) == get_frames(doc)


def test_a_roleset_that_is_not_lemma_and_number_is_counted():
    doc = make_doc()
    set_frames(doc, [Frame(1, 2, [], "give"), Frame(7, 8, [], "fall asleep.01")])
    assert column(write_with_loss(r"Left out rolesets that are not .*: 2\. ", doc), 6) == ["-"] * 8


def test_of_two_rolesets_on_one_word_the_first_is_written(tmp_path: Path):
    doc = make_doc()
    set_frames(doc, [Frame(1, 2, [], "give.01"), Frame(1, 2, [], "give.02")])
    back = read_back(write_with_loss(r"Left out rolesets .*: 1\.", doc), tmp_path)
    assert [frame.roleset for frame in get_frames(back)] == ["give.01", "give.01"]


@pytest.mark.parametrize("words", [["Rain", "falls"], []])
def test_a_document_without_sentences_is_one(tmp_path: Path, words: list[str]):
    back = read_back(write(Doc(VOCAB, words=words)), tmp_path)
    assert [token.is_sent_start for token in back] == [True, False][: len(words)]


@pytest.mark.parametrize("place", [0, 6, 8])
def test_spans_without_tokens_are_left_out(tmp_path: Path, place: int):
    doc = make_doc()
    put_spans(doc, "coref_clusters_1", (0, 1), (6, 7), (place, place))
    put_spans(doc, "constituents", (0, 6, "S"), (place, place, "NP"))
    put_spans(doc, "srl_1", (7, 8, "V"), (place, place, "ARG0"))
    put_spans(doc, "srl_2", (place, place, "V"))
    lost = "\n".join(rf"Left out {what} .*: 1\..*" for what in ("mentions", "predicates", "constituents", "arguments"))
    back = read_back(write_with_loss(lost, doc), tmp_path)
    assert get_clusters(back) == [[(0, 1), (6, 7)]]
    assert get_frames(back) == [Frame(7, 8, [])]
    assert offsets(back, "constituents") == [(0, 6, "S")]


def test_spans_of_a_document_without_words_are_left_out(tmp_path: Path):
    doc = Doc(VOCAB)
    put_spans(doc, "coref_clusters_1", (0, 0))
    put_spans(doc, "srl_1", (0, 0, "V"))
    put_spans(doc, "constituents", (0, 0, "S"))
    lost = "\n".join(rf"Left out {what} .*: 1\..*" for what in ("mentions", "predicates", "constituents"))
    assert len(read_back(write_with_loss(lost, doc), tmp_path)) == 0
