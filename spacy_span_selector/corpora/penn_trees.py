"""Trees of the Penn Treebank, such as `(S (NP-SBJ (NNP Ann)) (VP (VBD slept)))`, and its escapes of brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, pairwise

from .starred_column import read_starred_column

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
ESCAPES = {bracket: escape for escape, bracket in BRACKETS.items()}
ESCAPE = re.compile("|".join(BRACKETS))
BRACKET = re.compile("[" + re.escape("".join(ESCAPES)) + "]")
LEAF = re.compile(r"\([^\s()]+\s+([^\s()]+)\s*\)")  # tag and word
BETWEEN_LEAVES = re.compile(r"(?P<closes>\)*)(?P<opens>(?:\([^()]+)*)")
FUNCTION = re.compile(r"(?<=.)[-=].*")


def unescape_brackets(word: str) -> str:
    """Replace `-LRB-` and the other escapes in a word by brackets."""
    return ESCAPE.sub(lambda match: BRACKETS[match[0]], word)


def escape_brackets(word: str) -> str:
    """Replace the brackets in a word by `-LRB-` and the other escapes."""
    return BRACKET.sub(lambda match: ESCAPES[match[0]], word)


def split_trees(text: str) -> Iterator[tuple[int, str]]:
    """The trees of a file, which empty lines separate, each with the number of its first line."""
    for is_tree, lines in groupby(enumerate(text.split("\n"), start=1), key=lambda line: bool(line[1].strip())):
        if is_tree:
            numbers, tree = zip(*lines, strict=True)
            yield numbers[0], "\n".join(tree)


def parse_tree(tree: str, place: str) -> tuple[list[str], list[tuple[int, int, str]]]:
    """Read the words and the phrases of a tree.

    tree (str): The tree. White space in it makes no difference.
    place (str): What error messages call it.
    RETURNS (tuple[list[str], list[tuple[int, int, str]]]): Its words, with brackets for `-LRB-` and the other escapes;
        start, end (exclusive) and label of each phrase, outer phrases first, without functions: `NP` for `NP-SBJ`.
    RAISES (ValueError): If it is not a tree.
    """
    pieces = LEAF.split(tree)  # alternately what is between leaves, and the word of a leaf
    words = pieces[1::2]
    between = [match for piece in pieces[::2] if (match := BETWEEN_LEAVES.fullmatch("".join(piece.split())))]
    if not words or len(between) != len(words) + 1 or between[0]["closes"] or between[-1]["opens"]:
        raise ValueError(f"{place}: found something other than a tree, expected one such as `(S (NP (NNP Ann)) ...)`.")
    cells = [f"{before['opens']}*{after['closes']}" for before, after in pairwise(between)]
    phrases = read_starred_column(cells, lambda i: f"{place}, word {i + 1}")
    return [unescape_brackets(word) for word in words], [
        (start, end, FUNCTION.sub("", label)) for start, end, label in phrases
    ]
