import re
from pathlib import Path

import pytest
from spacy.vocab import Vocab

from spacy_span_selector.annotation import get_clusters, get_title, has_clusters_annotated
from spacy_span_selector.tools.formats.litbank import read_litbank, read_litbank_file, read_litbank_fold
from spacy_span_selector.tools.formats.reports import Report

LITBANK = Path(__file__).parents[4] / "../shared/data/litbank"
needs_litbank = pytest.mark.skipif(not LITBANK.is_dir(), reason="needs LitBank in ../shared/data/litbank")

BEGIN = "#begin document (tale); part 0"


def row(index: int, word: str, cell: str = "") -> str:
    return "\t".join(["tale", "0", str(index), word, *["_"] * 8, cell])


def write_tale(folder: Path, lines: list[str]) -> Path:
    path = folder / "coref/conll/tale.conll"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


GOOD = [
    BEGIN,
    row(0, "Ann", "(0)"),
    row(1, "slept", ""),
    "",
    row(0, "Her", "(1|(0)"),
    row(1, "dog", "1)"),
    row(2, "barked"),
    "",
    "#end document",
]


def test_words_sentences_clusters_and_title_are_read(tmp_path: Path):
    write_tale(tmp_path, GOOD)
    (doc,) = read_litbank(tmp_path)
    assert [[token.text for token in sentence] for sentence in doc.sents] == [
        ["Ann", "slept"],
        ["Her", "dog", "barked"],
    ]
    assert get_clusters(doc) == [[(0, 1), (2, 3)], [(2, 4)]]
    assert [doc.spans[key].attrs["name"] for key in doc.spans] == ["0", "1"]
    assert get_title(doc) == "tale"
    assert doc.has_unknown_spaces


def test_a_document_without_mentions_counts_as_annotated(tmp_path: Path):
    write_tale(tmp_path, [BEGIN, row(0, "Rain"), "", "#end document"])
    (doc,) = read_litbank(tmp_path)
    assert has_clusters_annotated(doc)


@pytest.mark.parametrize(
    ("line", "replacement", "message"),
    [
        (1, "tale", "tale.conll:1: found 'tale', expected `#begin document (tale); part 0`"),
        (2, "tale\t0\t0\tAnn", "tale.conll:2: found 4 columns separated by tabs, expected 13"),
        (1, "#begin document (tail); part 0", "tale.conll:1: found '#begin document (tail); part 0', expected `#begin"),
        (
            6,
            row(2, "dog"),
            "tale.conll:6: found row number '2', expected '1'. Rows are missing, doubled or not in order",
        ),
        (6, row(1, "dog").replace("tale", "tail"), "tale.conll:6: found a row of 'tail', expected one of 'tale'"),
        (2, "", "tale.conll:3: found 1 empty lines above, expected 0. Is a row missing?"),
        (3, "", "tale.conll:5: found 2 empty lines above, expected 1. Is a row missing?"),
        (7, "", "tale.conll:9: found 2 empty lines above, expected 1. Is a row missing?"),
        (9, "", "tale.conll: the file ends without `#end document`"),
        (3, "#end document", "tale.conll:5: found"),
        (3, row(1, ""), "tale.conll:3: found no word in column 4"),
        (3, row(1, "\u2003"), "tale.conll:3: found no word in column 4"),
    ],
)
def test_malformed_files_are_named_with_the_line(tmp_path: Path, line: int, replacement: str, message: str):
    path = write_tale(tmp_path, [*GOOD[: line - 1], replacement, *GOOD[line:]])
    with pytest.raises(ValueError, match=re.escape(message)):
        read_litbank_file(path, Vocab(), Report())


def test_a_document_without_rows_has_no_words(tmp_path: Path):
    path = write_tale(tmp_path, [BEGIN, "#end document"])
    with pytest.raises(ValueError, match=r"tale\.conll: found no words\. Is it complete\?"):
        read_litbank_file(path, Vocab(), Report())


def test_a_bracket_without_a_partner_costs_its_mention_alone(tmp_path: Path):
    write_tale(tmp_path, [*GOOD[:5], row(1, "dog", "2)"), *GOOD[6:]])
    with pytest.warns(UserWarning) as caught:
        (doc,) = read_litbank(tmp_path)
    (warning,) = caught
    assert re.search(r": 2\. The first: \S*tale\.conll:5: a mention of cluster 1 opens here", str(warning.message))
    assert re.search(r"\n +\S*tale\.conll:6: a mention of cluster 2 ends here", str(warning.message))
    assert get_clusters(doc) == [[(0, 1), (2, 3)]]


def test_a_document_that_cannot_be_read_costs_no_other(tmp_path: Path):
    path = write_tale(tmp_path, GOOD)
    path.with_name("a.conll").write_text(path.read_text().replace("tale", "a").replace("\t1\t", "\t2\t"))
    with pytest.warns(UserWarning, match=r"can't be read: 1\. The first: \S*/a\.conll:3: found row number '2'"):
        (doc,) = read_litbank(tmp_path)
    assert get_title(doc) == "tale"


def test_without_a_document_that_can_be_read_there_is_an_error(tmp_path: Path):
    path = write_tale(tmp_path, GOOD[:-1])
    with pytest.raises(ValueError, match=r"no document that can be read\. \S*tale\.conll: the file ends without"):
        read_litbank(tmp_path)
    path.unlink()
    with pytest.raises(ValueError, match=r"conll: found no document that can be read\. Expected a copy of"):
        read_litbank(tmp_path)
    assert read_litbank(tmp_path, names=[]) == []


def test_files_in_another_encoding_are_named(tmp_path: Path):
    path = write_tale(tmp_path, GOOD)
    path.write_bytes(path.read_text().replace("Ann", "Zoë").encode("latin-1"))
    with pytest.raises(ValueError, match=r"tale\.conll: byte \d+ is not UTF-8. Save the file as UTF-8"):
        read_litbank(tmp_path)
    ids = tmp_path / "lrec2020-coref/data/litbank_tenfold_splits/4/train.ids"
    ids.parent.mkdir(parents=True)
    ids.write_bytes(b"Zo\xeb.tsv")
    with pytest.raises(ValueError, match=r"train\.ids: byte 2 is not UTF-8"):
        read_litbank_fold(tmp_path, 4)


def test_missing_folders_are_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"coref/conll: no such folder.*dbamman/litbank"):
        read_litbank(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"litbank_tenfold_splits/3: no such folder.*dbamman/lrec2020-coref"):
        read_litbank_fold(tmp_path, 3)


@pytest.mark.parametrize("place", [".", "litbank"])
def test_folds_lie_in_the_source_or_beside_it(tmp_path: Path, place: str):
    (tmp_path / "litbank").mkdir()
    folder = tmp_path / "lrec2020-coref/data/litbank_tenfold_splits/4"
    folder.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (folder / f"{split}.ids").write_text(f"{split}_brat.tsv\n")
    expected = {"train": ["train_brat"], "dev": ["dev_brat"], "test": ["test_brat"]}
    assert read_litbank_fold(tmp_path / place, 4) == expected


def write_folds(source: Path, **splits: str) -> Path:
    folder = source / "lrec2020-coref/data/litbank_tenfold_splits/4"
    folder.mkdir(parents=True)
    for split, text in splits.items():
        (folder / f"{split}.ids").write_text(text)
    return folder


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_list_without_documents_is_an_error(tmp_path: Path, text: str):
    write_folds(tmp_path, train="a.tsv\n", dev=text, test="b.tsv\n")
    with pytest.raises(ValueError, match=r"4/dev\.ids: found no document, expected one name per line"):
        read_litbank_fold(tmp_path, 4)


@pytest.mark.parametrize("name", ["../a.tsv", "a\\b"])
def test_a_list_of_other_things_is_an_error(tmp_path: Path, name: str):
    write_folds(tmp_path, train=f"a.tsv\n{name}\n", dev="b\n", test="c\n")
    with pytest.raises(ValueError, match=r"4/train\.ids:2: found '.*', expected the name of a file"):
        read_litbank_fold(tmp_path, 4)


def test_documents_that_are_listed_twice_are_reported(tmp_path: Path):
    write_folds(tmp_path, train="a.tsv\nb.tsv\na.tsv\n", dev="c.tsv", test="d.tsv\nb.tsv")
    with pytest.warns(UserWarning) as caught:
        splits = read_litbank_fold(tmp_path, 4)
    (warning,) = caught
    assert splits == {"train": ["a", "b"], "dev": ["c"], "test": ["d", "b"]}
    assert "come a second time: 1." in str(warning.message)
    assert "'a' in train." in str(warning.message)
    assert "'b' in train and test. Remove it from one." in str(warning.message)


@pytest.mark.parametrize("fold", [-1, 10])
def test_folds_out_of_range_are_refused(tmp_path: Path, fold: int):
    with pytest.raises(ValueError, match=f"no fold {fold}: expected a number from 0 to 9"):
        read_litbank_fold(tmp_path, fold)


@needs_litbank
def test_the_whole_corpus_is_kept():
    docs = read_litbank(LITBANK)
    clusters = [cluster for doc in docs for cluster in get_clusters(doc)]
    assert len(docs) == 100
    assert sum(len(doc) for doc in docs) == 210_532
    assert sum(len(list(doc.sents)) for doc in docs) == 8_562
    assert len(clusters) == 7_927
    assert sum(len(cluster) for cluster in clusters) == 29_103
    assert sum(len(cluster) == 1 for cluster in clusters) == 5_763


@needs_litbank
def test_each_fold_splits_all_documents_and_each_document_is_tested_once():
    folds = [read_litbank_fold(LITBANK, fold) for fold in range(10)]
    everything = sorted(path.stem for path in (LITBANK / "coref/conll").glob("*.conll"))
    for fold in folds:
        assert {split: len(names) for split, names in fold.items()} == {"train": 80, "dev": 10, "test": 10}
        assert sorted(name for names in fold.values() for name in names) == everything
    assert sorted(name for fold in folds for name in fold["test"]) == everything
