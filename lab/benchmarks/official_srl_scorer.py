"""Counts of arguments by the official scorer of CoNLL-2005, `srl-eval.pl`, next to ours, for the same documents.

    python -m spacy span-selector evaluate training/ewt/model-best corpus/ewt/test.spacy --gold-predicates \
        --predictions response.spacy
    python -m lab official-srl-scorer srl-eval.pl corpus/ewt/test.spacy response.spacy

Both files need the same words and predicates, which `--gold-predicates` gives to the pipeline. The scorer reads them as
props: one line a token, with the predicate that begins there, and one column of arguments a predicate.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from spacy.tokens import Doc, Span
from spacy.training import Example
from wasabi import msg

from spacy_span_selector.annotation import PREDICATE_LABEL, Argument, Frame, get_frames, get_sentences
from spacy_span_selector.scoring.srl import count_srl
from spacy_span_selector.tools.formats.columns import WRITABLE_LABEL, write_starred_column

from .official_scorer import read_pairs

OVERALL = re.compile(r"^ *Overall +(\d+) +(\d+) +(\d+) ", re.MULTILINE)
PROPBANK_ROLE = re.compile(r"^((?:[CR]-)*)ARG(?=[0-9AM])")
NO_PREDICATE, PLACEHOLDER = "-", "_"

Parts = tuple[float, float, float]
"""Arguments that are right, predicted in excess, and missed."""


def main(
    scorer: Annotated[Path, typer.Argument(metavar="SRL-EVAL.pl", help="The official scorer, of srlconll-1.1")],
    key: Annotated[Path, typer.Argument(metavar="KEY.spacy", help="Gold documents")],
    response: Annotated[
        Path, typer.Argument(metavar="RESPONSE.spacy", help="The same documents, annotated by a pipeline")
    ],
    output: Annotated[Path | None, typer.Option(help="Folder to keep gold.props and predicted.props in")] = None,
) -> None:
    """Print both counts; exit with status 1 if they differ."""
    examples = read_pairs(key, response)
    with TemporaryDirectory() as temporary:
        folder = output or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        paths, lost = write_both(examples, folder)
        official, ours = score_officially(scorer, *paths), score_here(examples)
    rows = [(name, *(f"{part:.0f}" for part in parts)) for name, parts in (("official", official), ("ours", ours))]
    msg.table(rows, header=("", "corr.", "excess", "missed"), aligns=("l", "r", "r", "r"), divider=True)
    if lost:
        msg.warn(f"Props can't show {lost} frames and arguments, which only we count.")
    raise typer.Exit(0 if official == ours else 1)


def write_both(examples: Sequence[Example], folder: Path) -> tuple[tuple[Path, Path], int]:
    """Write the props of both sides; return the paths, and how many frames and arguments they lack."""
    texts: list[list[str]] = [[], []]
    lost = 0
    for example in examples:
        sentences = list(get_sentences(example.reference)) if len(example.reference) else []
        for doc, side in zip((example.reference, example.predicted), texts, strict=True):
            text, n_lost = write_props(doc, sentences)
            side.append(text)
            lost += n_lost
    gold, predicted = folder / "gold.props", folder / "predicted.props"
    gold.write_text("".join(texts[0]), encoding="utf-8")
    predicted.write_text("".join(texts[1]), encoding="utf-8")
    return (gold, predicted), lost


def write_props(doc: Doc, sentences: Sequence[Span]) -> tuple[str, int]:
    """Write the frames of a document, with CoNLL-2005's names of roles: `A0` for `ARG0`.

    The first column has the first word of a predicate, whatever its roleset: the scorer counts all arguments of a
    predicate as missed if the names differ.

    sentences (Sequence[Span]): The sentences of the gold document, which both sides need.
    RETURNS (tuple[str, int]): The text, and the number of frames and arguments that it can't show: of two predicates
        that start at one token the second, what leaves its sentence, arguments that overlap, and odd names of roles.
    """
    frames: dict[int, Frame] = {}
    lost = 0
    for sentence in sentences:
        inside = [frame for frame in get_frames(doc) if sentence.start <= frame.start < frame.end <= sentence.end]
        for frame in inside:
            arguments: list[Argument] = []
            for argument in sorted(frame.arguments):
                taken = [frame[:2], *(other[:2] for other in arguments)]
                apart = all(argument.end <= start or end <= argument.start for start, end in taken)
                within = sentence.start <= argument.start < argument.end <= sentence.end
                if apart and within and WRITABLE_LABEL.fullmatch(argument.role):
                    arguments.append(argument)
            if frames.setdefault(frame.start, frame._replace(arguments=arguments)).arguments is arguments:
                lost += len(frame.arguments) - len(arguments)
    lost += len(get_frames(doc)) - len(frames)
    return "".join(_write_sentence(doc, range(sentence.start, sentence.end), frames) for sentence in sentences), lost


def _write_sentence(doc: Doc, tokens: range, frames: dict[int, Frame]) -> str:
    here = [frames[i] for i in tokens if i in frames]
    names = [_name(doc[i].text) if i in frames else NO_PREDICATE for i in tokens]
    columns = [names]
    for frame in here:
        arguments = [(start, end, PROPBANK_ROLE.sub(r"\1A", role)) for start, end, role in frame.arguments]
        columns.append(write_starred_column([(frame.start, frame.end, PREDICATE_LABEL), *arguments], tokens))
    return "".join(f"{' '.join(row)}\n" for row in zip(*columns, strict=True)) + "\n"


def _name(word: str) -> str:
    name = PLACEHOLDER.join(word.lower().split())
    return PLACEHOLDER if name in ("", NO_PREDICATE) else name


def score_officially(scorer: Path, gold: Path, predicted: Path) -> Parts:
    """The counts of the official scorer."""
    command = ["perl", str(scorer), str(gold), str(predicted)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    found = OVERALL.search(result.stdout)
    if result.returncode or found is None:
        raise ValueError(f"{scorer} failed: {result.stderr.strip() or result.stdout.strip()}")
    correct, excess, missed = map(float, found.groups())
    return correct, excess, missed


def score_here(examples: Sequence[Example]) -> Parts:
    """Our counts."""
    counts = list(chain(*filter(None, map(count_srl, examples))))
    correct = sum(count.recall_numerator for count in counts)
    predicted, gold = sum(count.precision_denominator for count in counts), sum(c.recall_denominator for c in counts)
    return correct, predicted - correct, gold - correct
