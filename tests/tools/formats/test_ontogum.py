import re
from pathlib import Path

import pytest
from spacy.tokens import Doc

from spacy_span_selector import annotation
from spacy_span_selector.tools.formats.ontogum import read_ontogum, read_ontogum_splits

from .gum import CELLS, WORDS, conll, write, write_document, write_splits, write_words

NEWS, NEWS_IN_GUM = "coref/ontogum/conll/GUM_news_a.conll", "coref/gum/conll/GUM_news_a.conll"
MENTIONS = ["(person-1-Ann)", "(event-9)", "(animal-2(person-1-Ann)", "animal-2)", "_", "(animal-2)", "_", "(animal-2)"]
MENTIONS += ["_", "_"]


@pytest.fixture
def gum(tmp_path: Path) -> Path:
    """A copy of the layout with a document in each part."""
    for name in ("GUM_news_a", "GUM_vlog_b", "GUM_bio_c"):
        write_document(tmp_path, name)
    write_splits(tmp_path, dev=["GUM_vlog_b"], test=["GUM_bio_c"], test2=["GENTLE_x_d"], train=["GUM_news_a"])
    return tmp_path


def read_one(source: Path, name: str = "GUM_news_a", *, singletons: bool = False) -> Doc:
    (doc,) = read_ontogum(source, names=[name], singletons=[name] if singletons else [])
    return doc


def test_words_spaces_sentences_clusters_and_title_are_read(gum: Path):
    doc = read_one(gum)
    assert doc.text == "Ann called her dog (Rex) He barked. "
    assert [len(sentence) for sentence in doc.sents] == [7, 3]
    assert not doc.has_unknown_spaces
    assert (doc[0].lemma_, doc[0].pos_, doc[0].tag_) == ("ann", "X", "XX")
    assert annotation.get_title(doc) == "GUM_news_a"
    assert annotation.get_clusters(doc) == [[(0, 1), (2, 3)], [(2, 4), (7, 8)]]
    assert [doc.spans[f"coref_clusters_{i}"].attrs["name"] for i in (1, 2)] == ["1", "2"]
    assert not annotation.has_labelled_spans_annotated(doc)
    assert "speakers" not in doc.spans


@pytest.mark.parametrize(
    ("cells", "words", "clusters"),
    [
        (CELLS, [*WORDS[:5], "", *WORDS[6:]], [[(0, 1), (2, 3)], [(2, 4), (7, 8)]]),
        ([*CELLS[:7], "(2)(1)", "_", "_"], WORDS, [[(0, 1), (2, 3), (7, 8)], [(2, 4)]]),
        (["_"] * len(WORDS), WORDS, []),
    ],
    ids=["a word is missing", "a span is in two clusters", "no mentions"],
)
def test_clusters_are_those_of_the_cells(gum: Path, cells: list[str], words: list[str], clusters: list[object]):
    write(gum / NEWS, conll(cells, words))
    doc = read_one(gum)
    assert annotation.get_clusters(doc) == clusters
    assert annotation.has_clusters_annotated(doc)


def test_mentions_of_gum_that_are_no_pronouns_are_labelled_spans_and_singletons_where_asked(gum: Path):
    write(gum / NEWS_IN_GUM, conll(MENTIONS))
    doc, plain = read_one(gum, singletons=True), read_one(gum)
    assert annotation.get_clusters(doc) == sorted([*annotation.get_clusters(plain), [(1, 2)], [(5, 6)]])
    assert {group.attrs["name"] for group in annotation.cluster_groups(doc)} == {"1", "2", "singleton-1", "singleton-2"}
    spans = [(0, 1, "person"), (1, 2, "event"), (2, 4, "animal"), (5, 6, "animal")]
    assert annotation.get_labelled_spans(doc) == annotation.get_labelled_spans(plain) == spans


@pytest.mark.parametrize(
    ("mentions", "kinds"),
    [
        (MENTIONS, ["person", "event", "animal", "animal"]),
        (["(event-1)", *"______", "(plant-3)", "_", "_"], ["event", "plant"]),  # some mentions are none of GUM
    ],
)
def test_a_cluster_has_the_type_of_most_of_its_mentions_in_gum(gum: Path, mentions: list[str], kinds: list[str | None]):
    write(gum / NEWS_IN_GUM, conll(mentions))
    assert [
        group.attrs.get("entity_type") for group in annotation.cluster_groups(read_one(gum, singletons=True))
    ] == kinds


def test_constituents_are_those_of_all_sentences(gum: Path):
    doc = read_one(gum)
    assert [f"{span.start} {span.end} {span.label_}" for span in doc.spans["constituents"]] == [
        *("0 7 ROOT", "0 7 S", "0 1 NP", "1 7 VP", "2 7 NP", "4 7 PRN", "5 6 NP"),
        *("7 10 ROOT", "7 10 S", "7 8 NP", "8 9 VP"),
    ]


@pytest.mark.parametrize(
    ("speakers", "turns"),
    [("Ann Leo", [(0, 7, "Ann"), (7, 10, "Leo")]), ("Ann Ann", [(0, 10, "Ann")]), (" Leo", [(7, 10, "Leo")])],
)
def test_sentences_of_one_speaker_are_one_turn(gum: Path, speakers: str, turns: list[object]):
    first, second = speakers.split(" ")
    write_words(gum, "GUM_news_a", speakers=(first, second))
    assert annotation.get_speakers(read_one(gum)) == turns


@pytest.mark.parametrize("words", [None, ["___"] * len(WORDS)])
def test_all_parts_are_read_but_for_masked_documents_from_reddit(gum: Path, words: list[str] | None):
    if words:
        write_words(gum, "GUM_reddit_e", words=words)
    write_splits(gum, train=["GUM_news_a", "GUM_reddit_e"], dev=["GUM_vlog_b"], test=["GUM_bio_c"])
    write_document(gum, "GUM_reddit_restored")
    assert annotation.get_title(read_one(gum, "GUM_reddit_restored")) == "GUM_reddit_restored"
    with pytest.warns(UserWarning, match="found 3 documents of 30 words, expected 237 documents of 233,926 words: not"):
        docs = read_ontogum(gum)
    assert [annotation.get_title(doc) for doc in docs] == ["GUM_news_a", "GUM_vlog_b", "GUM_bio_c"]


def test_splits_leave_out_other_parts_and_genres(gum: Path):
    splits = {"train": ["GUM_news_a"], "dev": ["GUM_vlog_b"], "test": ["GUM_bio_c"]}
    assert read_ontogum_splits(gum) == splits
    assert read_ontogum_splits(gum, genres=["news", "bio"]) == splits | {"dev": []}


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("conll", None, "GUM_news_a.conll: no such file. Expected a copy of https://github.com/amir-zeldes/gum."),
        ("conllu", None, "GUM_news_a.conllu: no such file. Expected a copy of"),
        ("conll", conll(CELLS[:9], WORDS[:9]), "GUM_news_a.conll: found 9 words, expected 10, as in coref/ontogum"),
        ("conllu", "# newdoc id = GUM_news_a\nx\n", "GUM_news_a.conllu:2: found 1 columns"),
    ],
)
def test_files_that_are_not_as_expected_are_named(gum: Path, file: str, text: str | None, message: str):
    path = gum / f"coref/ontogum/{file}/GUM_news_a.{file}"
    path.unlink() if text is None else write(path, text)
    with pytest.raises((ValueError, FileNotFoundError), match=re.escape(message)):
        read_one(gum)
