"""Are the things of tales found: *it*, and nouns of objects, substances, animals, plants and parts of the body?

    python -m lab things TALES training/litbank0/model-best

`things.json` has places in eight tales, and lab/README.md says when they are found. "all" is *it* and nouns; *it* of
"clause" stands for what was said or done, of "expletive" for nothing. Then follow the types of all mentions.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, NamedTuple

import spacy
import typer
from spacy.tokens import Doc

from spacy_span_selector.annotation import ENTITY_TYPE, cluster_groups, find_cluster_prefix, get_text

from ..measuring import Output, Threads, add_results, print_header, print_row, set_threads
from .casts import Offsets, read_mentions

THINGS = Path(__file__).with_name("things.json")
NOUNS = ("object", "substance", "animal", "plant", "body")
ROWS = ("it", *NOUNS, "all", "linked", "clause", "expletive")


class Place(NamedTuple):
    """Where a phrase starts, its head ends, and the phrase ends, by characters; and the number of what *it* stands for.

    kind (str): One of `ROWS`, or "other" if only an *it* stands for it.
    """

    start: int
    head: int
    end: int
    kind: str
    antecedent: int | None


class Tale(NamedTuple):
    """A tale and its places."""

    name: str
    text: str
    places: list[Place]


def main(
    tales: Annotated[Path, typer.Argument(help="A folder with the books")],
    model: Annotated[str, typer.Argument(help="A trained pipeline with structured_coref")],
    threads: Threads = 0,
    output: Output = None,
) -> None:
    """Print found of all by kind and tale, and the types of all mentions."""
    read = read_tales(tales)
    set_threads(threads)
    nlp = spacy.load(model)
    docs = [*nlp.pipe(tale.text for tale in read)]
    counts = [count(tale, read_mentions(doc)) for tale, doc in zip(read, docs, strict=True)]
    print_header("places", *(tale.name for tale in read), "all tales", "%", texts=1)
    rows = {}
    for kind in ROWS:
        pairs = [found[kind] for found in counts]
        found, places = map(sum, zip(*pairs, strict=True))
        rows[kind] = {"right": found, "of": places}
        cells = (f"{a} of {b}" if b else "" for a, b in [*pairs, (found, places)])
        print_row(kind, *cells, f"{100 * found / max(places, 1):.1f}")
    add_results(output, "things", nlp, rows)
    types = Counter(name for doc in docs for name in mention_types(doc))
    shares = (f"{name or 'none'} {100 * number / types.total():.1f} %" for name, number in types.most_common())
    words = sum(not token.is_space for doc in docs for token in doc)
    typer.echo(f"\n{types.total():,} mentions of {words:,} words: {', '.join(shares)}")


def read_tales(folder: Path, things: Path = THINGS) -> list[Tale]:
    """Cut the tales out of their books, each paragraph in one line."""
    tales = []
    for name, tale in json.loads(things.read_text(encoding="utf-8")).items():
        path = folder / tale["book"]
        paragraphs = re.split(r"\n\s*\n", path.read_text(encoding="utf-8-sig").replace("_", "").strip())
        book = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
        start = book.find(tale["first"])
        text = book[start : book.find(tale["last"], start) + len(tale["last"])]
        if sha256(text.encode()).hexdigest() != tale["sha256"]:
            raise ValueError(f"{path}: the text of '{tale['title']}' is another. Expected that of {tale['source']}.")
        tales.append(Tale(name, text, [Place(*row) for row in tale["places"]]))
    return tales


def count(tale: Tale, mentions: Mapping[Offsets, int]) -> dict[str, tuple[int, int]]:
    """How many places of each kind are found, and how many there are."""
    ends: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for (start, end), cluster in mentions.items():
        ends[start][end] = cluster
    clusters = [{c for end, c in ends[p.start].items() if p.head <= end <= p.end} for p in tale.places]
    found: dict[str, list[bool]] = {kind: [] for kind in (*ROWS, "other")}
    for place, own in zip(tale.places, clusters, strict=True):
        found[place.kind].append(bool(own))
        if place.antecedent is not None:
            found["linked"].append(bool(own & clusters[place.antecedent]))
    found["all"] = [one for kind in ("it", *NOUNS) for one in found[kind]]
    return {kind: (sum(found[kind]), len(found[kind])) for kind in ROWS}


def mention_types(doc: Doc) -> list[str]:
    """The type of the cluster of each mention."""
    groups = cluster_groups(doc, find_cluster_prefix(doc))
    return [get_text(group, ENTITY_TYPE) or "" for group in groups for _ in group]
