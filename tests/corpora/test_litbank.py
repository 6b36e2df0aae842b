import re
from pathlib import Path

import pytest
from spacy.vocab import Vocab

from spacy_span_selector.annotation import get_clusters, get_title, has_clusters_annotated
from spacy_span_selector.corpora.litbank import read_litbank, read_litbank_file, read_litbank_fold

LITBANK = Path(__file__).parents[2] / "../shared/data/litbank"
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
        (1, "tale", "tale.conll:1: found 'tale', expected `#begin document (NAME); part 0`"),
        (2, "tale\t0\t0\tAnn", "tale.conll:2: found 4 columns separated by tabs, expected 13"),
        (6, row(1, "dog"), "tale.conll:5: a mention of cluster 1 opens here and is never closed"),
        (5, row(0, "Her"), "tale.conll:6: '1)' closes a mention of cluster 1, but none is open"),
        (9, "", "tale.conll: the file ends without `#end document`"),
        (3, "#end document", "tale.conll:5: found"),
        (3, row(1, ""), "tale.conll:3: found no word in column 4"),
    ],
)
def test_malformed_files_are_named_with_the_line(tmp_path: Path, line: int, replacement: str, message: str):
    path = write_tale(tmp_path, [*GOOD[: line - 1], replacement, *GOOD[line:]])
    with pytest.raises(ValueError, match=re.escape(message)):
        read_litbank_file(path, Vocab())


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
