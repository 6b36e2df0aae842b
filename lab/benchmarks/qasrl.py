"""QA-SRL: are the answers to questions about a verb its arguments, in texts that no training has seen?

    python -m lab qasrl en_span_selector_sm wikinews.dev wikipedia.dev

Reads FILE.full.csv and FILE.gold.csv of github.com/plroit/qasrl-gs. A question is found if an argument of its verb
shares half of the words of both with one of its answers. P is of the arguments of these verbs, those aside that no
question asks for: modals, negations, discourse, and relative pronouns and parts that go on.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import spacy
import typer
from spacy.tokens import Doc

from spacy_span_selector.annotation import get_frames
from spacy_span_selector.scoring.metrics.counts import Counts

from ..measuring import Output, Threads, add_results, print_header, print_row, set_threads

NEVER_ASKED = frozenset({"ARGM-MOD", "ARGM-NEG", "ARGM-DIS", "ARGM-LVB", "ARGM-CXN"})
CONTINUED = ("R-", "C-")

Place = tuple[int, int]


class Sentence(NamedTuple):
    """The words of a sentence, and for each verb that is asked for, by its place, the answers to each question."""

    words: list[str]
    questions: dict[int, list[list[Place]]]


def read_sentences(stem: Path) -> Iterator[Sentence]:
    """The sentences of two files, `stem` being their path up to ".full.csv" and ".gold.csv"."""
    questions: dict[str, dict[int, list[list[Place]]]] = defaultdict(lambda: defaultdict(list))
    for row in _rows(stem, "gold"):
        ranges = (one.split(":") for one in row["answer_range"].split("~!~") if one)
        questions[row["qasrl_id"]][int(row["verb_idx"])].append([(int(start), int(end)) for start, end in ranges])
    for row in _rows(stem, "full"):
        yield Sentence(row["tokens"].split(" "), dict(questions[row["qasrl_id"]]))


def _rows(stem: Path, part: str) -> Iterator[dict[str, str]]:
    with Path(f"{stem}.{part}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def is_same(one: Place, other: Place) -> bool:
    """Whether two spans share half of the words that are in either."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return 2 * shared >= max(one[1], other[1]) - min(one[0], other[0])


def count(doc: Doc, questions: dict[int, list[list[Place]]]) -> Counts:
    """Count the questions of a sentence that are found, and the arguments that answer one."""
    arguments: dict[int, list[Place]] = defaultdict(list)
    for frame in get_frames(doc):
        arguments[frame.start] += [
            (start, end)
            for start, end, role in frame.arguments
            if role not in NEVER_ASKED and not role.startswith(CONTINUED)
        ]
    counts = Counts()
    for verb, asked in questions.items():
        found = [any(is_same(answer, own) for answer in answers for own in arguments[verb]) for answers in asked]
        right = [any(is_same(answer, own) for answers in asked for answer in answers) for own in arguments[verb]]
        counts += Counts(sum(found), len(found), sum(right), len(right))
    return counts


def main(
    model: Annotated[str, typer.Argument(help="A trained pipeline with structured_srl")],
    stems: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Paths of FILE.full.csv and FILE.gold.csv, up to these")
    ],
    threads: Threads = 0,
    output: Output = None,
) -> None:
    """Print P and R of the arguments of verbs."""
    set_threads(threads)
    nlp = spacy.load(model)
    print_header("texts", "verbs", "questions", "P", "R", "F1", texts=1)
    rows = {}
    for stem in stems:
        sentences = [*read_sentences(stem)]
        docs = (Doc(nlp.vocab, words=sentence.words) for sentence in sentences)
        found = (count(doc, one.questions) for doc, one in zip(nlp.pipe(docs), sentences, strict=True))
        scores = sum(found, Counts()).scores()
        asked = [answers for sentence in sentences for answers in sentence.questions.values()]
        rows[stem.name] = {"verbs": len(asked), "questions": sum(map(len, asked)), **scores}
        print_row(stem.name, *(str(rows[stem.name][name]) for name in ("verbs", "questions")), *percent(scores))
    add_results(output, "qasrl", nlp, rows)


def percent(scores: dict[str, float]) -> list[str]:
    """P, R and F1 as cells of a table."""
    return [f"{100 * scores[name]:.1f}" for name in "prf"]
