from pathlib import Path

import pytest

pytest.importorskip("transformers")

import torch
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from lab.benchmarks.marked_tagger import MarkedTagger, Task, batches, read_tasks, score, train
from spacy_span_selector.annotation import Argument, Frame, set_frames

from ...tiny_bert import tiny_bert

WORDS = ["Ann", "gave", "Leo", "a", "key", ".", "He", "left", "."]
FRAMES = [
    Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG2"), Argument(3, 5, "ARG1")], "give.01"),
    Frame(7, 8, [Argument(6, 7, "ARG0")]),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    doc = Doc(Vocab(), words=WORDS, sent_starts=[i in (0, 6) for i in range(len(WORDS))])
    set_frames(doc, FRAMES)
    DocBin(docs=[doc]).to_disk(tmp_path / "train.spacy")
    return tmp_path / "train.spacy"


def test_every_predicate_is_a_task(data: Path) -> None:
    gave, left = read_tasks(data)
    assert gave == Task(0, 0, WORDS[:6], (1, 1), FRAMES[0])
    assert left == Task(0, 6, WORDS[6:], (1, 1), FRAMES[1])


def test_batches_are_of_like_length_and_not_too_long(data: Path) -> None:
    tasks = read_tasks(data) * 3
    found = list(batches(tasks, 12))
    assert [[len(task.words) for task in batch] for batch in found] == [[6, 6], [6, 3], [3, 3]]
    assert sorted(map(id, tasks)) == sorted(id(task) for batch in found for task in batch)


def test_it_learns_what_it_is_shown(data: Path, tmp_path: Path) -> None:
    torch.manual_seed(0)
    tasks = read_tasks(data)
    tagger = MarkedTagger(tiny_bert(tmp_path / "encoder"), ["ARG0", "ARG1", "ARG2"])
    train(tagger, tasks, epochs=60, words=100, learn_rate=5e-3)
    scores, words_per_second = score(tagger, tasks)
    assert scores.labelled.f1 == 1.0
    assert words_per_second > 0
