from pathlib import Path

import pytest
from spacy.tokens import Doc

from lab.benchmarks import annotate
from lab.benchmarks.annotate import Case
from lab.benchmarks.pipelines import load_pipeline

from .conftest import MakeModel, make_pipeline, rows, run


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotate, "WORDS_AT_LEAST", 60)
    monkeypatch.setattr(annotate, "WORDS_OF_DOCUMENT", 30)


def test_every_case_has_a_row(data: Path, make_model: MakeModel):
    options = ("--words", "20,100", "--sentence-words", "5", "--repeats", 2)
    table = rows(run("annotate", data, make_model(), *options))
    assert {row["pipeline"] for row in table} == {"structured_coref, structured"}
    columns = ("words of each document", "of each sentence", "documents", "words")
    assert [tuple(row[column] for column in columns) for row in table] == [
        ("own", "own", "2", "18"),
        ("20", "own", "3", "60"),
        ("100", "own", "1", "100"),
        ("30", "5", "2", "60"),
    ]
    assert all(row["whole / encoder, time"].count("to") == 1 for row in table)


def test_every_pipeline_has_rows(data: Path, make_model: MakeModel):
    kinds = [("structured_coref", "structured"), ("structured_coref", "greedy"), ("structured_srl", "structured")]
    models = [make_model(*kind) for kind in kinds]
    table = rows(run("annotate", data, *models, "--words", "", "--sentence-words", "", "--repeats", 2))
    assert [row["pipeline"] for row in table] == [", ".join(kind) for kind in kinds]
    assert all(row["whole / encoder, time"].count("to") == 1 for row in table)


def test_the_encoder_alone_finds_nothing():
    nlp = make_pipeline()
    words, found = annotate.annotate(nlp, ["Ann Lee left.", "He left."], "encoder")
    assert (words, found) == (7, (0, 0))
    assert nlp.pipe_names == ["sentencizer", "tok2vec", "structured_coref"]


def test_found_annotation_is_summed_over_documents():
    nlp = make_pipeline("structured_coref", "greedy")
    texts = ["Ann Lee gave her brother a key.", "Leo lost a hat."]
    each = [annotate.annotate(nlp, [text]) for text in texts]
    assert annotate.annotate(nlp, texts) == (
        sum(words for words, _ in each),
        tuple(sum(column) for column in zip(*(found for _, found in each), strict=True)),
    )


def test_given_sentences_are_kept(data: Path, make_model: MakeModel):
    nlp = load_pipeline(make_model(), 0, -1)
    for doc in nlp.pipe(Case(30, 4).documents(nlp, data)):
        assert isinstance(doc, Doc)
        assert [len(sentence) for sentence in doc.sents] == [4] * 7 + [2]
