from __future__ import annotations

import re
from pathlib import Path

import pytest
from spacy.tokens import Doc

from spacy_span_selector.annotation import Quotation, get_clusters, get_quotations, has_quotations_annotated
from spacy_span_selector.tools.formats.litbank import read_litbank

LITBANK = Path(__file__).parents[4] / "../shared/data/litbank"
needs_litbank = pytest.mark.skipif(not LITBANK.is_dir(), reason="needs LitBank in ../shared/data/litbank")

SENTENCES = ["“ Go , ” said Ann .", "She left .", "“ I 'll stay . Tom will , too . ”", "Tom slept ."]
CELLS = {(0, 5): "(3)", (1, 0): "(3)", (2, 1): "(5)", (2, 5): "(5)", (3, 0): "(5)"}
ENTITIES = [
    "MENTION\tT0\t0\t5\t0\t5\tAnn\tPER\tPROP",
    "MENTION\tT1\t1\t0\t1\t0\tShe\tPER\tPRON",
    "MENTION\tT2\t2\t1\t2\t1\tI\tPER\tPRON",
    "MENTION\tT3\t2\t5\t2\t5\tTom\tPER\tPROP",
    "MENTION\tT4\t3\t0\t3\t0\tTom\tPER\tPROP",
    *("COREF\tT0\tAnn-5", "COREF\tT1\tAnn-5", "COREF\tT2\tTom-3", "COREF\tT3\tTom-3", "COREF\tT4\tTom-3"),
]
QUOTATIONS = [
    "QUOTE\tQ7\t2\t0\t2\t10\t“ I 'll stay . Tom will , too . ”",
    "ATTRIB\tQ7\tTom-3",
    "QUOTE\tQ2\t0\t0\t0\t3\t“ Go , ”",
    "ATTRIB\tQ2\tAnn-5",
]


def write_tale(source: Path, quotations: list[str] | None = QUOTATIONS, entities: list[str] | None = ENTITIES) -> None:
    lines = ["#begin document (tale); part 0"]
    for number, sentence in enumerate(SENTENCES):
        for i, word in enumerate(sentence.split()):
            lines.append("\t".join(["tale", "0", str(i), word, *["_"] * 8, CELLS.get((number, i), "")]))
        lines.append("")
    files = {"coref/conll/tale.conll": [*lines, "#end document"]}
    files |= {} if quotations is None else {"quotations/tsv/tale.ann": quotations}
    files |= {} if entities is None else {"coref/tsv/tale.ann": entities}
    for name, rows in files.items():
        path = source / name
        path.parent.mkdir(parents=True)
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def read_tale(source: Path) -> Doc:
    (doc,) = read_litbank(source)
    return doc


def test_a_speaker_is_found_by_the_mentions_of_the_entity_not_by_its_number(tmp_path: Path) -> None:
    write_tale(tmp_path)
    assert get_quotations(read_tale(tmp_path)) == [
        Quotation(0, 4, speaker=(5, 6)),
        Quotation(10, 21, speaker=(21, 22)),
    ]


def test_of_two_mentions_as_near_the_one_before_is_the_speaker(tmp_path: Path) -> None:
    write_tale(tmp_path, ["QUOTE\tQ1\t0\t6\t0\t6\t.", "ATTRIB\tQ1\tAnn-5"])
    assert get_quotations(read_tale(tmp_path)) == [Quotation(6, 7, speaker=(5, 6))]


def test_a_speaker_who_is_named_within_quotations_alone_is_found_there(tmp_path: Path) -> None:
    write_tale(tmp_path, [*QUOTATIONS, "QUOTE\tQ8\t3\t0\t3\t2\tTom slept .", "ATTRIB\tQ8\tTom-3"])
    assert get_quotations(read_tale(tmp_path))[1:] == [
        Quotation(10, 21, speaker=(11, 12)),
        Quotation(21, 24, speaker=(21, 22)),
    ]


def test_an_empty_file_says_that_there_are_no_quotations(tmp_path: Path) -> None:
    write_tale(tmp_path, [])
    doc = read_tale(tmp_path)
    assert has_quotations_annotated(doc)
    assert get_quotations(doc) == []


def test_without_a_file_a_document_is_not_annotated_for_quotations(tmp_path: Path) -> None:
    write_tale(tmp_path, None)
    assert not has_quotations_annotated(read_tale(tmp_path))


@pytest.mark.parametrize(
    "line",
    [
        "QUOTE\tQ9\t1\t0\t1\t2\tShe stayed .",
        "QUOTE\tQ9\t1\t0\t9\t2\tShe left .",
        "QUOTE\tQ9\t1\tx\t1\t2\tShe left .",
        "QUOTE\tQ9\t1\t0\t1\t2",
        "QUOTE",
    ],
)
def test_a_quotation_that_cannot_be_read_costs_no_other(tmp_path: Path, line: str) -> None:
    write_tale(tmp_path, [line, *QUOTATIONS])
    with pytest.warns(UserWarning, match=r"Left out quotations that can't be read: 1\. The first: \S*tale\.ann:1: "):
        doc = read_tale(tmp_path)
    assert [quotation[:2] for quotation in get_quotations(doc)] == [(0, 4), (10, 21)]


def test_a_speaker_without_a_mention_costs_no_quotation(tmp_path: Path) -> None:
    write_tale(tmp_path, [line.replace("Ann-5", "Joe-9") for line in QUOTATIONS])
    with pytest.warns(UserWarning) as caught:
        doc = read_tale(tmp_path)
    (warning,) = caught
    message = r"Left out speakers of quotations: 1\. The first: \S*tale\.ann:4: quotation 'Q2' is of 'Joe-9', which has"
    assert re.search(message, str(warning.message))
    assert [quotation.speaker for quotation in get_quotations(doc)] == [None, (21, 22)]


def test_without_entities_quotations_have_no_speakers(tmp_path: Path) -> None:
    write_tale(tmp_path, entities=None)
    with pytest.warns(UserWarning, match=r"Left out speakers of quotations: 2\."):
        doc = read_tale(tmp_path)
    assert get_quotations(doc) == [Quotation(0, 4), Quotation(10, 21)]


def test_a_file_in_another_encoding_costs_no_document(tmp_path: Path) -> None:
    write_tale(tmp_path)
    (tmp_path / "quotations/tsv/tale.ann").write_bytes(b"QUOTE\tZo\xeb")
    with pytest.warns(UserWarning, match=r"files that can't be read: 1\. The first: \S*tale\.ann: byte 8 is not UTF-8"):
        doc = read_tale(tmp_path)
    assert len(get_clusters(doc)) == 2
    assert not has_quotations_annotated(doc)


@pytest.mark.slow
@needs_litbank
def test_every_quotation_of_the_corpus_has_its_speaker() -> None:
    docs = read_litbank(LITBANK)
    quotations = [get_quotations(doc) for doc in docs]
    assert sum(map(len, quotations)) == 1_765
    assert sum(not of_doc for of_doc in quotations) == 14
    assert all(quotation.speaker is not None for of_doc in quotations for quotation in of_doc)
    assert all(map(has_quotations_annotated, docs))
