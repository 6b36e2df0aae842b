"""`python -m lab tree MODEL TEXT OUT.html`: draw the best binary tree of each sentence, as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import combinations, islice
from pathlib import Path
from typing import Annotated, NamedTuple
from unicodedata import east_asian_width

import numpy as np
import spacy
import typer
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.examples.corpus import create_corpus
from spacy_span_selector.people.tokenized import make_doc
from spacy_span_selector.scoring.task import find_tasks
from spacy_span_selector.tools.files.writing import write_file
from spacy_span_selector.wcfg.decoding import heaviest_nodes

from .selections import annotate_with_selections

Node = tuple[int, int]

CHARACTER = 8.5  # pixels, of the monospaced font of the words
GAP = 12
LEVEL = 26
MARGIN = 24
LABEL_WIDTH, LABEL_HEIGHT = 34, 18

EXPLANATION = """
<p>A node in colour is a selected span, with its selection probability. A grey node only completes the binary tree:
among all trees with these spans, this is the one whose other nodes are the most probable.</p>
"""


class SentenceTree(NamedTuple):
    """The content of a picture.

    component (str): The component that selected the spans.
    words (list[str]): The tokens of the sentence.
    selected (Mapping[Node, float | None]): The selected spans as (start, end) tokens of the sentence, end exclusive,
        with their probabilities if the selector has any.
    weights (NDArray[np.float64]): The probability of each span. Shape: (tokens, tokens)
    """

    component: str
    words: list[str]
    selected: Mapping[Node, float | None]
    weights: NDArray[np.float64]


def main(
    model: Annotated[str, typer.Argument(help="A trained pipeline: a path or the name of a package")],
    text: Annotated[str, typer.Argument(help="A text, a text file, or a .spacy file, of which words are given")],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.html", help="The page to write")],
    limit: Annotated[int, typer.Option(min=1, help="Show at most this many sentences")] = 20,
) -> None:
    """Draw the best binary tree of each sentence, with its selected spans and their probabilities."""
    nlp = spacy.load(model)
    sentences = list(islice(_trees(nlp, _read_docs(text, nlp)), limit))
    if not sentences:
        raise ValueError(f"There is no sentence to draw: {text[:60]!r} has none, or no component scores spans.")
    write_file(out_path, render_tree_page(sentences, nlp.lang or "und"))
    typer.echo(f"Page: {out_path}")


def _read_docs(text: str, nlp: Language) -> Iterator[Doc]:
    path = Path(text)
    if path.suffix == ".spacy":
        yield from (example.predicted for example in create_corpus(path)(nlp))
    else:
        words = path.read_text(encoding="utf-8") if path.suffix == ".txt" else text
        yield make_doc(nlp, " ".join(words.split()))


def _trees(nlp: Language, docs: Iterable[Doc]) -> Iterator[list[SentenceTree]]:
    """Yield the trees of each sentence, one for each component that scores spans."""
    for _, selections in annotate_with_selections(nlp, docs, list(find_tasks(nlp))):
        by_sentence: dict[int, list[SentenceTree]] = {}
        for name, selection in selections.items():
            if selection.selector.spans_may_cross:
                raise ValueError(
                    f"The spans that '{name}' selects may cross, so there is no tree that has them all. "
                    "Use a pipeline with the structured or the laminar selector."
                )
            spans = selection.spans()
            for first, weights in selection.sentences():
                last = first + len(weights)
                own = {(start - first, end - first): score for start, end, score in spans if first <= start < last}
                words = [token.text for token in selection.cleaned.doc[first:last]]
                by_sentence.setdefault(first, []).append(SentenceTree(name, words, own, weights))
        yield from (by_sentence[first] for first in sorted(by_sentence))


def render_tree_page(sentences: Sequence[Sequence[SentenceTree]], lang: str = "en") -> str:
    """Make an HTML page of trees.

    sentences (Sequence[Sequence[SentenceTree]]): The trees of each sentence, one per component.
    lang (str): Language of the text.
    RETURNS (str): A complete page; text is escaped.
    RAISES (ValueError): If selected spans cross.
    """
    parts = [EXPLANATION.strip(), f'<main lang="{escape(lang)}">']
    for number, trees in enumerate(sentences, start=1):
        parts.append(f"<h2>Sentence {number}</h2>")
        for tree in trees:
            parts.append(f"<h3>{escape(tree.component)}</h3>\n<figure>{render_tree(tree)}</figure>")
    style = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    head = f'<!doctype html>\n<meta charset="utf-8">\n<title>Trees</title>\n<style>\n{style}</style>'
    return "\n".join([head, *parts, "</main>\n"])


def render_tree(tree: SentenceTree) -> str:
    """Draw a tree as an SVG element, words at the bottom, a node in the middle between its children."""
    nodes = binary_tree(tree.selected, tree.weights)
    children = _children(nodes)
    edges = _word_edges(tree.words)
    x = [(left + right) / 2 for left, right in edges]
    width = edges[-1][1] + MARGIN
    level: dict[Node, float] = {}
    place: dict[Node, float] = {}
    for node in reversed(nodes):  # children first
        below = children.get(node, ())
        place[node] = sum(place[child] for child in below) / 2 if below else x[node[0]]
        level[node] = 1 + max(level[child] for child in below) if below else float(node in tree.selected)
    top = max(level.values())
    baseline = MARGIN + LEVEL * top + LABEL_HEIGHT
    height_of = {node: baseline - LEVEL * level[node] - LABEL_HEIGHT / 2 for node in nodes}
    bands, lines, marks, words = [], [], [], []
    for node in nodes:
        here = place[node], height_of[node]
        for child in children.get(node, ()):
            lines.append(_line(here, (place[child], height_of[child])))
        if node in tree.selected:
            text = " ".join(tree.words[node[0] : node[1]])
            bands.append(_band(edges[node[0]][0], edges[node[1] - 1][1], here[1], baseline + 20))
            marks.append(_label(here, tree.selected[node], text))
            if node not in children:
                lines.append(_line(here, (here[0], baseline)))
        elif node in children:
            marks.append(f'<circle class="other" cx="{here[0]:.1f}" cy="{here[1]:.1f}" r="2.5"/>')
        else:
            lines.append(_line(here, (here[0], baseline)))
    for word, middle in zip(tree.words, x, strict=True):
        words.append(f'<text x="{middle:.1f}" y="{baseline + 14:.1f}">{escape(word)}</text>')
    height = baseline + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">\n'
        + "\n".join([*bands, *lines, *marks, *words])
        + "\n</svg>"
    )


def _children(nodes: Sequence[Node]) -> dict[Node, tuple[Node, Node]]:
    """The two children of each node that has any; the nodes are sorted parents first, left before right."""
    at = {node: place for place, node in enumerate(nodes)}
    children: dict[Node, tuple[Node, Node]] = {}
    for node in nodes:
        if node[1] - node[0] > 1:
            left = nodes[at[node] + 1]
            children[node] = left, (left[1], node[1])
    return children


def _word_edges(words: Sequence[str]) -> list[tuple[float, float]]:
    """The left and right edge of each word, in pixels."""
    edges: list[tuple[float, float]] = []
    left = float(MARGIN)
    for word in words:
        columns = sum(2 if east_asian_width(character) in "WF" else 1 for character in word)
        width = max(CHARACTER * columns, LABEL_WIDTH)
        edges.append((left, left + width))
        left += width + GAP
    return edges


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    """A line that goes sideways, then down: this way no two lines of a tree cross."""
    return f'<path d="M{start[0]:.1f} {start[1]:.1f}H{end[0]:.1f}V{end[1]:.1f}"/>'


def _band(left: float, right: float, top: float, bottom: float) -> str:
    """The background of a selected span, darker where spans nest."""
    return (
        f'<rect class="span" x="{left - 3:.1f}" y="{top:.1f}" width="{right - left + 6:.1f}" '
        f'height="{bottom - top:.1f}" rx="4"/>'
    )


def _label(middle: tuple[float, float], probability: float | None, text: str) -> str:
    """A selected node; the text of its span is shown as a tooltip."""
    x, y = middle
    shown = "" if probability is None else f"{probability:.2f}"
    return (
        f'<g class="selected"><title>{escape(text)}</title>'
        f'<rect x="{x - LABEL_WIDTH / 2:.1f}" y="{y - LABEL_HEIGHT / 2:.1f}" width="{LABEL_WIDTH}" '
        f'height="{LABEL_HEIGHT}" rx="9"/><text x="{x:.1f}" y="{y + 4:.1f}">{shown}</text></g>'
    )


def binary_tree(selected: Iterable[tuple[int, int]], weights: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Find the binary tree that has all selected spans among its nodes and the greatest total weight of the others.

    Nodes that are not selected have log weight 0 in the grammar, so many trees select the same best set of spans. Among
    these, the tree whose other nodes are the most probable spans is the most informative.

    Ties are broken as in `best_spans`: a node splits at the first token that allows it.

    selected (Iterable[tuple[int, int]]): Spans as (start, end) tokens, end exclusive; no two may cross.
    weights (NDArray[np.float64]): `weights[i, j]`, not negative, is the weight of the node from token i to token j
        inclusive; weights below the diagonal are never read. Shape: (n, n)
    RETURNS (list[tuple[int, int]]): The 2n - 1 nodes as (start, end), end exclusive, parents before children, left
        before right.
    RAISES (ValueError): If selected spans cross or lie outside the sentence, or if a weight is negative.
    """
    tokens = len(weights)
    selected = set(selected)
    if any(not 0 <= start < end <= tokens for start, end in selected):
        raise ValueError(f"selected: expected spans within {tokens} tokens, but got {sorted(selected)}")
    for (start, end), (other_start, other_end) in combinations(sorted(selected), 2):
        if start < other_start < end < other_end:
            raise ValueError(
                f"selected: the spans {(start, end)} and {(other_start, other_end)} cross: no tree has both"
            )
    rows, lasts = np.triu_indices(tokens)
    node_weights = weights[rows, lasts].astype(np.float64)
    if (node_weights < 0).any():
        raise ValueError(f"weights: expected none below 0, but got {node_weights.min()}")
    ends = lasts + 1
    # More than all other weights together: a tree with one more of the selected spans is always better.
    bonus = 1 + node_weights.sum()
    node_weights += bonus * np.array([span in selected for span in zip(rows.tolist(), ends.tolist(), strict=True)])
    in_tree = heaviest_nodes(rows, ends, node_weights)
    nodes = zip(rows[in_tree].tolist(), ends[in_tree].tolist(), strict=True)
    return sorted(nodes, key=lambda node: (node[0], -node[1]))
