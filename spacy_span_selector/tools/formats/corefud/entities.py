"""The notation of CorefUD: brackets in the attribute `Entity` of the column MISC, and the fields of each.

    # global.Entity = eid-etype-head-other
    Entity=(e1-person-1-        a mention of entity e1, a person, opens; its first word is its head
    Entity=(e2-place-1-)e1)     a mention of e2 is this word alone, and the mention of e1 ends
    Entity=(e3[1/2]-place-2-    the first of two parts of a mention of e3 opens

This is the format of CorefUD 1.0 and later. Universal Anaphora and GUM have the same brackets with other fields, in
which `GRP` is the entity and `entity` its type, and repeat some of them at the end of a mention.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import NamedTuple
from urllib.parse import unquote

from spacy.tokens import Doc

from ....annotation import ENTITY_TYPE, Mention, cluster_groups, describe_doc, get_sentences
from ..columns import MENTION_BRACKETS, REPEATED_MENTIONS, Bracket, find_nested, pair_brackets
from ..conllu import EMPTY_NODE, RANGE, Sentence
from ..reports import Report, shorten

ENTITY = "Entity"
DECLARATION = "global.Entity"
FIELDS = ("eid", "etype", "head", "other")
ID_FIELDS = ("eid", "GRP")
TYPE_FIELDS = ("etype", "entity")
PART = re.compile(r"(?P<open>\()?(?P<fields>[^()]+)(?P<close>\))?")
PIECE = re.compile(r"\[(?P<number>[1-9][0-9]{0,3})/(?P<total>[1-9][0-9]{0,3})\]$")
NOT_IN_A_FIELD = re.compile(r"[-()|%=,<>\[\]\s\0]")
ZEROS = "zeros: mentions without words, which a Doc can't hold"
DISCONTINUOUS = "mentions in several pieces, which a Doc can't hold"
SPLIT_ANTECEDENTS = "split antecedents, which a Doc can't hold"
BRIDGING = "bridging relations, which a Doc can't hold"
OTHER_TYPES = "types of mentions that are not that of the first mention of their entity"
OLD_NOTATION = (
    "mentions in the notation of CorefUD 0, `ClusterId=`, which Udapi converts: "
    "udapy read.OldCorefUD write.Conllu < old.conllu > new.conllu"
)
OVER_SENTENCES = "mentions that cross the end of a sentence, which CorefUD can't hold"
CROSSING = "mentions that cross another mention of their entity, which CorefUD can't hold"
ENTITY_ID = re.compile(r"\w+")


class EntityBracket(NamedTuple):
    """A bracket of a mention.

    opens, closes (bool): Whether the mention starts here, and whether it ends here.
    entity (str): Its entity.
    piece (tuple[int, int] | None): For a mention in several pieces the number of this one, and how many there are.
    type (str): What kind of entity it is, "" if that is not said here.
    """

    opens: bool
    closes: bool
    entity: str
    piece: tuple[int, int] | None
    type: str


def read_attributes(misc: str) -> Iterator[tuple[str, str]]:
    """The attributes `NAME=VALUE` of the column MISC."""
    for part in misc.split("|"):
        name, separator, value = part.partition("=")
        if separator:
            yield name, value


def read_entities(cell: str, fields: Sequence[str]) -> tuple[list[EntityBracket], bool]:
    """Read the value of `Entity`.

    cell (str): The value.
    fields (Sequence[str]): What the fields of a bracket are, as `# global.Entity` declares them.
    RETURNS (tuple[list[EntityBracket], bool]): The brackets that can be read, and whether these are all.
    """
    brackets: list[EntityBracket] = []
    complete = True
    end = 0
    while end < len(cell):
        match = PART.match(cell, end)
        bracket = match and _read_bracket(match, fields)
        if bracket is None:
            complete = False
        else:
            brackets.append(bracket)
        end = end + 1 if match is None else match.end()
    return brackets, complete


def write_field(text: str) -> str:
    """A text as a field; characters that have a meaning in the notation are written as in addresses, `%2D`."""
    return NOT_IN_A_FIELD.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)


def _read_bracket(match: re.Match[str], fields: Sequence[str]) -> EntityBracket | None:
    opens, closes = bool(match["open"]), bool(match["close"])
    values = match["fields"].split("-")
    piece = None
    for i in (_find(fields, ID_FIELDS) or 0, -1):  # Universal Anaphora has it behind the last field
        if i < len(values) and (found := PIECE.search(values[i])):
            piece = int(found["number"]), int(found["total"])
            values[i] = values[i][: found.start()]
            break
    at = 0 if len(values) == 1 else _find(fields, ID_FIELDS) or 0
    entity = values[at] if at < len(values) else ""
    type_at = _find(fields, TYPE_FIELDS)
    entity_type = values[type_at] if opens and type_at is not None and type_at < len(values) else ""
    return EntityBracket(opens, closes, entity, piece, unquote(entity_type)) if entity and (opens or closes) else None


def _find(fields: Sequence[str], names: Sequence[str]) -> int | None:
    return next((i for i, field in enumerate(fields) if field in names), None)


class Node(NamedTuple):
    """A place for brackets: a word or an empty node.

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
                report.leave_out(
                    MENTION_BRACKETS, f"{place}: found `{ENTITY}` at the words {index}, expected it at one word."
                )
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
            report.leave_out(REPEATED_MENTIONS, f"{nodes[start].place}: {shorten(entity)}, {len(words)} word(s).")
        else:
            kept[mention] = None
    return list(kept)


class _Written(NamedTuple):
    """A mention that is written: token offsets, the notation of its entity, and what opens and closes it."""

    start: int
    end: int
    opening: str
    closing: str


class EntityColumns:
    """Writes the clusters of the documents of a file, in which no two entities have the same id.

    report (Report): Gets the mentions that are left out.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        self._used: set[str] = set()
        self._numbers = count(1)

    def write(self, doc: Doc, find_head: Callable[[int, int], int]) -> list[str]:
        """Write the clusters of a document.

        doc (Doc): The document.
        find_head (Callable[[int, int], int]): The token that is the head of a mention, from its offsets.
        RETURNS (list[str]): The value of `Entity` at each token, "" without one.
        """
        written: list[_Written] = []
        for group in cluster_groups(doc):
            mentions = self._writable(doc, [(span.start, span.end) for span in group if len(span)])
            if mentions:
                entity = self._name(str(group.attrs.get("name", "")))
                kind = write_field(str(group.attrs.get(ENTITY_TYPE, "")))
                for start, end in mentions:
                    head = find_head(start, end) - start + 1
                    written.append(_Written(start, end, f"({entity}-{kind}-{head}-", f"{entity})"))
        return _write_cells(written, len(doc))

    def _writable(self, doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
        ends = [sentence.end for sentence in get_sentences(doc)]
        inside = {(start, end) for start, end in mentions if end <= ends[bisect_right(ends, start)]}
        nested = [(start, end) for start, end, _ in find_nested([(start, end, "") for start, end in inside])]
        for lost, what in ((set(mentions) - inside, OVER_SENTENCES), (inside.difference(nested), CROSSING)):
            for start, end in sorted(lost):
                self.report.leave_out(what, f"{describe_doc(doc)}, token {start}, {shorten(doc[start:end].text)}")
        return nested

    def _name(self, name: str) -> str:
        """The id of an entity: its name, if it can be one and no entity before has it."""
        if not ENTITY_ID.fullmatch(name) or name in self._used:
            name = next(name for number in self._numbers if (name := f"e{number}") not in self._used)
        self._used.add(name)
        return name


def _write_cells(mentions: Sequence[_Written], n_tokens: int) -> list[str]:
    opening: list[list[str]] = [[] for _ in range(n_tokens)]
    alone: list[list[str]] = [[] for _ in range(n_tokens)]
    closing: list[list[str]] = [[] for _ in range(n_tokens)]
    for mention in sorted(mentions, key=lambda mention: -mention.end):  # outer mentions open first
        if mention.end - mention.start > 1:
            opening[mention.start].append(mention.opening)
        else:
            alone[mention.start].append(f"{mention.opening})")
    for mention in sorted(mentions, key=lambda mention: -mention.start):  # and close last
        if mention.end - mention.start > 1:
            closing[mention.end - 1].append(mention.closing)
    # `(e1-person-1-` before `e2)` would be read as one bracket, so where both are, what ends here comes first.
    return [
        "".join([*alone[i], *closing[i], *opening[i]] if closing[i] else [*opening[i], *alone[i]])
        for i in range(n_tokens)
    ]
