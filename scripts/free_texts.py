"""Write texts without annotation, of which a teacher says what a pipeline learns.

python scripts/free_texts.py LITBANK OUT --gap TSV [--gap TSV ...] [--fold 0] [--seed 0]

LITBANK is the folder with the novels of LitBank (`original`) and its ten folds. OUT, a folder, gets novels.spacy, two
pieces of every novel whose beginning is a training document of the fold, far behind that, and gap.spacy, 500 passages
of GAP.
"""

from __future__ import annotations

import csv
import random
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import spacy
from spacy.tokens import DocBin

from spacy_span_selector.tools.formats.litbank import read_litbank_fold

AFTER, BEFORE = 6000, 4000
"""So many words at a novel's beginning, which LitBank annotates, and at its end, which has a licence, are left out."""
PIECES, PIECE_WORDS, PASSAGES = 2, 650, 500
LEAST, MOST = 20, 1500
"""A document has more tokens than the one and fewer than the other."""


def training_novels(litbank: Path, fold: int) -> Iterator[str]:
    """The texts of the novels that training documents begin."""
    for name in read_litbank_fold(litbank, fold)["train"]:
        path = litbank / "original" / f"{name.removesuffix('_brat')}.txt"
        yield path.read_text(encoding="utf-8", errors="replace")


def draw_pieces(novel: str, chance: random.Random) -> list[str]:
    """Paragraphs that follow one another, with the number of words of a piece or, with the last of them, more."""
    paragraphs = [paragraph for paragraph in re.split(r"\n\s*\n", novel) if paragraph.strip()]
    before = [*accumulate((len(paragraph.split()) for paragraph in paragraphs), initial=0)]
    possible = [k for k in range(len(paragraphs)) if AFTER < before[k] < before[-1] - BEFORE]
    pieces = []
    for start in chance.sample(possible, min(PIECES, len(possible))):
        end = next(k for k, words in enumerate(before) if words - before[start] >= PIECE_WORDS)
        pieces.append("\n\n".join(paragraphs[start:end]))
    return pieces


def draw_passages(files: Sequence[Path], chance: random.Random) -> list[str]:
    passages = []
    for path in files:
        with path.open(encoding="utf-8") as lines:
            passages += [row["Text"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]
    chance.shuffle(passages)
    return passages[:PASSAGES]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("litbank", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--gap", type=Path, action="append", default=[], metavar="TSV")
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    nlp = spacy.blank("en")
    nlp.add_pipe("word_sentencizer")
    chance = random.Random(options.seed)
    try:
        novels = training_novels(options.litbank, options.fold)
        texts = {"novels": [piece for novel in novels for piece in draw_pieces(novel, chance)]}
        texts["gap"] = draw_passages(options.gap, chance)
    except OSError as error:
        sys.exit(str(error))
    options.out.mkdir(parents=True, exist_ok=True)
    for name, drawn in texts.items():
        docs = [doc for doc in nlp.pipe(drawn) if LEAST < len(doc) < MOST]
        path = options.out / f"{name}.spacy"
        DocBin(docs=docs, attrs=["ORTH", "SPACY", "SENT_START"]).to_disk(path)
        print(f"{len(docs)} documents, {sum(map(len, docs))} words: {path}")


if __name__ == "__main__":
    main()
