"""Where semantic roles go wrong: scores by kind of predicate, and errors by kind.

    python -m lab.benchmarks.srl_errors training/joint/model-best corpus/ewt/train.spacy corpus/ewt/dev.spacy --show 20

Words and sentences are given; predicates, too, except in the table of predicates. Arguments are counted as `evaluate`
does, except that in the table of errors each piece of a discontinuous argument is one argument.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from pathlib import Path
from typing import Annotated, NamedTuple

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import msg

from spacy_span_selector.annotation import SELECTED_KEY, Frame, get_frames
from spacy_span_selector.examples.corpus import create_corpus
from spacy_span_selector.scoring.metrics.counts import Counts
from spacy_span_selector.scoring.metrics.srl import Proposition, SrlScores

RARE = ((0, 0), (1, 5), (6, 50), (51, None))
"""How often a roleset is in the training corpus: from, to."""
COMMON = 12

Argument = tuple[int, int, str]
KindOf = Callable[[Doc, Frame], str]
"""The kind of a predicate of a document."""


class Pair(NamedTuple):
    """A document twice, with the same tokens."""

    gold: Doc
    predicted: Doc


class Error(NamedTuple):
    """An argument that is wrong.

    kind (str): What is wrong with it.
    gold (Argument | None): What it should be; None if nothing.
    predicted (Argument | None): What it is; None if it was not found.
    """

    kind: str
    gold: Argument | None
    predicted: Argument | None


def main(
    model: Annotated[Path, typer.Argument(help="A trained pipeline with structured_srl")],
    train: Annotated[Path, typer.Argument(help="The corpus that it was trained on")],
    data: Annotated[Path, typer.Argument(help="A corpus with tags of parts of speech: choose a dev split")],
    show: Annotated[int, typer.Option(help="Print this many wrong arguments, chosen at random")] = 0,
    seed: Annotated[int, typer.Option(help="Of the choice")] = 0,
) -> None:
    """Print a table for each question."""
    nlp = spacy.load(model)
    given, found = (annotate(nlp, data, predicates=predicates) for predicates in (True, False))
    frequency = Counter(frame.roleset for doc in docs_of(train, nlp) for frame in get_frames(doc))
    words = {base(roleset) for roleset in frequency if roleset}

    _print_scores("predicates", found, tag_of, lambda scores: _percentages(scores.predicates))
    missed, false = predicate_errors(found)
    typer.echo(f"Missed: {_list(missed)}\nFalse: {_list(false)}\n")

    kinds: list[KindOf] = [
        tag_of,
        lambda _, frame: f"word {'' if base(frame.roleset or '') in words else 'not '}in train",
        lambda _, frame: _bucket(frequency[frame.roleset]),
    ]
    for kind_of in kinds:
        _print_scores("given predicates", given, kind_of, _argument_columns)
    _print_errors([(pair, frame, error) for pair in given for frame, error in _errors_of(pair)], show, seed)


def _print_scores(
    title: str, pairs: list[Pair], kind_of: KindOf, columns: Callable[[SrlScores], dict[str, str]]
) -> None:
    """Print the scores of the predicates of each kind, and of all."""
    rows = {kind: columns(scores) for kind, scores in [*score_by(pairs, kind_of), ("all", score(pairs))]}
    header = (title, *rows["all"])
    aligns = ("l", *"r" * len(rows["all"]))
    msg.table([(kind, *row.values()) for kind, row in rows.items()], header=header, aligns=aligns, divider=True)


def _print_errors(errors: list[tuple[Pair, Frame, Error]], show: int, seed: int) -> None:
    """Print how many errors there are of each kind, and some of them."""
    kinds = Counter(error.kind for _, _, error in errors)
    rows = [(kind, str(count), f"{100 * count / len(errors):.1f}") for kind, count in kinds.most_common()]
    msg.table(rows, header=("wrong arguments", "count", "%"), aligns=("l", "r", "r"), divider=True)
    confused = Counter(
        f"{error.gold[2]} as {error.predicted[2]}"
        for _, _, error in errors
        if error.kind == "other role" and error.gold and error.predicted
    )
    typer.echo(f"Other roles: {_list(confused)}\n")
    for pair, frame, error in random.Random(seed).sample(errors, min(show, len(errors))):
        typer.echo(_describe(pair.gold, frame, error))


def docs_of(path: Path, nlp: Language) -> Iterator[Doc]:
    """The documents of a corpus."""
    return (example.reference for example in create_corpus(path, gold_tokens=True, sentences=True)(nlp))


def annotate(nlp: Language, path: Path, *, predicates: bool) -> list[Pair]:
    """Annotate a corpus, with or without its predicates."""
    corpus = create_corpus(path, gold_tokens=True, sentences=True, predicates=predicates)
    examples = list(corpus(nlp))
    docs = nlp.pipe([example.predicted for example in examples])
    return [Pair(example.reference, doc) for example, doc in zip(examples, docs, strict=True)]


def score_by(pairs: list[Pair], kind_of: KindOf) -> list[tuple[str, SrlScores]]:
    """The scores of the frames of each kind of gold frame."""

    def counts_as(kind: str) -> Callable[[Doc, Frame], bool]:
        return lambda doc, frame: kind_of(doc, frame) == kind

    kinds = sorted({kind_of(pair.gold, frame) for pair in pairs for frame in get_frames(pair.gold)})
    return [(kind, score(pairs, counts_as(kind))) for kind in kinds]


def score(pairs: Iterable[Pair], counts: Callable[[Doc, Frame], bool] = lambda *_: True) -> SrlScores:
    """The scores of the frames that count. A predicted one counts as the gold one of the same predicate does."""
    scores = SrlScores()
    for gold, predicted in pairs:
        of_gold = {(frame.start, frame.end): frame for frame in get_frames(gold)}
        both = [
            [
                _proposition(frame)
                for frame in get_frames(doc)
                if counts(gold, of_gold.get((frame.start, frame.end), frame))
            ]
            for doc in (gold, predicted)
        ]
        scores.add_document(both[0], both[1])
    return scores


def predicate_errors(pairs: Iterable[Pair]) -> tuple[Counter[str], Counter[str]]:
    """The lemmas and tags of predicates that were missed, and of false ones."""
    missed: Counter[str] = Counter()
    false: Counter[str] = Counter()
    for gold, predicted in pairs:
        wanted, found = ({(frame.start, frame.end) for frame in get_frames(doc)} for doc in (gold, predicted))
        for places, errors in ((wanted - found, missed), (found - wanted, false)):
            errors.update(f"{gold[start].lemma_.lower()} {gold[start].pos_}" for start, _ in places)
    return missed, false


def argument_errors(gold: Iterable[Argument], predicted: Iterable[Argument], kept: Set[tuple[int, int]]) -> list[Error]:
    """The wrong arguments of one predicate, each once.

    A wrong argument is explained by the gold argument with its span; else by one with its role that it overlaps; else
    by any that it overlaps. What no wrong argument explains is missed: its span was kept by the selector, or not.
    """
    missed, wrong = sorted(set(gold) - set(predicted)), sorted(set(predicted) - set(gold))
    explanations: dict[str, Callable[[Argument, Argument], bool]] = {
        "other role": lambda one, other: one[:2] == other[:2],
        "other boundaries": lambda one, other: one[2] == other[2] and one[0] < other[1] and other[0] < one[1],
        "other boundaries and role": lambda one, other: one[0] < other[1] and other[0] < one[1],
    }
    errors = []
    for kind, explains in explanations.items():
        for found in list(wrong):
            explained = next((argument for argument in missed if explains(argument, found)), None)
            if explained is not None:
                errors.append(Error(kind, explained, found))
                missed.remove(explained)
                wrong.remove(found)
    return [
        *errors,
        *(Error("no argument", None, argument) for argument in wrong),
        *(Error("missed" if argument[:2] in kept else "not selected", argument, None) for argument in missed),
    ]


def tag_of(doc: Doc, frame: Frame) -> str:
    """The part of speech of a predicate of one word."""
    if frame.end - frame.start > 1:
        return "several words"
    tag = doc[frame.start].pos_
    return tag.lower() if tag in ("VERB", "NOUN", "ADJ", "AUX") else "other"


def base(roleset: str) -> str:
    """The word of a roleset."""
    return roleset.rpartition(".")[0]


def _errors_of(pair: Pair) -> Iterator[tuple[Frame, Error]]:
    predicted = {(frame.start, frame.end): frame for frame in get_frames(pair.predicted)}
    kept = {(span.start, span.end) for span in pair.predicted.spans.get(SELECTED_KEY, [])}
    for frame in get_frames(pair.gold):
        other = predicted.get((frame.start, frame.end))
        found = [] if other is None else other.arguments
        yield from ((frame, error) for error in argument_errors(frame.arguments, found, kept))


def _proposition(frame: Frame) -> Proposition:
    arguments = [((start, end), role) for start, end, role in frame.arguments]
    return Proposition((frame.start, frame.end), arguments, frame.roleset)


def _bucket(count: int) -> str:
    number = next(i for i, (_, last) in enumerate(RARE) if last is None or count <= last)
    first, last = RARE[number]
    return (
        f"{number}: in train {first} times or more" if last is None else f"{number}: in train {first} to {last} times"
    )


def _argument_columns(scores: SrlScores) -> dict[str, str]:
    return {**_percentages(scores.labelled), "rolesets": f"{100 * scores.rolesets.recall:.1f}"}


def _percentages(counts: Counts) -> dict[str, str]:
    parts = {"P": counts.precision, "R": counts.recall, "F1": counts.f1}
    return {"gold": f"{counts.recall_denominator:.0f}", **{name: f"{100 * part:.1f}" for name, part in parts.items()}}


def _list(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counter.most_common(COMMON))


def _describe(doc: Doc, frame: Frame, error: Error) -> str:
    def text(argument: Argument | None) -> str:
        return "nothing" if argument is None else f"{argument[2]} [{doc[argument[0] : argument[1]].text}]"

    sentence = doc[frame.start].sent.text
    return f"- {error.kind}. {frame.roleset}: {text(error.predicted)}, expected {text(error.gold)}\n  {sentence}"


if __name__ == "__main__":
    typer.run(main)
