from __future__ import annotations

from pathlib import Path

import pytest
from spacy.tokens import Doc

from spacy_span_selector.annotation import get_clusters, get_labelled_spans, has_labelled_spans_annotated
from spacy_span_selector.tools.formats.litbank import read_litbank

LITBANK = Path(__file__).parents[4] / "../shared/data/litbank"
needs_litbank = pytest.mark.skipif(not LITBANK.is_dir(), reason="needs LitBank in ../shared/data/litbank")

SENTENCES = ["The house of Ann", "She left it ."]
ENTITIES = """\
The\tB-FAC\tO\tO\t
house\tI-FAC\tO\tO\t
of\tI-FAC\tO\tO\t
Ann\tI-FAC\tB-PER\tO\t

She\tO\tO\tO\t
left\tO\tO\tO\t
it\tO\tO\tO\t
.\tO\tO\tO\t
"""


def read_tale(source: Path, entities: str | bytes | None = ENTITIES) -> Doc:
    """The document of a corpus with two sentences, and its file of entities."""
    lines = ["#begin document (tale); part 0"]
    for sentence in SENTENCES:
        for i, word in enumerate(sentence.split()):
            cell = "(1)" if word in ("Ann", "She") else ""
            lines.append("\t".join(["tale", "0", str(i), word, *["_"] * 8, cell]))
        lines.append("")
    conll, tags = source / "coref/conll/tale.conll", source / "entities/tsv/tale.tsv"
    for path in (conll, tags):
        path.parent.mkdir(parents=True)
    conll.write_text("\n".join([*lines, "#end document", ""]), encoding="utf-8")
    if entities is not None:
        tags.write_bytes(entities if isinstance(entities, bytes) else entities.encode())
    (doc,) = read_litbank(source)
    return doc


def test_each_column_has_the_entities_of_a_level(tmp_path: Path) -> None:
    doc = read_tale(tmp_path)
    assert get_labelled_spans(doc) == [(0, 4, "FAC"), (3, 4, "PER")]
    assert get_clusters(doc) == [[(3, 4), (4, 5)]]


def test_without_a_file_a_document_is_not_annotated(tmp_path: Path) -> None:
    assert not has_labelled_spans_annotated(read_tale(tmp_path, None))


@pytest.mark.parametrize(
    ("entities", "message"),
    [
        (ENTITIES.replace("left", "LEFT"), r"tale\.tsv:7: found 'LEFT', expected 'left'\."),
        (ENTITIES.replace("Ann\tI-FAC\tB-PER\tO\t\n", ""), r"tale\.tsv:5: found 'She', expected 'Ann'\."),
        (ENTITIES.removesuffix(".\tO\tO\tO\t\n"), r"tale\.tsv: found 7 words, expected 8\."),
        ("", r"tale\.tsv: found 0 words, expected 8\."),
        (b"Zo\xeb\tO\n", r"tale\.tsv: byte 2 is not UTF-8\."),
    ],
)
def test_a_file_of_other_words_costs_the_entities_alone(tmp_path: Path, entities: str | bytes, message: str) -> None:
    with pytest.warns(UserWarning, match=rf"Left out files that can't be read: 1\. The first: \S*{message}"):
        doc = read_tale(tmp_path, entities)
    assert not has_labelled_spans_annotated(doc)
    assert get_clusters(doc) == [[(3, 4), (4, 5)]]


def test_a_cell_that_is_no_tag_costs_no_other_entity(tmp_path: Path) -> None:
    message = r"Read as `O` what is no tag: 1\. The first: \S*tale\.tsv:4: found 'PER', expected `O` or a tag"
    with pytest.warns(UserWarning, match=message):
        doc = read_tale(tmp_path, ENTITIES.replace("B-PER", "PER"))
    assert get_labelled_spans(doc) == [(0, 4, "FAC")]


@pytest.mark.slow
@needs_litbank
def test_every_entity_of_the_corpus_is_read_and_none_crosses_another() -> None:
    spans = [get_labelled_spans(doc) for doc in read_litbank(LITBANK)]
    assert len(spans) == 100
    assert sum(map(len, spans)) == 13_912
    assert {span.label for of_doc in spans for span in of_doc} == {"PER", "FAC", "LOC", "GPE", "VEH", "ORG"}
    pairs = [(outer, inner) for of_doc in spans for inner in of_doc for outer in of_doc if outer[:2] != inner[:2]]
    nested = [id(inner) for outer, inner in pairs if outer.start <= inner.start and inner.end <= outer.end]
    assert len({*nested}) == 2_143
    assert not [inner for outer, inner in pairs if outer.start < inner.start < outer.end < inner.end]
