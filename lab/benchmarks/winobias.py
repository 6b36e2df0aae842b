"""WinoBias: is a pronoun the person of the two that it must be, also where a stereotype is against it?

    python -m lab winobias winobias en_span_selector_sm

The folder has the files of github.com/uclanlp/corefBias, `pro_stereotyped_type1.txt.dev` and so on, with a sentence in
each line: "2 The developer argued with [the designer] and slapped [her] in the face." It is right if the pronoun is in
the cluster of the occupation in brackets, which the other occupation is not in. Type 2 needs nothing but the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import spacy
import typer
from spacy.tokens import Doc

from ..measuring import Output, Threads, add_results, print_header, print_row, set_threads
from .casts import Offsets, read_mentions

PRONOUNS = frozenset({"he", "him", "his", "she", "her", "hers", "himself", "herself"})


class Sentence(NamedTuple):
    """A sentence, and where the pronouns and the heads of the right occupation are in it, by characters."""

    text: str
    pronouns: list[Offsets]
    right: list[Offsets]


def read_sentence(line: str) -> Sentence:
    """Read a line of a file."""
    _, _, marked = line.strip().partition(" ")
    sentence = Sentence(re.sub(r"[\[\]]", "", marked), [], [])
    for number, match in enumerate(re.finditer(r"\[([^\]]*)\]", marked)):
        start = match.start() - 2 * number
        end = start + len(match[1].rstrip())
        is_pronoun = match[1].lower() in PRONOUNS
        head = start if is_pronoun else sentence.text.rfind(" ", start, end) + 1 or start
        (sentence.pronouns if is_pronoun else sentence.right).append((max(start, head), end))
    return sentence


def is_right(doc: Doc, sentence: Sentence, occupations: frozenset[str]) -> bool:
    """Check whether all pronouns of a sentence are in the cluster of the right occupation, and no other is.

    occupations (frozenset[str]): The last words of all, in lower case.
    """
    mentions = read_mentions(doc)
    words = [(one.start(), one.end()) for one in re.finditer(r"\w+", doc.text)]
    others = [one for one in words if doc.text[slice(*one)].lower() in occupations and one not in sentence.right]
    pronouns = [mentions.get(place) for place in sentence.pronouns]
    right = clusters_at(sentence.right, mentions)
    return len({*pronouns}) == 1 and {*pronouns} == right and not right & clusters_at(others, mentions)


def clusters_at(places: Iterable[Offsets], mentions: Mapping[Offsets, int]) -> set[int]:
    """The clusters of the shortest mentions that end with the words at some places, a possessive ending apart."""
    found: set[int] = set()
    for place in places:
        ending = [(end - start, mentions[start, end]) for start, end in mentions if _ends_with((start, end), place)]
        found |= {min(ending)[1]} if ending else set()
    return found


def _ends_with(mention: Offsets, words: Offsets) -> bool:
    return mention[0] <= words[0] and words[1] <= mention[1] <= words[1] + len(" 's")


def main(
    folder: Annotated[Path, typer.Argument(help="A folder with WinoBias")],
    model: Annotated[str, typer.Argument(help="A trained pipeline with structured_coref")],
    threads: Threads = 0,
    output: Output = None,
) -> None:
    """Print the share of right sentences of each file."""
    set_threads(threads)
    files = sorted(folder.glob("*_stereotyped_type*.txt.*"))
    read = {path: [*map(read_sentence, path.read_text(encoding="utf-8").splitlines())] for path in files}
    sentences = [one for own in read.values() for one in own]
    occupations = frozenset(one.text[slice(*place)].lower() for one in sentences for place in one.right)
    nlp = spacy.load(model)
    print_header("sentences", "right", "of", "%", texts=1)
    rows = {}
    for path, own in read.items():
        docs = nlp.pipe([one.text for one in own])
        right = sum(is_right(doc, one, occupations) for doc, one in zip(docs, own, strict=True))
        rows[path.name.replace(".txt", "")] = {"right": right, "of": len(own)}
        print_row(path.name.replace(".txt", ""), str(right), str(len(own)), f"{100 * right / max(1, len(own)):.1f}")
    add_results(output, "winobias", nlp, rows)
