"""Cut whole novels into pieces as long as LitBank's texts, to be annotated by a trained pipeline and trained on.

python scripts/cut_novels.py NOVELS NAMES.ids OUT.jsonl [--words 2000] [--pieces 4] [--seed 0]

NOVELS is LitBank's folder `original`, of whole novels whose beginnings are its corpus. NAMES.ids lists the documents of
a training split: no other novel is read, so that no test text is among the pieces. A piece consists of whole
paragraphs, and is none of the beginning, which has gold annotation, nor of the end, which may be a licence or a list of
other books. First comes one piece of each novel, then the second of each, and so on, so that a shorter training sees
all of them, too.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

BEGINNING = 3000
"""Words of a novel that are left out: LitBank's texts have about 2,000, after a title page."""
END = 0.06
"""The share of a novel's words at its end that is left out."""


def pieces_of(novel: str, words: int) -> Iterator[str]:
    """Pieces of at least so many words, of whole paragraphs. What is left at the end is no piece."""
    paragraphs = [paragraph.strip() for paragraph in re.split(r"\n\s*\n", novel)]
    lengths = [len(paragraph.split()) for paragraph in paragraphs]
    last = sum(lengths) * (1 - END)
    read = length = 0
    piece: list[str] = []
    for paragraph, count in zip(paragraphs, lengths, strict=True):
        read += count
        if not BEGINNING + count <= read <= last:
            continue
        piece.append(paragraph)
        length += count
        if length >= words:
            yield "\n\n".join(piece)
            piece, length = [], 0


def read_names(path: Path) -> list[str]:
    """The documents of a split of LitBank, one in each line, as `NAME_brat.tsv` or `NAME.tsv`."""
    return [Path(line).stem.removesuffix("_brat") for line in path.read_text(encoding="utf-8").split()]


def cut(folder: Path, names: Sequence[str], *, words: int, pieces: int, seed: int) -> Iterator[dict[str, str]]:
    """Records with the `id` and `text` of pieces.

    folder (Path): Has a file NAME.txt for each novel.
    names (Sequence[str]): The novels to read.
    words (int): Least number of words of a piece.
    pieces (int): Greatest number of pieces of a novel. They are chosen at random.
    seed (int): Seed of the choice.
    RAISES (FileNotFoundError): If there is no such novel.
    """
    chosen = random.Random(seed)
    novels = {}
    for name in names:
        found = list(pieces_of((folder / f"{name}.txt").read_text(encoding="utf-8", errors="replace"), words))
        novels[name] = chosen.sample(found, min(pieces, len(found)))
    for number in range(pieces):
        for name, texts in novels.items():
            if number < len(texts):
                yield {"id": f"{name}/{number + 1}", "text": texts[number]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("novels", type=Path, metavar="NOVELS")
    parser.add_argument("names", type=Path, metavar="NAMES.ids")
    parser.add_argument("out", type=Path, metavar="OUT.jsonl")
    parser.add_argument("--words", type=int, default=2000)
    parser.add_argument("--pieces", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    try:
        records = list(
            cut(given.novels, read_names(given.names), words=given.words, pieces=given.pieces, seed=given.seed)
        )
    except FileNotFoundError as error:
        parser.error(f"{error.filename}: there is no such file. NOVELS is LitBank's folder 'original'")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    print(f"{given.out}: {len(records)} pieces, {sum(len(record['text'].split()) for record in records):,} words")
    return 0


if __name__ == "__main__":
    sys.exit(main())
