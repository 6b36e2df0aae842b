"""GAP: is a pronoun one of two names in a passage of Wikipedia, as well if it is feminine as if it is masculine?

    python -m lab gap gap-development.tsv en_span_selector_sm

The file is that of github.com/google-research-datasets/gap-coreference, with as many pronouns of either gender. As its
scorer does, each name is counted by itself: P, R and F1 are of names that are the pronoun, and a name is taken for it
if both are in one cluster. A passage is right if both names are. The ratio is F1 of feminine by masculine pronouns.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import spacy
import typer
from spacy.tokens import Doc

from spacy_span_selector.scoring.metrics.counts import Counts

from ..measuring import Output, Threads, add_results, print_header, print_row, set_threads
from .casts import Offsets, read_mentions
from .winobias import clusters_at

FEMININE = frozenset({"she", "her", "hers", "herself"})


class Passage(NamedTuple):
    """A passage, where the pronoun and both names are in it, by characters, and whether each name is the pronoun."""

    text: str
    pronoun: Offsets
    names: list[tuple[Offsets, bool]]

    @property
    def gender(self) -> str:
        """That of the pronoun."""
        return "feminine" if self.text[slice(*self.pronoun)].lower() in FEMININE else "masculine"


def read_passages(path: Path) -> Iterator[Passage]:
    """The passages of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            places = {}
            for name in ("Pronoun", "A", "B"):
                start = int(row[f"{name}-offset"])
                places[name] = start, start + len(row[name])
            names = [(places[name], row[f"{name}-coref"].upper() == "TRUE") for name in ("A", "B")]
            yield Passage(row["Text"], places["Pronoun"], names)


def taken_names(doc: Doc, passage: Passage) -> list[bool]:
    """Whether each name is taken for the pronoun."""
    mentions = read_mentions(doc)
    own = mentions.get(passage.pronoun)
    return [own in clusters_at([name], mentions) for name, _ in passage.names]


def main(
    path: Annotated[Path, typer.Argument(metavar="FILE.tsv", help="Passages of GAP")],
    model: Annotated[str, typer.Argument(help="A trained pipeline with structured_coref")],
    threads: Threads = 0,
    output: Output = None,
) -> None:
    """Print P, R and F1 of names by gender of the pronoun, and how many passages are right."""
    set_threads(threads)
    nlp = spacy.load(model)
    passages = [*read_passages(path)]
    counts = {"masculine": Counts(), "feminine": Counts()}
    right, of = (dict.fromkeys(counts, 0) for _ in range(2))
    for doc, passage in zip(nlp.pipe(one.text for one in passages), passages, strict=True):
        found = [*zip(taken_names(doc, passage), (is_pronoun for _, is_pronoun in passage.names), strict=True)]
        for taken, is_pronoun in found:
            counts[passage.gender] += Counts(taken and is_pronoun, is_pronoun, taken and is_pronoun, taken)
        right[passage.gender] += all(taken == is_pronoun for taken, is_pronoun in found)
        of[passage.gender] += 1
    print_header("pronouns", "right", "of", "P", "R", "F1", texts=1)
    rows = {gender: {"right": right[gender], "of": of[gender], **own.scores()} for gender, own in counts.items()}
    for gender, row in rows.items():
        print_row(gender, str(row["right"]), str(row["of"]), *(f"{100 * row[name]:.1f}" for name in "prf"))
    typer.echo(f"\nF1 of feminine by masculine: {counts['feminine'].f1 / (counts['masculine'].f1 or 1):.3f}")
    add_results(output, "gap", nlp, rows)
