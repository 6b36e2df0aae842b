"""CPU time to write clusters and frames to a document, and to save and load it, by the number of its span groups.

    python -m lab.benchmarks.keeping

Half of the groups are clusters, half are frames. Each row is one way in which srsly finds its codecs, which it does
for each group: "as installed" searches entry points as well, "without entry points" is what this package sets, "cached"
is what `cache_codecs` sets. All ways take turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import catalogue
import spacy
import typer
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_mentions
from spacy_span_selector.annotation.codecs import CODECS, cache_codecs

from .measuring import Spread, numbers, print_header, print_row, take_turns

WORDS_OF_GROUP = 8
WAYS = ("as installed", "without entry points", "cached")
STEPS = ("write groups", "to_bytes", "from_bytes", "DocBin, save", "DocBin, load")


def main(
    groups: Annotated[str, typer.Option(help="Numbers of span groups of a document")] = "100,700,5000",
    repeats: Annotated[int, typer.Option(help="Number of timed repetitions")] = 5,
) -> None:
    """Print a table."""
    spacy.blank("en")  # registers what a pipeline does
    print_header("codecs", "groups", *(f"{step}, ms" for step in STEPS), texts=1)
    for number in numbers(groups):
        for way, seconds in zip(WAYS, measure(number, repeats), strict=True):
            milliseconds = [Spread.of([1000 * second for second in step]) for step in seconds]
            print_row(way, f"{number:,}", *(spread.format(",.1f") for spread in milliseconds))


def measure(groups: int, repeats: int) -> list[list[list[float]]]:
    """Time every step in every way.

    groups (int): The number of span groups of the document.
    repeats (int): The number of rounds.
    RETURNS (list[list[list[float]]]): For each way, the CPU seconds of each step in each round.
    """
    steps = make_steps(groups)

    def in_way(way: str, step: Callable[[], object]) -> Callable[[], object]:
        def call() -> object:
            with find_codecs(way):
                return step()

        return call

    functions = [in_way(way, step) for step in steps for way in WAYS]
    times = take_turns(functions, repeats, clock=time.process_time)
    return [times[number :: len(WAYS)] for number in range(len(WAYS))]


def make_steps(groups: int) -> list[Callable[[], object]]:
    """The steps as functions that may be called in any order, as often as wanted."""
    vocab = Vocab()
    doc = annotated_doc(vocab, groups)
    content, binary = doc.to_bytes(), DocBin([], docs=[doc]).to_bytes()
    return [
        lambda: annotate(doc, groups),
        doc.to_bytes,
        lambda: Doc(vocab).from_bytes(content),
        lambda: DocBin([], docs=[doc]).to_bytes(),
        lambda: list(DocBin().from_bytes(binary).get_docs(vocab)),
    ]


def annotated_doc(vocab: Vocab, groups: int) -> Doc:
    """A document with that many clusters and frames."""
    doc = Doc(vocab, words=[f"word{i % 500}" for i in range(WORDS_OF_GROUP * groups)])
    annotate(doc, groups)
    return doc


def annotate(doc: Doc, groups: int) -> None:
    """Write clusters and frames to a document, in place of any that are there: three spans each, with scores."""
    begins = range(0, WORDS_OF_GROUP * groups, WORDS_OF_GROUP)
    clusters = [[(i, i + 1), (i + 2, i + 4), (i + 5, i + 6)] for i in begins[::2]]
    mentions = [mention for cluster in clusters for mention in cluster]
    scores = dict.fromkeys(mentions, 0.9)
    arguments = [[Argument(i, i + 1, "ARG0"), Argument(i + 2, i + 4, "ARG1")] for i in begins]
    frames = [Frame(i + 1, i + 2, arguments[i // WORDS_OF_GROUP], "give.01", [0.9, 0.8, 0.7]) for i in begins[1::2]]
    set_mentions(doc, mentions, list(scores.values()))
    set_clusters(doc, clusters, scores=scores, link_scores=scores)
    set_frames(doc, frames)


@contextmanager
def find_codecs(way: str) -> Iterator[None]:
    """Let srsly find its codecs in one of the ways; afterwards as this package sets it."""
    for codecs in CODECS:
        codecs.entry_points = way == WAYS[0]
    if way == WAYS[2]:
        cache_codecs()
    try:
        yield
    finally:
        for codecs in CODECS:
            codecs.entry_points = False
            codecs.__class__ = catalogue.Registry


if __name__ == "__main__":
    typer.run(main)
