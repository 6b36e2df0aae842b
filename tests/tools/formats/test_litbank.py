import tarfile
from pathlib import Path

import pytest
from spacy.tokens import Doc

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Quotation
from spacy_span_selector.tools.formats.litbank import paragraph_starts, read_litbank, read_litbank_fold

from ...corpora import LITBANK, needs
from .gum import write

SENTENCES = ["“ Go , ” said Ann .", "She left .", "“ I 'll stay . Tom will , too . ”", "Tom slept ."]
CELLS = {(0, 5): "(3)", (1, 0): "(3)", (2, 1): "(5)", (2, 5): "(5)", (3, 0): "(7|(5)", (3, 1): "7)"}
TAGS = {(0, 4): "B-ACT\tO", (0, 5): "I-ACT\tB-PER", (1, 0): "B-PER\tO"}
NOVEL = "A TALE\r\n\r\nby nobody\n\n“Go,” said\nAnn. She went.\n \t\n“I'll stay. Tom will, too.”\n\n\nTom slept.\n"
ENTITIES = [f"MENTION T{i}{j} {i} {j} {i} {j} … PER PROP" for i, j in [(0, 5), (1, 0), (2, 1), (2, 5), (3, 0)]]
ENTITIES += ["COREF T05 Ann-5", "COREF T10 Ann-5", "COREF T21 Tom-3", "COREF T25 Tom-3", "COREF T30 Tom-3"]
QUOTATIONS = ["QUOTE Q7 2 0 2 10 …", "ATTRIB Q7 Tom-3", "QUOTE Q2 0 0 0 3 …", "ATTRIB Q2 Ann-5"]


def write_rows(path: Path, rows: list[str]) -> None:
    write(path, "".join(row.replace(" ", "\t") + "\n" for row in rows))


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    """A copy with one document."""
    lines = ["#begin document (tale_brat); part 0"]
    for number, sentence in enumerate(SENTENCES):
        for i, word in enumerate(sentence.split()):
            lines.append("\t".join(["tale_brat", "0", str(i), word, *["_"] * 8, CELLS.get((number, i), "")]))
        lines.append("")
    write(tmp_path / "coref/conll/tale_brat.conll", "\n".join([*lines, "#end document", ""]))
    return tmp_path


def read_tale(source: Path) -> Doc:
    (doc,) = read_litbank(source, names=["tale_brat"])
    return doc


def test_words_sentences_clusters_and_title_are_read(tale: Path):
    doc = read_tale(tale)
    assert [" ".join(token.text for token in sentence) for sentence in doc.sents] == SENTENCES
    assert annotation.get_clusters(doc) == [[(5, 6), (7, 8)], [(11, 12), (15, 16), (21, 22)], [(21, 23)]]
    assert [doc.spans[key].attrs["name"] for key in doc.spans] == ["3", "5", "7"]
    assert annotation.get_title(doc) == "tale_brat"
    assert doc.has_unknown_spaces
    assert not annotation.has_labelled_spans_annotated(doc)
    assert not annotation.has_quotations_annotated(doc) and not annotation.get_paragraphs(doc)


def test_clusters_have_the_types_of_their_mentions_and_the_types_of_litbank_are_declared(tale: Path):
    assert annotation.get_annotates(read_tale(tale)) is None  # the copy does not say what the mentions are
    write_rows(tale / "coref/tsv/tale_brat.ann", [*ENTITIES, "MENTION T31 3 0 3 1 Tom_slept VEH NOM"])
    doc = read_tale(tale)
    assert [group.attrs["entity_type"] for group in annotation.cluster_groups(doc)] == ["PER", "PER", "VEH"]
    assert annotation.get_annotates(doc) == ["PER", "FAC", "LOC", "GPE", "ORG", "VEH"]


def test_each_column_has_the_entities_of_a_level(tale: Path):
    rows = []
    for number, sentence in enumerate(SENTENCES):
        rows += [f"{word} {TAGS.get((number, i), 'O O')} O " for i, word in enumerate(sentence.split())] + [""]
    write_rows(tale / "entities/tsv/tale_brat.tsv", rows)
    assert annotation.get_labelled_spans(read_tale(tale)) == [(4, 6, "ACT"), (5, 6, "PER"), (7, 8, "PER")]


@pytest.mark.parametrize(
    ("quotations", "expected"),
    [
        (QUOTATIONS, [((0, 4), (5, 6)), ((10, 21), (21, 22))]),
        (["QUOTE Q1 0 6 0 6 .", "ATTRIB Q1 Ann-5"], [((6, 7), (5, 6))]),
        ([*QUOTATIONS[:2], "QUOTE Q8 3 0 3 2 …", "ATTRIB Q8 Tom-3"], [((10, 21), (11, 12)), ((21, 24), (21, 22))]),
        ([], []),
    ],
    ids=["outside of quotations", "of two as near the one before", "within quotations alone", "no quotations"],
)
def test_a_speaker_is_the_nearest_mention_of_the_entity(tale: Path, quotations: list[str], expected: list[tuple]):
    write_rows(tale / "coref/tsv/tale_brat.ann", ENTITIES)
    write_rows(tale / "quotations/tsv/tale_brat.ann", quotations)
    doc = read_tale(tale)
    assert annotation.has_quotations_annotated(doc)
    assert annotation.get_quotations(doc) == [Quotation(*place, speaker=speaker) for place, speaker in expected]


def test_paragraphs_begin_behind_blank_lines_of_the_novel(tale: Path):
    write(tale / "original/tale.txt", NOVEL)
    assert annotation.get_paragraphs(read_tale(tale)) == [(0, 10), (10, 21), (21, 24)]
    assert paragraph_starts(["A", "B", "C", "D", "E"], "A\n\nb C\n\nD E") == [0, 3]


def test_files_are_named_with_the_line_and_another_copy_than_the_pinned_one(tale: Path):
    with pytest.warns(UserWarning, match="found 1 documents of 24 words, expected 100 documents of 210,532 words: not"):
        read_litbank(tale)
    write(tale / "coref/conll/b.conll", "#begin document (b); part 0\nb\t0\t0\tRain\n")
    with pytest.raises(ValueError, match=r"b\.conll:2: found 'b.*Rain', expected 13 columns separated by tabs\."):
        read_litbank(tale, names=["b"])
    with pytest.raises(FileNotFoundError, match=r"c\.conll: no such file\. Expected a copy of \S+dbamman/litbank\."):
        read_litbank(tale, names=["c"])
    with pytest.raises(FileNotFoundError, match=r"splits/3/train\.ids: no such file\. Expected .*lrec2020-coref"):
        read_litbank_fold(tale, 3)


@pytest.mark.parametrize("place", [".", "litbank"])
def test_folds_lie_in_the_source_or_beside_it(tmp_path: Path, place: str):
    (tmp_path / "litbank").mkdir()
    for split in ("train", "dev", "test"):
        write(tmp_path / f"lrec2020-coref/data/litbank_tenfold_splits/4/{split}.ids", f"{split}_brat.tsv\nb.tsv\n")
    expected = {"train": ["train_brat", "b"], "dev": ["dev_brat", "b"], "test": ["test_brat", "b"]}
    assert read_litbank_fold(tmp_path / place, 4) == expected


@pytest.mark.slow
@needs(LITBANK)
def test_the_whole_corpus_is_kept(tmp_path: Path):
    with tarfile.open(LITBANK / "original.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    for folder in ("coref", "entities", "quotations"):
        (tmp_path / folder).symlink_to((LITBANK / folder).resolve())
    docs = read_litbank(tmp_path)
    clusters = [cluster for doc in docs for cluster in annotation.get_clusters(doc)]
    assert (len(docs), sum(map(len, docs)), sum(len(list(doc.sents)) for doc in docs)) == (100, 210_532, 8_562)
    assert (len(clusters), sum(map(len, clusters)), [*map(len, clusters)].count(1)) == (7_927, 29_103, 5_763)
    assert sum(len(annotation.get_paragraphs(doc) or ()) for doc in docs) == 2_809
    quotations = [annotation.get_quotations(doc) for doc in docs]
    assert (sum(map(len, quotations)), quotations.count([])) == (1_765, 14)
    assert all(quotation.speaker is not None for of_doc in quotations for quotation in of_doc)
    kinds = [group.attrs["entity_type"] for doc in docs for group in annotation.cluster_groups(doc)]
    assert (len(kinds), kinds.count("PER"), kinds.count("FAC"), kinds.count("GPE")) == (7_927, 4_958, 1_373, 528)
    spans = [annotation.get_labelled_spans(doc) for doc in docs]
    assert sum(map(len, spans)) == 13_912
    assert {span.label for of_doc in spans for span in of_doc} == {"PER", "FAC", "LOC", "GPE", "VEH", "ORG"}
    pairs = [(outer, inner) for of_doc in spans for inner in of_doc for outer in of_doc if outer[:2] != inner[:2]]
    assert len({id(inner) for outer, inner in pairs if outer.start <= inner.start and inner.end <= outer.end}) == 2_143
    assert not [inner for outer, inner in pairs if outer.start < inner.start < outer.end < inner.end]


@needs(LITBANK)
def test_each_fold_splits_all_documents_and_each_document_is_tested_once():
    folds = [read_litbank_fold(LITBANK, fold) for fold in range(10)]
    everything = sorted(path.stem for path in (LITBANK / "coref/conll").glob("*.conll"))
    assert all(sorted([*fold["train"], *fold["dev"], *fold["test"]]) == everything for fold in folds)
    assert sorted(name for fold in folds for name in fold["test"]) == everything
