import re
import tarfile
import warnings
from pathlib import Path

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    cluster_groups,
    get_clusters,
    get_labelled_spans,
    get_speakers,
    get_title,
    has_clusters_annotated,
    has_labelled_spans_annotated,
)
from spacy_span_selector.tools.formats.ontogum import read_ontogum, read_ontogum_splits

from ..gum import CELLS, TREES, WORDS, conll, write, write_document, write_splits, write_words


@pytest.fixture
def gum(tmp_path: Path) -> Path:
    """A copy of the layout with a document in each part."""
    for name in ("GUM_news_a", "GUM_vlog_b", "GUM_bio_c"):
        write_document(tmp_path, name)
    write_splits(tmp_path, dev=["GUM_vlog_b"], test=["GUM_bio_c"], test2=["GENTLE_x_d"], train=["GUM_news_a"])
    return tmp_path


def read_quietly(source: Path, name: str = "GUM_news_a") -> Doc:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (doc,) = read_ontogum(source, names=[name])
    return doc


def test_words_spaces_sentences_and_title_are_read(gum: Path):
    doc = read_quietly(gum)
    assert doc.text == "Ann called her dog (Rex) He barked. "
    assert [len(sentence) for sentence in doc.sents] == [7, 3]
    assert not doc.has_unknown_spaces
    assert (doc[0].lemma_, doc[0].pos_, doc[0].tag_) == ("ann", "X", "XX")
    assert get_title(doc) == "GUM_news_a"


def test_clusters_are_read_with_their_names(gum: Path):
    doc = read_quietly(gum)
    assert get_clusters(doc) == [[(0, 1), (2, 3)], [(2, 4), (7, 8)]]
    assert [doc.spans[f"coref_clusters_{i}"].attrs["name"] for i in (1, 2)] == ["1", "2"]


def test_mentions_of_gum_are_singletons_where_asked(gum: Path):
    cells = ["(person-1-Ann)", "(event-9)", "(animal-2(person-1-Ann)", "animal-2)", "_", "(animal-2)", *"____"]
    write(gum / "coref/gum/conll/GUM_news_a.conll", conll(cells))
    write(gum / "coref/gum/conll/GUM_vlog_b.conll", conll(["_"] * len(WORDS)))
    news, vlog = read_ontogum(gum, names=["GUM_news_a", "GUM_vlog_b"], singletons=["GUM_news_a"])
    clusters = get_clusters(vlog)
    assert sorted(get_clusters(news)) == sorted([*clusters, [(1, 2)], [(5, 6)]])
    assert {group.attrs["name"] for group in cluster_groups(news)} == {"1", "2", "singleton-1", "singleton-2"}


def test_mentions_of_gum_are_labelled_with_their_types(gum: Path):
    cells = ["(person-1)", "_", "(animal-2-Rex(person-1)", "animal-2-Rex)", *"______"]
    write(gum / "coref/gum/conll/GUM_news_a.conll", conll(cells))
    doc = read_quietly(gum)
    assert get_labelled_spans(doc) == [(0, 1, "person"), (2, 3, "person"), (2, 4, "animal")]
    assert get_clusters(doc) == [[(0, 1), (2, 3)], [(2, 4), (7, 8)]]


def test_without_the_mentions_of_gum_no_spans_are_labelled(gum: Path):
    assert not has_labelled_spans_annotated(read_quietly(gum))


@pytest.mark.parametrize("text", [None, conll(["_"] * 4, WORDS[:4]), "0\tAnn"])
def test_mentions_of_gum_that_cannot_be_read_cost_no_document(gum: Path, text: str | None):
    write(gum / "coref/gum/conll/GUM_vlog_b.conll", conll(["_"] * 10))
    if text is not None:
        write(gum / "coref/gum/conll/GUM_news_a.conll", text)
    message = r"Left out files that can't be read: 1\. The first: \S*coref/gum/conll/GUM_news_a\.conll:"
    with pytest.warns(UserWarning, match=message):
        news, vlog = read_ontogum(gum, names=["GUM_news_a", "GUM_vlog_b"])
    assert [has_labelled_spans_annotated(doc) for doc in (news, vlog)] == [False, True]


def test_a_document_without_the_mentions_of_gum_is_left_out_where_they_are_asked_for(gum: Path):
    with pytest.raises(FileNotFoundError, match=r"coref/gum/conll: no such folder"):
        read_ontogum(gum, singletons=["GUM_news_a"])
    (gum / "coref/gum/conll").mkdir(parents=True)
    with pytest.warns(UserWarning, match=r"coref/gum/conll/GUM_news_a\.conll: no such file"):
        docs = read_ontogum(gum, singletons=["GUM_news_a"])
    assert [get_title(doc) for doc in docs] == ["GUM_vlog_b", "GUM_bio_c"]


def test_constituents_are_those_of_all_sentences(gum: Path):
    doc = read_quietly(gum)
    assert [(span.start, span.end, span.label_) for span in doc.spans["constituents"]] == [
        (0, 7, "ROOT"),
        (0, 7, "S"),
        (0, 1, "NP"),
        (1, 7, "VP"),
        (2, 7, "NP"),
        (4, 7, "PRN"),
        (5, 6, "NP"),
        (7, 10, "ROOT"),
        (7, 10, "S"),
        (7, 8, "NP"),
        (8, 9, "VP"),
    ]


@pytest.mark.parametrize(
    ("speakers", "turns"),
    [
        (("Ann", "Leo"), [(0, 7, "Ann"), (7, 10, "Leo")]),
        (("Ann", "Ann"), [(0, 10, "Ann")]),
        (("", "Leo"), [(7, 10, "Leo")]),
    ],
)
def test_sentences_of_one_speaker_are_one_turn(gum: Path, speakers: tuple[str, str], turns: list[tuple[int, int, str]]):
    write_words(gum, "GUM_news_a", speakers=speakers)
    assert get_speakers(read_quietly(gum)) == turns


def test_without_speakers_there_is_no_such_group(gum: Path):
    assert "speakers" not in read_quietly(gum).spans


def test_a_document_without_mentions_counts_as_annotated(gum: Path):
    write(gum / "coref/ontogum/conll/GUM_news_a.conll", conll(["_"] * len(WORDS)))
    assert has_clusters_annotated(read_quietly(gum))


def test_all_parts_are_read_in_the_order_of_train_dev_and_test(gum: Path):
    vocab = Vocab()
    docs = read_ontogum(gum, vocab)
    assert [get_title(doc) for doc in docs] == ["GUM_news_a", "GUM_vlog_b", "GUM_bio_c"]
    assert all(doc.vocab is vocab for doc in docs)


def test_words_may_lie_in_an_archive(gum: Path):
    folder = gum / "coref/ontogum/conllu"
    with tarfile.open(gum / "coref/ontogum/conllu.tar.xz", "w:xz") as tar:
        tar.add(folder, "coref/ontogum/conllu")
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert len(read_ontogum(gum)) == 3


def test_splits_leave_out_other_parts(gum: Path):
    assert read_ontogum_splits(gum) == {"train": ["GUM_news_a"], "dev": ["GUM_vlog_b"], "test": ["GUM_bio_c"]}


def test_spans_in_two_clusters_stay_in_the_first(gum: Path):
    cells = [*CELLS[:7], "(2)(1)", "_", "_"]
    write(gum / "coref/ontogum/conll/GUM_news_a.conll", conll(cells))
    with pytest.warns(UserWarning) as caught:
        docs = read_ontogum(gum)
    (warning,) = caught
    assert "Left out spans in a second cluster: 1. The first: GUM_news_a, word 8, 'He'" in str(warning.message)
    assert get_clusters(docs[0]) == [[(0, 1), (2, 3), (7, 8)], [(2, 4)]]


@pytest.mark.parametrize("words", [None, ["___"] * len(WORDS)])
def test_masked_documents_from_reddit_are_left_out_without_a_word(gum: Path, words: list[str] | None):
    if words:
        write_words(gum, "GUM_reddit_e", words=words)
    write_splits(gum, train=["GUM_news_a", "GUM_reddit_e"], dev=["GUM_vlog_b"], test=["GUM_bio_c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_ontogum(gum)) == 3


def test_restored_documents_from_reddit_are_read(gum: Path):
    write_document(gum, "GUM_reddit_e")
    assert read_quietly(gum, "GUM_reddit_e").user_data["title"] == "GUM_reddit_e"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("conll", None, "GUM_news_a.conll: no such file. Expected a copy of"),
        ("conllu", None, "GUM_news_a.conllu: no such file. Expected a copy of"),
        ("conllu", "# newdoc id = b\n", "GUM_news_a.conllu: found the documents ['b'], expected 'GUM_news_a'"),
        ("conll", conll().replace("\t(1)\n", "\n"), "GUM_news_a.conll:2: found 2 columns"),
    ],
)
def test_documents_that_cannot_be_read_are_counted_and_cost_no_other(
    gum: Path, file: str, text: str | None, message: str
):
    path = gum / f"coref/ontogum/{file}/GUM_news_a.{file}"
    path.unlink() if text is None else write(path, text)
    expected = r"Left out documents that can't be read: 1\. The first: .*" + re.escape(message)
    with pytest.warns(UserWarning, match=expected):
        docs = read_ontogum(gum)
    assert [get_title(doc) for doc in docs] == ["GUM_vlog_b", "GUM_bio_c"]


def test_a_bracket_without_a_partner_costs_its_mention_alone(gum: Path):
    write(gum / "coref/ontogum/conll/GUM_news_a.conll", conll([*CELLS[:3], "3)", *CELLS[4:]]))
    with pytest.warns(UserWarning) as caught:
        docs = read_ontogum(gum)
    (warning,) = caught
    expected = r"have no partner: 2\. The first: \S*GUM_news_a\.conll:4: a mention of cluster 2 opens here and is never"
    assert re.search(expected, str(warning.message))
    assert [get_clusters(doc) for doc in docs] == [
        [[(0, 1), (2, 3)], [(7, 8)]],
        *[[[(0, 1), (2, 3)], [(2, 4), (7, 8)]]] * 2,
    ]


def test_a_list_that_names_a_document_twice_is_reported(gum: Path):
    write_splits(gum, train=["GUM_news_a", "GUM_news_a"], dev=["GUM_vlog_b"], test=["GUM_bio_c", "GUM_vlog_b"])
    with pytest.warns(UserWarning) as caught:
        splits = read_ontogum_splits(gum)
    assert splits == {"train": ["GUM_news_a"], "dev": ["GUM_vlog_b"], "test": ["GUM_bio_c", "GUM_vlog_b"]}
    assert re.search(
        r"Left out documents that come a second time: 1\. The first: \S*splits\.md: 'GUM_news_a' in train\.\n"
        r"Found documents in two parts .*: 1\. The first: \S*splits\.md: 'GUM_vlog_b' in dev and test",
        str(caught[0].message),
    )
    with pytest.warns(UserWarning):
        assert len(read_ontogum(gum)) == 3


def test_a_file_of_words_that_comes_twice_is_left_out(gum: Path):
    again = write_words(gum / "more", "GUM_news_a", words=["_"] * len(WORDS))
    again.rename(gum / "coref/ontogum/conllu/GUM_news_a.old")
    (gum / "coref/ontogum/conllu/old").mkdir()
    (gum / "coref/ontogum/conllu/GUM_news_a.old").rename(gum / "coref/ontogum/conllu/old/GUM_news_a.conllu")
    with pytest.warns(UserWarning, match=r"come a second time: 1\. The first: \S*old/GUM_news_a\.conllu: as \S*conllu"):
        docs = read_ontogum(gum)
    assert docs[0].text.startswith("Ann called")


@pytest.mark.parametrize(
    ("trees", "lost", "message"),
    [
        (TREES.replace("barked", "slept"), 1, ".ptb:7: found the words 'He slept .', expected 'He barked .'"),
        (TREES.replace("(. .)))", "(. .))"), 1, ".ptb:7, word 1: a span `(ROOT` opens here and is never closed"),
        (TREES.split("\n\n")[0], 2, ".ptb: found 1 trees, expected 2"),
        (None, 2, ".ptb: no such file"),
        (TREES.replace("Rex", "R\udce9x"), 2, ".ptb: byte 114 is not UTF-8"),
    ],
)
def test_parses_that_do_not_fit_are_counted_and_cost_no_other(gum: Path, trees: str | None, lost: int, message: str):
    path = gum / "const/GUM_news_a.ptb"
    path.unlink() if trees is None else path.write_bytes(trees.encode("utf-8", "surrogateescape"))
    with pytest.warns(UserWarning) as caught:
        doc, *others = read_ontogum(gum)
    (warning,) = caught
    assert re.search(rf"Left out parses .*: {lost}\. The first: .*{re.escape(message)}", str(warning.message))
    assert len(doc.spans["constituents"]) == (7 if lost == 1 else 0)
    assert len(get_clusters(doc)) == 2
    assert all(len(other.spans["constituents"]) == 11 for other in others)


def test_what_is_missing_is_named(gum: Path):
    (gum / "splits.md").rename(gum / "parts.md")
    with pytest.raises(FileNotFoundError, match=r"splits\.md: no such file\. Expected a copy of https://.*/gum"):
        read_ontogum(gum)
    (gum / "splits.md").write_text("## dev\n* GUM_vlog_b\n## test\n* GUM_bio_c\n")
    with pytest.raises(
        ValueError, match=r"splits\.md: found no document of 'train', expected `\* NAME` under `## train`"
    ):
        read_ontogum(gum)
    with pytest.raises(ValueError, match=r"found no document that can be read\. .*GUM_news_z\.conllu: no such file"):
        read_ontogum(gum, names=["GUM_news_z"])
    (gum / "const").rename(gum / "trees")
    with pytest.raises(FileNotFoundError, match=r"const: no such folder\. Expected a copy of"):
        read_ontogum(gum, names=["GUM_news_a"])
    with pytest.raises(FileNotFoundError, match=r"nowhere/coref/ontogum/conll: no such folder"):
        read_ontogum(gum / "nowhere", names=["GUM_news_a"])
