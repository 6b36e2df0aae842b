"""How probable a span is that has no rival, under both grammars.

    python -m lab.benchmarks.lone_span --figure docs/images/lone-span.png

One span of a sentence has score 0, so that it should be selected with probability 0.5; all others are forbidden. The
table, and the figure, if a file is named, show its probability by its width and by the length of the sentence.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import torch
import typer

from spacy_span_selector.cli._app import friendly_errors
from spacy_span_selector.wcfg import LAMINAR, TREES, Grammar

from .measuring import print_header, print_row

COLORS = {6: "#F2B48C", 10: "#E88A4F", 20: "#D55E00", 50: "#8A3D00"}
LAMINAR_COLOR = "#0072B2"


def lone_probability(grammar: Grammar, width: int, tokens: int) -> float:
    """The probability of a span of score 0, at the start of a sentence whose other spans are forbidden.

    grammar (Grammar): The grammar.
    width (int): The tokens of the span.
    tokens (int): Those of the sentence.
    """
    scores = torch.full((1, tokens, tokens), -math.inf, dtype=torch.float64)
    scores[0, 0, width - 1] = 0.0
    return grammar.marginals(scores, torch.tensor([tokens]))[0, 0, width - 1].item()


def main(
    lengths: Annotated[str, typer.Option(help="Lengths of sentences, up to four")] = "6,10,20,50",
    widths: Annotated[str, typer.Option(help="Widths of the table")] = "1,2,3,5,10,20",
    figure: Annotated[Path | None, typer.Option(help="A PNG file to write")] = None,
) -> None:
    """Print the probability of a lone span of score 0 and, on request, draw it."""
    tokens = [int(length) for length in lengths.split(",")]
    with friendly_errors():
        print_header("width", *(f"trees, {length} words" for length in tokens), "laminar, any length", texts=1)
        for width in map(int, widths.split(",")):
            cells = [f"{lone_probability(TREES, width, length):.3f}" if width <= length else "" for length in tokens]
            print_row(str(width), *cells, f"{lone_probability(LAMINAR, width, max(tokens)):.3f}")
        if figure is not None:
            draw(tokens, figure)


def draw(lengths: list[int], path: Path) -> None:
    """Draw a curve for each length of a sentence under the grammar of trees, and the line of the laminar grammar."""
    import matplotlib
    from matplotlib.figure import Figure

    from lab.experiments.figures import STYLE, WIDTH

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.4), layout="constrained", dpi=150)
        axes = figure.subplots()
        for length, color in zip(lengths, COLORS.values(), strict=False):
            widths = range(1, length + 1)
            axes.plot(widths, [lone_probability(TREES, width, length) for width in widths], color=color)
            axes.annotate(
                f"n = {length}", (length, 0.5), (3, -9), textcoords="offset points", fontsize=8.5, color=color
            )
        longest = range(1, max(lengths) + 1)
        axes.plot(longest, [lone_probability(LAMINAR, width, max(lengths)) for width in longest], color=LAMINAR_COLOR)
        axes.annotate(
            "laminar grammar, any n", (max(lengths) / 2, 0.5), (0, 5), textcoords="offset points",
            ha="center", fontsize=9, color=LAMINAR_COLOR, fontweight="bold",
        )  # fmt: skip
        axes.annotate(
            "grammar of the paper", (max(lengths) / 2, 0.0), (0, 14), textcoords="offset points",
            ha="center", fontsize=9, color=list(COLORS.values())[len(lengths) - 1], fontweight="bold",
        )  # fmt: skip
        axes.set_title("A span with score 0 in a sentence of n words, without any rival")
        axes.set_xlabel("width of the span, words")
        axes.set_ylabel("probability")
        axes.set_ylim(0, 0.6)
        axes.set_xlim(0, max(lengths) + 5)
        figure.savefig(path)


if __name__ == "__main__":
    typer.run(main)
