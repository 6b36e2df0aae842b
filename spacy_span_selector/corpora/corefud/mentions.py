"""The entities of a document in CorefUD, as far as a `Doc` can hold them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ...annotation import Mention
from ..conllu import EMPTY_NODE, RANGE, Sentence
from ..coreference_column import BRACKETS, REPEATED, Bracket, pair_brackets
from ..left_out import Report, shorten
from .entities import ENTITY, read_attributes, read_entities

ZEROS = "zeros: mentions without words, which a Doc can't hold"
DISCONTINUOUS = "mentions in several pieces, which a Doc can't hold"
SPLIT_ANTECEDENTS = "split antecedents, which a Doc can't hold"
BRIDGING = "bridging relations, which a Doc can't hold"
OTHER_TYPES = "types of mentions that are not that of the first mention of their entity"
OLD_NOTATION = (
    "mentions in the notation of CorefUD 0, `ClusterId=`, which Udapi converts: "
    "udapy read.OldCorefUD write.Conllu < old.conllu > new.conllu"
)


class Node(NamedTuple):
    """What brackets may stand at: a word or an empty node.

    place (str): File and line.
    word (int | None): The number of the word in the document, None for an empty node.
    sentence (int): The number of its sentence.
    misc (str): The last column.
    """

    place: str
    word: int | None
    sentence: int
    misc: str


class Entities(NamedTuple):
    """The entities of a document.

    mentions (dict[str, list[Mention]]): Token offsets of each entity's mentions.
    types (dict[str, str]): What kind of entity it is, for each entity of which that is said.
    are_marked (bool): Whether the document has any mention, be it one that is left out.
    """

    mentions: dict[str, list[Mention]]
    types: dict[str, str]
    are_marked: bool


def find_entities(sentences: Sequence[Sentence], fields: Sequence[str], report: Report) -> Entities:
    """Find the entities of a document.

    sentences (Sequence[Sentence]): Its sentences.
    fields (Sequence[str]): What the fields of a bracket are.
    report (Report): Gets what is left out: brackets that can't be read or have no partner; repeated mentions; zeros,
        mentions in several pieces, split antecedents and bridging, which a document can't hold.
    """
    nodes = _find_nodes(sentences, report)
    brackets: list[Bracket] = []
    faults: list[tuple[int, str]] = []
    types: dict[str, str] = {}
    pieces: dict[str, tuple[str, int, int]] = {}  # entity, number and how many, by what the brackets are paired by
    for i, node in enumerate(nodes):
        for name, value in read_attributes(node.misc):
            if name != ENTITY:
                _report_other(name, value, node.place, report)
                continue
            read, complete = read_entities(value, fields)
            if not complete:
                expected = "parts such as `(e1-person-1-`, `e1)` or `(e1-person-1-)`"
                faults.append((i, f"found {shorten(value)} in `{ENTITY}`, expected {expected}."))
            for bracket in read:
                key = bracket.entity
                if bracket.piece is not None:
                    key = f"{bracket.entity}[{bracket.piece[0]}/{bracket.piece[1]}]"
                    pieces[key] = (bracket.entity, *bracket.piece)
                brackets.append(Bracket(i, bracket.opens, key, bracket.closes))
                if bracket.type and types.setdefault(bracket.entity, bracket.type) != bracket.type:
                    found = f"found {shorten(bracket.type)} for {shorten(bracket.entity)}"
                    report.leave_out(OTHER_TYPES, f"{node.place}: {found}, before {shorten(types[bracket.entity])}.")
    paired = pair_brackets(brackets, faults, [node.sentence for node in nodes], lambda i: nodes[i].place, report)
    _report_pieces({key: paired.pop(key) for key in pieces if key in paired}, pieces, nodes, report)
    mentions = {entity: _keep_words(entity, spans, nodes, report) for entity, spans in paired.items()}
    return Entities({entity: found for entity, found in mentions.items() if found}, types, bool(brackets))


def _find_nodes(sentences: Sequence[Sentence], report: Report) -> list[Node]:
    nodes: list[Node] = []
    word = 0
    for number, sentence in enumerate(sentences):
        for place, (index, *_, misc) in sentence.rows:
            if EMPTY_NODE.fullmatch(index):
                nodes.append(Node(place, None, number, misc))
            elif not RANGE.fullmatch(index):
                nodes.append(Node(place, word, number, misc))
                word += 1
            elif any(name == ENTITY for name, _ in read_attributes(misc)):
                report.leave_out(BRACKETS, f"{place}: found `{ENTITY}` at the words {index}, expected it at one word.")
    return nodes


def _report_other(name: str, value: str, place: str, report: Report) -> None:
    """Report relations between entities, and mentions in an older notation."""
    found = f"{place}: found {shorten(f'{name}={value}')}."
    if name in ("SplitAnte", "Split"):
        for _ in {link.partition("<")[2] for link in value.split(",")}:
            report.leave_out(SPLIT_ANTECEDENTS, found)
    elif name == "Bridge":
        for _ in value.split(","):
            report.leave_out(BRIDGING, found)
    elif name.startswith("ClusterId"):
        report.leave_out(OLD_NOTATION, found)


def _report_pieces(
    paired: dict[str, list[Mention]], pieces: dict[str, tuple[str, int, int]], nodes: Sequence[Node], report: Report
) -> None:
    """Report each mention in several pieces once."""
    by_mention: defaultdict[tuple[str, int], list[list[Mention]]] = defaultdict(list)
    for key, spans in paired.items():
        entity, _, total = pieces[key]
        by_mention[entity, total].append(spans)
    for (entity, total), spans_by_piece in by_mention.items():
        for start, _ in max(spans_by_piece, key=len):  # a piece may be damaged
            report.leave_out(DISCONTINUOUS, f"{nodes[start].place}: a mention of {shorten(entity)} in {total} pieces.")


def _keep_words(entity: str, spans: Sequence[Mention], nodes: Sequence[Node], report: Report) -> list[Mention]:
    """The mentions of an entity, from spans of words and empty nodes."""
    kept: dict[Mention, None] = {}
    for start, end in spans:
        words = [node.word for node in nodes[start:end] if node.word is not None]
        if not words:
            report.leave_out(ZEROS, f"{nodes[start].place}: a mention of {shorten(entity)}.")
        elif (mention := (words[0], words[-1] + 1)) in kept:
            report.leave_out(REPEATED, f"{nodes[start].place}: {shorten(entity)}, {len(words)} word(s).")
        else:
            kept[mention] = None
    return list(kept)
