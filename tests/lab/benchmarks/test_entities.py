from pathlib import Path

import pytest
import srsly
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from lab.baselines.entities import CHOICES, outermost, prepare_documents
from lab.benchmarks.entities import count_spans, crossing_pairs
from spacy_span_selector.annotation.labelled_spans import LabelledSpan, get_labelled_spans, set_labelled_spans
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.scoring.metrics.counts import Counts

from .conftest import run

WORDS = ["The", "mayor", "of", "Bern", "slept", ".", "Ann", "left", "."]
SPANS = [LabelledSpan(0, 4, "PER"), LabelledSpan(3, 4, "GPE"), LabelledSpan(6, 7, "PER")]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    docs = []
    for _ in range(4):
        doc = Doc(Vocab(), words=WORDS, sent_starts=[i in (0, 6) for i in range(len(WORDS))])
        set_labelled_spans(doc, SPANS)
        docs.append(doc)
    folder = tmp_path / "corpus"
    folder.mkdir()
    for part in ("train", "dev", "test"):
        DocBin(docs=docs).to_disk(folder / f"{part}.spacy")
    return folder


def test_recall_is_that_of_gold_classes_and_precision_that_of_predicted_ones():
    predicted = [SPANS[0], LabelledSpan(3, 4, "PER"), LabelledSpan(1, 2, "PER")]
    none, one = Counts(0, 0, 0, 0), Counts(1, 2, 1, 1)
    expected = {"all": Counts(1, 3, 1, 3), "nested": Counts(0, 1, 0, 2), "outermost": one, "long": none}
    assert count_spans(SPANS, predicted) == expected
    two = [LabelledSpan(0, 8, "FAC"), LabelledSpan(0, 8, "ORG")]  # two labels of one span do not nest
    assert count_spans(two, two[:1]) == {"all": one, "nested": none, "outermost": one, "long": one}


@pytest.mark.parametrize(
    ("spans", "pairs"),
    [
        ([(0, 4), (1, 3), (4, 6)], 0),  # they nest or touch
        ([(0, 3), (2, 5)], 1),
        ([(0, 3), (1, 4), (2, 5)], 3),
        ([(0, 3), (0, 5), (2, 5)], 1),  # the second contains the others
    ],
)
def test_pairs_that_overlap_cross_unless_one_contains_the_other(spans: list[tuple[int, int]], pairs: int):
    assert crossing_pairs([LabelledSpan(*span, "X") for span in spans]) == pairs


def test_ner_gets_outermost_spans():
    spans = [LabelledSpan(1, 2, "A"), LabelledSpan(0, 4, "B"), LabelledSpan(0, 4, "C"), LabelledSpan(4, 5, "A")]
    assert outermost(spans) == [spans[1], spans[3]]


def test_all_systems_get_the_same_part_of_the_annotation(corpus: Path, tmp_path: Path):
    kept = []
    for missing in (False, True):
        target = tmp_path / f"{missing}.spacy"
        prepare_documents(corpus / "train.spacy", target, documents=3, share=0.5, seed=1, missing=missing)
        kept.append([get_labelled_spans(doc) for doc in read_docs(target, Vocab())])
    assert kept[0] == kept[1]
    assert len(kept[0]) == 3
    assert all(1 <= len(spans) <= 2 for spans in kept[0])


def test_systems_are_trained_and_compared_once(corpus: Path, tmp_path: Path):
    command = ["entities", tmp_path / "out", corpus, "--updates", "2", "--repeats", "1"]
    result = run(*command)
    assert result.exit_code == 0, result.output
    rows = [line.split(" | ")[0].strip("| ") for line in result.stdout.splitlines() if line.startswith("| ")]
    assert rows[2:] == list(CHOICES)
    records = list(srsly.read_jsonl(tmp_path / "out/results.jsonl"))
    trained = [record["run"]["system"] for record in records if "run" in record]
    assert trained == list(CHOICES)
    assert all(record["words"] == 2 * 4 * len(WORDS) for record in records if "run" in record)
    again = run(*command[:-1], "0")
    assert again.exit_code == 0, again.output
    assert len(list(srsly.read_jsonl(tmp_path / "out/results.jsonl"))) == len(records)
