"""What the parts of a pipeline say against each other, for 1,000 words.

    python -m lab contradictions MODEL corpus/litbank0/dev.spacy --gold

- co-arguments: two arguments of a frame in one cluster, without a reflexive, a copula or a verb of naming
- persons: "I", "you" and a third person in one cluster, inside one quotation or outside of all
- he and she: in one cluster; it and he or she: likewise
- nested: a mention inside another of its cluster
- speaker: an "I" in a quotation whose cluster is not that of its speaker
- spoken of: a "he" or "she" in a quotation whose cluster is that of its speaker

`--gold` counts the same of the clusters and quotations of the corpus, with the frames of the pipeline: what cannot be
had lower.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Annotated

import spacy
import typer
from spacy.tokens import Doc, Span

from spacy_span_selector.tools.formats.commands import read_spacy_file

from ..measuring import Texts, Threads, print_header, print_row, set_threads

REFLEXIVE = re.compile(r"(my|your|him|her|it|one)self|(our|your|them)selves|each other|one another")
NAMING = re.compile(
    "be|am|is|are|was|were|been|being|['’](s|m|re)|becomes?|became|call(ed|s)?|named?|elected|appointed|considered|made|"
    "remain(ed)?|seem(ed)?"
)
CORE = ("ARG0", "ARG1", "ARG2", "ARG3", "ARG4")
PERSONS = {
    "first": frozenset(["i", "me", "my", "mine", "myself"]),
    "second": frozenset(["you", "your", "yours", "yourself"]),
    "he": frozenset(["he", "him", "his", "himself"]),
    "she": frozenset(["she", "her", "hers", "herself"]),
    "it": frozenset(["it", "its", "itself"]),
}
KINDS = ("co-arguments", "persons", "he and she", "it and he or she", "nested", "speaker", "spoken of")
NEAR = 3
"""How many of the next mentions of a cluster may lie inside one."""

Contradiction = tuple[str, list[Span]]
"""Its kind, and the spans that contradict each other."""


def main(
    model: Annotated[str, typer.Argument(help="A trained pipeline")],
    data: Texts,
    gold: Annotated[bool, typer.Option(help="Count those of the corpus as well")] = False,
    show: Annotated[bool, typer.Option(help="List them")] = False,
    threads: Threads = 0,
) -> None:
    """Print counts by kind."""
    set_threads(threads)
    nlp = spacy.load(model)
    nlp.max_length = 10**9
    given = list(read_spacy_file(data, nlp.vocab))
    columns = {"pipeline": list(nlp.pipe(doc.text for doc in given))}
    if gold:
        columns["gold"] = given
        for doc in given:  # frames of the corpus, if it has any, stay
            if not doc._.srl:
                nlp.get_pipe("structured_srl")(nlp.get_pipe("transformer")(doc))
    counts = {}
    for name, docs in columns.items():
        found = [one for doc in docs for one in contradictions(doc)]
        counts[name] = Counter(kind for kind, _ in found), sum(len(doc) for doc in docs)
        for kind, spans in found if show else ():
            typer.echo(f"{name} | {kind} | {' | '.join(map(str, spans))} | {' '.join(spans[0].sent.text.split())}")
    print_header("kind", *(part for name in columns for part in (name, "in 1,000 words")), texts=1)
    for kind in (*KINDS, "all"):
        cells: list[str] = []
        for counted, words in counts.values():
            count = counted.total() if kind == "all" else counted[kind]
            cells += [str(count), f"{1000 * count / words:.2f}"]
        print_row(kind, *cells)


def contradictions(doc: Doc) -> Iterator[Contradiction]:
    """The contradictions of an annotated document."""
    cluster_of = {(m.start, m.end): number for number, cluster in enumerate(doc._.coref_clusters) for m in cluster}
    for frame in doc._.srl:
        if any(NAMING.fullmatch(token.lower_) for token in frame.predicate):
            continue
        arguments = [(role, span) for role in CORE for span in frame.arguments.get(role, ())]
        arguments = [own for own in arguments if not REFLEXIVE.fullmatch(own[1].text.lower())]
        for (role, one), (other_role, other) in combinations(arguments, 2):
            cluster = cluster_of.get((one.start, one.end))
            if role != other_role and cluster is not None and cluster == cluster_of.get((other.start, other.end)):
                yield "co-arguments", [one, other]
    yield from _of_clusters(doc)
    for quotation in doc._.quotations:
        if quotation.speaker is None:
            continue
        own = {(mention.start, mention.end) for mention in quotation.speaker}
        for start, end in cluster_of:
            if quotation.span.start <= start and end <= quotation.span.end:
                word, speaks = doc[start:end].text.lower(), (start, end) in own
                if word in PERSONS["first"] and not speaks:
                    yield "speaker", [doc[start:end], quotation.span]
                elif word in PERSONS["he"] | PERSONS["she"] and speaks:
                    yield "spoken of", [doc[start:end], quotation.span]


def _of_clusters(doc: Doc) -> Iterator[Contradiction]:
    sides = [0] * len(doc)
    for number, quotation in enumerate(doc._.quotations, start=1):
        sides[quotation.span.start : quotation.span.end] = [number] * len(quotation.span)
    for cluster in doc._.coref_clusters:
        first: dict[str, Span] = {}
        on_side: dict[int, dict[str, Span]] = {}
        for mention in cluster:
            for person, words in PERSONS.items():
                if mention.text.lower() in words:
                    first.setdefault(person, mention)
                    if person != "it":
                        third = "third" if person in ("he", "she") else person
                        on_side.setdefault(sides[mention.start], {}).setdefault(third, mention)
        for own in on_side.values():
            if len(own) > 1:
                yield "persons", [*own.values()]
        if "he" in first and "she" in first:
            yield "he and she", [first["he"], first["she"]]
        if "it" in first and first.keys() & {"he", "she"}:
            yield "it and he or she", [first["it"], first.get("he") or first["she"]]
        mentions = list(cluster)
        for place, one in enumerate(mentions):
            for other in mentions[place + 1 : place + 1 + NEAR]:
                if (one.start <= other.start and other.end <= one.end) or (
                    other.start <= one.start and one.end <= other.end
                ):
                    yield "nested", [one, other]
