from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from spacy.tokens import Doc

from spacy_span_selector.annotation import get_clusters, get_paragraphs
from spacy_span_selector.tools.formats.litbank import read_litbank

LITBANK = Path(__file__).parents[4] / "../shared/data/litbank"
needs_litbank = pytest.mark.skipif(not LITBANK.is_dir(), reason="needs LitBank in ../shared/data/litbank")

SENTENCES = ["CHAPTER I", "Ann 's brother left .", "She sighed .", "“ Well ! ”", "Nobody heard her ."]
NOVEL = """CHAPTER I


Ann's brother
left. She sighed.

“Well!”
 \t
Nobody heard her.
"""
STARTS = [0, 2, 10, 14]


def write_tale(source: Path, novel: str | bytes | None = NOVEL, sentences: list[str] = SENTENCES) -> None:
    """A document of words, and the novel."""
    lines = ["#begin document (tale_brat); part 0"]
    for sentence in sentences:
        words = sentence.split()
        cells = ["(1)" if word in ("Ann", "She", "her") else "" for word in words]
        rows = enumerate(zip(words, cells, strict=True))
        lines += ["\t".join(["tale_brat", "0", str(i), word, *["_"] * 8, cell]) for i, (word, cell) in rows]
        lines.append("")
    conll, original = source / "coref/conll/tale_brat.conll", source / "original/tale.txt"
    conll.parent.mkdir(parents=True)
    conll.write_text("\n".join([*lines, "#end document", ""]), encoding="utf-8")
    if novel is not None:
        original.parent.mkdir()
        original.write_bytes(novel.encode() if isinstance(novel, str) else novel)


def read_tale(source: Path) -> Doc:
    (doc,) = read_litbank(source)
    return doc


def starts(doc: Doc) -> list[int]:
    """Where paragraphs begin; they must follow each other to the end of the document."""
    paragraphs = get_paragraphs(doc)
    assert paragraphs is not None
    assert [end for _, end in paragraphs] == [*(start for start, _ in paragraphs[1:]), len(doc)]
    return [start for start, _ in paragraphs]


def test_paragraphs_begin_behind_blank_lines_of_the_novel(tmp_path: Path) -> None:
    write_tale(tmp_path, NOVEL)
    assert starts(read_tale(tmp_path)) == STARTS


def test_a_novel_with_other_line_ends_has_the_same_paragraphs(tmp_path: Path) -> None:
    write_tale(tmp_path, NOVEL.replace("\n", "\r\n"))
    assert starts(read_tale(tmp_path)) == STARTS


def test_a_novel_may_have_more_before_the_document(tmp_path: Path) -> None:
    write_tale(tmp_path, "A TALE\n\nby nobody\n\n" + NOVEL)
    assert starts(read_tale(tmp_path)) == STARTS


def test_a_word_that_is_not_in_the_novel_costs_no_paragraph(tmp_path: Path) -> None:
    sentences = [*SENTENCES, *["Ann left ."] * 40]
    novel = NOVEL.replace("Well!", "Well?") + "\nAnn left." * 40
    write_tale(tmp_path, novel, sentences)
    assert starts(read_tale(tmp_path)) == [0, 2, 10, 14, 18]


def test_another_novel_is_told_and_costs_no_document(tmp_path: Path) -> None:
    write_tale(tmp_path, "It was the best of times, it was the worst of times.")
    message = r"can't be read: 1\. The first: \S*tale\.txt: found 2 of the 18 words of the document; expected its novel"
    with pytest.warns(UserWarning, match=message):
        doc = read_tale(tmp_path)
    assert get_paragraphs(doc) is None
    assert get_clusters(doc) == [[(2, 3), (7, 8), (16, 17)]]


def test_a_novel_in_another_encoding_costs_no_document(tmp_path: Path) -> None:
    write_tale(tmp_path, b"Zo\xeb left.")
    with pytest.warns(UserWarning, match=r"files that can't be read: 1\. The first: \S*tale\.txt: .*is not UTF-8"):
        doc = read_tale(tmp_path)
    assert get_paragraphs(doc) is None


def test_without_a_novel_nothing_is_known_of_paragraphs(tmp_path: Path) -> None:
    write_tale(tmp_path, None)
    assert get_paragraphs(read_tale(tmp_path)) is None


@pytest.mark.slow
@needs_litbank
def test_every_novel_of_the_corpus_has_its_paragraphs(tmp_path: Path) -> None:
    with tarfile.open(LITBANK / "original.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / "coref").symlink_to((LITBANK / "coref").resolve())
    docs = read_litbank(tmp_path)
    assert len(docs) == 100
    assert sum(len(starts(doc)) for doc in docs) == 2_809
