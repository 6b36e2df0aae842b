from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from lab.benchmarks.qasrl import count, is_same, read_sentences
from spacy_span_selector.annotation import Argument, Frame, set_frames
from spacy_span_selector.scoring.metrics.counts import Counts

from .conftest import MakeModel, rows, run

WORDS = ["Ann", "did", "not", "give", "him", "a", "big", "key", "."]


def write(folder: Path) -> Path:
    stem = folder / "news.dev"
    sentence = " ".join(WORDS)
    Path(f"{stem}.full.csv").write_text(f"qasrl_id,tokens,sentence\na,{sentence},{sentence}\nb,Hi .,Hi .\n")
    lines = ["qasrl_id,verb_idx,answer_range", "a,3,0:1", "a,3,4:5~!~5:8"]
    Path(f"{stem}.gold.csv").write_text("\n".join(lines))
    return stem


def test_questions_are_those_of_their_sentence(tmp_path: Path) -> None:
    first, second = read_sentences(write(tmp_path))
    assert first.words == WORDS
    assert first.questions == {3: [[(0, 1)], [(4, 5), (5, 8)]]}
    assert second.questions == {}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [((0, 4), (0, 2), True), ((0, 5), (0, 2), False), ((0, 3), (1, 4), True), ((0, 1), (1, 2), False)],
)
def test_half_of_the_words_of_both_must_be_shared(one: tuple[int, int], other: tuple[int, int], expected: bool) -> None:
    assert is_same(one, other) is is_same(other, one) is expected


def test_a_question_is_found_if_one_answer_is_an_argument_of_its_verb() -> None:
    doc = Doc(spacy.blank("en").vocab, words=WORDS)
    arguments = [(2, 3, "ARGM-NEG"), (4, 5, "ARG2"), (6, 8, "ARG1"), (8, 9, "ARGM-TMP")]
    of_verb = Frame(3, 4, [Argument(*argument) for argument in arguments])
    set_frames(doc, [of_verb, Frame(6, 7, [Argument(0, 1, "ARG1")])])
    assert count(doc, {3: [[(0, 1)], [(4, 5), (5, 8)]]}) == Counts(1, 2, 2, 3)


def test_a_row_is_printed_for_each_file(make_model: MakeModel, tmp_path: Path) -> None:
    (row,) = rows(run("qasrl", make_model("structured_srl"), write(tmp_path)))
    assert (row["texts"], row["verbs"], row["questions"]) == ("news.dev", "1", "2")
